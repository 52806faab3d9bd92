"""Files that give a model_fn to a program of another file build graphs, and so do their modules.

`tests/programs/trees/given_to_a_loop` is run and compared; here is what counts as giving.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.facts.trees.imports import find_graph_modules, find_updating_modules

LOOP = """\
import tensorflow as tf


def run(model_fn, input_fn):
    tf.estimator.Estimator(model_fn).train(input_fn, steps=3)
"""
NET = """\
import tensorflow as tf


def network(x):
    return tf.layers.dense(x, 3)
"""
PROGRAM = """\
import functools
import tensorflow as tf
import loop
import net


def my_model_fn(features, labels, mode):
    return loop.spec(net.network(features), labels, mode)


def my_input_fn():
    pass


"""


def _files(
    directory: pathlib.Path, call: str, head: str = PROGRAM
) -> list[pathlib.Path]:
    texts = {"loop.py": LOOP, "net.py": NET, "program.py": f"{head}{call}\n"}
    for name, text in texts.items():
        (directory / name).write_text(text)
    return [directory / name for name in texts]


@pytest.mark.parametrize(
    "call",
    [
        "loop.run(my_model_fn, my_input_fn)",
        "loop.run(input_fn=my_input_fn, model_fn=my_model_fn)",
        "loop.run(functools.partial(my_model_fn), my_input_fn)",
    ],
)
def test_a_file_that_gives_its_model_fn(call: str, tmp_path: pathlib.Path) -> None:
    found = {pathlib.Path(f).name for f in find_graph_modules(_files(tmp_path, call))}
    assert found == {"loop.py", "net.py", "program.py"}


@pytest.mark.parametrize(
    ("call", "head"),
    [
        ("loop.run(None, my_input_fn)", PROGRAM),
        ("my_model_fn(1, 2, 3)", PROGRAM),
        ("loop.run(my_model_fn, my_input_fn)", PROGRAM.replace("mode", "how")),
        ("run(my_model_fn, my_input_fn)", PROGRAM.replace("import loop\n", "")),
    ],
    ids=["not_given", "called", "no_model_fn", "to_no_program"],
)
def test_a_file_that_does_not(call: str, head: str, tmp_path: pathlib.Path) -> None:
    assert not find_graph_modules(_files(tmp_path, call, head))


@pytest.mark.parametrize("updates", [True, False])
def test_averages_move_where_the_loop_moves_them(
    updates: bool, tmp_path: pathlib.Path
) -> None:
    files = _files(tmp_path, "loop.run(my_model_fn, my_input_fn)")
    if updates:
        text = LOOP + "    tf.get_collection(tf.GraphKeys.UPDATE_OPS)\n"
        (tmp_path / "loop.py").write_text(text)
    found = {pathlib.Path(f).name for f in find_updating_modules(files)}
    assert found == ({"loop.py", "net.py", "program.py"} if updates else set())
