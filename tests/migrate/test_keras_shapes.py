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
        (_builder().replace("scale", "data"), "step's own name"),
        (_builder().replace("scale", "self"), "step's own name"),
        (
            _builder().replace("    return model_fn\n", "    return model_fn or 1\n"),
            "in sight",
        ),
        (
            _builder("model_fn if hidden else None"),
            "in sight",
        ),
        (
            _builder().replace(
                "        optimizer = tf.train.AdamOptimizer(0.01)\n", ""
            ),
            "made outside of it",
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
            "more arguments here than there",
        ),
        (
            "e = tf.estimator.Estimator(functools.partial(model_fn, **settings))",
            "not certain",
        ),
        (
            "e = tf.estimator.Estimator(\n"
            "    lambda features, labels, mode: model_fn(features, labels[0], mode, 2))",
            "changes what its model_fn is given",
        ),
        (
            "e = tf.estimator.Estimator(\n"
            "    lambda features, labels, mode: model_fn(labels, features, mode, 2))",
            "anew",
        ),
        ("e = tf.estimator.Estimator(other.model_fn)", "in sight"),
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
    assert "bound again after it is read" in _migrated(changed)[1]


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
