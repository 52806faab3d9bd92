"""What a model's methods give an Estimator: for each mode an EstimatorSpec."""

import inspect

import tensorflow as tf
import tf_keras

try:
    import estimator_loop
except ImportError:  # In a package.
    from .. import estimator_loop


def saved(model):
    """The weights that checkpoints hold: all but the totals of metrics."""
    counted = {id(v) for metric in model.metrics for v in metric.variables}
    return [v for v in model.weights if id(v) not in counted]


def trained(model, features, labels):
    if hasattr(model, "initial_training_values"):
        model.initial_training_values()
    # Before there are slots.
    scaffold = _hooks(model, "initial_scaffold")
    results = dict(model.train_step(_data(features, labels)))
    estimator_loop.callbacks.show(model, "train", results)
    loss = results.pop("loss")
    added_up = getattr(model, "replicas_add_up", False)
    estimator_loop.steps.told_of_scaling(model.distribute_strategy, not added_up)
    return estimator_loop.EstimatorSpec(
        estimator_loop.ModeKeys.TRAIN,
        loss=loss,
        train_op=[],  # The step's own operations, which a function runs in order.
        training_hooks=_hooks(model, "training_hooks", loss, results),
        training_chief_hooks=_hooks(model, "training_chief_hooks", loss, results),
        scaffold=scaffold or _hooks(model, "training_scaffold"),
    )


def _hooks(model, kind, *loss_and_results):
    """What a model's method of this name makes of what it watches; None without one.

    Args:
      loss_and_results: of training: the loss, and what else the step returns, by name.
    """
    method = getattr(model, kind, None)
    if method is None:
        return None
    if not loss_and_results:
        return method()
    loss, results = loss_and_results
    wanted = inspect.signature(method).parameters
    return method(*(results.get(name, loss) for name in wanted))


def evaluated(model, features, labels):
    """The metrics; each is (its value so far, an update).

    Raises:
      ValueError: the model does not say how it is evaluated.
    """
    if type(model).test_step is tf_keras.Model.test_step:
        raise ValueError(f"{type(model).__name__} has no test_step: it gives no loss")
    results = tf.function(model.test_step, autograph=False)(_data(features, labels))
    estimator_loop.callbacks.show(model, "test")
    return estimator_loop.EstimatorSpec(
        estimator_loop.ModeKeys.EVAL,
        loss=results["loss"],
        eval_metric_ops={m.name: (m.result(), results[m.name]) for m in model.metrics},
        evaluation_hooks=_hooks(model, "evaluation_hooks"),
        scaffold=_hooks(model, "evaluation_scaffold"),
    )


def predicted(model, features):
    if type(model).predict_step is tf_keras.Model.predict_step:
        raise ValueError(f"{type(model).__name__} has no predict_step: no predictions")
    predictions = model.predict_step(_data(features, None))
    estimator_loop.callbacks.show(model, "predict")
    exported = getattr(model, "export_outputs", None)
    return estimator_loop.EstimatorSpec(
        estimator_loop.ModeKeys.PREDICT,
        predictions=predictions,
        export_outputs=exported(predictions) if exported else None,
        prediction_hooks=_hooks(model, "prediction_hooks"),
        scaffold=_hooks(model, "prediction_scaffold"),
    )


def _data(features, labels):
    """What Keras gives a step: features alone are wrapped, as they may be a tuple."""
    return (features,) if labels is None else (features, labels)
