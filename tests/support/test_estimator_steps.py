"""The global step of an Estimator's graph, beside one that a program makes outside."""

from __future__ import annotations

import pathlib
import sys

from migrate import emitted
from migrate.tables import estimator
from reference import processes, runner

# TensorFlow gives no step where a graph lists two.
PROGRAM = """\
import estimator_loop
import tensorflow as tf

v1 = tf.compat.v1
outside = v1.train.get_or_create_global_step()


def model_fn(features, labels, mode):
    weight = v1.get_variable("w", [], initializer=v1.ones_initializer())
    step = v1.train.get_global_step()
    loss = weight * tf.cast(step, tf.float32)
    train_op = v1.assign_add(step, 1)
    return estimator_loop.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors(({"x": 1.0}, 1.0)).repeat()


trained = estimator_loop.Estimator(model_fn)
trained.train(input_fn, steps=3)
print(trained.get_variable_value("global_step"), int(outside))
"""


NAMESAKES = """\
import estimator_loop
import tensorflow as tf

v1 = tf.compat.v1


def model_fn(features, labels, mode):
    one, other = v1.Variable(2.0, name="w"), v1.Variable(3.0, name="w")
    with tf.name_scope("part"):
        third = v1.Variable(5.0, name="w")
    loss = one + 10 * other + 100 * third
    train_op = v1.train.GradientDescentOptimizer(1.0).minimize(
        loss, v1.train.get_global_step())
    return estimator_loop.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors(({"x": 1.0}, 1.0)).repeat(2)


trained = estimator_loop.Estimator(model_fn)
trained.train(input_fn, steps=1)
print(*(trained.get_variable_value(name) for name in ("w", "w_1", "part/w")))
print(trained.evaluate(input_fn)["loss"])
"""


# What TensorFlow 1.15.5's Estimator prints for the same: "model.ckpt-4" model.ckpt-6.
MOVED = (
    (
        NAMESAKES[: NAMESAKES.index("trained = ")]
        + """\
def train(directory, steps):
    config = estimator_loop.RunConfig(directory, keep_checkpoint_max=2)
    trained = estimator_loop.Estimator(model_fn, config=config)
    trained.train(input_fn, steps=steps)
    return trained.latest_checkpoint()


train("first", 2)
train("first", 2)
with open("first/checkpoint") as listed:
    print(listed.readline().split()[-1])
os.rename("first", "second")
print(os.path.basename(train("second", 2)), *sorted(f for f in os.listdir("second") if f.endswith("index")))
"""
    )
    .replace("import estimator_loop", "import os\nimport estimator_loop", 1)
    .replace(".repeat(2)", ".repeat()")
)


def _printed(program: str, work: pathlib.Path) -> list[str]:
    emitted.write(estimator.list_needed_files(estimator.MODULE), work)
    (work / "program.py").write_text(program)
    done = processes.run_program(
        [sys.executable, work / "program.py"],
        environment=runner.ENVIRONMENT,
        directory=work,
    )
    return done.stdout.split()


def test_a_step_that_is_made_outside_is_another(tmp_path: pathlib.Path) -> None:
    assert _printed(PROGRAM, tmp_path) == ["3", "0"]


def test_variables_of_one_name_are_evaluated(tmp_path: pathlib.Path) -> None:
    """Their names in checkpoints are those that TF1's graph gave them."""
    values = [2.0 - 1.0, 3.0 - 10.0, 5.0 - 100.0]
    loss = values[0] + 10 * values[1] + 100 * values[2]
    assert [float(x) for x in _printed(NAMESAKES, tmp_path)] == [*values, loss]


def test_a_directory_that_is_moved_goes_on(tmp_path: pathlib.Path) -> None:
    """Its checkpoints are listed below it, and each training knows the earlier ones."""
    assert _printed(MOVED, tmp_path) == [
        *('"model.ckpt-4"', "model.ckpt-6"),
        *("model.ckpt-4.index", "model.ckpt-6.index"),
    ]
