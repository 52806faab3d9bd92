"""The debugger of sessions, freeze_graph and test_util: calls that stay, and others."""

import tensorflow as tf
from tensorflow.python import debug
from tensorflow.python.training import gen_training_ops, training_ops

session = tf.Session()
debug.DebugDumpDir("d", None, validate=True, partition_graphs=None)
debug.DumpingDebugHook("d", None, "x")
debug.WatchOptions(None, tolerate_debug_op_creation_failures=True)
debug.LocalCLIDebugHook("readline", "d")
debug.LocalCLIDebugWrapperSession(session, "d", ui_type="readline")
debug.DumpingDebugWrapperSession(session, "d", None, None, None)
session.run(training_ops.apply_rms_prop(1, 2, 3, 4, 5, 6, 7, grad=8))
session.run(gen_training_ops.apply_adagrad_da(1, 2, 3, 4, 5, 6, 7, 8))
