"""tf.train.Supervisor's parameters and methods, and what a session has for them."""

from __future__ import annotations

# In the order of TF 1.15's signature.
PARAMETERS = (
    *("graph", "ready_op", "ready_for_local_init_op", "is_chief", "init_op"),
    *("init_feed_dict", "local_init_op", "logdir", "summary_op", "saver"),
    *("global_step", "save_summaries_secs", "save_model_secs", "recovery_wait_secs"),
    *("stop_grace_secs", "checkpoint_basename", "session_manager", "summary_writer"),
    *("init_fn", "local_init_run_options"),
)
# Variables are initialised when they are made, and nothing waits for a thread.
DROPPED = frozenset(
    {"ready_op", "ready_for_local_init_op", "init_op", "local_init_op"}
    | {"global_step", "recovery_wait_secs", "stop_grace_secs", "local_init_run_options"}
)
# Parameters that a session has no counterpart for, and values that ask for none.
REFUSED_UNLESS: dict[str, tuple[object, ...]] = {
    "graph": (None,),
    "init_feed_dict": (None,),
    "session_manager": (None,),
    "init_fn": (None,),
}
# managed_session and prepare_or_wait_for_session.
SESSION_PARAMETERS = (
    *("master", "config", "start_standard_services", "close_summary_writer"),
)
# Methods without arguments that the session has too.
METHODS_OF_SESSION = frozenset({"should_stop", "request_stop"})
# Methods of which nothing is left: what they start or stop is not there.
METHODS_DROPPED = frozenset({"stop", "start_queue_runners", "start_standard_services"})
# Of its coordinator: what the session has too, and what waits for threads.
METHODS_OF_COORDINATOR = frozenset({"should_stop", "request_stop"})
METHODS_OF_COORDINATOR_DROPPED = frozenset({"join", "clear_stop"})
# Names from before TensorFlow 1.0, which 1.15 has still.
OLDER_NAMES = {
    "Loop": "loop",
    "PrepareSession": "prepare_or_wait_for_session",
    "RequestStop": "request_stop",
    "ShouldStop": "should_stop",
    "StartQueueRunners": "start_queue_runners",
    "StartStandardServices": "start_standard_services",
    "Stop": "stop",
    "SummaryComputed": "summary_computed",
}
ATTRIBUTES = frozenset(
    {"saver", "save_path", "summary_writer", "summary_op", "global_step"}
)
BASENAME = "model.ckpt"
