"""Protocol buffers, which programs import from TensorFlow's own files.

`from tensorflow.core.protobuf import rewriter_config_pb2`: those that TensorFlow 1.15.5, 2.15 and
2.21 all have, each with the messages and enumerations of 1.15.5 but for those in `_GONE`.
"""

from __future__ import annotations

# Folder below tensorflow.core -> its files without `_pb2.py`.
_FILES = {
    "debug": "debug_service debugger_event_metadata",
    "example": "example example_parser_configuration feature",
    "framework": (
        "allocation_description api_def attr_value cost_graph "
        "device_attributes function graph graph_transfer_info kernel_def "
        "log_memory node_def op_def reader_base resource_handle step_stats "
        "summary tensor tensor_description tensor_shape tensor_slice types "
        "variable versions"
    ),
    "grappler.costs": "op_performance_data",
    "lib.core": "error_codes",
    "profiler": "profile tfprof_log tfprof_options tfprof_output",
    "protobuf": (
        "cluster config control_flow debug device_properties meta_graph "
        "named_tensor queue_runner rewriter_config saved_model "
        "saved_object_graph saver struct tensor_bundle tensorflow_server "
        "trackable_object_graph transport_options verifier_config"
    ),
    "protobuf.tpu": (
        "compilation_result dynamic_padding optimization_parameters "
        "topology tpu_embedding_configuration"
    ),
    "util": "event memmapped_file_system saved_tensor_slice test_log",
}
_GONE = {
    "tf.core.protobuf.config_pb2.RPCOptions",
    "tf.core.protobuf.tpu.optimization_parameters_pb2.DynamicLearningRate",
}

MODULES = frozenset(
    f"tf.core.{folder}.{name}_pb2"
    for folder, names in _FILES.items()
    for name in names.split()
)


def is_still_there(symbol: str) -> bool:
    """Whether a symbol is such a file, a message of it, or what a message has."""
    if any(symbol == gone or symbol.startswith(gone + ".") for gone in _GONE):
        return False
    parts = symbol.split(".")
    return any(".".join(parts[:n]) in MODULES for n in range(4, len(parts) + 1))
