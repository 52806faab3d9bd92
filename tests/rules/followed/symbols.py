"""Names of TensorFlow 1 that a module uses outside of a program with a session."""

from __future__ import annotations

from tests.rules.followed.bases import HEAD, MODULE, PLAIN, change

_LINES = {
    "T111_cudnn": (
        "layer = tf.contrib.cudnn_rnn.CudnnLSTM(1, 128)",
        "import tf_keras\nlayer = tf_keras.layers.LSTM(128, return_sequences=True)",
    ),
    "T111_contrib": ("gan = tf.contrib.gan", "import tensorflow_gan as gan"),
    "T112": (
        "reader = tf.LMDBReader()",
        'rows = tf.data.TFRecordDataset(["rows.tfrecord"])',
    ),
    "T113": (
        "cell = tf.nn.rnn_cell.GRUCell(4)",
        "import tf_keras\ncell = tf_keras.layers.GRUCell(4)",
    ),
    "T115": (
        "from tensorflow.contrib import *\nprint(layers.l2_regularizer)",
        "from tensorflow.contrib import layers\nprint(layers.l2_regularizer)",
    ),
    "E117_boosted_trees": (
        "trees = tf.estimator.BoostedTreesRegressor(columns)",
        "import tensorflow_decision_forests as tfdf\n"
        "trees = tfdf.keras.GradientBoostedTreesModel()",
    ),
    "S108": (
        "options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)",
        'tf.profiler.experimental.start("logs")',
    ),
    "N150_placeholder": (
        "x = tf.placeholder(tf.float32)\nz = tf.log(x)",
        "def logarithm(x):\n    return tf.log(x)",
    ),
    "E105_dataset": (
        "def show(inputs):\n    return inputs.output_shapes",
        "def show(inputs):\n    return tf.compat.v1.data.get_output_shapes(inputs)",
    ),
    "S122": ("tf.initialize_all_variables()", ""),
    "N105_losses": ("parts = tf.losses.get_losses()", "parts = [y]"),
    "M120": (
        "metric = tf.metrics.accuracy([1], [1])",
        "import tf_keras\nmetric = tf_keras.metrics.Accuracy()\nmetric.update_state([1], [1])",
    ),
    "N150_summary": (
        'tf.summary.scalar("y", y)\nall_of = tf.summary.merge_all()',
        'with tf.compat.v2.summary.create_file_writer("logs").as_default():\n'
        '    tf.compat.v2.summary.scalar("y", y, step=0)',
    ),
    "N105": ('kept = tf.get_collection("kept")', "kept = [y]"),
    "I120": (
        "rows = tf.train.batch([y], 2)",
        "rows = tf.data.Dataset.from_tensors(y).repeat().batch(2)",
    ),
    "N123": (
        "from tensorflow.contrib import slim\nprovider = slim.dataset_data_provider.DatasetDataProvider",
        "import tf_slim\nprovider = tf_slim.dataset_data_provider.DatasetDataProvider",
    ),
    "O110": (
        "optimizer = tf.contrib.opt.DelayCompensatedGradientDescentOptimizer(0.1)",
        "optimizer = tf.train.GradientDescentOptimizer(0.1)",
    ),
    "N150_gradients": (
        "w = tf.Variable(2.0)\ng = tf.gradients(w * w, w)[0]",
        "w = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n    z = w * w\ng = tape.gradient(z, w)",
    ),
    "N150_variable": ('w = tf.get_variable("w", [2])', "w = tf.Variable([0.0, 0.0])"),
    "N105_template": (
        'double = tf.make_template("double", lambda x: x)',
        "class Double(tf.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = tf.Variable(1.0)\n\n"
        "    def __call__(self, x):\n        return x * self.w\n\n\ndouble = Double()",
    ),
    "N150_saver": (
        "w = tf.Variable(1.0)\nsaver = tf.train.Saver([w])",
        "w = tf.Variable(1.0)\nsaver = tf.train.Checkpoint(w=w)",
    ),
    "N105_variables": (
        "w = tf.Variable(1.0)\nprint(tf.global_variables())",
        "w = tf.Variable(1.0)\nprint([w])",
    ),
    "N105_step": (
        "def rate():\n    return 0.1 / tf.train.get_global_step()",
        "def rate(step):\n    return 0.1 / step",
    ),
    "N150_partitioner": (
        "cut = tf.fixed_size_partitioner(2)",
        "cut = tf.distribute.experimental.partitioners.FixedShardsPartitioner(2)",
    ),
    "N150_device_setter": (
        "with tf.device(tf.train.replica_device_setter(1)):\n    w = tf.Variable(1.0)",
        "with tf.distribute.MirroredStrategy().scope():\n    w = tf.Variable(1.0)",
    ),
    "K133": (
        "class Twice(tf.train.GradientDescentOptimizer):\n"
        "    def _apply_dense(self, grad, var):\n"
        "        return super()._apply_dense(2.0 * grad, var)",
        "class Twice(tf.train.GradientDescentOptimizer):\n"
        "    def _resource_apply_dense(self, grad, var):\n"
        "        return super()._resource_apply_dense(2.0 * grad, var)",
    ),
    "E117": ("maker = tf.estimator.DNN", ""),
    "E117_tpu": (
        "config = tf.estimator.tpu",
        "e = tf.estimator.Estimator(lambda features, mode: tf.estimator.EstimatorSpec(mode))",
    ),
    "N150_synchronisation": (
        "optimizer = tf.train.SyncReplicasOptimizer(None, 2)",
        "strategy = tf.distribute.MultiWorkerMirroredStrategy()",
    ),
}
FOLLOWED = {
    code: (MODULE + before + "\n", MODULE + after + "\n")
    for code, (before, after) in _LINES.items()
}
# These two say to open the session in the file, or to use another session.
FOLLOWED["S120"] = (
    MODULE + "def start():\n    return tf.Session()\n",
    PLAIN,
)
FOLLOWED["O120"] = (
    MODULE + "average = tf.train.ExponentialMovingAverage(0.9)\n",
    change(
        PLAIN,
        (
            "with tf.Session",
            "average = tf.train.ExponentialMovingAverage(0.9)\n"
            "with tf.control_dependencies([train]):\n    train = average.apply([w])\nwith tf.Session",
        ),
    ),
)
# The name of the first is two things.
FOLLOWED["T111_import"] = (
    "import tensorflow as tf\n\ntry:\n    from tensorflow.contrib import slim\n"
    "except ImportError:\n    import tf_slim as slim\n\nprint(slim, tf.log(1.0))\n",
    "import tensorflow as tf\nimport tf_slim as slim\n\nprint(slim, tf.log(1.0))\n",
)
_TASK = (
    MODULE
    + "class Task:\n    def __init__(self, spec):\n        self.server = tf.MODULE.Server(spec)\n"
)
FOLLOWED["N150_server"] = (
    _TASK.replace("MODULE", "train") + "        self.x = tf.placeholder(tf.float32)\n",
    _TASK.replace("MODULE", "distribute"),
)
# Programs of TensorFlow 2, which stay as the recipe leaves them.
_OF_TF2 = {
    "D110": (
        "s = tf.distribute.experimental.ParameterServerStrategy()",
        "resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()\n"
        "s = tf.distribute.ParameterServerStrategy(resolver)",
    ),
    "D137": (
        "e = tf.keras.estimator.model_to_estimator(keras_model=m)\ne.train(input_fn)",
        'with tf.distribute.MirroredStrategy().scope():\n    m = make()\n    m.compile("sgd", "mse")\n'
        "m.fit(input_fn())",
    ),
}
FOLLOWED |= {
    code: (HEAD + before + "\n", HEAD + after + "\n")
    for code, (before, after) in _OF_TF2.items()
}
