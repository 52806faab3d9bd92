"""When train_and_evaluate evaluates, exports and saves."""

import os
import time

import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

from .hooks import CheckpointSaverListener

v1 = tf.compat.v1
_logging = v1.logging


class _Evaluator:
    """Evaluates a checkpoint once, and exports."""

    def __init__(self, estimator, eval_spec, max_steps):
        self._estimator, self._spec = estimator, eval_spec
        self._max_steps = max_steps
        self._previous = None

    def evaluate(self):
        """(metrics, exports) of the latest checkpoint; (None, []) without a new one."""
        path = self._estimator.latest_checkpoint()
        if not path or path == self._previous:
            return None, []
        spec = self._spec
        metrics = self._estimator.evaluate(
            spec.input_fn, spec.steps, list(spec.hooks), path, spec.name
        )
        final = bool(self._max_steps) and metrics["global_step"] >= self._max_steps
        exports = []
        for exporter in spec.exporters:
            directory = os.path.join(self._estimator.model_dir, "export", exporter.name)
            exports.append(
                exporter.export(self._estimator, directory, path, metrics, final)
            )
        self._previous = path
        return metrics, exports


class _EvaluateAtCheckpoints(CheckpointSaverListener):
    """Evaluates what was just saved: not the first, and not too often."""

    def __init__(self, evaluator, throttle_secs):
        self._evaluator = evaluator
        self._throttle_secs = throttle_secs
        self.metrics, self.exports = None, None

    def begin(self):
        self._first = True
        self._step = self._time = None

    def after_save(self, session, global_step_value):
        if self._first:
            self._first = False  # The model is not trained yet.
            return
        due = self._step is None or (
            global_step_value != self._step
            and time.time() >= self._time + self._throttle_secs
        )
        if due:
            self._evaluate(global_step_value)
        else:
            _logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._throttle_secs,
            )

    def end(self, session, global_step_value):
        if global_step_value != self._step:
            self._evaluate(global_step_value)

    def _evaluate(self, step):
        self._step, self._time = step, time.time()
        self.metrics, self.exports = self._evaluator.evaluate()
        if self.metrics is None:
            raise RuntimeError("There was no new checkpoint after the training.")


def train_and_evaluate(estimator, train_spec, eval_spec):
    """Trains, and evaluates after every checkpoint (at most every `throttle_secs`).

    In a cluster the evaluator task evaluates, until it has seen `max_steps`; a `master`
    evaluates its own checkpoints. Returns (metrics, exports) where this process did
    both, else None.
    """
    config = estimator.config
    if config.task_type != "evaluator":
        estimator._choose_pace(train_spec.input_fn)
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    hooks = list(train_spec.hooks)

    def train(listeners):
        estimator.train(
            train_spec.input_fn,
            hooks=hooks,
            max_steps=train_spec.max_steps,
            saving_listeners=listeners,
        )

    if config.task_type == "evaluator":
        _evaluate_until(estimator, evaluator, train_spec, eval_spec)
        return None
    if not config.cluster or config.task_type == "master":
        listener = _EvaluateAtCheckpoints(evaluator, eval_spec.throttle_secs)
        train([listener])
        return None if config.cluster else (listener.metrics, listener.exports)
    if config.task_type == "ps":
        if not estimator._cluster.asynchronous:
            training_session.leave("Parameter servers are not needed by this strategy.")
        estimator._cluster.serve()
    train(None)
    return None


def _is_there(path):
    return path is not None and bool(tf.io.gfile.glob(f"{path}.index"))


def _evaluate_until(estimator, evaluator, train_spec, eval_spec):
    """The evaluator's loop."""
    time.sleep(eval_spec.start_delay_secs or 0)
    while True:
        start = time.time()
        path = estimator.latest_checkpoint()
        try:
            metrics, _ = evaluator.evaluate()
        except (tf.errors.NotFoundError, ValueError):
            # Training may have gone on, and removed it while the graph was made.
            if path == estimator.latest_checkpoint() or _is_there(path):
                raise
            continue
        if metrics and train_spec.max_steps:
            if metrics["global_step"] >= train_spec.max_steps:
                return
        rest = eval_spec.throttle_secs - (time.time() - start)
        time.sleep(max(rest, 1 if metrics is None else 0))
