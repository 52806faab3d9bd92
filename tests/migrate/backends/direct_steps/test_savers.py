"""Savers of programs whose steps are called directly: TensorFlow 1's files, both ways.

A program is trained in two parts, one by TensorFlow 1.15.5 and one by its migration. What
it writes must be what TensorFlow 1.15.5 writes in one run.
"""

from __future__ import annotations

import pathlib
import re
import sys

import pytest
import tensorflow as tf

from migrate.backends.direct_steps import call_directly
from migrate.compiler import migrate_text
from migrate.migration import Migration
from reference import measured, processes, runner

# Two variables without names, one in a scope, a counter; a saver made before the first step.
PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf

directory, begin, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
with tf.name_scope("hidden"):
    v = tf.Variable(tf.constant(0.3, shape=[3, 4]), name="v")
w = tf.Variable(tf.constant(0.2, shape=[4, 1]))
b = tf.Variable(tf.constant([0.1]))
step = tf.train.get_or_create_global_step()
h = tf.nn.relu(tf.matmul(x, v))
loss = tf.reduce_mean(tf.square(tf.matmul(h, w) + b - y))
train = OPTIMIZER.minimize(loss, global_step=step)
saver = tf.train.Saver(max_to_keep=2)
rng = np.random.RandomState(0)
batches = [rng.rand(8, 3) for _ in range(12)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    path = tf.train.latest_checkpoint(directory)
    if path:
        saver.restore(sess, path)
    for i in range(begin, end):
        _, value, at = sess.run(
            [train, loss, step], {x: batches[i], y: batches[i].sum(1, keepdims=True)})
        print("loss", repr(float(value)))
        if i % 2:
            saver.save(sess, directory + "/model", global_step=step)
    print("kept", len(saver.last_checkpoints))
"""
OPTIMIZERS = {
    "none": "tf.train.GradientDescentOptimizer(0.1)",
    "momentum": "tf.train.MomentumOptimizer(0.02, 0.9)",
    "adam": "tf.train.AdamOptimizer(0.05)",
    "rmsprop": "tf.train.RMSPropOptimizer(0.02, momentum=0.5)",
    "centered": "tf.train.RMSPropOptimizer(0.02, centered=True)",
    "adagrad": "tf.train.AdagradOptimizer(0.1)",
    "adadelta": "tf.train.AdadeltaOptimizer(1.0)",
    "ftrl": "tf.train.FtrlOptimizer(0.2)",
}
# Float32 losses of order 1, and what ten steps make of a few ULPs.
TOLERANCE = 3e-6


def _run(
    python: str, program: pathlib.Path, directory: pathlib.Path, begin: int, end: int
) -> list[float]:
    done = processes.run_program(
        [python, program, directory, str(begin), str(end)],
        environment=runner.ENVIRONMENT,
        timeout=120,
    )
    assert re.findall(r"^kept (\d)", done.stdout, re.M) == ["2"]
    return [float(x) for x in re.findall(r"^loss (\S+)", done.stdout, re.M)]


def _programs(
    text: str, tmp_path: pathlib.Path, old: str = "", new: str = ""
) -> tuple[pathlib.Path, pathlib.Path]:
    """TensorFlow 1's program and its migration, in which something is replaced."""
    first, second = tmp_path / "tf1.py", tmp_path / "tf2.py"
    first.write_text(text)
    migration = migrate_text(text)
    assert not migration.support and "tf.compat.v1.train.Saver(" in migration.text
    assert not old or migration.text.count(old) == 1
    second.write_text(migration.text.replace(old, new) if old else migration.text)
    return first, second


def _worst(one: list[float], other: list[float]) -> float:
    assert len(one) == len(other)
    return measured.note(max(abs(a - b) for a, b in zip(one, other, strict=True)))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_each_goes_on_from_the_checkpoint_of_the_other(
    name: str, tf1: str, tmp_path: pathlib.Path
) -> None:
    text = PROGRAM.replace("OPTIMIZER", OPTIMIZERS[name])
    old, new = _programs(text, tmp_path)
    whole, there, back = (tmp_path / d for d in ("whole", "there", "back"))
    for directory in (whole, there, back):
        directory.mkdir()
    expected = _run(tf1, old, whole, 0, 12)
    begun = _run(tf1, old, there, 0, 6)
    assert _worst(begun + _run(sys.executable, new, there, 6, 12), expected) < TOLERANCE
    begun = _run(sys.executable, new, back, 0, 6)
    assert _worst(begun + _run(tf1, old, back, 6, 12), expected) < TOLERANCE
    files = [
        {f.name for f in d.iterdir() if f.suffix != ".meta"} for d in (there, back)
    ]
    assert files[0] == files[1] and len(files[0]) == 9  # A saver knows its own alone.
    listed = [tf.train.list_variables(str(d / "model-12")) for d in (whole, there)]
    assert listed[0] == listed[1]


FAULTS = {
    "slots are not restored": (", *optimizer.variables()]", "]"),
    "a name of another": ('name="Variable_1"', 'name="Variable_2"'),
    "nothing is restored": ("saver.restore(None, path)", "pass"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(fault: str, tf1: str, tmp_path: pathlib.Path) -> None:
    text = PROGRAM.replace("OPTIMIZER", OPTIMIZERS["adam"])
    old, new = _programs(text, tmp_path, *FAULTS[fault])
    whole, there = tmp_path / "whole", tmp_path / "there"
    whole.mkdir()
    there.mkdir()
    expected = _run(tf1, old, whole, 0, 12)
    _run(tf1, old, there, 0, 6)
    try:
        went_on = _run(sys.executable, new, there, 6, 12)
    except processes.TasksFailed as failed:
        assert "not found in checkpoint" in str(failed)
        return
    assert _worst(went_on, expected[6:]) > 100 * TOLERANCE


def _migrated(text: str) -> str:
    migration = migrate_text(text)
    assert ("plain_session" in migration.text) == bool(migration.support)
    return migration.text


ADAM = PROGRAM.replace("OPTIMIZER", OPTIMIZERS["adam"])


def test_what_is_written() -> None:
    text = _migrated(ADAM)
    assert 'b = tf.Variable(tf.constant([0.1]), name="Variable_1")' in text
    assert (
        "# The optimizer's slots are made when the step is traced.\n"
        "train_step.get_concrete_function()\n"
        "saver = tf.compat.v1.train.Saver([v, w, b, step, *optimizer.variables()], "
        "max_to_keep=2)\n"
    ) in text
    assert migrate_text(text).text == text


def test_a_function_that_makes_a_graph_begins_its_slots_anew() -> None:
    """TF1's second graph has slots of the first's names."""
    head, _, body = ADAM.partition("x = tf.placeholder")
    body = "x = tf.placeholder" + body
    text = head + "def run():\n" + "".join(f"    {s}\n" for s in body.splitlines())
    text = _migrated(text + "\nrun()\nrun()\n")
    assert "tf.compat.v1.reset_default_graph()\n    # The optimizer's slots" in text
    assert "reset_default_graph" not in _migrated(
        head
        + "def run():\n"
        + "".join(f"    {s}\n" for s in body.splitlines())
        + "run()\n"
    )


def test_a_saver_is_made_within_the_session() -> None:
    line = "saver = tf.train.Saver(max_to_keep=2)\n"
    opened = "with tf.Session() as sess:\n"
    text = ADAM.replace(line, "").replace(opened, f"{opened}    {line}")
    text = _migrated(text)
    assert "plain_session" not in text
    assert (
        "train_step.get_concrete_function()\n"
        "saver = tf.compat.v1.train.Saver([v, w, b, step, *optimizer.variables()], "
    ) in text


def test_slots_of_every_step_exist() -> None:
    """One optimizer, of which each step updates other variables."""
    text = _migrated(
        ADAM.replace(
            "train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)",
            "opt = tf.train.AdamOptimizer(0.05)\n"
            "train = opt.minimize(loss, global_step=step, var_list=[v])\n"
            "more = opt.minimize(loss, var_list=[w])",
        ).replace(
            "        if i % 2:\n",
            "        sess.run(more, {x: batches[i], y: batches[i]})\n        if i % 2:\n",
        )
    )
    assert text.count(".get_concrete_function()\n") == 2


def test_each_graph_is_traced_for_its_own_saver() -> None:
    """Two functions whose steps have one name."""
    one, two = (GRAPH.replace("NAME", name) for name in ("one", "two"))
    text = f"{HEAD}{one}\n{two}\none()\ntwo()\n"
    done = call_directly(text, Migration(text, (), ("plain_session.py",)), "program.py")
    assert done.text.count(".get_concrete_function()\n") == 2
    assert done.text.count("reset_default_graph()") == 2
    # A graph without a saver, of which two steps make slots, one of them later.
    steps = GRAPH.replace("NAME", "two").replace("saver", "# saver")
    begin = steps.index("        @replicas")
    end = steps.index("    # saver")
    again = steps[begin:end].replace("train_step", "more") + steps[end:]
    text = f"{HEAD}{one}\n{steps[:end]}{again}\none()\ntwo()\n"
    done = call_directly(text, Migration(text, (), ("plain_session.py",)), "program.py")
    assert done.text == text


HEAD = """\
import tensorflow as tf
import plain_session
import training_session


"""
GRAPH = """\
def NAME():
    strategy = tf.distribute.get_strategy()
    replicas = plain_session.LocalReplicas(strategy)
    with strategy.scope(), replicas.recording():
        w = tf.Variable([1.0])
        optimizer = tf.compat.v1.train.AdamOptimizer(0.1)

        @replicas.step_function()
        def train_step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w)
            variables = replicas.trainable_variables
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables))
            return loss

    saver = training_session.Saver()
    with plain_session.Session(replicas) as sess:
        sess.run(train_step)
        saver.save(sess, "NAME")
"""


# In each of these it is not known what a saver has, or under which names.
STAYS: dict[str, tuple[str, ...]] = {
    "a variable of a loop": (
        "b = tf.Variable(tf.constant([0.1]))\n",
        "for _ in range(2):\n    b = tf.Variable(tf.constant([0.1]))\n",
    ),
    "variables of a function": (
        "w = tf.Variable(tf.constant(0.2, shape=[4, 1]))\nb = tf.Variable(",
        "def weight(value):\n    return tf.Variable(value)\n\n\n"
        "w = weight(tf.constant(0.2, shape=[4, 1]))\nb = weight(",
    ),
    "names that TF1 does not tell apart": (
        "b = tf.Variable(tf.constant([0.1]))",
        'b = tf.Variable(tf.constant([0.1]), name="variable")',
    ),
    "a name that is computed": ('name="v"', "name=directory"),
    "a saver that is given away": (
        "        if i % 2:\n",
        "        savers = [saver]\n        if i % 2:\n",
    ),
    "a saver that has no name": (
        "        if i % 2:\n",
        "        tf.train.Saver().save(sess, 'x')\n        if i % 2:\n",
    ),
    "two optimizers": (
        "saver = ",
        "other = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss * 2.0)\nsaver = ",
        "[train, loss, step]",
        "[[train, other], loss, step]",
    ),
    "a step that calls the module of cells": (
        "(loss, global_step",
        "(tf.nn.rnn_cell.LSTMStateTuple(loss, loss).c, global_step",
    ),
    "chosen by the program": (
        "Saver(max_to_keep=2)",
        "Saver(tf.trainable_variables()[:1])",
    ),
}


@pytest.mark.parametrize("name", STAYS)
def test_a_session_stays(name: str) -> None:
    text = ADAM
    for old, new in zip(STAYS[name][::2], STAYS[name][1::2]):
        assert old in text
        text = text.replace(old, new)
    assert "tf.compat.v1.train.Saver(" not in migrate_text(text).text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("Saver([w, b])", "Saver([w, b])"),
        ("Saver(var_list=[w], max_to_keep=3)", "Saver([w], max_to_keep=3)"),
        ("Saver({'one': w, 'two': b})", "Saver({'one': w, 'two': b})"),
    ],
)
def test_a_list_of_the_program(given: str, shown: str) -> None:
    text = _migrated(ADAM.replace("Saver(max_to_keep=2)", given))
    assert f"saver = tf.compat.v1.train.{shown}\n" in text
