"""tf.contrib.predictor.from_saved_model in graph mode.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, with graph mode switched on.
"""

import tensorflow as tf

v1 = tf.compat.v1


class Predictor:
    """Runs a signature of a SavedModel in a session of its own.

    Attributes:
      graph: of the model.
      session: has the model's variables.
      feed_tensors: name of an input -> its tensor.
      fetch_tensors: name of an output -> its tensor.
    """

    def __init__(self, graph, session, feed_tensors, fetch_tensors):
        self.graph, self.session = graph, session
        self.feed_tensors, self.fetch_tensors = feed_tensors, fetch_tensors

    def __call__(self, input_dict):
        """The outputs by name, as numpy arrays.

        Raises:
          ValueError: an input that the signature has not.
        """
        unexpected = set(input_dict) - set(self.feed_tensors)
        if unexpected:
            raise ValueError(f"Got unexpected keys in input_dict: {unexpected}")
        fed = {self.feed_tensors[name]: value for name, value in input_dict.items()}
        return self.session.run(self.fetch_tensors, fed)


def from_saved_model(
    export_dir,
    signature_def_key=None,
    signature_def=None,
    input_names=None,
    output_names=None,
    tags=None,
    graph=None,
    config=None,
):
    """A Predictor of the model in a directory.

    Args:
      signature_def_key: which signature; None for "serving_default".
      signature_def: the signature itself, instead of a key.
      input_names, output_names: names and the tensors' names, instead of a signature.
      tags: which of the model's graphs, a comma-separated string; None for "serve".

    Raises:
      ValueError: the signature is given twice, or the model has none by this key.
    """
    given = [one is not None for one in (signature_def_key, signature_def, input_names)]
    if sum(given) > 1 or (input_names is None) != (output_names is None):
        raise ValueError(
            "Give one of signature_def_key, signature_def, and input_names with "
            "output_names."
        )
    graph = graph or tf.Graph()
    with graph.as_default():
        session = v1.Session(config=config)
        model = v1.saved_model.load(session, (tags or "serve").split(","), export_dir)
    if input_names is None:
        if signature_def is None:
            signature_def = _find_signature(model, signature_def_key)
        input_names = {name: one.name for name, one in signature_def.inputs.items()}
        output_names = {name: one.name for name, one in signature_def.outputs.items()}
    by_name = graph.get_tensor_by_name
    return Predictor(
        graph,
        session,
        {name: by_name(tensor) for name, tensor in input_names.items()},
        {name: by_name(tensor) for name, tensor in output_names.items()},
    )


def _find_signature(model, key):
    key = key or "serving_default"
    if key not in model.signature_def:
        raise ValueError(
            f"Got signature_def_key {key}. Available signatures are "
            f"{sorted(model.signature_def)}."
        )
    return model.signature_def[key]
