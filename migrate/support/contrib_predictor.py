"""tf.contrib.predictor.from_saved_model, without a session.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later.
"""

import numpy as np
import tensorflow as tf


class Predictor:
    """Calls a signature of a SavedModel: a dict of arrays in, a dict of arrays out.

    Args:
      export_dir: of the SavedModel, which TensorFlow 1 or 2 has written.
      signature_def_key: which signature; None for "serving_default".
      tags: which of the model's graphs, a comma-separated string; None for "serve".

    Raises:
      ValueError: the model has no such signature.
    """

    def __init__(self, export_dir, signature_def_key=None, tags=None):
        # The model has the variables, which must live as long as its functions.
        self._model = tf.saved_model.load(export_dir, (tags or "serve").split(","))
        key = signature_def_key or "serving_default"
        if key not in self._model.signatures:
            raise ValueError(
                f"Got signature_def_key {key}. Available signatures are "
                f"{sorted(self._model.signatures)}."
            )
        self._function = self._model.signatures[key]
        self._specs = self._function.structured_input_signature[1]

    @property
    def feed_tensors(self):
        """Name of an input -> its shape and type."""
        return dict(self._specs)

    @property
    def fetch_tensors(self):
        """Name of an output -> its shape and type."""
        return dict(self._function.structured_outputs)

    def __call__(self, input_dict):
        """The outputs by name, as numpy arrays.

        Raises:
          ValueError: an input that the signature has not.
        """
        unexpected = set(input_dict) - set(self._specs)
        if unexpected:
            raise ValueError(f"Got unexpected keys in input_dict: {unexpected}")
        inputs = {
            name: tf.constant(np.asarray(value), self._specs[name].dtype)
            for name, value in input_dict.items()
        }
        return {name: value.numpy() for name, value in self._function(**inputs).items()}


def from_saved_model(export_dir, signature_def_key=None, tags=None):
    """A Predictor of the model in a directory."""
    return Predictor(export_dir, signature_def_key, tags)
