"""Rules of files, notebooks and several files, as a command in a terminal says them.

No program alone shows them, so a project of a few files does. `python -m tests.rules.commands`
writes `tests/rules/commands/CODE.txt`, which the rule's page shows.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import tempfile
from collections.abc import Iterator, Mapping
from unittest import mock

from click.testing import CliRunner

from migrate.cli import main
from migrate.rules import calls

RECORDED = pathlib.Path(__file__).parent / "commands"

_TRAINING = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(v - x))
with tf.train.MonitoredTrainingSession() as sess:
    for _ in range(3):
        sess.run(train, {x: 1.0})
"""
_MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features["x"], 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.01).minimize(
        loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": [[1.0]]}, [1])).batch(1)
"""
_RUNS = """\
import tensorflow as tf
from model import input_fn, model_fn

estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
estimator.train(input_fn, steps=2)
"""
_OLD_RUNS = """\
import tensorflow as tf
from model import input_fn, model_fn

estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
seen = [p["logits"] for p in estimator.predict(input_fn)]
kept = tf.Variable(seen)
with tf.Session() as sess:
    sess.run(kept.initializer)
with tf.Session() as sess:
    tf.train.Saver().save(sess, "/tmp/kept")
"""


@dataclasses.dataclass(frozen=True)
class Command:
    """A project and a command in it.

    Attributes:
      files: name -> what is in it; of a notebook, the sources of its cells.
      arguments: of `tf1to2`.
      show: the files that the page prints.
      about: a sentence before.
    """

    files: Mapping[str, str | bytes | tuple[str, ...]]
    arguments: tuple[str, ...]
    about: str
    show: tuple[str, ...] = ()


COMMANDS = {
    "E001": Command(
        {"table.py": f"import tensorflow as tf\n\nTABLE = {'[' * 999}{']' * 999}\n"},
        ("migrate", "table.py"),
        "`table.py` was generated. It has a list in a list, 999 deep:",
    ),
    "E002": Command(
        {"train.py": b"import tensorflow as tf\n\nname = 'caf\xe9'\n"},
        ("migrate", "train.py"),
        "`train.py` was saved as Latin-1, and has no coding line:",
    ),
    "E003": Command(
        {"train.py": "import tensorflow as tf\n\nprint(tf.log(2.0)\n"},
        ("migrate", "train.py"),
        "`train.py` lacks a bracket:",
        ("train.py",),
    ),
    "E006": Command(
        {"train.py": "import tensorflow as tf\n\nprint(tf.log(2.0))\n"},
        ("migrate", "train.py", "--write"),
        "Only reading is allowed for `train.py` (`chmod 444 train.py`):",
    ),
    "G005": Command(
        {
            "train.ipynb": (
                "import tensorflow as tf\n\n"
                "x = tf.placeholder(tf.float32, [])\n"
                'v = tf.get_variable("v", [], initializer=tf.zeros_initializer())\n\n'
                "def build():\n"
                "    %matplotlib inline\n"
                "    loss = tf.square(v - x)\n"
                "    return tf.train.GradientDescentOptimizer(0.1).minimize(loss)",
                "train = build()\n"
                "sess = tf.Session()\n"
                "sess.run(tf.global_variables_initializer())\n"
                "sess.run(train, {x: 1.0})",
            )
        },
        ("migrate", "train.ipynb"),
        "A magic stands in a function that has to be written where it is called. These are the two cells:",
        ("train.ipynb",),
    ),
    "G006": Command(
        {"train.py": _TRAINING, "training_session.py": "STEPS = 100\n"},
        ("migrate", "train.py"),
        "`training_session.py` beside the program has only `STEPS = 100`. The migrated program would import a module of that name:",
        ("train.py",),
    ),
    "G009": Command(
        {
            "train.py": "import tensorflow as tf\n\nprint(tf.squeeze([[1.0]], squeeze_dims=[0]))\n"
        },
        ("migrate", "train.py"),
        "No program is known that has this. The test suite puts an error into one of the tool's tables: `tf.squeeze` would become `tf.log`, which TensorFlow 2 does not have:",
        ("train.py",),
    ),
    "K180": Command(
        {"model.py": _MODEL, "train.py": _RUNS, "old_show.py": _OLD_RUNS},
        ("migrate", "."),
        "`train.py` and `old_show.py` import the `model_fn` of `model.py`. Only `old_show.py` has something that is refused:",
        ("old_show.py",),
    ),
    "N102": Command(
        {
            "model.py": "import tensorflow as tf\n\nrate = tf.log(2.0)\n",
            "train.py": "import model\nimport tensorflow as tf\n\n"
            "with tf.Session() as sess:\n    print(sess.run(model.rate))\n",
        },
        ("migrate", ".", "-v"),
        "`model.py` alone could be migrated. `train.py`, which imports it, is refused:",
        ("model.py", "train.py"),
    ),
    "T151": Command(
        {
            "train.py": "import tensorflow as tf\n\n"
            "cell = tf.contrib.rnn.IntersectionRNNCell(2)\n"
            "x = tf.placeholder(tf.float32, [1, 3, 2])\n"
            "outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\n"
            "with tf.Session() as sess:\n"
            "    sess.run(tf.global_variables_initializer())\n"
            "    print(sess.run(outputs, {x: [[[1.0, 2.0]] * 3]}))\n"
        },
        ("migrate", "train.py", "--fallback", "compat"),
        "The cell is in `tf.contrib` alone:",
        ("train.py",),
    ),
}


def _write_files(command: Command) -> None:
    for name, content in command.files.items():
        if isinstance(content, bytes):
            data = content
        elif isinstance(content, str):
            data = content.encode()
        else:
            cell = {"cell_type": "code", "metadata": {}, "outputs": []}
            cells = [{**cell, "execution_count": None, "source": s} for s in content]
            book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
            data = json.dumps(book).encode()
        pathlib.Path(name).write_bytes(data)


@contextlib.contextmanager
def _prepare(code: str) -> Iterator[None]:
    """Prepares what a code needs beside files: a mode, or a planted fault."""
    if code == "E006":
        pathlib.Path("train.py").chmod(0o444)
    if code == "G009":
        wrong = dataclasses.replace(calls.ROWS["tf.squeeze"], target="tf.log")
        with mock.patch.dict(calls.ROWS, {"tf.squeeze": wrong}):
            yield
    else:
        yield


def run_command(code: str) -> str:
    """Runs a command; returns it with all that a terminal shows."""
    command = COMMANDS[code]
    here = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            _write_files(command)
            with _prepare(code):
                environment = {"XDG_CACHE_HOME": directory, "NO_COLOR": "1"}
                done = CliRunner(env=environment).invoke(main, command.arguments)
        finally:
            os.chdir(here)
    # The version of Python is that of whoever runs this.
    printed = re.sub(r"Python 3\.\d+", "Python 3.11", done.output)
    lines = [line.rstrip() for line in printed.strip().split("\n")]
    return "\n".join([f"$ tf1to2 {' '.join(command.arguments)}", *lines, ""])


def list_shown_files(code: str) -> Iterator[tuple[str, str]]:
    """The files that the page of a code prints, each with its text."""
    command = COMMANDS[code]
    for name in command.show:
        content = command.files[name]
        if isinstance(content, tuple):
            for number, cell in enumerate(content, 1):
                yield f"{name}, cell {number}", cell
        elif isinstance(content, str):
            yield name, content.rstrip("\n")


def main_() -> None:
    """Write what each command prints."""
    RECORDED.mkdir(exist_ok=True)
    for code in COMMANDS:
        (RECORDED / f"{code}.txt").write_text(run_command(code), "utf-8")


if __name__ == "__main__":
    main_()
