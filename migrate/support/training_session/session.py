"""The session: it restores, runs steps and hooks, and closes."""

import tensorflow as tf

from .checkpoints import Scaffold
from .hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook

_USE_DEFAULT = object()


class MonitoredTrainingSession:
    """Restores at the start, runs steps and hooks, saves; TF1's defaults.

    Leaving the `with` block by tf.errors.OutOfRangeError or StopIteration ends
    training quietly, as it did in TF1.

    Args:
      replicas: AsynchronousReplicas or SynchronousReplicas.
      is_chief: the chief restores, saves, and writes summaries.
      checkpoint_dir: where checkpoints are, None for none.
      scaffold, hooks, chief_only_hooks: as in TF1.
      save_checkpoint_secs, save_checkpoint_steps: default every 600 s.
      save_summaries_steps, save_summaries_secs: default every 100 steps.
      log_step_count_steps: how often the speed is logged.
      summary_dir: default `checkpoint_dir`.
    """

    def __init__(
        self,
        replicas,
        is_chief=True,
        checkpoint_dir=None,
        scaffold=None,
        hooks=None,
        chief_only_hooks=None,
        save_checkpoint_secs=_USE_DEFAULT,
        save_summaries_steps=_USE_DEFAULT,
        save_summaries_secs=_USE_DEFAULT,
        log_step_count_steps=100,
        save_checkpoint_steps=_USE_DEFAULT,
        summary_dir=None,
    ):
        self.replicas = replicas
        self._is_chief = is_chief
        self._checkpoint_dir = checkpoint_dir
        self._scaffold = scaffold or Scaffold()
        self._stop = self._closed = False
        summary_dir = summary_dir or checkpoint_dir
        if save_summaries_steps is _USE_DEFAULT and save_summaries_secs is _USE_DEFAULT:
            save_summaries_steps = 100
        if (
            save_checkpoint_secs is _USE_DEFAULT
            and save_checkpoint_steps is _USE_DEFAULT
        ):
            save_checkpoint_secs = 600
        steps, secs = _given(save_summaries_steps), _given(save_summaries_secs)
        own = list(chief_only_hooks or ()) if is_chief else []
        if is_chief and summary_dir:
            if log_step_count_steps:
                own.append(
                    StepCounterHook(log_step_count_steps, output_dir=summary_dir)
                )
            if steps or secs:
                own.append(
                    SummarySaverHook(
                        None if secs else steps, secs, output_dir=summary_dir
                    )
                )
        steps, secs = _given(save_checkpoint_steps), _given(save_checkpoint_secs)
        if is_chief and checkpoint_dir and (steps or secs):
            own.append(
                CheckpointSaverHook(
                    checkpoint_dir, secs, steps, scaffold=self._scaffold
                )
            )
        self._hooks = own + list(hooks or ())
        # As in TF1 the session starts here, not where it is entered.
        replicas.restored(is_chief, self._restore)
        for hook in self._hooks:
            hook.begin(self)

    def __enter__(self):
        return self

    def _restore(self):
        latest = None
        if self._checkpoint_dir:
            latest = tf.train.latest_checkpoint(self._checkpoint_dir)
        if latest:
            tf.compat.v1.logging.info("Restoring parameters from %s", latest)
            self._scaffold.saver.restore(self, latest)
        elif self._scaffold.init_fn:
            self._scaffold.init_fn(self._scaffold, self)

    def run(self, step_function, *args):
        """Runs one step; returns its results as numpy values.

        Raises:
          RuntimeError: a hook has asked to stop.
        """
        if self._stop:
            raise RuntimeError("Run called even after should_stop requested.")
        for hook in self._hooks:
            hook.before_run(self)
        results = self.replicas.call(step_function, step_function.feed(args))
        step = results.get("global_step", 0)
        for hook in self._hooks:
            hook.after_run(self, step, results)
        return results["fetches"]

    def global_step(self):
        """The global step's present value.

        Raises:
          RuntimeError: the program has none.
        """
        variable = self.replicas.global_step
        if variable is None:
            raise RuntimeError("Global step should be created first.")
        return variable.numpy()

    def should_stop(self):
        return self._stop or self.replicas.failed.is_set()

    def request_stop(self):
        self._stop = True

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, exception_type, exception, traceback):
        quiet = (tf.errors.OutOfRangeError, StopIteration)
        if self._closed:
            return False
        if exception_type is None or issubclass(exception_type, quiet):
            self._stop = self._closed = True
            for hook in self._hooks:
                hook.end(self)
            self.replicas.ended()
            return True
        return False


def _given(value):
    return None if value is _USE_DEFAULT or not value or value < 0 else value
