"""Private names whose code changed after TensorFlow 1.15.5, and that still do the same.

Reviewed by hand, and run: `tests/fallback/test_private_and_small_parts.py` runs each in
graph mode on TensorFlow 1.15.5 and on 2.21. `kept_names` has the names of the same code.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Reviewed:
    """One private function or class.

    Attributes:
      positional: how many leading positional arguments mean the same.
      keywords: what a call may give by name.
      excluded: a value that a call may not give: (its parameter, the value).
      told: what is different, for a reader.
    """

    positional: int
    keywords: tuple[str, ...]
    excluded: tuple[str, str] = ("", "")
    told: str = ""


_TERMINAL = (
    "TensorFlow 2.21 has the debugger's interface of lines alone (ui_type readline), and "
    "not the one that fills the terminal (curses)"
)
_CURSES = ("ui_type", "curses")
_DEBUG: dict[str, Reviewed] = {
    "DebugDumpDir": Reviewed(3, ("dump_root", "partition_graphs", "validate")),
    "DumpingDebugHook": Reviewed(3, ("session_root", "watch_fn", "thread_name_filter")),
    "DumpingDebugWrapperSession": Reviewed(
        5,
        (
            *("sess", "session_root", "watch_fn", "thread_name_filter"),
            "pass_through_operrors",
        ),
    ),
    "LocalCLIDebugHook": Reviewed(
        4,
        ("ui_type", "dump_root", "thread_name_filter", "config_file_path"),
        _CURSES,
        _TERMINAL,
    ),
    # The third parameter was log_usage.
    "LocalCLIDebugWrapperSession": Reviewed(
        2,
        ("sess", "dump_root", "ui_type", "thread_name_filter", "config_file_path"),
        _CURSES,
        _TERMINAL,
    ),
    "WatchOptions": Reviewed(4, ("debug_ops", "tolerate_debug_op_creation_failures")),
    "has_inf_or_nan": Reviewed(2, ("datum", "tensor")),
}
_FREEZE = (
    *("input_graph", "input_saver", "input_binary", "input_checkpoint"),
    *("output_node_names", "restore_op_name", "filename_tensor_name", "output_graph"),
    *("clear_devices", "initializer_nodes", "variable_names_whitelist"),
    *("input_meta_graph", "input_saved_model_dir", "saved_model_tags"),
    "checkpoint_version",
)

# Path -> what a call of it may give.
REVIEWED: dict[str, Reviewed] = {
    **{f"tensorflow.python.debug.{name}": row for name, row in _DEBUG.items()},
    # The parameter variable_names_blacklist has another name.
    "tensorflow.python.tools.freeze_graph.freeze_graph": Reviewed(16, _FREEZE),
    "tensorflow.python.framework.test_util.run_in_graph_and_eager_modes": Reviewed(
        3, ("func", "config", "use_gpu", "assert_no_eager_garbage")
    ),
}
