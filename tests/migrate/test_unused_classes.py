"""A class that nobody uses, and that opens a session, hides no other reason."""

from __future__ import annotations

import pathlib

from migrate import run
from migrate.findings import Finding
from migrate.outcomes import find_reason

CLASS = """\
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.sess = tf.Session()
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.loss = tf.reduce_mean(net(self.x))

    def score(self, xs):
        return self.sess.run(self.loss, feed_dict={self.x: xs})


"""
NET = """\
def net(x):
    return tf.contrib.layers.nothing(x)


"""
OTHER = """\
def read():
    return tf.contrib.framework.nothing()
"""
BUILD = """\
def build(x):
    w = tf.get_variable("w", []{getter})
    return tf.reduce_mean(tf.square(x * w))
"""
TRAIN = """\
import numpy as np
import tensorflow as tf
import model


def train():
    x = tf.placeholder(tf.float32, [None])
    loss = model.build(x)
    op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(10):
            sess.run(op, feed_dict={x: np.ones([4], np.float32)})


if __name__ == "__main__":
    train()
"""


def check(place: pathlib.Path, **files: str) -> list[tuple[str, Finding]]:
    """The refusals that are reasons, by file; the one that is shown comes first."""
    for name, text in files.items():
        (place / f"{name}.py").write_text(text)
    results = [r for program in run.run_programs([place]) for r in program]
    shown = find_reason(results)
    found = [
        (r.path.stem, f)
        for r in results
        for f in r.findings
        if f.blocks and f.code not in ("N100", "N102")
    ]
    return sorted(found, key=lambda one: shown is None or one[1] is not shown[1])


def test_what_the_rest_of_a_library_is_refused_for_is_told(
    tmp_path: pathlib.Path,
) -> None:
    found = check(tmp_path, model=CLASS + NET + OTHER)
    assert [(f.code, f.symbol) for _, f in found] == [
        ("T111", "tf.contrib.framework.nothing"),
        ("S101", "tf.Session"),
    ]
    lines = (CLASS + NET + OTHER).split("\n")
    assert "framework.nothing" in lines[found[0][1].line - 1]


def test_what_the_class_uses_is_no_other_reason(tmp_path: pathlib.Path) -> None:
    ((_, found),) = check(tmp_path, model=CLASS + NET)
    assert found.code == "S101" and "makes no object of the class" in found.reason


def test_the_class_of_a_module_hides_no_reason_of_its_program(
    tmp_path: pathlib.Path,
) -> None:
    model = CLASS + NET + BUILD.format(getter=", custom_getter=abs")
    ((name, found),) = check(tmp_path, model=model, train=TRAIN)
    assert (name, found.code) == ("model", "V103")
    assert "get_variable" in model.split("\n")[found.line - 1]


def test_without_another_reason_the_class_is_the_reason(
    tmp_path: pathlib.Path,
) -> None:
    model = CLASS + NET + BUILD.format(getter="")
    found = check(tmp_path, model=model, train=TRAIN)
    assert [(name, f.code) for name, f in found] == [("model", "N101")]
    assert "tf.Session()" in model.split("\n")[found[0][1].line - 1]


def test_a_class_that_is_found_by_a_computed_name_is_kept(
    tmp_path: pathlib.Path,
) -> None:
    model = CLASS + BUILD.format(getter="")
    train = TRAIN.replace("train()\n", "train()\n    getattr(model, input())\n")
    found = check(tmp_path, model=model, train=train)
    assert "tf.Session" in {f.symbol for _, f in found}
