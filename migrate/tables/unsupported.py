"""TF1 symbols that a migrated program cannot keep, with what to do instead.

`tf.compat.v1` still exports most of them, but they need a graph session, a
collection or a queue runner, and fail (or do nothing) when TF2 executes eagerly.
"""

from __future__ import annotations

from migrate.tables.hooks import CALLBACK, SESSION_HOOK

# Symbol or prefix -> (code, reason, recipe).
UNSUPPORTED: dict[str, tuple[str, str, str]] = {
    "tf.Session": (
        "S120",
        "sessions do not exist in TF2",
        "Open a session where the graph is built: `with tf.Session() as sess:`.",
    ),
    "tf.InteractiveSession": (
        "S120",
        "sessions do not exist in TF2",
        "Open a session where the graph is built, `with tf.Session() as sess:`, "
        "and run it by its name.",
    ),
    "tf.train.Supervisor": (
        "N120",
        "this use of a Supervisor has no counterpart",
        "Change the TensorFlow 1 program to tf.train.MonitoredTrainingSession first.",
    ),
    "tf.train.MonitoredSession": (
        "N120",
        "this use of a MonitoredSession has no counterpart",
        "Change the TensorFlow 1 program to tf.train.MonitoredTrainingSession first.",
    ),
    "tf.train.SingularMonitoredSession": (
        "N120",
        "this use of a SingularMonitoredSession has no counterpart",
        "Use tf.train.MonitoredTrainingSession.",
    ),
    "tf.train.ChiefSessionCreator": (
        "N120",
        "this use of a session creator has no counterpart",
        "Use tf.train.MonitoredTrainingSession.",
    ),
    "tf.train.WorkerSessionCreator": (
        "N120",
        "this use of a session creator has no counterpart",
        "Use tf.train.MonitoredTrainingSession.",
    ),
    "tf.train.SessionRunHook": (
        "N150",
        "this is a hook of your own, but the tool sees no session or Estimator "
        "that calls it",
        f"{CALLBACK} {SESSION_HOOK}",
    ),
    "tf.train.SessionRunArgs": (
        "N150",
        "this is a hook of your own, but the tool sees no session or Estimator "
        "that calls it",
        f"{CALLBACK} {SESSION_HOOK}",
    ),
    "tf.train.ExponentialMovingAverage": (
        "O120",
        "no recognised training program uses these moving averages",
        "Open the session in the same file. Or write the averages yourself, as "
        "variables that you update.",
    ),
    "tf.train.QueueRunner": (
        "I120",
        "queue runners do not exist in TF2",
        "Read the data with tf.data.",
    ),
    "tf.train.start_queue_runners": (
        "I120",
        "queue runners do not exist in TF2",
        "Read the data with tf.data.",
    ),
    "tf.train.string_input_producer": (
        "I120",
        "queue runners do not exist in TF2",
        "Use tf.data.Dataset.from_tensor_slices.",
    ),
    "tf.train.slice_input_producer": (
        "I120",
        "queue runners do not exist in TF2",
        "Use tf.data.Dataset.from_tensor_slices.",
    ),
    "tf.train.batch": (
        "I120",
        "queue runners do not exist in TF2",
        "Use tf.data.Dataset.batch.",
    ),
    "tf.train.shuffle_batch": (
        "I120",
        "queue runners do not exist in TF2",
        "Use tf.data.Dataset.shuffle and batch.",
    ),
    "tf.TFRecordReader": (
        "I120",
        "queue readers do not exist in TF2",
        "Use tf.data.TFRecordDataset.",
    ),
    "tf.TextLineReader": (
        "I120",
        "queue readers do not exist in TF2",
        "Use tf.data.TextLineDataset.",
    ),
    "tf.WholeFileReader": (
        "I120",
        "queue readers do not exist in TF2",
        "Use tf.io.read_file in a tf.data map.",
    ),
    "tf.metrics": (
        "M120",
        "tf.metrics keeps its state in a graph's local variables",
        "Use tf_keras.metrics.",
    ),
    "tf.estimator": (
        "N101",
        "an Estimator and a training session are in the same file",
        "Put the two programs into two files.",
    ),
    "tf.contrib.slim": (
        "N123",
        "the tool does not cover this part of contrib.slim",
        "Remove it, or look for it in tf_slim. The tool covers the layers, losses, "
        "argument scopes and training of slim.",
    ),
    "tf.layers": (
        "N150",
        "no recognised training program uses this layer",
        "Use tf_keras.layers.",
    ),
    "tf.placeholder": (
        "N150",
        "no recognised training program uses this placeholder",
        "Make it a parameter of a function.",
    ),
    "tf.placeholder_with_default": (
        "N150",
        "no recognised training program uses this placeholder",
        "Make it a parameter of a function.",
    ),
    "tf.sparse_placeholder": (
        "N150",
        "the tool does not cover sparse feeds",
        "Feed the indices and the values.",
    ),
    "tf.get_variable": (
        "N150",
        "no recognised training program uses this variable",
        "Make the variable with tf.Variable.",
    ),
    "tf.variable_scope": (
        "N150",
        "no recognised training program uses this variable scope",
        "Use tf.name_scope.",
    ),
    "tf.get_variable_scope": (
        "N150",
        "variable scopes do not exist in TF2",
        "Write the scope's name where you open the scope.",
    ),
    "tf.make_template": (
        "N105",
        "templates share variables by their names in the graph",
        "Make a tf.Module that holds the variables.",
    ),
    "tf.get_collection": (
        "N105",
        "TF2 keeps no graph collections",
        "Keep the values in a list of your own.",
    ),
    "tf.add_to_collection": (
        "N105",
        "TF2 keeps no graph collections",
        "Keep the values in a list of your own.",
    ),
    "tf.get_collection_ref": (
        "N105",
        "TF2 keeps no graph collections",
        "Keep the values in a list of your own.",
    ),
    **{
        f"tf.data.{where}Iterator.{how}": (
            "I101",
            "this iterator gets its dataset later",
            "Make one iterator for each dataset, and one run for each iterator.",
        )
        for where in ("", "experimental.")
        for how in ("from_structure", "from_string_handle")
    },
    "tf.losses.get_total_loss": (
        "N105",
        "TF2 collects no losses",
        "Add up the losses yourself.",
    ),
    "tf.losses.get_regularization_loss": (
        "N105",
        "TF2 collects no losses",
        "Add the penalty to the loss yourself.",
    ),
    "tf.losses.get_losses": (
        "N105",
        "TF2 collects no losses",
        "Keep the losses in a list.",
    ),
    "tf.summary.FileWriter": (
        "N150",
        "the graph's summary writer fails in TF2",
        "Use tf.compat.v2.summary.create_file_writer.",
    ),
    "tf.summary.FileWriterCache": (
        "N150",
        "the cache makes its writers in a graph, and TF2 refuses that",
        "Make the writer yourself: tf.summary.FileWriter(directory).",
    ),
    "tf.summary": (
        "N150",
        "this summary is outside of a step function",
        "Write it with tf.compat.v2.summary where its value is known.",
    ),
    "tf.train.Saver": (
        "N150",
        "no recognised training program uses this Saver",
        "Use tf.train.Checkpoint.",
    ),
    "tf.train.Server": (
        "N150",
        "no recognised training program uses this server",
        "Use tf.distribute.Server.",
    ),
    "tf.train.replica_device_setter": (
        "N150",
        "no recognised training session uses this device setter",
        "Create variables under a strategy's scope.",
    ),
    "tf.train.MonitoredTrainingSession": (
        "N101",
        "this session's program was refused",
        "Follow the recipes of the other findings first. Open the session where the graph "
        "is built: `with tf.train.MonitoredTrainingSession(...) as sess:`.",
    ),
    "tf.train.SyncReplicasOptimizer": (
        "N150",
        ("no recognised training program uses this SyncReplicasOptimizer"),
        "Use tf.distribute.MultiWorkerMirroredStrategy.",
    ),
    "tf.gradients": (
        "N150",
        "no recognised training program uses these gradients",
        "Use tf.GradientTape.",
    ),
    "tf.trainable_variables": (
        "N105",
        "TF2 keeps no list of all variables",
        "Pass the list of variables to the code that needs it.",
    ),
    "tf.global_variables": (
        "N105",
        "TF2 keeps no list of all variables",
        "Pass the list of variables to the code that needs it.",
    ),
    "tf.global_variables_initializer": (
        "S122",
        "variables are initialised when they are created",
        "Remove it.",
    ),
    "tf.local_variables_initializer": (
        "S122",
        "variables are initialised when they are created",
        "Remove it.",
    ),
    "tf.initialize_all_variables": (
        "S122",
        "variables are initialised when they are created",
        "Remove it.",
    ),
    "tf.train.get_global_step": (
        "N105",
        "TensorFlow 2 keeps no global step",
        "Pass the step variable to the code that needs it.",
    ),
    "tf.train.get_or_create_global_step": (
        "N105",
        "TensorFlow 2 keeps no global step",
        "Pass the step variable to the code that needs it.",
    ),
    "tf.train.create_global_step": (
        "N105",
        "TensorFlow 2 keeps no global step",
        "Pass the step variable to the code that needs it.",
    ),
    "tf.train.global_step": (
        "N105",
        "TensorFlow 2 keeps no global step",
        "Use the variable's .numpy().",
    ),
    "tf.get_default_session": (
        "S120",
        "sessions do not exist in TF2",
        "Open a session where the graph is built, `with tf.Session() as sess:`, "
        "and run it by its name.",
    ),
    "tf.RunOptions": (
        "S108",
        "run options trace a graph session",
        "Use tf.profiler.experimental.",
    ),
    "tf.RunMetadata": (
        "S108",
        "run metadata belongs to a graph session",
        "Use tf.profiler.experimental.",
    ),
    "tf.fixed_size_partitioner": (
        "N150",
        "no recognised training program uses this partitioner",
        "Give tf.distribute.experimental.partitioners to the strategy.",
    ),
    "tf.variable_axis_size_partitioner": (
        "N150",
        "no recognised training program uses this partitioner",
        "Give tf.distribute.experimental.partitioners to the strategy.",
    ),
    "tf.min_max_variable_partitioner": (
        "N150",
        "no recognised training program uses this partitioner",
        "Give tf.distribute.experimental.partitioners to the strategy.",
    ),
}

# Options that a variable or a variable scope may have and the tool does not carry over, with
# what to do instead.
_PENALTY = "Add the penalty to the loss yourself, or keep the variable in a list."
_CACHING = (
    "Leave caching_device out. It says where the variable is read from, and changes "
    "no value."
)
_CONSTRAINT = (
    "Leave constraint out. After each training step run an update that does the same: "
    "`sess.run(clip)` with `clip = w.assign(tf.nn.relu(w))`, for example."
)
VARIABLE_OPTIONS = {
    "regularizer": _PENALTY,
    "collections": _PENALTY,
    "caching_device": _CACHING,
    "custom_getter": "Leave custom_getter out, and compute with the variable what the "
    "getter computes: `w = 0.5 * tf.get_variable(...)`, for example.",
    "constraint": _CONSTRAINT,
}
# Option -> (its position in `tf.variable_scope`, what to do instead).
SCOPE_OPTIONS = {
    "regularizer": (4, "Add the penalty of each variable to the loss yourself."),
    "caching_device": (5, _CACHING),
    "custom_getter": (
        7,
        "Leave custom_getter out. Make each variable inside the scope by "
        "tf.get_variable, and compute with it what the getter computes: "
        "`w = 0.5 * tf.get_variable(...)`, for example.",
    ),
    "dtype": (9, "Pass dtype to each variable."),
    "constraint": (11, _CONSTRAINT),
}

_READERS = (
    "tf.examples.tutorials.mnist.input_data",
    "tf.contrib.learn.datasets.mnist",
    "tf.contrib.learn.python.learn.datasets.mnist",
)
MNIST_SYMBOLS: dict[str, str] = {
    f"{reader}.{name}": f"mnist_input_data.{name}"
    for reader in _READERS
    for name in ("read_data_sets", "load_mnist", "DataSet")
}
