"""Callbacks of Keras, called where an Estimator calls hooks.

The same class works for `Model.fit`, `evaluate` and `predict`, which call it at the same
moments. What it sees here is what a session's hook saw:

    on_train_begin          once the session has begun, variables are restored
    on_train_batch_begin    before every step
    on_train_batch_end      after it; `logs` has what train_step returns, as numpy values
    on_train_end            when training ends by itself or by request, not by an error

An Estimator's training has no epochs, so the methods of epochs are not called.
"""

import tensorflow as tf
import tf_keras

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

from .hooks import OwnHook, TensorHook, is_own, knowing

# The collection of a traced graph that holds (model, mode, results by name).
_STEP = "estimator_loop/keras_step"


def show(model, mode, results=None):
    """Tells callbacks which model's step the graph is that is being built.

    Args:
      mode: "train", "test" or "predict", as Keras calls it.
      results: what the step returns, by name.
    """
    steps = tf.compat.v1.get_default_graph().get_collection_ref(_STEP)
    steps[:] = [(model, mode, dict(results or {}))]


class CallbackHook(TensorHook, training_session.Hook):
    """Calls a callback as a session calls hooks."""

    def __init__(self, callback):
        self._callback = callback
        self._model = self._mode = None
        self._batch = 0
        self.watched = {}

    def resolved(self, graph):
        """What the step returns.

        Raises:
          TypeError: the graph is not of a Keras model.
        """
        step = graph.get_collection(_STEP)
        if not step:
            raise TypeError(f"{self._callback} is a callback: it needs a Keras model")
        ((self._model, self._mode, results),) = step
        self._names = self.watch(results)
        return self.watched

    def begin(self, sess):
        self._batch = 0
        model = self._model
        if isinstance(sess.replicas, training_session.AsynchronousReplicas):
            model = _ModelOfWorker(model)
        self._callback.set_model(model)
        self._call(sess, "begin")

    def before_run(self, sess):
        self._call(sess, "batch_begin", self._batch)

    def after_run(self, sess, step, results):
        observed = results["observed"]
        logs = {name: observed[key] for name, key in self._names.items()}
        self._call(sess, "batch_end", self._batch, logs)
        self._batch += 1
        if self._mode == "train" and self._callback.model.stop_training:
            sess.request_stop()

    def end(self, sess):
        self._call(sess, "end")

    def _call(self, sess, moment, *args):
        with knowing(sess.replicas.global_step):
            getattr(self._callback, f"on_{self._mode}_{moment}")(*args)


class _ModelOfWorker:
    """The model that asynchronous workers share, which each of them stops for itself."""

    def __init__(self, model):
        self._model, self.stop_training = model, False

    def __getattr__(self, name):
        return getattr(self._model, name)


def begin_without_input(hooks, sess):
    """The program's own hooks see a step begin for which there is no batch, as in TF1."""
    for hook in hooks:
        if isinstance(hook, (OwnHook, CallbackHook)):
            hook.before_run(sess)


def checked_hooks(hooks):
    """The hooks as a list, each as a training session calls it.

    Raises:
      TypeError: one is neither a hook of this module nor a callback.
    """
    found = []
    for hook in hooks or ():
        if is_own(hook):
            hook = OwnHook(hook)
        elif isinstance(hook, tf_keras.callbacks.Callback):
            hook = CallbackHook(hook)
        if not isinstance(hook, training_session.Hook):
            raise TypeError(f"All hooks must be hooks of estimator_loop, given: {hook}")
        found.append(hook)
    return found
