"""Findings speak of names that the user wrote, whatever the form of the program has."""

from __future__ import annotations

import json
import keyword
import pathlib
import re

import pytest

from migrate import emitted
from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.pipeline import migrate_bytes
from migrate.planning import own_words
from migrate.tables import symbols

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOUD = (Outcome.REFUSED, Outcome.FAILED)

TWICE = """\
import tensorflow as tf

X = tf.placeholder(tf.float32, [None, 1])
W = tf.Variable(tf.zeros([1, 1]))
h = tf.matmul(X, W)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(h, {X: [[1.]]}))

X = tf.placeholder(tf.float32, [None, 2])
W = tf.Variable(tf.zeros([2, 1]))
h = tf.matmul(X, W)
X = tf.reshape(X, [-1])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(h, {X: [[1.]]}))
    print([h, X])
"""
OBJECTS = """\
import tensorflow as tf

class Model:
    def __init__(self, rate):
        self.x = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [1, 1])
        self.loss = tf.reduce_mean(tf.matmul(self.x, w))
        self.train = tf.train.GradientDescentOptimizer(rate).minimize(self.loss)

def main():
    model = Model(0.1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(model.train, {model.x: [[1.0]]})
            if model.loss > 3:
                print(model.loss)

main()
"""
HELPERS = """\
import tensorflow as tf

def layer(x, name):
    w = tf.get_variable(name, [1, 1])
    product = tf.matmul(x, w)
    return product

x = tf.placeholder(tf.float32, [None, 1])
h = layer(x, "a")
h = layer(h, "b")
loss = tf.reduce_mean(h)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.train.MonitoredTrainingSession() as sess:
    for _ in range(3):
        sess.run(train, {x: [[1.0]]})
        print(h)
"""
PROGRAMS = {
    "twice": TWICE,
    "objects": OBJECTS,
    "helpers": HELPERS,
    **{
        path.stem: path.read_text()
        for letter in "CNS"
        for path in sorted((ROOT / "tests/rules").glob(f"{letter}*.py"))[::4]
    },
}


def _foreign(text: str, findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    """Names in the code of reasons that are neither the file's nor TensorFlow's."""
    own = set(re.findall(r"[A-Za-z_]\w*", text)) | set(keyword.kwlist) | {"tf"}
    own |= {"name"}  # `with ... as name`: a form, and no name.
    found = []
    for finding in findings:
        if finding.outcome not in LOUD:
            continue
        for code in re.findall(r"`([^`\n]+)`", finding.reason):
            if symbols.exists_in_tf2(code) or emitted.list_files(code.split(".")[0]):
                continue
            names = re.findall(r"(?<![\w.])[A-Za-z_]\w*", code)
            found += [(name, finding.reason) for name in names if name not in own]
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_reasons_name_what_the_user_wrote(name: str) -> None:
    text = PROGRAMS[name]
    done = migrate_text(text, Options(), "train.py")
    assert not _foreign(text, done.findings)
    if name in ("twice", "objects", "helpers"):
        assert any(f.outcome in LOUD for f in done.findings)


def test_the_property_sees_names_of_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: without the translation the same program names what nobody wrote."""
    monkeypatch.setattr(own_words._Words, "translate", lambda self, prose, at: prose)
    done = migrate_text(TWICE, Options(), "train.py")
    assert {name for name, _ in _foreign(TWICE, done.findings)} >= {"X_2", "X_3"}


def test_a_name_that_is_bound_twice_is_told_with_its_line() -> None:
    done = migrate_text(TWICE, Options(), "train.py")
    told = {(f.line, f.code, f.reason) for f in done.findings if f.code != "N100"}
    outside = "is a tensor of the step, but the loop uses it outside of run()"
    assert told == {
        (
            16,
            "S111",
            "the fetches need the placeholder `X` (line 10), but this call does not feed it",
        ),
        (17, "S112", f"`h` (line 12) {outside}"),
        (17, "S112", f"`X` (line 13) {outside}"),
    }
    (recipe,) = {f.recipe for f in done.findings if f.code == "S111"}
    assert recipe == "Feed it in this call: `{X: value}`."


def test_a_notebook_names_the_cell_of_a_line() -> None:
    first, second = TWICE.split("\n\n", 2)[1:]
    cells = [
        {"cell_type": "code", "source": source, "outputs": [], "metadata": {}}
        for source in ("import tensorflow as tf", first, second)
    ]
    raw = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})
    done = migrate_bytes(pathlib.Path("a.ipynb"), raw.encode(), Options())
    reasons = {f.reason: f.cell for f in done.findings if f.code in ("S111", "S112")}
    assert (
        reasons[
            "the fetches need the placeholder `X` (line 1), but this call does not feed it"
        ]
        == 2
    )
