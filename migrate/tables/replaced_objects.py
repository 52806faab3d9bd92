"""What objects of TensorFlow 1 offered, and those of TensorFlow 2 in their place lack.

`tests/migrate/rewriting/test_attributes.py` compares both with the two TensorFlows.
"""

from __future__ import annotations

# An iterator is TensorFlow 2's own: `iter(dataset)`.
ITERATOR = frozenset(
    {"from_string_handle", "from_structure", "initializer", "make_initializer"}
    | {"string_handle"}
)
# A SyncReplicasOptimizer is the optimizer that it was given: the strategy does the rest.
OPTIMIZER = frozenset(
    {"chief_init_op", "get_chief_queue_runner", "get_init_tokens_op"}
    | {"local_step_init_op", "make_session_run_hook", "ready_for_local_init_op"}
)
# What a hook is given as coordinator.
NO_COORDINATOR = ("", "None")
# A session that hooks are given hands on what it has not itself.
HANDS_ON = {
    ("estimator_loop", "HookSession"): ("training_session", "MonitoredTrainingSession")
}
