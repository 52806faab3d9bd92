"""Functions and options of tf.contrib.tfprof.model_analyzer, in graph mode.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, with graph mode switched on. TensorFlow 2.21 counts the float
operations of additions (AddV2) too, which 1.15.5 left out.
"""

import tensorflow as tf

v1 = tf.compat.v1
_DEFAULT = object()


def _make_options(types, order, select, **least):
    """The options that each of the constants below has."""
    limits = {"bytes": 0, "micros": 0, "params": 0, "float_ops": 0, **least}
    return {
        "max_depth": 10000,
        **{f"min_{name}": limit for name, limit in limits.items()},
        "order_by": order,
        "account_type_regexes": types,
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": True,
        "select": select,
        "output": "stdout",
        "dump_to_file": "",
    }


TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _make_options(
    ["_trainable_variables"], "name", ["params"]
)
FLOAT_OPS_OPTIONS = _make_options([".*"], "float_ops", ["float_ops"], float_ops=1)
PRINT_ALL_TIMING_MEMORY = _make_options(
    [".*"], "name", ["micros", "bytes"], bytes=1, micros=1
)


def print_model_analysis(
    graph, run_meta=None, op_log=None, tfprof_cmd="scope", tfprof_options=_DEFAULT
):
    """Prints and returns what a graph has: parameters, operations, times."""
    given = {} if tfprof_options is _DEFAULT else {"options": tfprof_options}
    return v1.profiler.profile(graph, run_meta, op_log, tfprof_cmd, **given)


def advise(graph, run_meta=None, tfprof_options=_DEFAULT):
    """Returns what the profiler advises."""
    given = {} if tfprof_options is _DEFAULT else {"options": tfprof_options}
    return v1.profiler.advise(graph, run_meta, **given)
