"""The debugger of sessions, freeze_graph and test_util: calls that stay."""

import tensorflow as tf
from tensorflow.python import debug
from tensorflow.python.framework import test_util
from tensorflow.python.tools import freeze_graph
from tensorflow.python.training import gen_training_ops, training_ops

s = tf.Session()
debug.DebugDumpDir(dump_root="d", validate=True, partition_graphs=None)
debug.DumpingDebugHook(session_root="d", watch_fn=None, thread_name_filter="x")
debug.WatchOptions(debug_ops=None, tolerate_debug_op_creation_failures=True)
debug.LocalCLIDebugHook(
    ui_type="readline", dump_root="d", thread_name_filter="", config_file_path=""
)
debug.LocalCLIDebugWrapperSession(
    sess=s,
    dump_root="d",
    ui_type="readline",
    thread_name_filter=None,
    config_file_path=None,
)
debug.DumpingDebugWrapperSession(
    sess=s,
    session_root="d",
    watch_fn=None,
    thread_name_filter=None,
    pass_through_operrors=None,
)
debug.has_inf_or_nan(datum=1, tensor=2)
freeze_graph.freeze_graph(
    input_graph="",
    input_saver="",
    input_binary="",
    input_checkpoint="",
    output_node_names="",
    restore_op_name="",
    filename_tensor_name="",
    output_graph="",
    clear_devices="",
    initializer_nodes="",
    variable_names_whitelist="",
    input_meta_graph="",
    input_saved_model_dir="",
    saved_model_tags="",
    checkpoint_version=2,
)
test_util.run_in_graph_and_eager_modes(
    func=None, config=None, use_gpu=True, assert_no_eager_garbage=False
)
s.run(training_ops.apply_rms_prop(1, 2, 3, 4, 5, 6, 7, grad=8))
s.run(gen_training_ops.apply_adagrad_da(1, 2, 3, 4, 5, 6, 7, 8))
s.run(training_ops.apply_ftrl(1, 2, 3, 4, 5, 6, 7, 8, False, "name"))
