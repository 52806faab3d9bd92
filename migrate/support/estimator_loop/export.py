"""What a SavedModel receives and answers: inputs and signatures."""

# ruff: noqa: F401

import os
import time
import uuid

import tensorflow as tf

try:
    from estimator_exports import (
        PredictOutput,
        ServingInputReceiver,
        TensorServingInputReceiver,
        build_parsing_serving_input_receiver_fn,
        build_raw_serving_input_receiver_fn,
    )
except ImportError:  # In a package.
    from ..estimator_exports import (
        PredictOutput,
        ServingInputReceiver,
        TensorServingInputReceiver,
        build_parsing_serving_input_receiver_fn,
        build_raw_serving_input_receiver_fn,
    )

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
