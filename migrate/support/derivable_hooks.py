"""tf.train's hooks with the methods that TF1 gave them, for classes that derive from them.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_loop` beside it.

A hook of `estimator_loop` is called by its training session in a way of its own. A
class that overrides `before_run` or `after_run`, or reads `self._timer`, expects TF1's
methods and attributes instead; these have them, under TF1's names.
"""

import functools

import numpy as np
import tensorflow as tf

try:
    import estimator_loop
    import training_session
except ImportError:  # In a package.
    from . import estimator_loop, training_session

v1 = tf.compat.v1
_logging = v1.logging


class StopAtStepHook(estimator_loop.SessionRunHook):
    """Stops when the global step has reached `last_step`, or `num_steps` more than now."""

    def __init__(self, num_steps=None, last_step=None):
        if (num_steps is None) == (last_step is None):
            raise ValueError("exactly one of num_steps and last_step is needed")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self):
        self._global_step_tensor = v1.train.get_global_step()

    def after_create_session(self, session, coord):
        if self._last_step is None:
            step = session.run(self._global_step_tensor)
            self._last_step = step + self._num_steps

    def before_run(self, run_context):
        return estimator_loop.SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        step = run_context.session.run(self._global_step_tensor)
        if step >= self._last_step:
            run_context.request_stop()


class LoggingTensorHook(estimator_loop.SessionRunHook):
    """Logs tensors every so many runs of this worker, or seconds.

    Args:
      tensors: dict, or list, of tensors or their names.
      at_end: whether the last run's are logged too. (TF1 made one run more for it.)
      formatter: tensors' values by key -> the text.
    """

    def __init__(
        self,
        tensors,
        every_n_iter=None,
        every_n_secs=None,
        at_end=False,
        formatter=None,
    ):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs "
                "must be provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        is_dict = isinstance(tensors, dict)
        self._tag_order = sorted(tensors) if is_dict else tensors
        self._tensors = tensors if is_dict else {item: item for item in tensors}
        self._formatter, self._log_at_end = formatter, at_end
        self._timer = _Never()
        if not only_at_end:
            self._timer = v1.train.SecondOrStepTimer(every_n_secs, every_n_iter)
        self._last = None

    def __init_subclass__(cls, **kwargs):
        """The last values are known also where a class does not call this one's method."""
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("after_run")
        if own is not None:

            @functools.wraps(own)
            def after_run(self, run_context, run_values):
                self._last = run_values.results
                return own(self, run_context, run_values)

            cls.after_run = after_run

    def values_at_end(self):
        """The last run's values, by key. (TF1 made one run more for them.)

        Raises:
          ValueError: there was no run, or it did not ask for them.
        """
        if self._last is None:
            raise ValueError(
                "no step has computed the tensors that are logged at the end"
            )
        return self._last

    def begin(self):
        self._timer.reset()
        self._iter_count = 0
        graph = v1.get_default_graph()
        self._current_tensors = {
            tag: t if tf.is_tensor(t) else graph.get_tensor_by_name(_whole(t))
            for tag, t in self._tensors.items()
        }

    def before_run(self, run_context):
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        if self._should_trigger or self._log_at_end:
            return estimator_loop.SessionRunArgs(self._current_tensors)
        return None

    def after_run(self, run_context, run_values):
        self._last = run_values.results
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session):
        if self._log_at_end and self._last is not None:
            self._log_tensors(self._last)

    def _log_tensors(self, tensor_values):
        seconds, _ = self._timer.update_last_triggered_step(self._iter_count)
        with np.printoptions(suppress=True):
            if self._formatter:
                text = self._formatter(tensor_values)
            else:
                text = ", ".join(f"{t} = {tensor_values[t]}" for t in self._tag_order)
                if seconds is not None:
                    text += f" ({seconds:.3f} sec)"
            _logging.info("%s", text)


class NanTensorHook(estimator_loop.SessionRunHook):
    """Fails, or stops, when a tensor is not a number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return estimator_loop.SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context, run_values):
        if not np.isnan(run_values.results):
            return
        message = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            _logging.error(message)
            raise estimator_loop.NanLossDuringTrainingError("NaN loss during training.")
        _logging.warning(message)
        run_context.request_stop()


class StepCounterHook(estimator_loop.SessionRunHook):
    """Logs, and writes as a summary, the global steps per second."""

    def __init__(
        self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None
    ):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError(
                "exactly one of every_n_steps and every_n_secs should be provided."
            )
        self._timer = v1.train.SecondOrStepTimer(every_n_secs, every_n_steps)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._last_global_step = None

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = training_session.writer_of(self._output_dir)
        self._global_step_tensor = v1.train.get_global_step()
        self._summary_tag = "global_step/sec"

    def before_run(self, run_context):
        return estimator_loop.SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds is not None:
                self._log_and_record(steps, seconds, step)
        self._last_global_step = run_values.results

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        rate = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            value = v1.Summary.Value(tag=self._summary_tag, simple_value=rate)
            self._summary_writer.add_summary(v1.Summary(value=[value]), global_step)
        _logging.info("%s: %g", self._summary_tag, rate)


class _Never:
    """A timer that is never due."""

    def reset(self):
        pass

    def should_trigger_for_step(self, step):
        return False

    def update_last_triggered_step(self, step):
        return None, None


def _whole(name):
    """A tensor's name, also where it is given by that of its operation."""
    return name if ":" in name else f"{name}:0"
