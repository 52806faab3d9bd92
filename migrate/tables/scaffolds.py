"""Arguments of tf.train.Scaffold: which mean something where Estimators are emitted."""

from __future__ import annotations

SCAFFOLD = "tf.train.Scaffold"

# In TensorFlow 1.15.5's order.
PARAMETERS = (
    *("init_op", "init_feed_dict", "init_fn", "ready_op", "ready_for_local_init_op"),
    *("local_init_op", "summary_op", "saver", "copy_from_scaffold"),
)

# Those of the emitted Scaffold.
MEANT = frozenset({"saver", "init_fn"})

# What gives operations together.
GROUPS = frozenset({"tf.group"})

_INITIALISERS = frozenset(
    {
        *("tf.global_variables_initializer", "tf.initialize_all_variables"),
        *("tf.local_variables_initializer", "tf.initialize_local_variables"),
        *("tf.tables_initializer", "tf.initialize_all_tables"),
        *("tf.train.Scaffold.default_local_init_op", "tf.no_op"),
        *("tf.variables_initializer", "tf.initialize_variables"),
    }
)
# Attributes and methods that are such operations: of variables and iterators, and those of
# a SyncReplicasOptimizer, which the session's own kind of step stands for.
INITIALISING = frozenset(
    {"initializer", "chief_init_op", "local_step_init_op", "ready_for_local_init_op"}
)
MAKERS = frozenset({"get_init_tokens_op"})
_READY = frozenset({"tf.report_uninitialized_variables"})

# Argument -> functions that ask for what is done here without being asked.
QUIET: dict[str, frozenset[str]] = {
    "init_op": _INITIALISERS,
    "local_init_op": _INITIALISERS,
    "ready_op": _READY,
    "ready_for_local_init_op": _READY,
    "summary_op": frozenset({"tf.summary.merge_all", "tf.merge_all_summaries"}),
    "init_feed_dict": frozenset(),
    "copy_from_scaffold": frozenset(),
}

# Of a Supervisor and a SessionManager: operations that run before training.
OPERATIONS = frozenset(
    {"init_op", "local_init_op", "ready_op", "ready_for_local_init_op"}
)
