"""Shapes of a model_fn that become Keras models: builders, modes, messages, losses."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

_HEAD = "import functools\n\nimport tensorflow as tf\n\n\n"
_BODY = """\
    net = tf.layers.dense(features["x"], {units}, tf.nn.relu)
    logits = tf.layers.dense(net, 3, name="logits")
    classes = tf.argmax(logits, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"classes": classes})
    loss = {scale} * tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"accuracy": tf.metrics.accuracy(labels, classes)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf.train.AdamOptimizer(0.01)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""


def _body(units: str = "4", scale: str = "1.0") -> str:
    return _BODY.replace("{units}", units).replace("{scale}", scale)


def _migrated(text: str) -> tuple[str, str]:
    """The result, and why a model_fn in it stays one."""
    migration = migrate_text(_HEAD + text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    stays = "; ".join(f.reason for f in migration.findings if f.code == "K110")
    return migration.text, stays


def _keras(text: str) -> str:
    result, stays = _migrated(text)
    assert not stays
    assert "tf_keras.Model" in result
    return result


def _builder(returned: str = "model_fn") -> str:
    inner = "def model_fn(features, labels, mode):\n" + _body("hidden", "scale")
    body = textwrap.indent(inner, "    ")
    return f"def model_fn_builder(hidden, scale):\n{body}\n    return {returned}\n\n\n"


def test_a_builder_returns_a_class_that_closes_over_its_arguments() -> None:
    text = _keras(_builder() + "e = tf.estimator.Estimator(model_fn_builder(4, 2.0))\n")
    assert "    class EstimatorModel(tf_keras.Model):" in text
    assert "    return EstimatorModel" in text
    assert "units=hidden" in text and "loss = scale * " in text
    assert "keras_estimator.Estimator(model_fn_builder(4, 2.0))" in text


def test_a_name_on_the_way() -> None:
    tail = "fn = model_fn_builder(4, 2.0)\ne = tf.estimator.Estimator(model_fn=fn)\n"
    assert "keras_estimator.Estimator(model=fn)" in _keras(_builder() + tail)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (_builder() + "fn = model_fn_builder(4, 2.0)\nprint(fn)\n", "more than"),
        (_builder().replace("scale", "data"), "which a step of Keras uses itself"),
        (_builder().replace("scale", "self"), "which a step of Keras uses itself"),
        (
            _builder().replace("    return model_fn\n", "    return model_fn or 1\n"),
            "the tool does not find its model_fn",
        ),
        (
            _builder("model_fn if hidden else None"),
            "the tool does not find its model_fn",
        ),
        (
            _builder().replace(
                "        optimizer = tf.train.AdamOptimizer(0.01)\n", ""
            ),
            "made outside of the model_fn",
        ),
    ],
)
def test_builders_that_stay(text: str, reason: str) -> None:
    tail = "e = tf.estimator.Estimator(model_fn_builder(4, 2.0))\n"
    if "fn = " in text:
        tail = "e = tf.estimator.Estimator(fn)\n"
    _, stays = _migrated("optimizer = object()\n" + text + tail)
    assert reason in stays


def _partial(estimators: str, parameters: str = "features, labels, mode, scale") -> str:
    return f"def model_fn({parameters}):\n{_body(scale='scale')}\n\n{estimators}\n"


def test_arguments_of_functools_partial() -> None:
    text = _keras(
        _partial(
            "for scale in (1.0, 2.0):\n"
            "    e = tf.estimator.Estimator(functools.partial(model_fn, scale=scale))"
        )
    )
    assert "def __init__(self, features, scale):" in text
    assert "self.scale = scale\n" in text
    assert "        scale = self.scale\n" in text
    assert "functools.partial(EstimatorModel, scale=scale)" in text


def test_arguments_before_the_features() -> None:
    text = _keras(
        _partial(
            "e = tf.estimator.Estimator(functools.partial(model_fn, 2.0))",
            "scale, features, labels, mode",
        )
    )
    assert "def __init__(self, scale, features):" in text
    assert "functools.partial(EstimatorModel, 2.0)" in text


def test_a_lambda_around_a_function() -> None:
    text = _keras(
        _partial(
            "e = tf.estimator.Estimator(\n"
            "    lambda features, labels, mode: model_fn(features, labels, mode, 2.0))"
        )
    )
    assert "lambda features: EstimatorModel(features, 2.0)" in text


@pytest.mark.parametrize(
    ("estimators", "reason"),
    [
        (
            "e = tf.estimator.Estimator(functools.partial(model_fn, scale=1.0))\n"
            "f = tf.estimator.Estimator(model_fn)",
            "give it different arguments",
        ),
        (
            "e = tf.estimator.Estimator(functools.partial(model_fn, **settings))",
            "the tool cannot tell the arguments",
        ),
        (
            "e = tf.estimator.Estimator(\n"
            "    lambda features, labels, mode: model_fn(features, labels[0], mode, 2))",
            "changes the arguments of the model_fn",
        ),
        (
            "e = tf.estimator.Estimator(\n"
            "    lambda features, labels, mode: model_fn(labels, features, mode, 2))",
            "another value as",
        ),
        (
            "e = tf.estimator.Estimator(other.model_fn)",
            "the tool cannot tell what it is",
        ),
    ],
)
def test_arguments_that_are_not_certain(estimators: str, reason: str) -> None:
    _, stays = _migrated(_partial(estimators))
    assert reason in stays


_MODEL = "def model_fn(features, labels, mode):\n" + _body()
_TAIL = "\n\ne = tf.estimator.Estimator(model_fn)\n"
_LOSS = "    loss = 1.0 * tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
_PREDICT = "        return tf.estimator.EstimatorSpec(mode, predictions="


def _changed(*changes: tuple[str, str]) -> str:
    model = _MODEL
    for old, new in changes:
        assert old in model, old
        model = model.replace(old, new)
    return model + _TAIL


def test_what_is_minimised_is_not_what_is_reported() -> None:
    text = _keras(
        _changed(
            (_LOSS, _LOSS + "    total = loss * tf.to_float(tf.shape(labels)[0])\n"),
            ("loss=loss, train_op", "loss=total, train_op"),
        )
    )
    assert 'return {"loss": total}' in text
    assert "scaled_loss = loss / " in text


def test_a_metric_reads_what_was_bound_when_it_was_made() -> None:
    again = "        classes = tf.zeros_like(classes)\n        return tf.est"
    changed = _changed(
        ("        return tf.estimator.EstimatorSpec(mode, loss=loss, eval", again
         + "imator.EstimatorSpec(mode, loss=loss, eval")
    )  # fmt: skip
    assert "again after it was read" in _migrated(changed)[1]


def test_names_of_layers_that_a_step_binds_anew() -> None:
    cast = "        logits = tf.cast(logits, tf.float64)\n        metrics"
    text = _keras(
        _changed(
            ("        metrics", cast),
            ("accuracy(labels, classes)", "accuracy(labels, tf.argmax(logits, 1))"),
        )
    )
    step = text[text.index("def test_step") : text.index("def predict_step")]
    assert step.index("cross_entropy") < step.index("tf.cast(logits, tf.float64)")


def test_a_spec_with_a_name() -> None:
    old = "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)\n"
    new = old.replace("return", "spec =") + "    return spec\n"
    assert "spec" not in _keras(_changed((old, new)))


def test_modes_that_have_no_step() -> None:
    text = _keras(
        _changed((_PREDICT + '{"classes": classes})', "        raise TypeError"))
    )
    assert "predict_step" not in text
    text = _keras(_changed((_PREDICT + '{"classes": classes})', "        pass"),
                           (_LOSS, "    assert mode != 'infer'\n" + _LOSS)))  # fmt: skip
    assert "predict_step" not in text
    text = _keras(_changed(("EstimatorSpec(mode, loss=loss, eval_metric", "EstimatorSpec(mode, eval_metric")))  # fmt: skip
    assert "test_step" not in text and "mean_loss" not in text


def test_what_the_mode_decides_in_a_step() -> None:
    scaled = "    loss *= 2.0 if mode == tf.estimator.ModeKeys.TRAIN else 0.5\n"
    text = _keras(_changed((_LOSS, _LOSS + scaled)))
    assert "loss *= 2.0\n" in text and "loss *= 0.5\n" in text
    assert "loss_from" not in text
    told = "    loss = told(loss, mode)\n"
    helper = "def told(loss, mode):\n    return loss * len(mode)\n\n\n"
    text = _keras(helper + _changed((_LOSS, _LOSS + told)))
    assert 'told(loss, "train")' in text and 'told(loss, "eval")' in text


def test_messages_stay_where_they_can_be_said() -> None:
    text = _keras(
        _changed(
            ("    logits = tf", "    print(net)\n    logits = tf"),
            (_LOSS, '    print("labels", labels)\n' + _LOSS + "    print(loss)\n"),
            (_PREDICT, "        tf.logging.info('now %s', mode)\n" + _PREDICT),
        )
    )
    made, rest = text.split("super().__init__")
    assert "print(net)" in made and "print(net)" not in rest
    assert rest.count("print(loss)") == 2 == rest.count('print("labels", labels)')
    assert rest.count("info('now %s', \"infer\")") == 1


def test_the_name_of_the_features_bound_anew() -> None:
    flat = '    features = tf.reshape(features["x"], [-1, 4])\n    net = tf'
    text = _keras(
        _changed(("    net = tf", flat), ('dense(features["x"]', "dense(features"))
    )
    assert "        inputs = features\n" in text
    assert "super().__init__(inputs=inputs, outputs=logits)" in text


_NETWORK = (
    "def network(x, reuse, training):\n"
    "    with tf.variable_scope('net', reuse=reuse):\n"
    "        net = tf.layers.dense(x, 4)\n"
    "        net = tf.layers.dropout(net, 0.5, training=training)\n"
    "        return tf.layers.dense(net, 3)\n\n\n"
)
_FIRST = (
    '    net = tf.layers.dense(features["x"], 4, tf.nn.relu)\n'
    '    logits = tf.layers.dense(net, 3, name="logits")\n'
)
_TWICE = (
    "    logits_train = network(features['x'], False, True)\n"
    "    logits_test = network(features['x'], True, False)\n"
)


def _twice(*changes: tuple[str, str]) -> str:
    model = _changed(
        (_FIRST, _TWICE),
        ("tf.argmax(logits, 1)", "tf.argmax(logits_test, 1)"),
        ("cross_entropy(labels, logits)", "cross_entropy(labels, logits_train)"),
    )
    text = _NETWORK + model
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_a_network_that_is_called_twice() -> None:
    text = _keras(_twice())
    assert (
        "def network(x):" in text and "        logits = network(features['x'])" in text
    )
    assert "outputs=logits)" in text
    after = text.split("def train_step")[1]
    train, test, predict = after.split("_step(self, data)")
    assert "logits_train = self(features, training=True)" in train
    assert "logits_test" not in train
    assert "logits_train = self(features, training=True)" in test
    assert "logits_test = self(features, training=False)" in test
    assert "logits_train" not in predict


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("network(features['x'], True,", "network(features['y'], True,"), ""),
        (
            (
                "    with tf.variable_scope('net', reuse=reuse):",
                "    if x is not None:",
            ),
            "makes new variables",
        ),
        (("('net', reuse=reuse)", "('net')"), "makes new variables"),
        (
            ("    logits_test =", "    features = {'x': 1}\n    logits_test ="),
            "changes a value that the second call of the network reads",
        ),
    ],
)
def test_networks_that_are_called_otherwise(
    change: tuple[str, str], reason: str
) -> None:
    _, stays = _migrated(_twice(change))
    assert stays and reason in stays


def test_layer_objects() -> None:
    made = (
        "    side = tf.layers.Dense(4, name='side')\n"
        "    drop = tf.layers.Dropout(0.5)\n"
        "    training = mode == tf.estimator.ModeKeys.TRAIN\n"
        "    net = drop(side(features['x']), training=training)\n"
        "    net += side.apply(features['y'])\n"
        "    logits = tf.layers.Dense(3)(net)\n"
    )
    text = _keras(_changed((_FIRST, made)))
    assert 'side = tf_keras.layers.Dense(units=4, name="side")' in text.replace(
        "'", '"'
    )
    assert "net = drop(side(features['x']))" in text
    assert "net += side(features['y'])" in text
    assert 'tf_keras.layers.Dense(units=3, name="dense")(net)' in text
    unseen = made.replace("side.apply(features['y'])", "0.0").replace(
        "drop(side(features['x']), training=training)", "drop(features['x'])"
    )
    assert "does not see where" in _migrated(_changed((_FIRST, unseen)))[1] or (
        "exactly in mode TRAIN" in _migrated(_changed((_FIRST, unseen)))[1]
    )


def test_metrics_that_are_added() -> None:
    added = (
        "        metrics = {}\n"
        '        metrics["accuracy"] = tf.metrics.accuracy(labels, classes)\n'
        '        metrics.update({"mean": tf.metrics.mean(loss)})\n'
    )
    old = '        metrics = {"accuracy": tf.metrics.accuracy(labels, classes)}\n'
    text = _keras(_changed((old, added)))
    assert "self.accuracy.update_state(labels, classes)" in text
    assert "self.mean.update_state(loss)" in text
    some = added.replace(
        "        metrics.update", "        if FLAGS:\n            metrics.update"
    )
    text = _keras("FLAGS = 1\n\n\n" + _changed((old, some)))
    assert "        if FLAGS:\n            self.mean = " in text
    assert "        if FLAGS:\n            self.mean.update_state(loss)\n" in text
    for test in ("make()", "loss is None", "other", "not FLAGS or loss"):
        changed = _changed((old, some.replace("if FLAGS", f"if {test}")))
        several = "FLAGS, other = 1, 2\nother = 3\n\n\n"
        assert "other than the mode" in _migrated(several + changed)[1]


_MADE = "    optimizer = tf.train.AdamOptimizer(0.01)\n"
_MAKER = (
    "def make(rate):\n"
    "    step = tf.train.get_global_step()\n"
    "    return tf.train.AdamOptimizer({rate})\n\n\n"
)
_DECAY = "tf.train.exponential_decay(rate, {step}, 9, 0.5)"


@pytest.mark.parametrize(
    ("rate", "stays"),
    [
        (_DECAY.format(step="step"), False),
        (_DECAY.format(step="tf.cast(step, tf.int32)"), False),
        (_DECAY.format(step="step // 2"), True),
        (_DECAY.format(step="tf.cast(step, tf.float32) / 2"), True),
        ("rate / (1 + step)", True),
        ("2 * " + _DECAY.format(step="step"), True),
        ("rate if step < 9 else 0.0", True),
    ],
)
def test_rates_of_functions(rate: str, stays: bool) -> None:
    """A rate that is computed from the step must not be computed once."""
    text = _MAKER.format(rate=rate) + _changed((_MADE, "    optimizer = make(0.1)\n"))
    result, reason = _migrated(text)
    assert bool(reason) == stays
    if not stays:
        step = "get_or_create_global_step()"
        assert f"    step = tf.compat.v1.train.{step}\n" in result
        assert "decay(rate, step, 9, 0.5)" in result


def test_a_group_of_the_update_and_the_averages() -> None:
    normal = '    net = tf.layers.batch_normalization(net, training=mode == "train")\n'
    grouped = (
        "    train_op = tf.group(train_op, tf.get_collection(tf.GraphKeys.UPDATE_OPS))\n"
        "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)\n"
    )
    old = "    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)\n"
    first = ("    logits = tf", normal + "    logits = tf")
    step = "    step_op = optimizer.minimize"
    text = _changed(
        first,
        (old, grouped.replace("group(train_op", "group(step_op")),
        ("    train_op = optimizer.minimize", step),
    )
    assert "UPDATE_OPS" not in _keras(text)
    assert "tf_keras.Model" not in _migrated(_changed(first))[0]
    twice = _twice(
        ("tf.layers.dropout(net, 0.5,", "tf.layers.batch_normalization(net,"),
        (old, grouped.replace("group(train_op", "group(step_op")),
        ("    train_op = optimizer.minimize", step),
    )
    assert "a network with moving averages is called twice" in _migrated(twice)[1]


_TRAINS = "    if mode == tf.estimator.ModeKeys.TRAIN:\n"
_TOLD = (
    "def network(x, training):\n"
    "    net = tf.layers.dropout(tf.layers.dense(x, 4), training=training)\n"
    "    return tf.layers.dense(net, 3)\n\n\n"
)
_BRANCHES = (
    _TRAINS
    + "        logits = network(features['x'], training=True)\n"
    + "    else:\n"
    + "        logits = network(features['x'], training=False)\n"
)


def test_layers_that_are_written_by_mode() -> None:
    drops = _TRAINS + "        logits = tf.layers.dropout(logits, 0.4, training=True)\n"
    first = _BRANCHES + drops
    text = _keras(_TOLD + _changed((_FIRST, first)))
    assert "def network(x):" in text and "Dropout(rate=0.5)(" in text
    assert "        logits = network(features['x'])\n" in text
    assert "        logits = tf_keras.layers.Dropout(rate=0.4)(logits)\n" in text
    for old, new in (
        ("features['x'], training=False", "features['y'], training=False"),
        ("logits, 0.4, training=True", "logits, 0.4"),
        ("logits, 0.4, training=True", "features['x'], 0.4, training=True"),
    ):
        assert old in first
        other = _TOLD + _changed((_FIRST, first.replace(old, new)))
        assert "other layers" in _migrated(other)[1]


def test_branches_that_return_early_share_what_is_the_same() -> None:
    body = (
        "    if mode == 'infer':\n"
        "        logits = network(features['x'], False)\n"
        "        return tf.estimator.EstimatorSpec(mode, predictions=logits)\n"
        "    if mode == 'train':\n"
        "        logits = network(features['x'], True)\n"
        "        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
        "        accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))\n"
        "        tf.summary.scalar('accuracy', accuracy[1])\n"
        "        train_op = tf.train.AdamOptimizer().minimize(\n"
        "            loss, tf.train.get_global_step())\n"
        "        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)\n"
        "    logits = network(features['x'], False)\n"
        "    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
        "    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={\n"
        "        'accuracy': tf.metrics.accuracy(labels, tf.argmax(logits, 1))})\n"
    )
    model = _TOLD + "def model_fn(features, labels, mode):\n" + body + _TAIL
    text = _keras(model)
    assert text.count("self.accuracy.update_state(labels, tf.argmax(logits, 1))") == 2
    # Training counts more batches in it than TF1's did: that is said.
    whole = _HEAD + model
    found = migrate_text(whole).findings
    said = {f.code: f.line for f in found if f.reason.startswith("a Keras metric")}
    assert whole.splitlines()[said["E102"] - 1].endswith(
        "accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))"
    )
    plain = whole.replace("        tf.summary.scalar('accuracy', accuracy[1])\n", "")
    plain = plain.replace("        accuracy = tf.metrics", "        # tf.metrics")
    left = migrate_text(plain).findings
    assert not [
        f for f in left if f.reason.startswith("a Keras metric") and f.code == "E102"
    ]
    assert "logits = network(features['x'])\n" in text
    # What Keras has no word for is no layer's training.
    other = model.replace("training=training", "1.0 if training else 0.5")
    assert _migrated(other)[1]


def test_predictions_that_another_value_goes_into_are_not_shared() -> None:
    text = _keras(
        _changed(
            ("    classes =", "    scale = 1.0\n    if mode == 'eval':\n        scale = 2.0\n    classes ="),
            ("    if mode == tf.estimator.ModeKeys.PREDICT", "    found = {'c': classes, 's': scale * logits}\n    if mode == tf.estimator.ModeKeys.PREDICT"),
            ('{"classes": classes}', "found"),
            ("accuracy(labels, classes)", "accuracy(labels, tf.argmax(found['s'], 1))"),
        )
    )  # fmt: skip
    assert "predictions_from" not in text
    assert "scale = 2.0" in text.split("def test_step")[1].split("def predict_step")[0]
    assert "scale = 2.0" not in text.split("def predict_step")[1]


_BLOCKS = """\
def dense(net, units, name{more}):
    return tf.layers.dense(net, units, tf.nn.relu, name=name)


def block(net, name):
    with tf.variable_scope(name):
        net = dense(net, 4, "first")
        return dense(net, 4, "second")


def model_fn(features, labels, mode):
    net = block(block(features["x"], "one"), "two")
"""


def _blocks(more: str = "") -> str:
    tail = _body().partition("\n")[2].replace("tf.layers.dense(net,", "dense(net,")
    tail = tail.replace(
        'logits = dense(net, 3, name="logits")', "logits = tf.layers.dense(net, 3)"
    )
    return (
        _BLOCKS.replace("{more}", more)
        + tail
        + "\n\ne = tf.estimator.Estimator(model_fn)\n"
    )


def test_a_helper_is_told_the_scope_of_its_caller() -> None:
    text = _keras(_blocks())
    assert "def dense(net, units, name, scope):" in text
    assert 'name=scope + "/" + name)' in text
    assert 'dense(net, 4, "first", scope=name)' in text


def test_a_helper_with_defaults_is_told_a_scope_by_name() -> None:
    text = _keras(_blocks(", rate=0.5"))
    assert "def dense(net, units, name, rate=0.5, *, scope):" in text


def test_helpers_number_their_layers_apart() -> None:
    """Each makes the first layer of its own scope."""
    one = "def one(net, name):\n    with tf.variable_scope(name):\n"
    one += "        return tf.layers.dense(net, 4)\n\n\n"
    text = one + one.replace("def one", "def two")
    text += "def model_fn(features, labels, mode):\n"
    text += '    features = {"x": two(one(features["x"], "one"), "two")}\n' + _body()
    text = _keras(text + "\n\ne = tf.estimator.Estimator(model_fn)\n")
    assert text.count('name=name + "/dense")') == 2


def test_a_helper_whose_layers_have_numbers_is_told_the_scope_that_counts() -> None:
    text = _blocks().replace("name=name)", "activation=None)")
    result = _keras(text.replace("tf.nn.relu, act", "act"))
    assert 'name=keras_estimator.unique_name(scope + "/dense")' in result
    assert 'net = dense(net, 4, "first", scope=name)' in result
    assert 'return dense(net, 4, "second", scope=name)' in result


def test_a_helper_of_several_scopes_is_told_what_stands_before_names() -> None:
    text = _keras(
        _blocks().replace(
            "net = block(block",
            'dense(features["x"], 4, "alone")\n    net = block(block',
        )
    )
    assert "def dense(net, units, name, prefix):" in text
    assert "name=prefix + name)" in text
    assert 'dense(features["x"], 4, "alone", prefix="")' in text
    assert 'prefix=name + "/")' in text


def test_a_function_does_not_know_the_penalties_of_a_model() -> None:
    loss = "def loss_of(loss):\n    return loss + tf.losses.get_regularization_loss()\n\n\n"
    body = _body().replace(
        "    if mode == tf.estimator.ModeKeys.EVAL",
        "    loss = loss_of(loss)\n    if mode == tf.estimator.ModeKeys.EVAL",
    )
    text = loss + "def model_fn(features, labels, mode):\n" + body
    result, stays = _migrated(text + "\n\ne = tf.estimator.Estimator(model_fn)\n")
    assert (
        "a function that a step calls uses tf.losses.get_regularization_loss" in stays
    )
    assert "tf_keras.Model" not in result
