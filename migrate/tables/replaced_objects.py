"""Lists attributes of TensorFlow 1's objects that their TensorFlow 2 replacements lack.

`tests/migrate/rewriting/test_attributes.py` compares both with the two TensorFlows.
"""

from __future__ import annotations

# An iterator is TensorFlow 2's own: `iter(dataset)`.
ITERATOR = frozenset(
    {"from_string_handle", "from_structure", "initializer", "make_initializer"}
    | {"string_handle"}
)
# A SyncReplicasOptimizer becomes the optimizer inside it. The strategy does the rest.
OPTIMIZER = frozenset(
    {"chief_init_op", "get_chief_queue_runner", "get_init_tokens_op"}
    | {"local_step_init_op", "make_session_run_hook", "ready_for_local_init_op"}
)
# The object that a hook gets as coordinator.
NO_COORDINATOR = ("", "None")
# A hook's session passes attributes that it lacks on to the session inside it.
HANDS_ON = {
    ("estimator_loop", "HookSession"): ("training_session", "MonitoredTrainingSession")
}
# Classes of TensorFlow 2.21 from which emitted ones derive, and what they have beside that.
OF_TENSORFLOW = {
    "FileWriter": frozenset(
        {"add_event", "add_meta_graph", "add_run_metadata", "add_session_log", "close"}
        | {"event_writer", "flush", "get_logdir", "reopen"}
    )
}
