"""What a SavedModel receives and answers, and what train_and_evaluate exports.

Written beside your program by tf1to2; it is yours to read and change. It needs TensorFlow
2.15 or later.
"""

import collections
import os
import re

import tensorflow as tf

v1 = tf.compat.v1


class ServingInputReceiver(
    collections.namedtuple(
        "ServingInputReceiver",
        ["features", "receiver_tensors", "receiver_tensors_alternatives"],
    )
):
    """What a serving_input_receiver_fn returns."""

    __slots__ = ()

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        if not isinstance(receiver_tensors, dict):
            receiver_tensors = {"input": receiver_tensors}
        return super().__new__(
            cls, features, receiver_tensors, receiver_tensors_alternatives
        )


class TensorServingInputReceiver(ServingInputReceiver):
    """The same where features are one tensor."""

    __slots__ = ()


class PredictOutput:
    """Predictions as a signature's outputs."""

    method_name = v1.saved_model.signature_constants.PREDICT_METHOD_NAME

    def __init__(self, outputs):
        self.outputs = outputs if isinstance(outputs, dict) else {"output": outputs}

    def signature(self, inputs):
        return v1.saved_model.signature_def_utils.predict_signature_def(
            inputs, self.outputs
        )


def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """Receives features as they are: a placeholder for each tensor in `features`."""
    batch = tf.TensorShape([default_batch_size])
    specs = {
        name: (t.shape[1:], t.dtype, _name_in_graph(t, name))
        for name, t in _tensor_specs(features).items()
    }

    def serving_input_receiver_fn():
        receivers = {
            name: v1.placeholder(dtype, batch.concatenate(shape), name=op_name)
            for name, (shape, dtype, op_name) in specs.items()
        }
        # One dictionary, as in TF1: what a model_fn puts into its features is received.
        return ServingInputReceiver(receivers, receivers)

    return serving_input_receiver_fn


def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
    """Receives serialized tf.Examples."""

    def serving_input_receiver_fn():
        serialized = v1.placeholder(
            tf.string, [default_batch_size], name="input_example_tensor"
        )
        features = v1.parse_example(serialized, feature_spec)
        return ServingInputReceiver(features, {"examples": serialized})

    return serving_input_receiver_fn


def _name_in_graph(tensor, key):
    """The name of a tensor or of its spec; None, a number, for a spec without one."""
    if isinstance(tensor, tf.TensorSpec):
        return tensor.name
    return (getattr(tensor, "op", None) and tensor.op.name) or key


def _tensor_specs(features):
    return features if isinstance(features, dict) else {"feature": features}


class Exporter:
    """Exports after an evaluation; `name` is its directory below `export`."""

    name = None

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        raise NotImplementedError


class _SavedModelExporter(Exporter):
    def __init__(
        self, name, serving_input_receiver_fn, assets_extra=None, as_text=False
    ):
        self.name = name
        self._receiver_fn = serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        return estimator.export_saved_model(
            export_path,
            self._receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )


class FinalExporter(_SavedModelExporter):
    """Exports when training has reached max_steps."""

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        if not is_the_final_export:
            return None
        return super().export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )


class LatestExporter(_SavedModelExporter):
    """Exports after every evaluation, and keeps the latest few."""

    def __init__(
        self,
        name,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        exports_to_keep=5,
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("exports_to_keep, if provided, must be a positive number")
        self._exports_to_keep = exports_to_keep

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        result = super().export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )
        _keep_exports(export_path, self._exports_to_keep)
        return result


def _smaller_loss(best_eval_result, current_eval_result):
    """Whether an evaluation has a smaller loss than the best one."""
    for result in (best_eval_result, current_eval_result):
        if not result or "loss" not in result:
            raise ValueError("An evaluation has no loss to compare.")
    return best_eval_result["loss"] > current_eval_result["loss"]


class BestExporter(_SavedModelExporter):
    """Exports after an evaluation that is better than all before, and keeps a few.

    Args:
      compare_fn: (best_eval_result, current_eval_result) -> whether the second is better.
      event_file_pattern: event files below model_dir in which the best evaluation of an
        earlier run is looked up; None for none.
    """

    def __init__(
        self,
        name="best_exporter",
        serving_input_receiver_fn=None,
        event_file_pattern="eval/*.tfevents.*",
        compare_fn=_smaller_loss,
        assets_extra=None,
        as_text=False,
        exports_to_keep=5,
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("exports_to_keep, if provided, must be a positive number")
        self._pattern, self._compare_fn = event_file_pattern, compare_fn
        self._exports_to_keep = exports_to_keep
        self._model_dir = self._best = None

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        if self._pattern and self._model_dir != estimator.model_dir:
            self._model_dir = estimator.model_dir
            self._best = self._written(os.path.join(self._model_dir, self._pattern))
        if self._best is not None and not self._compare_fn(
            best_eval_result=self._best, current_eval_result=eval_result
        ):
            return None
        self._best = eval_result
        result = super().export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )
        _keep_exports(export_path, self._exports_to_keep)
        return result

    def _written(self, pattern):
        """The best evaluation in event files, or None.

        As in TF1 that includes the evaluation that has just been written.
        """
        best = None
        for file in tf.io.gfile.glob(pattern):
            for event in v1.train.summary_iterator(file):
                found = {
                    value.tag: value.simple_value
                    for value in event.summary.value
                    if value.HasField("simple_value")
                }
                if found and (best is None or self._compare_fn(best, found)):
                    best = found
        return best


def _keep_exports(directory, number):
    """Removes all but the latest exports."""
    if number is None or not tf.io.gfile.isdir(directory):
        return
    names = [n.rstrip("/") for n in tf.io.gfile.listdir(directory)]
    for name in sorted(n for n in names if re.fullmatch(r"\d{10}", n))[:-number]:
        tf.io.gfile.rmtree(os.path.join(directory, name))
