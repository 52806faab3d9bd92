"""Codes T1xx: other symbols."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code("T101", "kept", "The symbol means the same in TF2."),
    Code("T102", "moved", "The same function under the name that TF2 has it."),
    Code(
        "T103",
        "contrib with a home",
        "The contrib function has an equal in TF2.",
    ),
    Code(
        "T104",
        "same with these arguments",
        "TF2's function of this name takes these arguments with the same meaning; renamed ones are passed by their new names.",
        "tf.reduce_sum(x, reduction_indices=1, keep_dims=True)",
        "tf.reduce_sum(x, axis=1, keepdims=True)",
    ),
    Code(
        "T105",
        "kept under compat.v1",
        "Code that imports tensorflow.compat.v1 and is no program of its own runs as it is.",
    ),
    Code(
        "T106",
        "behaviour switch",
        "Switching TF2 behaviour off is dropped: the program runs as TF2 does.",
    ),
    Code(
        "T107",
        "contrib, written beside",
        "The contrib class has no equal in TF2; a small module that behaves the same is written beside the file.",
        "hparams = tf.contrib.training.HParams(rate=0.1)",
        "import contrib_hparams\n...\nhparams = contrib_hparams.HParams(rate=0.1)",
    ),
    Code(
        "T108",
        "tf_slim",
        "The slim function is in the tf_slim package, which the migrated file imports: pip install tf_slim. Only what makes no variables and works there: decoders of examples, regularizers and initial values. Layers are written beside the program (L150).",
        "slim.l2_regularizer(0.001)",
        "tf_slim.l2_regularizer(0.001)",
        refused_when="the symbol is a layer (N123).",
    ),
    Code(
        "T110",
        "contrib",
        "tf.contrib does not exist in TF2 and this function has no certain home.",
    ),
    Code(
        "T111",
        "not public",
        "The name is not public in TF2, or gone.",
    ),
    Code(
        "T112",
        "needs a graph",
        "The symbol exists in tf.compat.v1 but fails or does nothing outside a graph session.",
    ),
    Code(
        "T113",
        "needs legacy Keras",
        "The symbol is in tf.compat.v1 only where Keras 2 is TensorFlow's Keras. Use the "
        "tf_keras layer, or set TF_USE_LEGACY_KERAS=1.",
    ),
    Code(
        "T114",
        "import without a target",
        "TensorFlow 2 has no such module or name, and no use of it in the file was "
        "rewritten. An import that nothing needs any more is dropped without a word; this "
        "one may be what other files take from here.",
        "from tensorflow.contrib import slim  # noqa: for others",
        "import tf_slim as slim",
    ),
    Code(
        "T115",
        "star import",
        "`from tensorflow import *` hides which names are TensorFlow's, so that they could "
        "not be migrated.",
        "from tensorflow import *\ny = log(x)",
        "import tensorflow as tf\ny = tf.math.log(x)",
    ),
    Code(
        "T116",
        "looked up by name",
        "getattr or hasattr of TensorFlow with a name that is only known when the program "
        "runs, or that means another thing in TF2.",
        "activation = getattr(tf.nn, name)",
        'activation = {"relu": tf.nn.relu, "tanh": tf.nn.tanh}[name]',
        refused_when="always, unless the name is written out and means the same in TF2.",
    ),
    Code(
        "T117",
        "private, still there",
        "The program takes a function or class from TensorFlow's own files that has no "
        "public name. TensorFlow 2.21 has it at the same place with the same parameters, so "
        "it is kept. A later version may not have it. Protocol buffers "
        "(`tensorflow.core.protobuf.rewriter_config_pb2`) are kept, too.",
        "from tensorflow.python.client import device_lib",
        "from tensorflow.python.client import device_lib",
        promise="It exists and takes the same arguments; what it computes is taken to be "
        "what it was.",
    ),
    Code(
        "T118",
        "TensorFlow from another file",
        "The file takes its name for TensorFlow from another file of the tree. It imports "
        "TensorFlow itself now, as that file does, and is migrated like any other.",
        "from mylib.compat import tf",
        "import tensorflow as tf",
        refused_when="the other file binds the name more than once, or only under a "
        "condition; or the import has other names beside it. Then its uses are not seen.",
    ),
    Code(
        "T140",
        "star of another file, as names",
        "The file imports all names of another file of the tree, and one that it uses is "
        "another there now: a model_fn has become a class. The import says which names it "
        "takes. A star whose names are what they were stays a star.",
        "from model import *",
        "from model import Model, train_input_fn",
        refused_when="never: where it is not certain what a star brings, the names that "
        "come by it are not followed, and what they stand for stays what it is.",
    ),
    Code(
        "T121",
        "call that does not fit",
        "TensorFlow 2.21 has the function, and it does not take these arguments. What is "
        "known of it is its real signature.",
        "y = tf.matmul(x)",
        "y = tf.matmul(x, w)",
        refused_when="the call stands as it stood in TensorFlow 1, or in a file that is no "
        "TensorFlow 1, and would end with a TypeError.",
    ),
    Code(
        "T130",
        "TF1's layers and cells",
        "tf.layers and tf.nn.rnn_cell are parts of Keras 2, to which compat.v1 leads no "
        "more since TensorFlow 2.16. A file of tensorflow.compat.v1 imports them from "
        "tf_keras: the same functions and classes.",
        "import tensorflow.compat.v1 as tf\ny = tf.layers.dense(x, 2)",
        "import tensorflow.compat.v1 as tf\n"
        "from tf_keras.api._v1.keras.__internal__.legacy import layers as tf1_layers\n"
        "y = tf1_layers.dense(x, 2)",
        "what TensorFlow 2.15's tf.compat.v1 has, where a graph is built.",
    ),
    Code(
        "T131",
        "TensorFlow from another file, unseen",
        "A name of this import is TensorFlow, or a module of it, in the file that it comes "
        "from: bound under a condition or twice, brought by a star beside another of the name, "
        "reached through that file's module, or assigned to a part. What is called through it here is not seen.",
    ),
    Code(
        "T119",
        "a name given to tensorflow",
        "The program stores something of its own as an attribute of the module, and reads it there: neither TensorFlow has it, both keep it.",
        "tf.model = tf.keras.Sequential()\ntf.model.add(layer)",
        "tf.model = tf_keras.Sequential()\ntf.model.add(layer)",
    ),
    Code(
        "T150",
        "runs through compat.v1",
        "With --fallback compat: the program cannot become one of tf.distribute yet, for "
        "the reason that is given. It was brought, whole, to graph mode on TensorFlow "
        "2.21: it imports tensorflow.compat.v1, switches TensorFlow 2's behaviour off "
        "before it makes a graph, and has modules beside it for what contrib had. It is "
        "still a program of TensorFlow 1.",
        "import tensorflow as tf",
        "import os\n\n"
        'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")  # tf.layers are Keras 2\'s.\n'
        "import tensorflow.compat.v1 as tf\n\n"
        "tf.disable_v2_behavior()",
        promise="The same graph, and the same kernels.",
    ),
    Code(
        "T151",
        "not through compat.v1 either",
        "With --fallback compat: the program was refused, and graph mode on TensorFlow "
        "2.21 does not have this. The whole program is left as it was.",
    ),
)
