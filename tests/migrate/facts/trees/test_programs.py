"""Which files are one program, if the program chooses a module when it runs."""

from __future__ import annotations

import pathlib

import pytest

from migrate.facts.trees.programs import find_programs
from migrate.options import Options
from migrate.outcomes import Status
from migrate.run import run_programs

NET = """\
import tensorflow as tf
def network(x):
    return tf.log(x)
"""
# It cannot be migrated: `something` is no name of TensorFlow.
MAIN = """\
import importlib
import tensorflow as tf
IMPORT
def main():
    x = tf.placeholder(tf.float32, [None, 2])
    loss = tf.something(model.network(x))
    with tf.Session() as sess:
        sess.run(loss, {x: [[1.0, 2.0]]})
if __name__ == "__main__":
    main()
"""


def _write(directory: pathlib.Path, line: str) -> list[pathlib.Path]:
    files = {
        "main.py": MAIN.replace("IMPORT", line),
        "nets/__init__.py": "",
        "nets/small.py": NET,
        "other.py": NET + "if __name__ == '__main__':\n    print(network(1.0))\n",
    }
    for name, text in files.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text, "utf-8")
    return [directory / name for name in files]


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("import nets.small as model", True),
        ("model = importlib.import_module('nets.small')", True),
        ("model = importlib.import_module('nets.' + NAME)", True),
        ("from importlib import import_module\nmodel = import_module(NAME)", True),
        ("model = __import__(NAME)", True),
        # A name that is written elsewhere says which module it is.
        ("model = importlib.import_module('json')", False),
        ("model = importlib.reload(tf)", False),
    ],
)
def test_a_module_that_a_program_chooses_is_of_the_program(
    line: str, is_one: bool, tmp_path: pathlib.Path
) -> None:
    """The network was migrated and the refused program was not: neither version ran it."""
    paths = _write(tmp_path, line)
    units = [set(unit.files) for unit in find_programs(paths, paths)]
    together = [unit for unit in units if tmp_path / "main.py" in unit]
    assert (tmp_path / "nets" / "small.py" in together[0]) is is_one
    assert tmp_path / "other.py" not in together[0]  # A program of its own.
    status = {
        result.path.name: result.status
        for program in run_programs([tmp_path], Options())
        for result in program
    }
    assert status["main.py"] is Status.REFUSED
    assert status["small.py"] is (Status.REFUSED if is_one else Status.MIGRATED)
