"""Networks that are objects: which become a part of a Keras model, and why others do not."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

_MODEL_FN = """\
def model_fn(features, labels, mode):
    training = mode == tf.estimator.ModeKeys.TRAIN
{network}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={{"logits": logits}})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
"""
_HEAD = "import tensorflow as tf\n\n\n"
_CALL = 'net = Net(4)\nlogits = net(features["x"], training)'
_DENSE = """\
class Net(object):
    def __init__(self, units):
        self.hidden = tf.layers.Dense(units)
        self.dropout = tf.layers.Dropout(0.5)
        self.head = tf.layers.Dense(3)

    def __call__(self, x, training):
        x = self.dropout(self.hidden(x), training=training)
        return self.head(x)
"""
_FUNCTIONS = """\
class Net(object):
    def __init__(self, units, training):
        self.units = units
        self.training = training

    def build(self, x):
        x = tf.layers.dense(x, self.units)
        x = tf.layers.dropout(x, training=self.training)
        return tf.layers.dense(x, 3)
"""
_BUILD = 'net = Net(4, training)\nlogits = net.build(features["x"])'


def _program(classes: str, network: str = _CALL) -> str:
    body = textwrap.indent(network, "    ")
    return _HEAD + classes + "\n\n" + _MODEL_FN.format(network=body)


def _migrated(text: str) -> tuple[str, list[str]]:
    """The result, and why the model_fn stays one."""
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    return migration.text, [f.reason for f in migration.findings if f.code == "K110"]


def _keras(text: str) -> str:
    result, stays = _migrated(text)
    assert not stays
    assert "class EstimatorModel(tf_keras.Model):" in result
    return result


def test_the_class_stays_and_its_layers_are_kerass() -> None:
    text = _keras(_program(_DENSE))
    assert 'self.hidden = tf_keras.layers.Dense(units=units, name="dense")' in text
    assert 'self.head = tf_keras.layers.Dense(units=3, name="dense_1")' in text
    assert "    def __call__(self, x):" in text
    assert "self.dropout(self.hidden(x))" in text
    assert 'logits = net(features["x"])' in text


def test_layers_are_numbered_as_they_are_called() -> None:
    turned = _DENSE.replace(
        "x = self.dropout(self.hidden(x)", "x = self.dropout(self.head(x)"
    )
    turned = turned.replace("return self.head(x)", "return self.hidden(x)")
    text = _keras(_program(turned))
    assert 'self.hidden = tf_keras.layers.Dense(units=units, name="dense_1")' in text
    assert 'self.head = tf_keras.layers.Dense(units=3, name="dense")' in text


def test_scopes_around_a_call_name_what_the_object_made_before() -> None:
    text = _keras(
        _program(
            _DENSE,
            'net = Net(4)\nwith tf.variable_scope("tower"):\n'
            '    logits = net(features["x"], training)',
        )
    )
    assert 'name="tower/dense")' in text and 'name="tower/dense_1")' in text


def test_an_object_is_no_longer_told_whether_it_trains() -> None:
    text = _keras(_program(_FUNCTIONS, _BUILD))
    assert "    def __init__(self, units):" in text
    assert "net = Net(4)" in text
    assert "self.training" not in text


def test_nothing_is_left_of_a_constructor_that_only_kept_the_mode() -> None:
    only = _FUNCTIONS.replace("units, training", "training")
    only = only.replace("        self.units = units\n", "").replace("self.units", "4")
    text = _keras(_program(only, _BUILD.replace("4, ", "")))
    assert "    def __init__(self):\n        pass" in text


def test_a_shared_layer_object_is_called_twice() -> None:
    text = _keras(
        _program(
            _DENSE,
            'net = Net(4)\nleft = net(features["a"], training)\n'
            'right = net(features["b"], training)\nlogits = left - right\n'
            "logits = tf.identity(logits)",
        )
    )
    assert text.count('name="dense")') == 1


_MORE = "\n    def more(self, x):\n        return {}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # Its class may be more than what is seen.
        (_program(_DENSE.replace("object", "Base")), "inherits from Base"),
        (_program(_DENSE + "\n\nclass Larger(Net):\n    pass\n"), "inherit from each other"),
        (_program(_DENSE.replace("    def __call__", "    @tf.function\n    def __call__")),
         "the tool cannot tell what net() does"),
        (_program(_DENSE, 'net = Net(4)\nnet = Net(5)\nlogits = net(features["x"], training)'),
         "called several times"),
        # Its layers may be others.
        (_program(_DENSE + "\n\nNet.hidden = None\n"), "hidden() among its layers"),
        (_program(_DENSE + "\n    def change(self):\n        self.head = None\n"),
         "head() among its layers"),
        (_program(_DENSE.replace("self.head(x)", "self.other(x)")), "may be anything"),
        # The mode decides more than whether layers train.
        (_program(_FUNCTIONS.replace("x = tf.layers.dropout(x, training=self.training)",
                                     "x = x if self.training else 2 * x"), _BUILD),
         "`self.training`"),
        (_program(_FUNCTIONS.replace("self.training = training",
                                     "self.training = training and units > 2"), _BUILD),
         "`training`"),
        (_program(_FUNCTIONS + _MORE.format("self.training"), _BUILD),
         "other than the layers"),
        (_program(_FUNCTIONS, _BUILD.replace("training", "not training")), "exactly in mode TRAIN"),
        # What is made again has other names.
        (_program(_DENSE.replace("return self.head(x)", "for _ in range(2):\n"
                                 "            x = self.head(x)\n        return x")),
         "a loop calls a layer object"),
        (_program(_FUNCTIONS, _BUILD + '\nlogits = logits + net.build(features["x"])'),
         "called several times"),
        (_program(_DENSE.replace("Dropout(0.5)", "BatchNormalization()"),
                  'net = Net(4)\nlogits = net(features["x"], training)\n'
                  'logits = tf.add(logits, net(features["x"], training))')
         .replace("    train_op = ", "    with tf.control_dependencies(tf.get_collection("
                  "tf.GraphKeys.UPDATE_OPS)):\n      train_op = "), "batch normalisation more than once"),
        # What else knows it.
        (_program(_DENSE, _CALL) + "\nother = Net(5)\n", "other code calls it, too"),
        (_program(_DENSE, _CALL).replace("training)\n    if", "training)\n    units = net\n    if")
         .replace('{"logits": logits}', '{"logits": logits * units.units}'), "the code after the layers reads `net`"),
        (_program(_DENSE.replace("return self.head(x)", "return tf.get_variable('w', [3]) * x")),
         "tf.get_variable"),
    ],
)  # fmt: skip
def test_stays_a_model_fn(text: str, reason: str) -> None:
    result, stays = _migrated(text)
    assert [r for r in stays if reason in r], stays
    assert "tf_keras.Model" not in result


def test_a_method_that_makes_variables() -> None:
    """In a model with variables of its own."""
    more = "class Net(object):\n    def build(self, x):\n"
    more += '        return tf.matmul(x, tf.get_variable("w", [3, 3]))\n'
    network = 'net = Net()\nb = tf.get_variable("b", [3])\n'
    network += 'logits = net.build(features["x"]) + b'
    result, stays = _migrated(_program(more, network))
    assert not stays
    assert 'keras_estimator.Variable(shape=[3, 3], name="w")(x)' in result
    assert 'b = keras_estimator.Variable(shape=[3], name="b")(features)' in result


def test_an_object_of_another_file_in_a_step() -> None:
    network = 'net = nets.Net()\nb = tf.get_variable("b", [3])\n'
    network += 'logits = features["x"] * net.build(3) + b'
    text = _program("import nets\n", network)
    _, stays = _migrated(text)
    assert "the tool cannot tell what net.build() does" in stays[0]
