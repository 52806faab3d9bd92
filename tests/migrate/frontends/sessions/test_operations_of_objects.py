"""`v.initializer.run()`, `update.op`: operations that variables and updates have."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes

PROGRAM = """\
import tensorflow as tf
v = tf.Variable(1.0, name="v")
w = tf.Variable([1.0, 2.0], name="w", validate_shape=True)
update = tf.assign_add(v, 1.0)
double = v.assign(v * 2.0).op
with tf.Session() as sess:
    v.initializer.run()
    w.initializer.run(session=sess)
    update.op.run()
    print(sess.run(v))
    sess.run(update.op)
    print(sess.run(double), sess.run(v))
    print(w.eval())
"""


def _refused(text: str) -> dict[str, str]:
    found = migrate_text(text).findings
    return {
        f.code: f.reason
        for f in found
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    }


def test_they_do_what_they_did(tf1: str, tmp_path: pathlib.Path) -> None:
    done = migrate_text(PROGRAM)
    assert not _refused(PROGRAM)
    wrong = done.text.replace("v * 2.0", "v * 3.0")  # The planted fault.
    shown = []
    for python, text in (
        (tf1, PROGRAM),
        (sys.executable, done.text),
        (sys.executable, wrong),
    ):
        path = tmp_path / "main.py"
        path.write_text(text, "utf-8")
        beside.write(tmp_path, text)
        shown.append(processes.run_program([python, path], directory=tmp_path).stdout)
    assert shown[0] == shown[1] != shown[2]


def test_an_operation_among_others_gives_nothing() -> None:
    text = PROGRAM + "    print(sess.run([update.op, v]))\n"
    assert not _refused(text)
    assert "return [None, v]" in migrate_text(text).text


@pytest.mark.parametrize(
    "run", ["v.assign(5.0).op.run()", "sess.run([v, v.assign(5.0).op])"]
)
def test_one_of_an_update_without_a_name_is_refused(run: str) -> None:
    assert set(_refused(PROGRAM + f"    {run}\n")) == {"S109"}


def test_an_object_of_the_programs_own_runs_itself() -> None:
    text = PROGRAM.replace(
        "with tf.Session",
        "class Own(object):\n    def run(self):\n        print('own')\n\n\n"
        "class Holder(object):\n    pass\n\n\nholder = Holder()\nholder.op = Own()\n"
        "with tf.Session",
    ).replace("    update.op.run()\n", "    holder.op.run()\n")
    assert "holder.op.run()" in migrate_text(text).text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("validate_shape=True", "validate_shape=False"),
        ("[1.0, 2.0], name", "[1.0, 2.0], True, None, False, name"),
        ("tf.assign_add(v, 1.0)", "tf.assign(v, [1.0], validate_shape=False)"),
        ("tf.assign_add(v, 1.0)", "tf.assign(v, [1.0], False)"),
        (
            'tf.Variable([1.0, 2.0], name="w", validate_shape=True)',
            'tf.get_variable("w", initializer=tf.zeros([2]), validate_shape=False)',
        ),
    ],
)
def test_a_variable_whose_shape_may_change_is_refused(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new).replace(", validate_shape=True", "")
    assert "V103" in _refused(text)
