"""The metrics of an evaluation: what updates them, and where they are written."""

import numpy as np
import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

from .steps import value_and_update

v1 = tf.compat.v1


def metric_updates(spec):
    """What updates the metrics of a batch, and (value, update) of each, by name.

    Args:
      spec: model_fn's EstimatorSpec of the batch.
    """
    ops = {k: value_and_update(k, v) for k, v in spec.eval_metric_ops.items()}
    if "loss" not in ops:
        ops["loss"] = v1.metrics.mean(spec.loss)
    ops = dict(sorted(ops.items()))  # TF1's order, in which programs print them.
    if "global_step" in ops:
        raise ValueError("Metric with name `global_step` is not allowed.")
    updates = [tf.group(update) for _, update in ops.values()]
    with tf.control_dependencies(updates):
        return tf.no_op(), ops


def write_metrics(metrics, directory, checkpoint_path):
    """Logs the metrics and writes them as summaries, as TF1 did.

    Args:
      metrics: values by name; "global_step" among them.
      directory: of the evaluation's events.
      checkpoint_path: what was evaluated; None where nothing was saved.
    """
    step = metrics["global_step"]
    text = ", ".join(f"{k} = {v!s}" for k, v in sorted(metrics.items()))
    v1.logging.info("Saving dict for global step %d: %s", step, text)
    summary = v1.Summary()
    for key, value in sorted(metrics.items()):
        if key != "global_step" and np.ndim(value) == 0:
            if isinstance(value, bytes):
                continue
            summary.value.add(tag=key, simple_value=float(value))
    if checkpoint_path:
        path = tf.make_tensor_proto(checkpoint_path, tf.string)
        summary.value.add(tag="checkpoint_path", tensor=path)
    writer = training_session.writer_of(directory)
    writer.add_summary(summary, step)
    writer.flush()
