"""tf.estimator.experimental's hooks that end a training when its evaluations say so.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_loop` beside it.

They read the metrics that evaluations have written below `model_dir`; so does every
worker of a cluster. Where training stops is kept in the checkpoint, as in TF1, in the
variable `signal_early_stopping/STOP`.
"""

import collections
import operator
import os

import tensorflow as tf

try:
    import estimator_loop
except ImportError:  # In a package.
    from . import estimator_loop

v1 = tf.compat.v1
_logging = v1.logging


class _EarlyStopping(estimator_loop.SessionRunHook):
    """Stops when a function says so, or another worker has stopped.

    Args:
      should_stop_fn: () -> whether to stop.
      run_every_secs, run_every_steps: how often it is asked.
    """

    def __init__(self, should_stop_fn, run_every_secs, run_every_steps):
        if not callable(should_stop_fn):
            raise TypeError("`should_stop_fn` must be callable.")
        self._should_stop_fn = should_stop_fn
        self._timer = v1.train.SecondOrStepTimer(run_every_secs, run_every_steps)

    def begin(self):
        with v1.variable_scope("signal_early_stopping", reuse=tf.compat.v1.AUTO_REUSE):
            self._stop = v1.get_variable(
                "STOP", [], tf.bool, v1.constant_initializer(False), trainable=False
            )
        self._step = v1.train.get_global_step()

    def after_create_session(self, session, coord):
        replicas = session.replicas
        if replicas.strategy.num_replicas_in_sync > replicas.count:
            raise ValueError(
                "Workers that make every step together cannot stop early: one would "
                "stop before the others. Give all of them max_steps."
            )

    def before_run(self, run_context):
        return estimator_loop.SessionRunArgs([self._step, self._stop])

    def after_run(self, run_context, run_values):
        step, stopped = run_values.results
        if stopped:
            _logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()
        elif self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop_fn():
                _logging.info("Requesting early stopping at global step %d", step)
                self._stop.assign(True)
                run_context.request_stop()


def make_early_stopping_hook(
    estimator, should_stop_fn, run_every_secs=60, run_every_steps=None
):
    """A hook that asks a function from time to time whether to stop."""
    if not isinstance(estimator, estimator_loop.Estimator):
        raise TypeError(f"`estimator` must be an Estimator. Got: {type(estimator)}")
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError(
            "Only one of `run_every_secs` and `run_every_steps` must be set."
        )
    return _EarlyStopping(should_stop_fn, run_every_secs, run_every_steps)


def read_eval_metrics(eval_dir):
    """What evaluations have written to a directory: step -> metrics by name."""
    found = collections.defaultdict(dict)
    for file in tf.io.gfile.glob(os.path.join(eval_dir, "*.tfevents.*")):
        for event in v1.train.summary_iterator(file):
            metrics = {
                value.tag: value.simple_value
                for value in event.summary.value
                if value.HasField("simple_value")
            }
            if metrics:
                found[event.step].update(metrics)
    return collections.OrderedDict(sorted(found.items()))


def _threshold_hook(better, said):
    def hook(
        estimator,
        metric_name,
        threshold,
        eval_dir=None,
        min_steps=0,
        run_every_secs=60,
        run_every_steps=None,
    ):
        directory = eval_dir or estimator.eval_dir()

        def crossed():
            for step, metrics in read_eval_metrics(directory).items():
                if step >= min_steps and better(metrics[metric_name], threshold):
                    _logging.info(
                        'At step %s, metric "%s" is %s than %s: %s.',
                        *(step, metric_name, said, threshold, metrics[metric_name]),
                    )
                    return True
            return False

        return make_early_stopping_hook(
            estimator, crossed, run_every_secs, run_every_steps
        )

    hook.__doc__ = f"Stops when a metric is {said} than a threshold."
    return hook


def _patient(better, estimator, metric_name, patience, eval_dir, min_steps, *every):
    """A hook that stops when a metric has got no better for so many steps."""
    directory = eval_dir or estimator.eval_dir()

    def stuck():
        best = None
        for step, metrics in read_eval_metrics(directory).items():
            if step < min_steps:
                continue
            value = metrics[metric_name]
            if best is None or better(value, best[0]):
                best = value, step
            if step - best[1] >= patience:
                _logging.info(
                    'Metric "%s" has got no better for %s steps, of %s allowed.',
                    *(metric_name, step - best[1], patience),
                )
                return True
        return False

    return make_early_stopping_hook(estimator, stuck, *every)


stop_if_higher_hook = _threshold_hook(operator.gt, "greater")
stop_if_lower_hook = _threshold_hook(operator.lt, "less")


def stop_if_no_increase_hook(
    estimator,
    metric_name,
    max_steps_without_increase,
    eval_dir=None,
    min_steps=0,
    run_every_secs=60,
    run_every_steps=None,
):
    """Stops when a metric has not increased for so many steps."""
    given = max_steps_without_increase, eval_dir, min_steps
    every = run_every_secs, run_every_steps
    return _patient(operator.gt, estimator, metric_name, *given, *every)


def stop_if_no_decrease_hook(
    estimator,
    metric_name,
    max_steps_without_decrease,
    eval_dir=None,
    min_steps=0,
    run_every_secs=60,
    run_every_steps=None,
):
    """Stops when a metric has not decreased for so many steps."""
    given = max_steps_without_decrease, eval_dir, min_steps
    every = run_every_secs, run_every_steps
    return _patient(operator.lt, estimator, metric_name, *given, *every)
