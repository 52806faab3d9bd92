"""Lists the collections of a graph that TensorFlow 1 itself reads.

What a program puts there takes part in training, in checkpoints or in what a session runs:
github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/training/monitored_session.py
github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/training/supervisor.py
"""

from __future__ import annotations

# Collections of variables: what reads them. Their names as attributes of tf.GraphKeys.
OF_VARIABLES: dict[str, str] = {
    "TRAINABLE_VARIABLES": "optimizers train",
    "GLOBAL_VARIABLES": "a Saver saves",
}
# And of summaries, all of which one function reads.
SUMMARIES = "SUMMARIES"
MERGES = "tf.summary.merge_all"
# Where a Scaffold or a Supervisor looks for an argument that it was not given.
OF_ARGUMENTS: dict[str, str] = {
    "INIT_OP": "init_op",
    "LOCAL_INIT_OP": "local_init_op",
    "READY_FOR_LOCAL_INIT_OP": "ready_for_local_init_op",
    "READY_OP": "ready_op",
    "SUMMARY_OP": "summary_op",
    "TABLE_INITIALIZERS": "local_init_op",
}
LOOKS = (
    *("tf.train.MonitoredTrainingSession", "tf.train.MonitoredSession"),
    *("tf.train.SingularMonitoredSession", "tf.train.Supervisor"),
)
# The collections' own names: tf.GraphKeys.X is one of these texts.
NAMES: dict[str, str] = {
    "variables": "GLOBAL_VARIABLES",
    "table_initializer": "TABLE_INITIALIZERS",
    **{
        key.lower(): key
        for key in ("TRAINABLE_VARIABLES", SUMMARIES, *OF_ARGUMENTS)
        if key != "TABLE_INITIALIZERS"
    },
}
ADDS = frozenset({"add_to_collection", "add_to_collections"})
CLEARS = frozenset({"clear_collection"})
