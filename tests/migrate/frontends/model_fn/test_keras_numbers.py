"""Layers without names in loops and conditions, and variables beside layers."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

_MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode, params):
    net = features["x"]
{network}
    logits = tf.layers.dense(net, 2, name="logits")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={{"logits": logits}})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model", params={{"hidden": [4, 3]}})
"""


def _migrated(network: str, before: str = "") -> Migration:
    """The program's migration; `before` is functions of its file."""
    written = textwrap.indent(textwrap.dedent(network), "    ")
    program = _MODEL.replace("\n\n\n", f"\n\n\n{before}", 1).format(network=written)
    migration = migrate_text(program)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    return migration


def _stays(migration: Migration) -> str:
    return " ".join(f.reason for f in migration.findings if f.code == "K110")


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        # A loop in a scope, and what comes before and after it there.
        (
            """
            with tf.variable_scope("mlp"):
                net = tf.layers.dense(net, 9)
                for units in params["hidden"]:
                    net = tf.layers.dense(net, units)
            """,
            2 * ['name=keras_estimator.unique_name("mlp/dense")'],
        ),
        # Another scope has its own numbers, and so has another kind.
        (
            """
            with tf.variable_scope("mlp"):
                for units in params["hidden"]:
                    net = tf.layers.dense(net, units)
                net = tf.layers.conv1d(net, 4, 1)
            with tf.variable_scope("top"):
                net = tf.layers.dense(net, 3)
            """,
            [
                'unique_name("mlp/dense")',
                'name="mlp/conv1d"',
                'name="top/dense"',
            ],
        ),
        # contrib counts under names that Keras does not.
        (
            """
            for units in params["hidden"]:
                net = tf.contrib.layers.conv2d(net, units, 3)
            """,
            ['name=keras_estimator.unique_name("Conv")'],
        ),
        # One that may not be made.
        (
            """
            with tf.variable_scope("mlp"):
                if params["hidden"]:
                    net = tf.layers.dense(net, 3)
                net = tf.layers.dense(net, 3)
            """,
            2 * ['name=keras_estimator.unique_name("mlp/dense")'],
        ),
        # In a comprehension Keras counts, as in a loop.
        (
            """
            nets = [tf.layers.dense(net, units) for units in params["hidden"]]
            net = tf.concat(nets, 1)
            """,
            ["tf_keras.layers.Dense(units=units)(net) for units"],
        ),
        # A scope of operations is in no name, however it counts.
        (
            """
            with tf.variable_scope("mlp"):
                for i, units in enumerate(params["hidden"]):
                    with tf.name_scope("layer_%d" % i):
                        net = tf.layers.dense(net, units)
            """,
            ['name=keras_estimator.unique_name("mlp/dense")'],
        ),
        # Variables in a loop, beside layers.
        (
            """
            for i, units in enumerate(params["hidden"]):
                with tf.variable_scope("block_%d" % i):
                    w = tf.get_variable("w", [3, 3])
                    net = tf.layers.dense(tf.matmul(net, w), units)
            """,
            [
                'name="block_%d/w" % i)(features)',
                'name="block_%d/dense" % i',
            ],
        ),
    ],
)
def test_becomes_a_keras_model(network: str, expected: list[str]) -> None:
    migration = _migrated(network)
    assert not _stays(migration)
    text = " ".join(migration.text.split())
    for one in set(expected):
        assert text.count(one) == expected.count(one), migration.text


@pytest.mark.parametrize(
    ("network", "reason"),
    [
        # The second is the first one in TF1: its scope was opened anew.
        (
            """
            with tf.variable_scope("mlp", reuse=tf.AUTO_REUSE):
                net = tf.layers.dense(net, 3)
            with tf.variable_scope("mlp", reuse=tf.AUTO_REUSE):
                net = tf.layers.dense(net, 3)
            """,
            "that is opened several times",
        ),
        (
            """
            for i in range(2):
                with tf.variable_scope("mlp", reuse=tf.AUTO_REUSE):
                    net = tf.layers.dense(net, 3)
            """,
            "each time in another variable scope",
        ),
        # Python makes the outer Keras layer first.
        (
            """
            with tf.variable_scope("mlp"):
                for units in params["hidden"]:
                    net = tf.layers.dense(tf.layers.dense(net, 3), units)
            """,
            "in the call of another layer",
        ),
        # A name that a number may give, too.
        (
            """
            with tf.variable_scope("mlp"):
                for units in params["hidden"]:
                    net = tf.layers.dense(net, units)
                net = tf.layers.dense(net, 3, name="dense_1")
            """,
            "numbers layers (dense)",
        ),
        (
            """
            with tf.variable_scope("mlp"):
                for i, units in enumerate(params["hidden"]):
                    net = tf.layers.dense(net, units)
                    net = tf.layers.dense(net, 3, name="dense_%d" % i)
            """,
            "numbers layers (dense)",
        ),
        (
            """
            with tf.variable_scope("mlp"):
                with tf.variable_scope("dense"):
                    net = tf.layers.dense(net, 3, name="first")
                net = tf.layers.dense(net, 3)
            """,
            "numbers layers (dense)",
        ),
    ],
)
def test_stays_a_model_fn(network: str, reason: str) -> None:
    assert reason in _stays(_migrated(network))


_TABLE = """
with tf.name_scope("{scope}"):
    table = tf.get_variable("table", [3, 4]{more})
    net = tf.matmul(net, table)
"""


def test_a_scope_of_operations_takes_a_variables_name() -> None:
    text = _migrated(_TABLE.format(scope="table", more="")).text
    assert '"table_1", shape=[3, 4]' in " ".join(text.split())
    text = _migrated(_TABLE.format(scope="tables", more="")).text
    assert '"table", shape=[3, 4]' in " ".join(text.split())
    # It is opened after the variable is made.
    later = "table = tf.get_variable('table', [3, 4])\n" + (
        "with tf.name_scope('table'):\n    net = tf.matmul(net, table)\n"
    )
    assert '"table", shape=[3, 4]' in " ".join(_migrated(later).text.split())


@pytest.mark.parametrize(
    "scope",
    ["'Table'", "name='table'", "None, 'table', [net]", "None, default_name='TABLE'"],
)
def test_a_scopes_name_in_other_spellings(scope: str) -> None:
    """TF1's graph told names apart without regard to case."""
    program = _TABLE.replace('"{scope}"', scope).format(more="")
    assert '"table_1", shape=[3, 4]' in " ".join(_migrated(program).text.split())


@pytest.mark.parametrize(
    "before",
    [
        "net = tf.identity(net, 'table')",
        "net = tf.identity(net, name='Table')",
        "with tf.name_scope(params['scope']):\n    net = tf.abs(net)",
        "with tf.name_scope('tab%s' % params['scope']):\n    net = tf.abs(net)",
    ],
)
def test_what_may_have_taken_a_name(before: str) -> None:
    later = "\ntable = tf.get_variable('table', [3, 4])\nnet = tf.matmul(net, table)\n"
    assert "have the name 'table'" in _stays(_migrated(before + later))
    other = later.replace("'table'", "'other'") + "net = tf.reshape(net, [-1, 4])\n"
    other = f"\nnet = tf.reshape(net, [-1, 3]){other}"
    if "params['scope']):" not in before or "%" in before:
        assert '"other", shape=[3, 4]' in " ".join(
            _migrated(before + other).text.split()
        )


def test_a_scope_of_another_function() -> None:
    """It may be called before: a helper, or what gives the input."""
    later = "table = tf.get_variable('table', [3, 4])\nnet = tf.matmul(net, table)\n"
    helper = "def looked_at(x):\n    with tf.name_scope('table'):\n        return tf.abs(x)\n\n\n"
    assert '"table", shape=[3, 4]' in " ".join(_migrated(later).text.split())
    found = _migrated("net = looked_at(net)\n" + later, before=helper)
    assert "have the name 'table'" in _stays(found)


def test_a_name_that_several_have_is_not_certain() -> None:
    twice = "with tf.name_scope('table'):\n    net = tf.abs(net)\n" + (
        _TABLE.format(scope="table", more="")
    )
    assert "several operations of its graph have the name 'table'" in _stays(
        _migrated(twice)
    )


@pytest.mark.parametrize(
    ("place", "stays"),
    [
        ("'/cpu:0'", False),
        ("'/device:GPU:0'", False),
        ("'/job:ps/task:0'", True),
        ("'/gpu:1'", True),
        ("params['place']", True),
    ],
)
def test_a_device_of_its_own_process_is_gone(place: str, stays: bool) -> None:
    migration = _migrated(
        f"with tf.device({place}):\n    net = tf.layers.dense(net, 3)\n"
    )
    assert bool(_stays(migration)) is stays
    assert ("tf.device" in migration.text) is stays
    assert bool([f for f in migration.findings if f.code == "C111"]) is not stays


_FUNCTIONS = """import tensorflow as tf


def tower(net, sizes):
    for units in sizes:
        net = tf.layers.dense(net, units)
    return tf.layers.dense(net, 1)

"""


def _called(network: str) -> Migration:
    written = textwrap.indent(textwrap.dedent(network), "    ")
    text = _MODEL.format(network=written)
    migration = migrate_text(text.replace("import tensorflow as tf\n", _FUNCTIONS, 1))
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    return migration


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        # In two scopes, of which the function is told.
        (
            """
            with tf.variable_scope("a"):
                one = tower(net, [3])
                one = tf.layers.dense(one, 4)
            with tf.variable_scope("b"):
                net = one + tower(net, [4])
            """,
            [
                'tower(net, [3], prefix="a/")',
                'tower(net, [4], prefix="b/")',
                'name=keras_estimator.unique_name(prefix + "dense")',
                'name=keras_estimator.unique_name("a/dense")',
            ],
        ),
        # In the scope of each round.
        (
            """
            for i in range(2):
                with tf.variable_scope("task_%d" % i):
                    net = tower(net, [3])
            """,
            [
                'tower(net, [3], scope="task_%d" % i)',
                'name=keras_estimator.unique_name(scope + "/dense")',
            ],
        ),
        # Again and again in one scope.
        (
            """
            with tf.variable_scope("a"):
                for i in range(2):
                    net = tower(net, [3])
                net = tower(net, [5])
            """,
            ["net = tower(net, [5])", 'name=keras_estimator.unique_name("a/dense")'],
        ),
    ],
)
def test_functions_of_layers_without_names(network: str, expected: list[str]) -> None:
    migration = _called(network)
    assert not _stays(migration)
    text = " ".join(migration.text.split())
    for one in expected:
        assert one in text, migration.text


@pytest.mark.parametrize(
    ("network", "reason"),
    [
        # The second call has the first one's variables.
        (
            """
            with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
                one = tower(net, [3])
            with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
                net = one + tower(net, [3, 3])
            """,
            "depend on the number of calls",
        ),
        (
            """
            for i in range(2):
                with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
                    net = tower(net, [3 + i])
            """,
            "layers of this function have no names",
        ),
        # Outside of scopes Keras counts, in one the function would.
        (
            """
            one = tower(net, [3])
            with tf.variable_scope("a"):
                net = one + tower(net, [4])
            """,
            "depend on the number of calls",
        ),
    ],
)
def test_functions_that_may_share_stay(network: str, reason: str) -> None:
    assert reason in _stays(_called(network))
