"""What a SavedModel receives and answers: inputs and signatures."""

import collections
import os
import time
import uuid

import tensorflow as tf

v1 = tf.compat.v1
_logging = v1.logging


def timestamped(base):
    """A new directory name below `base`: seconds since the epoch."""
    base = base.decode() if isinstance(base, bytes) else str(base)
    for _ in range(10):
        directory = os.path.join(base, str(int(time.time())))
        if not tf.io.gfile.exists(directory):
            tf.io.gfile.makedirs(base)
            return directory
        time.sleep(1)
    raise RuntimeError(f"Failed to obtain a unique export directory in {base}")


def unfinished(directory):
    """Where to write what will be `directory`: another name for each process."""
    base, name = os.path.split(directory)
    return os.path.join(base, f"temp-{name}-{uuid.uuid4().hex[:8]}")


def finished(temporary, directory):
    """Gives what is written its name, a later one if another worker took that.

    Returns:
      The directory.
    """
    while True:
        try:
            tf.io.gfile.rename(temporary, directory)
            return directory
        except (tf.errors.AlreadyExistsError, tf.errors.FailedPreconditionError):
            if not tf.io.gfile.exists(directory):
                raise
            directory = timestamped(os.path.dirname(directory))


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


class ClassificationOutput:
    """Scores and classes as a signature's outputs."""

    def __init__(self, scores=None, classes=None):
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self._scores, self._classes = scores, classes

    def signature(self, inputs):
        _one_string(inputs)
        return v1.saved_model.signature_def_utils.classification_signature_def(
            next(iter(inputs.values())), self._classes, self._scores
        )


class RegressionOutput:
    """Values as a signature's outputs."""

    def __init__(self, value):
        self._value = value

    def signature(self, inputs):
        _one_string(inputs)
        return v1.saved_model.signature_def_utils.regression_signature_def(
            next(iter(inputs.values())), self._value
        )


def _one_string(inputs):
    if len(inputs) != 1 or next(iter(inputs.values())).dtype != tf.string:
        raise ValueError("it must take one string tensor: serialized tf.Examples")


def signatures_of(receiver, spec):
    """Signatures by name, as TF1's build_all_signature_defs."""
    outputs = spec.export_outputs
    default = v1.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if outputs is None:
        outputs = {default: PredictOutput(spec.predictions)}
    if not isinstance(outputs, dict):
        raise TypeError("export_outputs must be dict")
    outputs = dict(outputs)
    if len(outputs) == 1 and default not in outputs:
        outputs[default] = next(iter(outputs.values()))
    elif default not in outputs:
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as "
            f"the default. Do this by naming one of them {default!r}."
        )
    found = {}
    alternatives = {None: receiver.receiver_tensors}
    alternatives.update(receiver.receiver_tensors_alternatives or {})
    for prefix, tensors in alternatives.items():
        if not isinstance(tensors, dict):
            tensors = {"input": tensors}
        for key, output in outputs.items():
            name = key or "None"
            if prefix:
                name = f"{prefix}:{name}"
            try:
                found[name] = output.signature(tensors)
            except ValueError as error:
                _logging.info("Signature %s is not exported: %s", name, error)
    return found


def write_saved_model(
    directory, build, checkpoint_path, seed=None, assets_extra=None, as_text=False
):
    """Writes a SavedModel of a graph of TF1's kind, with a checkpoint's values.

    Args:
      directory: where; it is not there yet.
      build: builds the graph and returns its signatures, by name.
      seed: the graph's.
      assets_extra: files to be copied, by their place below `assets.extra`.
    """
    with tf.Graph().as_default() as graph:
        v1.train.create_global_step(graph)
        if seed is not None:
            v1.set_random_seed(seed)
        signatures = build()
        saver = v1.train.Saver(sharded=True)
        initial = v1.tables_initializer()
        with v1.Session() as session:
            saver.restore(session, checkpoint_path)
            session.run([v1.local_variables_initializer(), initial])
            builder = v1.saved_model.Builder(directory)
            builder.add_meta_graph_and_variables(
                session,
                [v1.saved_model.tag_constants.SERVING],
                signature_def_map=signatures,
                assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
                main_op=v1.group(v1.local_variables_initializer(), initial),
                saver=saver,
                strip_default_attrs=True,
            )
            builder.save(as_text)
    for name, source in (assets_extra or {}).items():
        target = os.path.join(directory, "assets.extra", name)
        tf.io.gfile.makedirs(os.path.dirname(target))
        tf.io.gfile.copy(source, target)


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
