"""tf.estimator.experimental.InMemoryEvaluatorHook: evaluation while training goes on.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_loop` beside it.
"""

import os
import shutil
import tempfile

import tensorflow as tf

try:
    import estimator_loop
except ImportError:  # In a package.
    from . import estimator_loop


class InMemoryEvaluatorHook(estimator_loop.SessionRunHook):
    """Evaluates the variables that are being trained: first, every `every_n_iter`, at last.

    They are handed over in a checkpoint of their own, which does not stay; model_dir's are
    left alone. Parameters are TF1's.

    Raises:
      ValueError: `every_n_iter` is not positive, or other processes train too.
    """

    def __init__(
        self, estimator, input_fn, steps=None, hooks=None, name=None, every_n_iter=100
    ):
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if (
            estimator.config.num_ps_replicas > 0
            or estimator.config.num_worker_replicas > 1
        ):
            raise ValueError(
                "InMemoryEvaluator supports only single machine (aka Local) setting."
            )
        self._estimator, self._input_fn = estimator, input_fn
        self._steps, self._hooks, self._name = steps, hooks, name
        self._timer = tf.compat.v1.train.SecondOrStepTimer(every_steps=every_n_iter)

    def begin(self):
        self._timer.reset()
        self._iter_count = 0

    def after_create_session(self, session, coord):
        self._evaluate(session)

    def after_run(self, run_context, run_values):
        self._iter_count += 1
        if self._timer.should_trigger_for_step(self._iter_count):
            self._evaluate(run_context.session)

    def end(self, session):
        self._evaluate(session)

    def _evaluate(self, session):
        directory = tempfile.mkdtemp()
        try:
            saver = estimator_loop.Saver(session.replicas.entries())
            path = saver.save(session, os.path.join(directory, "variables"))
            self._estimator.evaluate(
                self._input_fn, self._steps, self._hooks, path, self._name
            )
        finally:
            shutil.rmtree(directory)
        self._timer.update_last_triggered_step(self._iter_count)
