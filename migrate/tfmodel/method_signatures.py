"""Parameters of methods that build graph, or that graphs are run by; `self` left out.

Written from TensorFlow 1.15.5; `tests/migrate/tfmodel` compares them with what it says itself.
"""

from __future__ import annotations

from migrate.tfmodel.registry import label_of, lineage

_OPTIMIZER = "tf.train.Optimizer"
_SIGNATURES: dict[tuple[str, str], str] = {
    (_OPTIMIZER, "minimize"): (
        "loss global_step=None var_list=None gate_gradients=1 aggregation_method=None "
        "colocate_gradients_with_ops=False name=None grad_loss=None"
    ),
    (_OPTIMIZER, "compute_gradients"): (
        "loss var_list=None gate_gradients=1 aggregation_method=None "
        "colocate_gradients_with_ops=False grad_loss=None"
    ),
    (_OPTIMIZER, "apply_gradients"): "grads_and_vars global_step=None name=None",
    (_OPTIMIZER, "get_slot"): "var name",
    ("tf.Session", "run"): "fetches feed_dict=None options=None run_metadata=None",
    ("tf.Session", "partial_run"): "handle fetches feed_dict=None",
    ("tf.Session", "make_callable"): "fetches feed_list=None accept_options=False",
    ("tf.train.MonitoredSession", "run"): (
        "fetches feed_dict=None options=None run_metadata=None"
    ),
    ("tf.train.Saver", "save"): (
        "sess save_path global_step=None latest_filename=None "
        "meta_graph_suffix='meta' write_meta_graph=True write_state=True "
        "strip_default_attrs=False save_debug_info=False"
    ),
    ("tf.train.Saver", "restore"): "sess save_path",
    ("tf.VariableScope", "get_variable"): (
        "var_store name shape=None dtype=None initializer=None regularizer=None reuse=None "
        "trainable=None collections=None caching_device=None partitioner=None "
        "validate_shape=True use_resource=None custom_getter=None constraint=None"
    ),
    ("tf.VariableScope", "set_initializer"): "initializer",
    ("tf.VariableScope", "set_regularizer"): "regularizer",
    ("tf.VariableScope", "set_partitioner"): "partitioner",
    ("tf.Graph", "get_tensor_by_name"): "name",
    ("tf.Graph", "get_operation_by_name"): "name",
    ("tf.Graph", "as_graph_element"): "obj allow_tensor=True allow_operation=True",
    ("tf.Graph", "get_collection"): "name scope=None",
    ("tf.Graph", "add_to_collection"): "name value",
    ("tf.Graph", "device"): "device_name_or_function",
    ("tf.Graph", "name_scope"): "name",
    ("tf.Graph", "control_dependencies"): "control_inputs",
    ("tf.train.ExponentialMovingAverage", "apply"): "var_list=None",
    ("tf.train.ExponentialMovingAverage", "average"): "var",
    ("tf.train.ExponentialMovingAverage", "average_name"): "var",
    (
        "tf.train.ExponentialMovingAverage",
        "variables_to_restore",
    ): "moving_avg_variables=None",
    ("tf.nn.rnn_cell.RNNCell", "__call__"): "inputs state scope=None *args **kwargs",
    ("tf.nn.rnn_cell.RNNCell", "call"): "inputs state scope=None",
    ("tf.nn.rnn_cell.RNNCell", "zero_state"): "batch_size dtype",
    ("tf.layers.Layer", "__call__"): "inputs *args **kwargs",
    ("tf.layers.Layer", "apply"): "inputs *args **kwargs",
    ("tf.data.Dataset", "batch"): "batch_size drop_remainder=False",
    ("tf.data.Dataset", "padded_batch"): (
        "batch_size padded_shapes padding_values=None drop_remainder=False"
    ),
    ("tf.data.Dataset", "map"): "map_func num_parallel_calls=None",
    ("tf.data.Dataset", "flat_map"): "map_func",
    ("tf.data.Dataset", "interleave"): (
        "map_func cycle_length=-1 block_length=1 num_parallel_calls=None"
    ),
    ("tf.data.Dataset", "filter"): "predicate",
    (
        "tf.data.Dataset",
        "shuffle",
    ): "buffer_size seed=None reshuffle_each_iteration=None",
    ("tf.data.Dataset", "repeat"): "count=None",
    ("tf.data.Dataset", "apply"): "transformation_func",
    ("tf.data.Iterator", "get_next"): "name=None",
    ("tf.data.Iterator", "make_initializer"): "dataset name=None",
    ("tf.summary.FileWriter", "add_summary"): "summary global_step=None",
    ("tf.summary.FileWriter", "add_graph"): "graph global_step=None graph_def=None",
    ("tf.train.Coordinator", "request_stop"): "ex=None",
    ("tf.train.Coordinator", "join"): (
        "threads=None stop_grace_period_secs=120 ignore_live_threads=False"
    ),
    ("tf.QueueBase", "enqueue"): "vals name=None",
    ("tf.QueueBase", "enqueue_many"): "vals name=None",
    ("tf.QueueBase", "dequeue"): "name=None",
    ("tf.QueueBase", "dequeue_many"): "n name=None",
    ("tf.QueueBase", "dequeue_up_to"): "n name=None",
    ("tf.QueueBase", "close"): "cancel_pending_enqueues=False name=None",
    ("tf.QueueBase", "size"): "name=None",
    ("tf.ReaderBase", "read"): "queue name=None",
    ("tf.ReaderBase", "read_up_to"): "queue num_records name=None",
    ("tf.TensorArray", "write"): "index value name=None",
    ("tf.TensorArray", "read"): "index name=None",
    ("tf.TensorArray", "stack"): "name=None",
    ("tf.TensorArray", "unstack"): "value name=None",
    ("tf.TensorArray", "gather"): "indices name=None",
    (
        "tf.distributions.Distribution",
        "sample",
    ): "sample_shape=() seed=None name='sample'",
    ("tf.distributions.Distribution", "log_prob"): "value name='log_prob'",
    ("tf.distributions.Distribution", "prob"): "value name='prob'",
    ("tf.distributions.Distribution", "entropy"): "name='entropy'",
}


def _by_label() -> dict[tuple[str, str], tuple[str, ...]]:
    return {
        (label_of(symbol), method): tuple(text.split())
        for (symbol, method), text in _SIGNATURES.items()
    }


_PARSED = _by_label()


def of(owner: str, method: str) -> tuple[str, ...]:
    """The parameters of a method of a class, or of one above it."""
    for one in lineage(owner):
        if (one, method) in _PARSED:
            return _PARSED[one, method]
    return ("*args", "**kwargs")
