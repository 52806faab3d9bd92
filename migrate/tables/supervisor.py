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
# Called with the session where there is no checkpoint to continue: the scaffold's.
INIT_FUNCTION = "init_fn"
# Parameters that a session has no counterpart for, and values that ask for none.
REFUSED_UNLESS: dict[str, tuple[object, ...]] = {
    "graph": (None,),
    "init_feed_dict": (None,),
    "session_manager": (None,),
}
# What a SessionManager is told that a session does by itself.
MANAGER_DROPPED = frozenset(
    {"local_init_op", "ready_op", "ready_for_local_init_op"}
    | {"recovery_wait_secs", "local_init_run_options"}
)
# SessionManager.prepare_session, in the order of TF 1.15's signature.
PREPARE_PARAMETERS = (
    *("master", "init_op", "saver", "checkpoint_dir", "checkpoint_filename_with_path"),
    *("wait_for_checkpoint", "max_wait_secs", "config", "init_feed_dict", "init_fn"),
)
# managed_session and prepare_or_wait_for_session.
SESSION_PARAMETERS = (
    *("master", "config", "start_standard_services", "close_summary_writer"),
)
# Methods without arguments that the session has too.
METHODS_OF_SESSION = frozenset(
    {"should_stop", "request_stop", "wait_for_stop", "stop_on_exception"}
)
# Methods of which nothing is left: what they start or stop is not there.
METHODS_DROPPED = frozenset({"stop", "start_queue_runners", "start_standard_services"})
# Gives the threads of the queues, of which there are none.
STARTS_THREADS = "start_queue_runners"
# Methods of its coordinator: those that the session has too, and those that wait for threads.
METHODS_OF_COORDINATOR = METHODS_OF_SESSION
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
