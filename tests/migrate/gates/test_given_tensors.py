"""A program that gives its tensors to a library that the tool has not read is refused."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.run import run_tree

PROGRAM = """\
import functools
import logging
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp
import otherlib
from otherlib.nets import Net, network
class Model:
    def __init__(self):
        self.scale = tf.constant(2.0)
        self.size = 3
def double(values):
    return tf.multiply(values, 2.0)
class Settings:
    def __init__(self):
        self.size = 3
x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", [2, 1])
model, settings = Model(), Settings()
optimizer = tf.train.GradientDescentOptimizer(0.1)
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
BUILT
train = optimizer.minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        value, _ = sess.run([loss, train], {x: np.ones([4, 2])})
        RUN
"""


def _refuse(built: str, run: str = "pass") -> list[Finding]:
    text = PROGRAM.replace("BUILT", built).replace("RUN", run)
    done = migrate_text(text)
    assert not any(f.outcome is Outcome.FAILED for f in done.findings)
    found = [f for f in done.findings if f.outcome is Outcome.REFUSED]
    assert bool(found) is ("with tf.Session() as sess" in done.text)
    return [f for f in found if f.code == "T115"]


@pytest.mark.parametrize(
    "built",
    [
        "loss += otherlib.penalty(w)",
        "loss = loss + network(tf.matmul(x, w))",
        "loss += network(inputs=[x, w])",
        "net = Net(3)\nloss += net(x)",
        "net = Net(3)\nloss += net.forward(x)",
        "otherlib.wrap(optimizer)",
        "otherlib.look_at(model)",
        "otherlib.look_at(model.scale)",
        "loss += otherlib.apply(double)",
        "hidden = x\nfor size in (2, 2):\n    hidden = otherlib.layer(hidden, size)",
        "variables = tf.trainable_variables()\notherlib.show(variables)",
        "otherlib.keep(tf.train.Saver())",
    ],
)
def test_a_library_that_gets_tensors_is_refused(built: str) -> None:
    """The program was called migrated, and ended in the library's first line of graph code."""
    (finding,) = _refuse(built)
    assert finding.line == 22 + built.count("\n")
    assert "gives tensors to" in finding.reason


@pytest.mark.parametrize(
    ("built", "run"),
    [
        ("otherlib.greet('world')", "pass"),
        ("otherlib.greet(settings, settings.size, model.size)", "pass"),
        ("otherlib.list_names([w.name, x.shape, w.dtype, x.get_shape()])", "pass"),
        ("otherlib.keep(tf.float32)", "otherlib.plot(value, step)"),
        ("logging.info('%s', w)", "logging.info(value)"),
        ("rates = otherlib.make_rates(tf.flags.FLAGS)", "otherlib.plot(sess.run(w))"),
        ("scale = tfp.math.softplus_inverse(w)\nloss += tf.reduce_sum(scale)", "pass"),
    ],
)
def test_what_a_library_gets_of_python_is_none_of_this(built: str, run: str) -> None:
    assert not _refuse(built, run)


MODEL_FN = """\
import tensorflow as tf
import otherlib
def parse(line):
    return PARSED
def model_fn(features, labels, mode, params):
    predictions = NET
    loss = tf.losses.mean_squared_error(labels, predictions)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
def input_fn():
    dataset = tf.data.Dataset.from_tensors(([[1.0]], [[1.0]])).repeat()
    return dataset.map(lambda x, y: (parse(x), y))
estimator = tf.estimator.Estimator(model_fn, params={"size": 1})
estimator.train(input_fn, steps=3)
"""


@pytest.mark.parametrize(
    ("parsed", "net", "line"),
    [
        ("line", "otherlib.net(features, params)", 6),
        ("otherlib.decode(line)", "tf.layers.dense(features, 1)", 4),
        ("line", "tf.layers.dense(features, otherlib.get_size(params))", 0),
    ],
)
def test_functions_of_an_estimator_get_tensors(
    parsed: str, net: str, line: int
) -> None:
    done = migrate_text(MODEL_FN.replace("PARSED", parsed).replace("NET", net))
    found = [f.line for f in done.findings if f.code == "T115"]
    assert found == ([line] if line else [])


def test_a_file_outside_of_the_run_is_named(tmp_path: pathlib.Path) -> None:
    """The recipe of a file that is there is another one than that of a library."""
    text = PROGRAM.replace("BUILT", "loss += network(x)").replace("RUN", "pass")
    text = text.replace("import otherlib\n", "").replace("otherlib.nets", "nets")
    nets = "import tensorflow as tf\nclass Net: pass\n"
    nets += "def network(x):\n    return tf.reduce_sum(x)\n"
    main = tmp_path / "main.py"
    main.write_text(text, "utf-8")
    (tmp_path / "nets.py").write_text(nets, "utf-8")
    done = migrate_text(text, Options(), str(main))
    (finding,) = [f for f in done.findings if f.code == "T115"]
    assert "`nets.py`, which is not part of this run" in finding.reason
    assert finding.recipe == "Migrate both files in one run: name their directory."
    together = run_tree([tmp_path], Options())
    assert not [f for file in together for f in file.findings if f.code == "T115"]


def test_a_name_that_files_pass_on_is_followed_to_its_home(
    tmp_path: pathlib.Path,
) -> None:
    """What a read function computes of other libraries is no reason against it."""
    text = PROGRAM.replace("BUILT", "loss += network(w) + penalty(w)").replace(
        "RUN", "1"
    )
    text = text.replace("import otherlib\n", "from mine import penalty\n")
    text = text.replace(
        "from otherlib.nets import Net, network", "from mine import network"
    )
    mine = "from six.moves import reduce\nfrom parts import penalty\n"
    mine += "import tensorflow as tf\nfrom otherlib import pairs\n"
    mine += "def network(x):\n    return tf.add_n([pairs(3) * x for i in range(2)])\n"
    for name, content in {
        "main.py": text,
        "mine.py": mine,
        "parts.py": "from otherlib.nets import penalty\n",
    }.items():
        (tmp_path / name).write_text(content, "utf-8")
    found = [
        (file.path.name, f.line, f.reason.split(",")[0])
        for file in run_tree([tmp_path], Options())
        for f in file.findings
        if f.code == "T115" and f.outcome is Outcome.REFUSED
    ]
    assert found == [
        ("main.py", 22, "the program gives tensors to `penalty` from `otherlib.nets`")
    ]
