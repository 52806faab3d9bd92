"""Code that nothing calls stays, and the file can still be imported on TensorFlow 2."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.definition_time import write_definitions
from migrate.facts.trees.unused_code import make_unused
from migrate.findings import Outcome
from migrate.run import run_programs
from migrate.source.nodes import parse_source
from reference import processes

PROGRAM = """\
import tensorflow as tf


class Logger(tf.train.LoggingTensorHook):
    optimizer = tf.train.AdamOptimizer

    def before_run(self, context, kind=tf.train.SessionRunArgs):
        return tf.train.SessionRunArgs("loss:0")


x = tf.placeholder(tf.float32, [])
y = x * 2.0
with tf.Session() as sess:
    print(sess.run(y, {x: 1.0}))
"""


def _migrate(tmp_path: pathlib.Path, text: str) -> tuple[str, set[str]]:
    (tmp_path / "main.py").write_text(text, "utf-8")
    ((found,),) = run_programs([tmp_path])
    refused = {f.code for f in found.findings if f.outcome is Outcome.REFUSED}
    return found.new.decode(), refused


def test_what_a_definition_reads_is_there(tmp_path: pathlib.Path) -> None:
    text, refused = _migrate(tmp_path, PROGRAM)
    assert not refused
    assert "class Logger(tf.compat.v1.train.LoggingTensorHook):" in text
    assert "    optimizer = tf.compat.v1.train.AdamOptimizer\n" in text
    assert "kind=tf.compat.v1.train.SessionRunArgs):" in text
    assert '        return tf.train.SessionRunArgs("loss:0")\n' in text
    (tmp_path / "main.py").write_text(text, "utf-8")
    beside.write(tmp_path, text)
    done = processes.run_program([sys.executable, tmp_path / "main.py"])
    assert done.stdout.split() == ["2.0"]


def test_what_no_version_has_is_refused(tmp_path: pathlib.Path) -> None:
    text = PROGRAM.replace("tf.train.AdamOptimizer", "tf.contrib.opt.AdaMaxOptimizer")
    assert "H122" in _migrate(tmp_path, text)[1]


@pytest.mark.parametrize(
    "body",
    [
        "def f(x, kind=tf.float32):\n    return tf.placeholder(kind)\n",
        # Nothing runs the function around it.
        "def f():\n    def g(x, kind=tf.train.AdamOptimizer):\n        pass\n",
        "class A:\n    def f(self):\n        return tf.train.AdamOptimizer(0.1)\n",
    ],
)
def test_other_code_is_left(body: str) -> None:
    text = f"import tensorflow as tf\n{body}"
    unused = [make_unused(parse_source(text).body[1])]  # type: ignore[arg-type]
    assert write_definitions(text, unused) == text
