"""The debugger of sessions, freeze_graph and test_util: calls that TF 2.21 takes otherwise."""

import tensorflow as tf
from tensorflow.python import debug
from tensorflow.python.framework import test_util
from tensorflow.python.tools import freeze_graph

s = tf.Session()
debug.DebugDumpDir(1, 2, 3, 4)
debug.DumpingDebugHook(1, 2, 3, 4)
debug.WatchOptions(1, 2, 3, 4, 5)
debug.LocalCLIDebugHook("curses")
debug.LocalCLIDebugHook(1, 2, 3, 4, 5)
debug.LocalCLIDebugWrapperSession(1, 2, 3)
debug.DumpingDebugWrapperSession(1, 2, 3, 4, 5, 6)
debug.has_inf_or_nan(1, 2, 3)
freeze_graph.freeze_graph(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)
test_util.run_in_graph_and_eager_modes(1, 2, 3, 4)
