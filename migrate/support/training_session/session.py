"""The session: it restores, runs steps and hooks, and closes."""

import contextlib

import tensorflow as tf

from .checkpoints import Saver
from .hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from .own_hooks import called, fed_by
from .replicas import this_thread
from .workers import of_this_worker

_USE_DEFAULT = object()
# A Supervisor's default: how long what `loop` calls may take when the session ends.
_STOP_GRACE_SECS = 120


class MonitoredTrainingSession:
    """Restores at the start, runs steps and hooks, saves; TF1's defaults.

    As in TF1, tf.errors.OutOfRangeError and StopIteration end the `with` block quietly.

    Args:
      replicas: AsynchronousReplicas or SynchronousReplicas.
      is_chief: the chief restores, saves, and writes summaries.
      checkpoint_dir: where checkpoints are, None for none.
      scaffold, hooks, chief_only_hooks: as in TF1.
      save_checkpoint_secs, save_checkpoint_steps: default every 600 s.
      save_summaries_steps, save_summaries_secs: default every 100 steps; None for never.
      log_step_count_steps: how often the speed is logged; None for never.
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
        # Only for MonitoredTrainingSession(checkpoint_dir).
        self._saver = Saver()
        # Only for MonitoredTrainingSession(checkpoint_dir).
        # Only for MonitoredTrainingSession(scaffold).
        if scaffold:
            self._saver = scaffold.saver
        self._scaffold = scaffold
        self._stop = self._closed = False
        # Only for MonitoredTrainingSession.loop or .stop_on_exception or .wait_for_stop.
        # Of the threads that call functions by time.
        self._beside, self._threads = tf.train.Coordinator(), []
        self._hooks = []
        # Only for MonitoredTrainingSession(chief_only_hooks).
        if is_chief:
            self._hooks += chief_only_hooks or ()
        # Only for MonitoredTrainingSession(checkpoint_dir) or (summary_dir).
        # Only for MonitoredTrainingSession(log_step_count_steps!=None) or (save_summaries_steps!=None) or (save_summaries_secs).
        directory = checkpoint_dir
        # Only for MonitoredTrainingSession(summary_dir).
        # Only for MonitoredTrainingSession(log_step_count_steps!=None) or (save_summaries_steps!=None) or (save_summaries_secs).
        directory = summary_dir or directory
        # Only for MonitoredTrainingSession(checkpoint_dir) or (summary_dir).
        # Only for MonitoredTrainingSession(log_step_count_steps!=None).
        if is_chief and directory and log_step_count_steps:
            self._hooks += [StepCounterHook(log_step_count_steps, output_dir=directory)]
        # Only for MonitoredTrainingSession(checkpoint_dir) or (summary_dir).
        # Only for MonitoredTrainingSession(save_summaries_steps!=None) or (save_summaries_secs).
        if is_chief and directory:
            n_steps, n_secs = 100, None
            # Only for MonitoredTrainingSession(save_summaries_secs).
            if save_summaries_secs is not _USE_DEFAULT:
                n_steps, n_secs = None, _positive(save_summaries_secs)
            # Only for MonitoredTrainingSession(save_summaries_steps).
            if save_summaries_steps is not _USE_DEFAULT:
                n_steps = _positive(save_summaries_steps)
            # Head only for MonitoredTrainingSession(save_summaries_steps) or (save_summaries_secs).
            if n_steps or n_secs:
                # Only for MonitoredTrainingSession(save_summaries_secs).
                n_steps = None if n_secs else n_steps
                self._hooks += [SummarySaverHook(n_steps, n_secs, output_dir=directory)]
        # Only for MonitoredTrainingSession(checkpoint_dir).
        if is_chief and checkpoint_dir:
            steps, secs = None, 600
            # Only for MonitoredTrainingSession(save_checkpoint_steps).
            if save_checkpoint_steps is not _USE_DEFAULT:
                steps, secs = _positive(save_checkpoint_steps), None
            # Only for MonitoredTrainingSession(save_checkpoint_secs).
            if save_checkpoint_secs is not _USE_DEFAULT:
                secs = _positive(save_checkpoint_secs)
            # Head only for MonitoredTrainingSession(save_checkpoint_steps) or (save_checkpoint_secs).
            if steps or secs:
                hook = CheckpointSaverHook(checkpoint_dir, secs, steps, self._saver)
                self._hooks.append(hook)
        # Only for MonitoredTrainingSession(hooks).
        self._hooks += hooks or ()
        # Only for own_hooks.SessionRunHook or own_hooks.Fed.
        self._hooks = called(self._hooks)
        # Only for asynchronous.AsynchronousReplicas.
        if is_chief:
            replicas.chief = self
        restore = bool  # There is nothing to restore.
        # Only for MonitoredTrainingSession(checkpoint_dir).
        restore = self.restore_latest
        # Only for MonitoredTrainingSession(scaffold).
        # Only for checkpoints.Scaffold(init_fn).
        restore = self._restore
        # As in TF1 the session starts here, not where it is entered.
        replicas.restored(is_chief, restore)
        for hook in self._hooks:
            hook.begin(self)

    def __enter__(self):
        return self

    def _restore(self):
        """Restores the last checkpoint; where there is none, the scaffold may do more."""
        scaffold = self._scaffold
        if not self.restore_latest() and scaffold and scaffold.init_fn:
            scaffold.init_fn(scaffold, self)

    def restore_latest(self):
        """Restores the checkpoint that is listed last; whether there is one.

        If its files are gone, this fails: training must not begin anew without a word.
        """
        # Only for MonitoredTrainingSession(checkpoint_dir).
        if listed := self._listed():
            latest = listed.model_checkpoint_path
            tf.compat.v1.logging.info("Restoring parameters from %s", latest)
            self._saver.restore(self, latest)
            # It goes on with these, and removes the first of them.
            self._saver.recover_last_checkpoints(listed.all_model_checkpoint_paths)
            return True
        return False

    def _listed(self):
        """The list of checkpoints that a session goes on from, if there is one."""
        if not self._checkpoint_dir:
            return None
        state = tf.train.get_checkpoint_state(self._checkpoint_dir)
        return state if state and state.model_checkpoint_path else None

    def restores_all(self):
        """Whether `restore_latest` would give every variable its value."""
        complete = bool(self._listed())
        # Only for checkpoints.Saver(var_list).
        complete = complete and self._saver.saves_all(self.replicas)
        return complete

    def save_with_hooks(self):
        """Saves the last step where hooks save; whether one does."""
        saves = []
        # Only for hooks.CheckpointSaverHook.
        saves = [h for h in self._hooks if isinstance(h, CheckpointSaverHook)]
        # Only for hooks.CheckpointSaverHook.
        for hook in saves:
            hook.save_last(self)
        return bool(saves)

    def run(self, step_function, *args):
        """Runs one step; returns its results as numpy values."""
        stopped = self._stop
        # Only for MonitoredTrainingSession.loop.
        beside = getattr(this_thread, "beside", False)
        # Only for MonitoredTrainingSession.loop.
        stopped = stopped and not beside
        if stopped:
            raise RuntimeError("Run called even after should_stop requested.")
        hooks = self._hooks
        # Only for MonitoredTrainingSession.loop.
        # In a thread beside the training there are no hooks: it is no step of it.
        hooks = () if beside else hooks
        attempt = self._run
        # Only for MonitoredTrainingSession(checkpoint_dir).
        # Only for asynchronous.AsynchronousReplicas.
        attempt = self._run_and_recover
        return attempt(hooks, step_function, args)

    def _run_and_recover(self, hooks, *args):
        """Runs a step, again from the last checkpoint if a parameter server is lost."""
        lost = False
        while True:
            seen = self.replicas.losses
            try:
                if lost:
                    for hook in hooks:
                        hook.recovered(self)
                return self._run(hooks, *args)
            except tf.errors.OutOfRangeError:
                raise
            except tf.errors.OpError:
                if not self.replicas.recovered(seen):
                    raise
                lost = True

    def _run(self, hooks, step_function, args):
        # Only for hooks.ProfilerHook or hooks.GlobalStepWaiterHook or own_hooks.OwnHook or __init__.Hook or __init__.hooks.
        for hook in hooks:
            hook.before_run(self)
        # Only for own_hooks.SessionRunHook or own_hooks.Fed.
        args = fed_by(hooks, args)
        args = step_function.convert_arguments(args)
        results = self.replicas.call(step_function, args)
        step = results.get("global_step", 0)
        for hook in hooks:
            hook.after_run(self, step, results)
        return results["fetches"]

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        """Calls a function at once, and every so many seconds until the session stops.

        In a thread of its own, as a Supervisor's `loop`. An error in it stops the
        session, and is raised where that ends; tf.errors.OutOfRangeError only stops it.
        """
        self._threads.append(
            tf.compat.v1.train.LooperThread.loop(
                self._beside,
                timer_interval_secs,
                of_this_worker(target, beside=True),
                args,
                kwargs,
            )
        )

    def global_step(self):
        """The global step's present value."""
        variable = self.replicas.global_step
        if variable is None:
            raise RuntimeError("Global step should be created first.")
        return self.replicas.read(variable)

    def should_stop(self):
        # Only for MonitoredTrainingSession.loop or .stop_on_exception or .wait_for_stop.
        if self._beside.should_stop():
            return True
        stop = self._stop
        # Only for asynchronous.AsynchronousReplicas.
        stop = stop or self.replicas.failed.is_set()
        return stop

    def wait_for_stop(self):
        """Waits until the session is to stop."""
        while not self.should_stop():
            self._beside.wait_for_stop(0.5)

    @property
    def stop_requested(self):
        return self._stop

    def request_stop(self):
        self._stop = True
        # Only for MonitoredTrainingSession.loop or .stop_on_exception or .wait_for_stop.
        self._beside.request_stop()

    def stop_on_exception(self):
        """For `with`: an error inside stops the session, and is raised where that ends."""
        return self._beside.stop_on_exception()

    def _end_threads(self):
        """Ends what `loop` has begun; raises an error of its functions."""
        self._beside.request_stop()
        self._beside.join(self._threads, _STOP_GRACE_SECS)

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, exception_type, exception, traceback):
        quiet = (tf.errors.OutOfRangeError, StopIteration)
        if self._closed:
            return False
        if exception_type is None or issubclass(exception_type, quiet):
            # Only for MonitoredTrainingSession.loop or .stop_on_exception or .wait_for_stop.
            self._end_threads()
            self._stop = self._closed = True
            for hook in self._hooks:
                hook.end(self)
            # Only for synchronous.SynchronousReplicas.
            self.replicas.ended()
            return True
        # Only for MonitoredTrainingSession.loop or .stop_on_exception or .wait_for_stop.
        with contextlib.suppress(Exception):  # The first error is told.
            self._end_threads()
        return False


def _positive(number):
    """A number of steps or seconds; None for never."""
    return number if number and number > 0 else None
