"""Checks which model_fns become Keras models, their text, and why others stay."""

from __future__ import annotations

import textwrap

import pytest

from migrate import emitted
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration
from migrate.options import Options

_HEAD = """\
import tensorflow as tf


"""
_MODEL = """\
def model_fn(features, labels, mode, params):
    training = mode == tf.estimator.ModeKeys.TRAIN
    net = tf.layers.dense(features["x"], params["hidden"], tf.nn.relu)
    logits = tf.layers.dense(net, 3, name="logits")
    classes = tf.argmax(logits, 1)
    predictions = {"classes": classes}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"accuracy": tf.metrics.accuracy(labels, classes)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf.train.AdamOptimizer(0.01)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
_PREDICTS = """\
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
"""
# Exports a tensor by its own name.
_EXPORTS = """\
    if mode == tf.estimator.ModeKeys.PREDICT:
        given = {"served": tf.estimator.export.PredictOutput({"it": %s})}
        return tf.estimator.EstimatorSpec(
            mode, predictions=predictions, export_outputs=given)
"""
_TAIL = """

estimator = tf.estimator.Estimator(model_fn, "/tmp/model", params={"hidden": 4})
"""


def _migrated(
    *changes: tuple[str, str], tail: str = _TAIL, options: Options | None = None
) -> Migration:
    """The migration of the model with texts replaced in it."""
    model = _MODEL
    for old, new in changes:
        assert old in model
        model = model.replace(old, new)
    migration = migrate_text(_HEAD + model + tail, options)
    loud = [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert not loud
    assert migrate_text(migration.text).text == migration.text
    return migration


def _stays(migration: Migration) -> str:
    """Returns the reason why the model_fn stays; "" if it becomes a model."""
    reasons = [f.reason for f in migration.findings if f.code == "K110"]
    assert bool(reasons) == ("def model_fn" in migration.text)
    assert bool(reasons) != ("tf_keras.Model" in migration.text)
    return "; ".join(reasons)


def test_the_modes_become_steps() -> None:
    migration = _migrated()
    assert not _stays(migration)
    expected = """\
        class EstimatorModel(tf_keras.Model):
            def __init__(self, features, params):
                net = tf_keras.layers.Dense(
                    units=params["hidden"],
                    activation=tf.nn.relu,
                    name="dense")(features["x"])
                logits = tf_keras.layers.Dense(units=3, name="logits")(net)

                super().__init__(inputs=features, outputs=logits)
                optimizer = tf.compat.v1.train.AdamOptimizer(0.01)
                self.compile(optimizer=optimizer)
                self.optimizer.iterations = tf.compat.v1.train.get_or_create_global_step()

                self.mean_loss = tf_keras.metrics.Mean(name="loss")
                self.accuracy = tf_keras.metrics.Accuracy(name="accuracy")

            def train_step(self, data):
                features, labels = data
                with tf.GradientTape() as tape:
                    logits = self(features, training=True)
                    loss = tf.compat.v1.losses.sparse_softmax_cross_entropy(labels, logits)
                    # Strategies add up the gradients of their replicas.
                    scaled_loss = loss / self.distribute_strategy.num_replicas_in_sync
                variables = self.trainable_variables
                gradients = tape.gradient(scaled_loss, variables)
                self.optimizer.apply_gradients(zip(gradients, variables))
                return {"loss": loss}

            def test_step(self, data):
                features, labels = data
                logits = self(features, training=False)
                classes = tf.argmax(logits, 1)
                loss = tf.compat.v1.losses.sparse_softmax_cross_entropy(labels, logits)
                self.mean_loss.update_state(loss)
                self.accuracy.update_state(labels, classes)
                return {m.name: m.result() for m in self.metrics}

            def predict_step(self, data):
                features, _, _ = tf_keras.utils.unpack_x_y_sample_weight(data)
                logits = self(features, training=False)
                classes = tf.argmax(logits, 1)
                return {"classes": classes}


        estimator = keras_estimator.Estimator(
        """
    assert textwrap.dedent(expected).rstrip() in migration.text
    assert set(map(emitted.find_module, migration.support)) == {
        "estimator_loop",
        "keras_estimator",
        "training_session",
    }


def test_a_model_fn_stays_where_that_is_wanted() -> None:
    migration = _migrated(options=Options(estimators="model_fn"))
    assert "def model_fn" in migration.text
    assert "keras_estimator/estimator.py" not in migration.support


@pytest.mark.parametrize(
    "test",
    [
        "mode == 'infer'",
        "not (mode != tf.estimator.ModeKeys.PREDICT)",
        "mode in (tf.estimator.ModeKeys.PREDICT,)",
        "labels is None",
        "tf.estimator.ModeKeys.PREDICT == mode and not training",
    ],
)
def test_a_mode_in_other_words(test: str) -> None:
    wanted = _migrated().text
    migration = _migrated(("mode == tf.estimator.ModeKeys.PREDICT", test))
    assert migration.text == wanted


@pytest.mark.parametrize(
    ("change", "written"),
    [
        # TF1 counts on past a name that is taken.
        (('name="logits"', 'name="dense"'), 'name="dense_1")(features["x"])'),
        # Layers that a loop makes are counted by Keras, as TF1 counted.
        (
            (
                "    logits = tf.layers.dense(net, 3",
                "    for _ in range(2):\n"
                "        net = tf.layers.dense(net, 4)\n"
                "    logits = tf.layers.dense(net, 3",
            ),
            "        net = tf_keras.layers.Dense(units=4)(net)",
        ),
        (
            (
                "    logits = tf.layers.dense(net, 3",
                '    with tf.variable_scope("top"):\n'
                "        net = tf.layers.dense(net, 4)\n"
                "    logits = tf.layers.dense(net, 3",
            ),
            'name="top/dense")(net)',
        ),
        (
            (
                "    logits = tf.layers.dense(net, 3",
                "    net = tf.layers.dropout(net, 0.1, seed=3, training=training)\n"
                "    logits = tf.layers.dense(net, 3",
            ),
            "net = keras_estimator.Dropout(rate=0.1, seed=3)(net)",
        ),
    ],
)
def test_layers(change: tuple[str, str], written: str) -> None:
    if change[1] == 'name="dense"':
        # TF1's first is `dense` before it, and TF1 would have found the variable in use.
        told = [f.reason for f in _migrated(change).findings if f.code == "K110"]
        assert any("two layers have the same name" in reason for reason in told)
        return
    assert written in _migrated(change).text


_BEFORE = "    logits = tf.layers.dense"
_AFTER = "    classes = tf.argmax(logits, 1)\n"
_LOSS = "    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        # Layers.
        ((_BEFORE, "    net = tf.py_func(abs, [net], tf.float32)\n" + _BEFORE), ""),
        ((_BEFORE, "    net = other(net)\n" + _BEFORE), "may be anything"),
        ((_BEFORE, "    net += tf.to_float(labels)\n" + _BEFORE), "depend on labels"),
        (
            (
                _BEFORE,
                "    if training:\n        net = tf.layers.dense(net, 4)\n" + _BEFORE,
            ),
            "other layers",
        ),
        (
            (_BEFORE, "    net = tf.layers.dropout(net, training=True)\n" + _BEFORE),
            "not true exactly in mode TRAIN",
        ),
        (
            (_BEFORE, "    net = tf.layers.dropout(net)\n" + _BEFORE),
            "exactly in mode TRAIN",
        ),
        (
            ("tf.nn.relu)", "tf.nn.relu, activity_regularizer=abs)"),
            "an activity penalty",
        ),
        (('name="logits"', 'name="logits", reuse=True'), "shares"),
        (
            (
                _BEFORE,
                '    with tf.variable_scope("a", reuse=True):\n'
                "        net = tf.layers.dense(net, 4)\n" + _BEFORE,
            ),
            "reuses variables",
        ),
        (
            (
                _BEFORE,
                "    net = tf.layers.batch_normalization(net, training=training)\n"
                + _BEFORE,
            ),
            "moving averages",
        ),
        # What steps read.
        (
            (_LOSS, "    loss = tf.reduce_mean(net) * width\n"),
            "may not be a tensor of the layers",
        ),
        (
            (
                _LOSS,
                _LOSS + "    loss = tf.cond(loss > 1, lambda: 1.0, lambda: loss)\n",
            ),
            "tf.cond",
        ),
        ((_LOSS, _LOSS + "    loss = other(loss)\n"), "cannot tell what other() does"),
        (
            (_LOSS, _LOSS + "    loss += tf.losses.get_regularization_loss()\n"),
            "penalties",
        ),
        (
            (_LOSS, _LOSS + '    loss += tf.add_n(tf.get_collection("x"))\n'),
            "collection",
        ),
        (
            (_LOSS, _LOSS + '    loss += tf.add_n(tf.trainable_variables("x"))\n'),
            "chooses variables by their scope",
        ),
        ((_LOSS, _LOSS + "    params['loss'] = loss\n"), "in place"),
        (
            (
                _LOSS,
                _LOSS
                + "    for v in tf.trainable_variables():\n"
                + "        tf.summary.histogram(v.name, v)\n",
            ),
            "does more than assign",
        ),
        ((_LOSS, _LOSS + "    tape = loss\n"), "which a step of Keras uses itself"),
        # The update.
        ((", global_step=tf.train.get_global_step()", ""), "count the global step"),
        (("global_step=tf.train.get_global_step()", "labels"), ""),
        (
            ("get_global_step())", "get_global_step(), var_list=params['some'])"),
            "does not choose by a scope's name",
        ),
        (
            (
                "tf.train.AdamOptimizer(0.01)",
                "tf.train.FtrlOptimizer(tf.train.exponential_decay(\n"
                "        0.1, tf.train.get_global_step(), 9, 0.5))",
            ),
            "changed before the optimizer",
        ),
        (("AdamOptimizer(0.01)", "AdamOptimizer(loss)"), "features or labels"),
        # What replicas do with the loss.
        (
            (
                "(labels, logits)\n    if",
                "(labels, logits, reduction=params['r'])\n    if",
            ),
            "the reduction of a loss is known only at run time",
        ),
        (
            (
                "(labels, logits)\n    if",
                "(labels, logits, 1.0, None, 'l', 'sum')\n    if",
            ),
            "reduction by position",
        ),
        (
            (_LOSS, _LOSS + "    if labels is None:\n        loss *= 2\n"),
            "it tests for labels in a mode other than PREDICT",
        ),
        # Metrics, hooks, specs.
        (
            ("tf.metrics.accuracy(labels, classes)", "own(labels, classes)"),
            "no Keras metric",
        ),
        (
            ("(labels, classes)}", "(labels, classes, updates_collections=[])}"),
            "its Keras metric does not have",
        ),
        (
            (
                "tf.metrics.accuracy(labels, classes)",
                "tf.metrics.auc(labels, classes, None, 50)",
            ),
            "its Keras metric does not have",
        ),
        (
            (
                "tf.metrics.accuracy(labels, classes)",
                "tf.metrics.auc(labels, classes, num_thresholds=params['n'])",
            ),
            "are not constants",
        ),
        (('"accuracy":', "params['name']:"), "not written out"),
        (
            ("train_op=train_op)", "train_op=train_op, scaffold=params['s'])"),
            "makes its Scaffold",
        ),
        (
            (
                "eval_metric_ops=metrics)",
                "eval_metric_ops=metrics, evaluation_hooks=[H(logits)])",
            ),
            "its evaluation_hooks use `logits`, which a step computes",
        ),
        (
            (
                "eval_metric_ops=metrics)",
                "eval_metric_ops=metrics, evaluation_hooks=[tf.train.SummarySaverHook("
                "1, output_dir='d', summary_op=tf.summary.merge_all())])",
            ),
            "its evaluation_hooks write summaries",
        ),
        # No prediction; one that is changed; a name that is bound again.
        ((_PREDICTS, _EXPORTS % "logits"), "more than predictions"),
        (
            (_PREDICTS, "    predictions.update(classes=net)\n" + _EXPORTS % "classes"),
            "more than predictions",
        ),
        (
            (_PREDICTS, "    classes = classes + 1\n" + _EXPORTS % "classes"),
            "",
        ),
        (("def model_fn", "@decorated\ndef model_fn"), "decorator"),
        (("mode, params):", "mode, params, more=1):"), "does not pass its parameter"),
    ],
)
def test_what_stays_and_why(change: tuple[str, str], reason: str) -> None:
    """A program that is refused as it was has no choice."""
    model = _MODEL.replace(*change)
    assert model != _MODEL
    if "width" in model:
        used = "    width = net.shape[1]\n    net = net[:, : int(width)]\n"
        model = model.replace(_BEFORE, used + _BEFORE)
    migration = migrate_text(_HEAD + model + _TAIL)
    reasons = [f.reason for f in migration.findings if f.code == "K110"]
    refused = any(f.outcome is Outcome.REFUSED for f in migration.findings)
    assert reasons or refused
    assert "tf_keras.Model" not in migration.text
    if not refused:
        assert reason in reasons[0]


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (_TAIL + 'model_fn({}, None, "infer", {})\n', "more than Estimators"),
        (
            _TAIL.replace("model_fn,", "lambda **k: model_fn(**k),"),
            "the tool cannot tell which arguments",
        ),
        (_TAIL + "EstimatorModel = 1\n", "is taken"),
        (
            _TAIL + 'hook = tf.train.LoggingTensorHook({"loss": "loss:0"}, 10)\n',
            "requests a tensor by its name",
        ),
        (
            _TAIL + 'found = graph.get_tensor_by_name("x:0")\n',
            "by their names",
        ),
    ],
)
def test_what_stays_for_what_is_around_it(tail: str, reason: str) -> None:
    assert reason in _stays(_migrated(tail=tail))


def test_a_value_between_two_layers_stays_what_it_was() -> None:
    migration = _migrated(
        (
            _BEFORE,
            "    middle = net * 2.0\n    net = tf.layers.dense(net, 4)\n" + _BEFORE,
        ),
        (_LOSS, _LOSS + "    loss += 0.1 * tf.reduce_mean(middle)\n"),
    )
    assert "between two layers" in _stays(migration)


_APPLIED = (
    "    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())\n"
)


@pytest.mark.parametrize(
    "group",
    [
        "optimizer.minimize(loss), tf.assign_add(step, 1)",
        "[optimizer.minimize(loss), step.assign_add(1)]",
        "tf.assign(step, step + 1), optimizer.minimize(loss)",
        "optimizer.minimize(loss, step), tf.get_collection(tf.GraphKeys.UPDATE_OPS)",
        "optimizer.minimize(loss, step), *tf.get_collection(tf.GraphKeys.UPDATE_OPS)",
    ],
)
def test_an_update_in_a_group(group: str) -> None:
    step = "    step = tf.train.get_global_step()\n"
    migration = _migrated((_APPLIED, f"{step}    train_op = tf.group({group})\n"))
    assert not _stays(migration)
    assert "tf.group" not in migration.text and "assign" not in migration.text
    assert "self.optimizer.iterations = " in migration.text


@pytest.mark.parametrize(
    ("group", "reason"),
    [
        ("optimizer.minimize(loss)", "count the global step"),
        ("optimizer.minimize(loss, step), tf.assign_add(step, 1)", "twice"),
        ("optimizer.minimize(loss), tf.assign_add(step, 2)", "a single call"),
        ("optimizer.minimize(loss), optimizer.minimize(loss, step)", "a single call"),
    ],
)
def test_another_group_stays(group: str, reason: str) -> None:
    step = "    step = tf.train.get_global_step()\n"
    migration = _migrated((_APPLIED, f"{step}    train_op = tf.group({group})\n"))
    assert reason in _stays(migration)


def test_a_sum_is_not_divided_by_the_replicas() -> None:
    text = _migrated(
        (
            "(labels, logits)\n    if",
            "(labels, logits, reduction='weighted_sum')\n    if",
        )
    ).text
    assert "scaled_loss = loss\n" in text and "num_replicas" not in text


def test_a_metric_with_weights() -> None:
    migration = _migrated(
        ("(labels, classes)}", '(labels, classes, weights=features["weight"])}')
    )
    assert not _stays(migration)
    counted = (
        'self.accuracy.update_state(labels, classes, sample_weight=features["weight"])'
    )
    assert " ".join(migration.text.split()).replace("( ", "(").count(counted) == 1


def test_losses_of_modes_may_differ() -> None:
    migration = _migrated((_LOSS, _LOSS + "    if training:\n        loss *= 2\n"))
    assert not _stays(migration)
    train, test = migration.text.split("def test_step")
    assert "loss *= 2" in train and "loss *= 2" not in test


def test_options_of_areas_under_curves() -> None:
    metric = 'tf.metrics.auc(labels, classes, num_thresholds=50, curve="PR")'
    text = _migrated(("tf.metrics.accuracy(labels, classes)", metric)).text
    made = text[text.index("keras_estimator.AUC(") :]
    made = "".join(made[: made.index(")")].split())
    assert made == 'keras_estimator.AUC(num_thresholds=50,curve="PR",name="accuracy"'


def test_gradients_of_tf_gradients_are_not_scaled() -> None:
    """Replicas add them up, as they did in TensorFlow 1."""
    minimised = "    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())"
    derived = (
        "    tvars = tf.trainable_variables()\n"
        "    grads = tf.gradients(loss, tvars)\n"
        "    step = tf.train.get_global_step()\n"
        "    train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=step)"
    )
    text = _migrated((minimised, derived)).text
    assert "replicas_add_up = True" in text and "scaled_loss" not in text
    assert "grads = tape.gradient(loss, tvars)" in text


def test_an_export_reads_the_predictions() -> None:
    migration = _migrated((_PREDICTS, _EXPORTS % "classes"))
    assert not _stays(migration)
    assert 'PredictOutput({"it": predictions["classes"]})' in migration.text


def test_a_hook_reads_the_global_step_of_the_graph() -> None:
    migration = _migrated(
        (
            "    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())\n",
            "    step = tf.train.get_or_create_global_step()\n"
            "    hook = tf.train.LoggingTensorHook([step, loss], 10)\n"
            "    train_op = optimizer.minimize(loss, global_step=step)\n",
        ),
        ("train_op=train_op)", "train_op=train_op, training_hooks=[hook])"),
    )
    assert not _stays(migration)
    assert (
        "LoggingTensorHook([tf.compat.v1.train.get_global_step(), loss], 10)"
        in migration.text
    )


def test_contribs_modes_are_modes() -> None:
    migration = _migrated(
        (
            "mode == tf.estimator.ModeKeys.PREDICT",
            "mode == tf.contrib.learn.ModeKeys.INFER",
        )
    )
    assert not _stays(migration)
    assert "if mode" not in migration.text
