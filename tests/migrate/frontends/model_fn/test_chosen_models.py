"""Model functions, activations and losses among which a program chooses."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

ROOT = pathlib.Path(__file__).parents[4]
_MODEL = """\
def NAME_fn(features, labels, mode, params):
    logits = tf.layers.dense(features["x"], 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(params["rate"]).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


"""
_ONE, _TWO = _MODEL.replace("NAME", "one"), _MODEL.replace("NAME", "two")
_BOTH = _ONE + _TWO
# No step of Keras's can hold what it does.
_CALLS_PYTHON = _TWO.replace(
    "    loss =", "    labels = tf.py_func(sorted, [labels], tf.int64)\n    loss ="
)


def _migrated(text: str) -> tuple[str, list[str]]:
    """The result, and why model functions in it stay some."""
    migration = migrate_text("import sys\n\nimport tensorflow as tf\n\n\n" + text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    return migration.text, [f.reason for f in migration.findings if f.code == "K110"]


def _classes(text: str) -> int:
    return text.count("(tf_keras.Model)")


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            "def run(fn, steps=1):\n    e = tf.estimator.Estimator(model_fn=fn)\n\n\n"
            "run(one_fn)\nrun(fn=two_fn, steps=2)\n",
            "run(OneModel)\nrun(fn=TwoModel, steps=2)\n",
        ),
        (
            "def make(directory, fn=one_fn):\n"
            "    return tf.estimator.Estimator(fn, directory)\n\n\n"
            'make("a")\nmake("b", two_fn)\n',
            'make("a")\nmake("b", TwoModel)\n',
        ),
        (
            "def inner(fn):\n    return tf.estimator.Estimator(fn)\n\n\n"
            "def outer(fn):\n    return inner(fn)\n\n\n"
            "outer(one_fn if sys.argv[1:] else two_fn)\n",
            "outer(OneModel if sys.argv[1:] else TwoModel)\n",
        ),
        (
            "fn = None\nif sys.argv[1:]:\n    fn = one_fn\nelse:\n    fn = two_fn\n"
            "e = tf.estimator.Estimator(fn)\n",
            "    fn = OneModel\nelse:\n    fn = TwoModel\n",
        ),
        (
            'MODELS = {"one": one_fn, "two": two_fn}\n'
            "assert sys.argv[1] in MODELS, sorted(MODELS)\n"
            "e = tf.estimator.Estimator(MODELS[sys.argv[1]])\n"
            "f = tf.estimator.Estimator(MODELS.get(sys.argv[2]))\n",
            'MODELS = {"one": OneModel, "two": TwoModel}\n',
        ),
        (
            'e = tf.estimator.Estimator({"one": one_fn, "two": two_fn}[sys.argv[1]])\n',
            '{"one": OneModel, "two": TwoModel}[sys.argv[1]]',
        ),
    ],
)
def test_every_one_is_a_keras_model(made: str, expected: str) -> None:
    text, stays = _migrated(_BOTH + made)
    assert not stays
    assert expected in text and _classes(text) == 2


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (
            "def run(fn):\n    e = tf.estimator.Estimator(fn)\n\n\n"
            "for one in map(run, [one_fn, two_fn]):\n    pass\n",
            "the tool does not see every call of run(), which is given the model_fn",
        ),
        (
            "def run(fn):\n    e = tf.estimator.Estimator(fn)\n    print(fn)\n\n\n"
            "run(one_fn)\nrun(two_fn)\n",
            "the program uses `fn` for more than Estimators",
        ),
        (
            "def run(fn):\n    e = tf.estimator.Estimator(fn)\n\n\n"
            "run(one_fn)\nrun(sys.modules[__name__].two_fn)\n",
            "does not find its model_fn among the functions of this file",
        ),
        (
            'MODELS = {"one": one_fn, "two": two_fn}\n'
            "for name, fn in MODELS.items():\n    print(fn)\n"
            "e = tf.estimator.Estimator(MODELS[sys.argv[1]])\n",
            "the program uses `MODELS` for more than Estimators",
        ),
        (
            "class Runner:\n    def run(self, fn):\n"
            "        e = tf.estimator.Estimator(fn)\n\n\n"
            "Runner().run(one_fn)\nRunner().run(two_fn)\n",
            "does not find its model_fn among the functions of this file",
        ),
    ],
)
def test_what_is_not_in_sight(made: str, reason: str) -> None:
    text, stays = _migrated(_BOTH + made)
    assert any(reason in why for why in stays)
    assert _classes(text) == 0


def test_one_that_stays_keeps_the_others() -> None:
    """An Estimator has models, or model functions."""
    made = "e = tf.estimator.Estimator(one_fn if sys.argv[1:] else two_fn)\n"
    text, stays = _migrated(_ONE + _CALLS_PYTHON + made)
    assert _classes(text) == 0
    assert any("its Estimator may also have two_fn" in why for why in stays)
    assert any("a step of Keras cannot contain" in why for why in stays)


def _tree(directory: pathlib.Path, **files: str) -> tuple[str, str]:
    """All that was written for a tree, and what the command said."""
    source = directory / "tree"
    source.mkdir()
    for name, text in files.items():
        (source / f"{name}.py").write_text("import tensorflow as tf\n" + text)
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", source, "--output",
         directory / "new"],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    texts = [(directory / "new" / f"{name}.py").read_text() for name in files]
    return "".join(texts), done.stdout + done.stderr


_RUN = "def run(fn):\n    return tf.estimator.Estimator(fn)\n\n\n"


def test_a_function_that_other_files_call(tmp_path: pathlib.Path) -> None:
    """They may give it a model_fn of their own."""
    text, said = _tree(
        tmp_path,
        runner=_ONE + _RUN + "run(one_fn)\n",
        other="import runner\n\n" + _TWO + "runner.run(two_fn)\n",
    )
    assert _classes(text) == 0
    assert "`run` is its model_fn, and other files use this name" in said


def test_a_function_given_what_another_file_has(tmp_path: pathlib.Path) -> None:
    text, _ = _tree(
        tmp_path,
        nets=_ONE,
        main="from nets import one_fn\n\n\n" + _RUN + "run(one_fn)\n",
    )
    assert _classes(text) == 1
    assert "from nets import OneModel" in text and "run(OneModel)" in text


_CHOSEN = """\
def layer(x, act):
    return act(tf.layers.dense(x, 3))


def model_fn(features, labels, mode, params):
    if params["act"] == "relu":
        act = tf.nn.relu
    else:
        act = tf.nn.tanh
    net = layer(features["x"], act)
    if mode == tf.estimator.ModeKeys.TRAIN:
        loss_fn = tf.losses.hinge_loss
    else:
        loss_fn = tf.losses.absolute_difference
    loss = loss_fn(labels, net)
    train_op = tf.train.AdamOptimizer(0.1).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


e = tf.estimator.Estimator(model_fn, params={"act": "relu"})
"""


def test_functions_that_are_known() -> None:
    text, stays = _migrated(_CHOSEN)
    assert not stays and _classes(text) == 1
    assert "net = layer(features" in text and "return act(tf_keras" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # They may make variables, or be anything.
        ("act = tf.nn.tanh", "act = tf.layers.flatten"),
        ("act = tf.nn.tanh", "act = tf.contrib.layers.layer_norm"),
        ("act = tf.nn.tanh", "act = sys.modules"),
        ("loss_fn = tf.losses.hinge_loss", "loss_fn = sys.modules"),
        # A reduction says what replicas' losses are.
        ("loss_fn(labels, net)", 'loss_fn(labels, net, reduction="sum")'),
        # The graph's total has it.
        ("    train_op", "    loss += tf.losses.get_total_loss()\n    train_op"),
    ],
)
def test_functions_that_are_not(old: str, new: str) -> None:
    assert old in _CHOSEN
    text, stays = _migrated(_CHOSEN.replace(old, new))
    assert stays and _classes(text) == 0
