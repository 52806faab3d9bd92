"""Lists the symbols that may be used in the block of a session that loads its graph."""

from __future__ import annotations

# Symbols that load a graph.
LOADS = frozenset(
    {
        "tf.saved_model.load",
        "tf.saved_model.loader.load",
        "tf.import_graph_def",
        "tf.train.import_meta_graph",
    }
)
# Methods of a graph that give a tensor or an operation of it by its name.
TAKES_BY_NAME = frozenset({"get_operation_by_name", "get_tensor_by_name"})
# Names that load no graph. Each stands for all names that begin with it.
BESIDE = (
    *("tf.Session", "tf.Graph", "tf.get_default_graph", "tf.get_default_session"),
    *("tf.ConfigProto", "tf.GPUOptions", "tf.GraphDef", "tf.MetaGraphDef"),
    *("tf.gfile.", "tf.io.gfile.", "tf.logging.", "tf.errors.", "tf.compat.as_"),
    *("tf.saved_model.tag_constants.", "tf.saved_model.signature_constants."),
    *("tf.saved_model.utils.", "tf.train.latest_checkpoint", "tf.app.flags."),
    *("tf.flags.", "tf.GraphKeys"),
)
# Those that run in a graph of TensorFlow 2 under their name in tensorflow.compat.v1.
IN_COMPAT = LOADS | frozenset(
    {"tf.Session", "tf.get_default_graph", "tf.get_default_session", "tf.GraphDef"}
)
