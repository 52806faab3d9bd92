"""Hooks of tf.contrib that the tool has nothing for: what is missing, and what to do.

Each recipe is for the TensorFlow 1 program. Who follows it can migrate the program.
"""

from __future__ import annotations

_MONITOR = (
    "monitors belong to contrib.learn's Estimators, and the tool has none of them",
    "Use a hook of tf.train, such as tf.train.LoggingTensorHook or "
    "tf.train.StopAtStepHook, with a tf.estimator.Estimator.",
)

# The symbol without "tf.contrib." -> (reason, recipe).
REASONS: dict[str, tuple[str, str]] = {
    "cloud.ConfigureGcsHook": (
        "it configures the session's access to Google Cloud Storage, and the migrated "
        "program has no session",
        "Remove the hook. It changes how files are read, and no value.",
    ),
    "data.CheckpointInputPipelineHook": (
        "it saves how far the input was read, and the migrated program's checkpoints "
        "contain no position of the input",
        "Remove the hook. After a restart the training then reads its input from the "
        "beginning.",
    ),
    "learn.monitors": _MONITOR,
    "learn.monitors.ValidationMonitor": (
        _MONITOR[0],
        "Remove it: tf.estimator.train_and_evaluate evaluates during the training. Or use "
        "tf.estimator.experimental.InMemoryEvaluatorHook.",
    ),
    "tpu.AsyncCheckpointSaverHook": (
        "it saves checkpoints in a thread of its own, and the migrated program saves "
        "them between two steps",
        "Write tf.train.CheckpointSaverHook, which takes the same arguments.",
    ),
    "training.StopAfterNEvalsHook": (
        "it counts the runs of contrib's evaluation loop, and the tool does not have "
        "that loop",
        "Remove the hook. Pass the number to an Estimator: estimator.evaluate(input_fn, "
        "steps=number). With a session of your own, count the runs in Python.",
    ),
    "training.SummaryAtEndHook": (
        "it writes summaries at the end of contrib's evaluation loop, and the tool does "
        "not have that loop",
        "Remove the hook. An Estimator writes the summaries of an evaluation itself. With "
        "a session of your own, run the summary and give it to writer.add_summary.",
    ),
}
