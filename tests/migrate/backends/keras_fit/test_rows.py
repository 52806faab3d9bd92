"""Rows of the table of `Model.fit`: with each of them an Estimator stays, and it is said why."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.options import Options

_PROGRAM = """\
import tensorflow as tf


def input_fn():
  data = tf.data.Dataset.from_tensor_slices(({"x": [[0.5, -2.0, 1.5]]}, [[-64.0]]))
  return data.repeat().batch(1)


def receive():
  x = tf.placeholder(tf.float32, [None, 3])
  return tf.estimator.export.ServingInputReceiver({"x": x}, x)


def model_fn(features, labels, mode):
  x = features["x"]
  net = tf.layers.dense(x, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"net": net})
  loss = tf.losses.absolute_difference(labels, net)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  optimizer = tf.train.AdagradOptimizer(0.125)
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
  config = tf.estimator.RunConfig(save_checkpoints_steps=8)
  estimator = tf.estimator.Estimator(model_fn, "out", config)
  train = tf.estimator.TrainSpec(input_fn, max_steps=24)
  evaluation = tf.estimator.EvalSpec(input_fn, steps=3)
  tf.estimator.train_and_evaluate(estimator, train, evaluation)
  estimator.evaluate(input_fn, steps=2)


if __name__ == "__main__":
  main()
"""
_HOOK = """\
batches = []


class Counts(tf.train.SessionRunHook):
  def after_run(self, context, values):
    batches.append(1)


"""
_EVALUATE = "estimator.evaluate(input_fn, steps=2)"
_DENSE = "net = tf.layers.dense(x, 1)\n"
_PREDICTED = 'predictions={"net": net}'
_TRAINS = "loss=loss, train_op=train_op"
_FROM_CHECKPOINT = 'tf.train.init_from_checkpoint("old", {"dense/": "dense/"})'


def _reasons(*changes: tuple[str, str]) -> list[str]:
    """Returns the reasons why the changed program's Estimator stays."""
    text = _PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    found = migrate_text(text, Options(estimators="fit")).findings
    return [f.reason for f in found if f.code == "K131"]


def test_what_has_none_of_them_is_fitted() -> None:
    assert not _reasons()


def _call(text: str) -> tuple[str, str]:
    return _EVALUATE, f"estimator.{text}"


_EXPORT = 'export_saved_model("out", receive, '
_OLD_EXPORT = 'export_savedmodel("out", receive, '
_STRATEGY = "tf.distribute.MirroredStrategy()"
_STAYS = {
    "saving-listeners": (
        _call("train(input_fn, steps=1, saving_listeners=[listener])"),
        "`saving_listeners` are called at its checkpoints",
    ),
    "evaluate-checkpoint": (
        _call('evaluate(input_fn, checkpoint_path="a")'),
        "`evaluate` has a `checkpoint_path`",
    ),
    "predict-checkpoint": (
        _call('predict(input_fn, checkpoint_path="a")'),
        "`predict` has a `checkpoint_path`",
    ),
    "predict-batches": (
        _call("predict(input_fn, yield_single_examples=False)"),
        "`predict` has `yield_single_examples`",
    ),
    "predict-hooks": (
        _call("predict(input_fn, hooks=[tf.train.StepCounterHook()])"),
        "`predict` has hooks",
    ),
    **{
        f"{name}-{argument}": (_call(f"{start}{argument}={value})"), reason)
        for name, start in (("export", _EXPORT), ("old-export", _OLD_EXPORT))
        for argument, value, reason in (
            ("assets_extra", '{"a": "b"}', "the export has `assets_extra`"),
            ("as_text", "True", "the export is text (`as_text`)"),
            ("checkpoint_path", '"a"', "the export has a `checkpoint_path`"),
        )
    },
    "export-mode": (
        _call(f"{_EXPORT}experimental_mode=tf.estimator.ModeKeys.EVAL)"),
        "the export has an `experimental_mode`",
    ),
    "warm-start": (
        ('"out", config)', '"out", config, warm_start_from="old")'),
        "it has `warm_start_from`",
    ),
    "evaluation-hooks": (
        ("steps=3)", "steps=3, hooks=[tf.train.StepCounterHook()])"),
        "its EvalSpec has hooks",
    ),
    **{
        name: (("steps=8)", f"steps=8, {name}={value})"), reason)
        for name, value, reason in (
            (
                "keep_checkpoint_every_n_hours",
                "1",
                "its RunConfig has `keep_checkpoint_every_n_hours`",
            ),
            ("device_fn", "place", "its RunConfig has a `device_fn`"),
            ("eval_distribute", _STRATEGY, "its RunConfig has `eval_distribute`"),
            (
                "experimental_distribute",
                "tf.contrib.distribute.DistributeConfig()",
                "its RunConfig has `experimental_distribute`",
            ),
        )
    },
    "devices-and-no-steps": (
        ("steps=8)", f"steps=8, train_distribute={_STRATEGY})"),
        "the devices of its strategy share one input, and the number of steps is not known",
    ),
    # The call that makes it is told, not the method that it stands in.
    **{
        f"{mode}-scaffold": (
            (given, f"{given}, scaffold=tf.train.Scaffold()"),
            "no callback does the same as `Scaffold`",
        )
        for mode, given in (
            ("training", _TRAINS),
            ("evaluation", "EstimatorSpec(mode, loss=loss"),
            ("prediction", _PREDICTED),
        )
    },
    **{
        f"first-values-of-{mode}": (
            (line, f"{before}{_FROM_CHECKPOINT}\n{after}"),
            "no callback does the same as `init_from_checkpoint`",
        )
        for mode, line, before, after in (
            ("all-modes", _DENSE, f"{_DENSE}  ", ""),
            ("training", "optimizer = ", "", "  optimizer = "),
        )
    },
    "prediction-hooks": (
        (_PREDICTED, f"{_PREDICTED}, prediction_hooks=[Counts()]"),
        "its model has `prediction_hooks`",
    ),
}


@pytest.mark.parametrize("name", _STAYS)
def test_what_fit_cannot_say_is_said(name: str) -> None:
    change, reason = _STAYS[name]
    changes = [change]
    if name == "prediction-hooks":
        changes.append(("def model_fn", f"{_HOOK}def model_fn"))
    if name == "devices-and-no-steps":
        changes.append((", max_steps=24", ""))
    assert f"its Estimator stays: {reason}" in _reasons(*changes)


_DRAWN = "each evaluation draws random numbers from the start again"


@pytest.mark.parametrize(
    "drawn",
    [
        "tf.nn.dropout(x, 0.5)",
        "x + tf.to_float(tf.multinomial([[1.0, 2.0]], 3))",
        "x + tf.random_normal([3])",
        "x + tf.truncated_normal([3])",
        "x + tf.random.uniform([3])",
        "tf.image.random_brightness(x,0.1)",
        # Without a row for these arguments it keeps its name, under compat.v1.
        "x+tf.to_float(tf.multinomial(*[[[1.0,2.0]],3]))",
    ],
)
def test_what_draws_in_each_evaluation_stays(drawn: str) -> None:
    assert f"its Estimator stays: {_DRAWN}" in _reasons(
        (_DENSE, f"x = {drawn}\n  {_DENSE}")
    )


@pytest.mark.parametrize(
    "drawn",
    [
        "kernel_initializer=tf.random_normal_initializer()",
        "kernel_initializer=tf.truncated_normal_initializer()",
    ],
)
def test_what_draws_first_values_does_not(drawn: str) -> None:
    assert not _reasons((_DENSE, _DENSE.replace(", 1)", f", 1, {drawn})")))


@pytest.mark.parametrize("seed", ["tf.random.get_seed(1)[0]"])
def test_a_seed_that_is_asked_for_draws_nothing(seed: str) -> None:
    assert not _reasons((_DENSE, f"x = x + tf.to_float({seed})\n  {_DENSE}"))


@pytest.mark.parametrize(
    "drawn",
    [
        "x + tf.to_float(tf.multinomial([[1.0, 2.0]], 3))",
        "x + tf.random_normal([3])",
        "x + tf.truncated_normal([3])",
    ],
)
def test_what_is_drawn_by_its_older_name_is_known(drawn: str) -> None:
    older = ("import tensorflow as", "import tensorflow.compat.v1 as")
    reasons = _reasons(older, (_DENSE, f"x = {drawn}\n  {_DENSE}"))
    assert f"its Estimator stays: {_DRAWN}" in reasons
