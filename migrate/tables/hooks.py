"""TF1's session run hooks and the emitted counterpart of each."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class HookRow:
    """One hook.

    Attributes:
      symbol: the TF1 symbol.
      target: its name in the emitted module, "" where refused.
      parameters: TF 1.15.5's constructor parameters in order.
      tensors: the parameter that holds tensors to observe, "" if none.
      dropped: parameters without meaning in TF2.
    """

    symbol: str
    target: str
    parameters: tuple[str, ...]
    tensors: str = ""
    dropped: tuple[str, ...] = ()


_ROWS = (
    HookRow("tf.train.StopAtStepHook", "StopAtStepHook", ("num_steps", "last_step")),
    HookRow(
        "tf.train.LoggingTensorHook",
        "LoggingTensorHook",
        ("tensors", "every_n_iter", "every_n_secs", "at_end", "formatter"),
        tensors="tensors",
    ),
    HookRow(
        "tf.train.CheckpointSaverHook",
        "CheckpointSaverHook",
        (
            "checkpoint_dir",
            "save_secs",
            "save_steps",
            "saver",
            "checkpoint_basename",
            "scaffold",
            "listeners",
        ),
    ),
    HookRow(
        "tf.train.SummarySaverHook",
        "SummarySaverHook",
        (
            "save_steps",
            "save_secs",
            "output_dir",
            "summary_writer",
            "scaffold",
            "summary_op",
        ),
        tensors="summary_op",
    ),
    HookRow(
        "tf.train.NanTensorHook",
        "NanTensorHook",
        ("loss_tensor", "fail_on_nan_loss"),
        tensors="loss_tensor",
    ),
    HookRow(
        "tf.train.StepCounterHook",
        "StepCounterHook",
        ("every_n_steps", "every_n_secs", "output_dir", "summary_writer"),
    ),
    HookRow(
        "tf.train.ProfilerHook",
        "ProfilerHook",
        ("save_steps", "save_secs", "output_dir", "show_dataflow", "show_memory"),
    ),
)

HOOKS: dict[str, HookRow] = {row.symbol: row for row in _ROWS}

# Hooks that the emitted module `derivable_hooks` has with TF1's methods and attributes.
DERIVABLE = frozenset(
    {"LoggingTensorHook", "NanTensorHook", "StepCounterHook", "StopAtStepHook"}
)
# What a class may override of a hook, of the public methods and of those that programs do.
HOOK_METHODS = frozenset(
    {
        "_log_and_record",
        "_log_tensors",
        "_save",
        "after_create_session",
        "after_run",
        "before_run",
        "begin",
        "end",
    }
)

# tf.train.MonitoredTrainingSession(...), TF 1.15.5.
SESSION_PARAMETERS = (
    "master",
    "is_chief",
    "checkpoint_dir",
    "scaffold",
    "hooks",
    "chief_only_hooks",
    "save_checkpoint_secs",
    "save_summaries_steps",
    "save_summaries_secs",
    "config",
    "stop_grace_period_secs",
    "log_step_count_steps",
    "max_wait_secs",
    "save_checkpoint_steps",
    "summary_dir",
)
# The strategy knows the cluster, TensorFlow 2 configures devices per process, there are no
# queue-runner threads to wait for, and workers are threads of the coordinator, or meet in
# collectives.
SESSION_DROPPED = frozenset(
    {"config", "master", "max_wait_secs", "stop_grace_period_secs"}
)

# What a hook that is refused can be, in its recipes.
CALLBACK = (
    "To use Model.fit, write a callback: class Name(tf_keras.callbacks.Callback): "
    "def on_train_batch_end(self, batch, logs=None): look at logs['loss'], stop by "
    "self.model.stop_training = True."
)
SESSION_HOOK = (
    "To keep a session, make the tensors where the model is built, and pass them "
    "to the hook: class Name(tf.train.SessionRunHook): def before_run(self, "
    "run_context): return tf.train.SessionRunArgs(self.loss); def after_run(self, "
    "run_context, run_values): look at run_values.results, stop by "
    "run_context.request_stop()."
)
