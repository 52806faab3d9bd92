"""Hooks: the ready-made ones, and those that a program writes itself."""

import collections
import contextlib
import copy
import itertools
import threading

import tensorflow as tf
import tf_keras

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

from .hook_sessions import (
    HookSession,
    NoSessionYet,
    finders,
    finds_variables,
    named,
    named_tensor,
)

v1 = tf.compat.v1
_Keys = v1.GraphKeys


StopAtStepHook = training_session.StopAtStepHook
StepCounterHook = training_session.StepCounterHook
ProfilerHook = training_session.ProfilerHook
GlobalStepWaiterHook = training_session.GlobalStepWaiterHook
NanLossDuringTrainingError = training_session.NanLossDuringTrainingError
Saver = training_session.Saver


class Scaffold(training_session.Scaffold):
    """The parts of tf.train.Scaffold that mean something here."""

    def __init__(self, saver=None, init_fn=None, **_):
        self.own_saver = saver
        super().__init__(saver, init_fn)


class TensorHook:
    """A hook that watches tensors: of the graph that model_fn builds, or named by string.

    The step function gives the hook their values under keys of the hook's own.
    """

    _numbers = itertools.count()

    def watch(self, tensors):
        """Tensors (or their names) by key; returns the keys they are observed under."""
        number = next(self._numbers)
        self.watched = {f"hook_{number}/{key}": t for key, t in tensors.items()}
        return dict(zip(tensors, self.watched))

    def resolved(self, graph):
        """The tensors by key, of a graph.

        Raises:
          KeyError: the graph has no tensor of that name.
        """

        return {
            key: named_tensor(graph, tensor) if isinstance(tensor, str) else tensor
            for key, tensor in self.watched.items()
        }


class LoggingTensorHook(TensorHook, training_session.Hook):
    """Logs tensors every so many steps, or seconds; parameters are TF1's."""

    def __init__(
        self,
        tensors,
        every_n_iter=None,
        every_n_secs=None,
        at_end=False,
        formatter=None,
    ):
        if not isinstance(tensors, dict):
            tensors = {str(getattr(t, "name", t)): t for t in tensors}
        self._keys = self.watch(tensors)
        if formatter is not None:
            given = formatter
            formatter = lambda values: given(  # noqa: E731
                {key: values[self._keys[key]] for key in self._keys}
            )
        else:
            formatter = self._text
        self._hook = training_session.LoggingTensorHook(
            list(self.watched), every_n_iter, every_n_secs, at_end, formatter
        )

    def _text(self, values):
        return ", ".join(f"{k} = {values[o]!s}" for k, o in sorted(self._keys.items()))

    def after_run(self, sess, step, results):
        self._hook.after_run(sess, step, results)

    def end(self, sess):
        self._hook.end(sess)


class NanTensorHook(TensorHook, training_session.NanTensorHook):
    """Fails, or stops, when a tensor is not a number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        key = self.watch({"loss": loss_tensor})["loss"]
        training_session.NanTensorHook.__init__(self, key, fail_on_nan_loss)


class SummarySaverHook(TensorHook, training_session.SummarySaverHook):
    """Writes summaries every so many steps, or seconds."""

    def __init__(
        self,
        save_steps=None,
        save_secs=None,
        output_dir=None,
        summary_writer=None,
        scaffold=None,
        summary_op=None,
    ):
        key = None
        self.watched = {}
        if isinstance(summary_op, (list, tuple)):
            summary_op = v1.summary.merge(list(summary_op))
        if summary_op is not None:
            key = self.watch({"summary": summary_op})["summary"]
        training_session.SummarySaverHook.__init__(
            self, save_steps, save_secs, output_dir, summary_writer, summary_op=key
        )
        self._every_step = save_steps == 1

    def after_run(self, sess, step, results):
        # TF1 looked ahead by a step: in an evaluation, where the step stays, it wrote all.
        if self._every_step and self._timer.last_triggered_step() == step:
            self._timer.reset()
        super().after_run(sess, step, results)


class CheckpointSaverListener:
    """Called before and after a checkpoint is written."""

    def begin(self):
        pass

    def before_save(self, session, global_step_value):
        pass

    def after_save(self, session, global_step_value):
        pass

    def end(self, session, global_step_value):
        pass


class CheckpointSaverHook(training_session.CheckpointSaverHook):
    """Saves at the start, then every so many steps or seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir,
        save_secs=None,
        save_steps=None,
        saver=None,
        checkpoint_basename="model.ckpt",
        scaffold=None,
        listeners=None,
    ):
        super().__init__(
            checkpoint_dir, save_secs, save_steps, saver, checkpoint_basename, scaffold
        )
        own = scaffold.own_saver if isinstance(scaffold, Scaffold) else scaffold
        self._has_saver = saver is not None or own is not None
        self.listeners = list(listeners or ())

    def saves_with(self, saver):
        """Takes the training's saver, unless it was given one."""
        if not self._has_saver:
            self._saver = saver

    def begin(self, sess):
        for listener in self.listeners:
            listener.begin()
        super().begin(sess)

    def end(self, sess):
        super().end(sess)
        # The step that was saved: other workers may have gone on meanwhile.
        step = self._timer.last_triggered_step()
        with knowing(sess.replicas.global_step):
            for listener in self.listeners:
                listener.end(HookSession(sess), step)

    def _save(self, sess, step):
        with knowing(sess.replicas.global_step):
            for listener in self.listeners:
                listener.before_save(HookSession(sess), step)
        super()._save(sess, step)
        with knowing(sess.replicas.global_step):
            for listener in self.listeners:
                if listener.after_save(HookSession(sess), step):
                    sess.request_stop()


class SessionRunArgs(
    collections.namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])
):
    """What a hook wants to see of the next step. Nothing can be fed."""

    __slots__ = ()

    def __new__(cls, fetches, feed_dict=None, options=None):
        if feed_dict:
            raise ValueError("a step function cannot be fed by a hook")
        return super().__new__(cls, fetches, None, options)


SessionRunValues = collections.namedtuple(
    "SessionRunValues", ["results", "options", "run_metadata"]
)


class SessionRunContext:
    """What a hook can do around a step: ask training to stop."""

    def __init__(self, original_args=None, session=None):
        self.original_args = original_args
        self.session = session
        self.stop_requested = False

    def request_stop(self):
        self.stop_requested = True


class SessionRunHook(v1.train.SessionRunHook):
    """tf.train.SessionRunHook: derive hooks of your own from it, as in TF1.

    `begin` is called when the graph of model_fn has been built, inside it. What
    `before_run` asks for must be a tensor of that graph that the hook names when it is
    first asked, or holds in an attribute after `begin`. Hooks that derive from
    `tf.compat.v1.train.SessionRunHook` itself, of modules that have sessions too, are
    called in the same way.
    """


def is_own(hook):
    """Whether a hook is of the program's own class; TensorFlow's need a session."""
    return isinstance(hook, v1.train.SessionRunHook) and all(
        c in (v1.train.SessionRunHook, object)
        or not c.__module__.startswith("tensorflow.")
        for c in type(hook).__mro__
    )


class _Collections:
    """What the graph outside has, while hooks look there for what a traced graph has.

    TF1's hooks were called in the graph that they watched. A worker's thread has a graph
    outside of its own, but for what opens one and starts threads in it. What was in it
    comes back when the last who is inside has left.
    """

    _lock = threading.Lock()
    # id of a graph outside and of a set of collections -> how many are inside, what was
    # there.
    _inside = {}
    # id of a graph outside, and a name -> what each of these sets has for its own method.
    _methods = {}

    @classmethod
    @contextlib.contextmanager
    def shown(cls, key, collections, methods):
        graph = v1.get_default_graph()
        key = id(graph), key
        with cls._lock:
            count, before = cls._inside.get(key, (0, None))
            if not count:
                before = {name: graph.get_collection(name) for name in collections}
                for name, values in collections.items():
                    graph.get_collection_ref(name)[:] = values
                for name, method in methods.items():
                    cls._methods.setdefault((id(graph), name), {})[key] = method
                    setattr(graph, name, method)
            cls._inside[key] = count + 1, before
        try:
            yield
        finally:
            with cls._lock:
                count, before = cls._inside.pop(key)
                if count > 1:
                    cls._inside[key] = count - 1, before
                else:
                    for name, values in before.items():
                        graph.get_collection_ref(name)[:] = values
                    for name in methods:
                        others = cls._methods[id(graph), name]
                        del others[key]
                        if others:
                            setattr(graph, name, next(iter(others.values())))
                        else:
                            delattr(graph, name)  # Its own is the class's.


# What an evaluation that a hook makes does not take for its own.
_VARIABLES = (
    _Keys.GLOBAL_VARIABLES,
    _Keys.LOCAL_VARIABLES,
    _Keys.TRAINABLE_VARIABLES,
)


def knowing(step, graph=None, everything=False):
    """Inside, `get_global_step` finds the step, and lists have a traced graph's variables.

    What is asked for by its name is found in that graph.

    Args:
      everything: whether all its other collections are to be found too.
    """
    names = []
    if graph is not None:
        names = graph.get_all_collection_keys() if everything else _VARIABLES
    shown = {n: graph.get_collection(n) for n in names if isinstance(n, str)}
    shown[_Keys.GLOBAL_STEP] = [step]
    methods = finders(graph) if graph is not None else {}
    return _Collections.shown((id(graph), everything), shown, methods)


class OwnHook(TensorHook, training_session.Hook):
    """Calls a SessionRunHook as a session did."""

    def __init__(self, hook):
        self._hook = hook
        self._step = self._graph = None
        self._keys = {}  # id of a tensor or variable -> its key
        self._held = []  # They stay alive, so that no other gets such an id.
        self._asked = None
        self.watched = {}

    def resolved(self, graph):
        self._keys, self._held, self.watched = {}, [], {}
        self._graph = graph
        finds_variables(graph)
        self._hook.begin()
        # Asked once on a copy, so that a counter of the hook's does not move.
        context = SessionRunContext(session=NoSessionYet(graph))
        asked = copy.copy(self._hook).before_run(context)
        if asked and asked.feed_dict:
            raise ValueError("a step function cannot be fed by a hook")
        candidates = [list(vars(self._hook).values()), asked.fetches if asked else []]
        for item in tf.nest.flatten(candidates):
            if isinstance(item, str) and asked:
                with contextlib.suppress(KeyError, ValueError):
                    self._hold(item, named(graph, item))
            elif _is_value(item):
                self._hold(item, item)
        return self.watched

    def _hold(self, item, tensor):
        if isinstance(tensor, tf.Operation):
            return  # It has no value; it is run with the step, or never.
        if getattr(tensor, "graph", None) not in (None, v1.get_default_graph()):
            return
        self._held.append(item)
        key = f"own_{id(self)}/{len(self._held)}"
        self._keys[item if isinstance(item, str) else id(item)] = key
        self.watched[key] = tensor

    def begin(self, sess):
        self._step = sess.replicas.global_step
        with knowing(self._step, self._graph):
            self._hook.after_create_session(HookSession(sess, self._graph), None)

    recovered = begin  # TF1 made a new session.

    def before_run(self, sess):
        self._context = SessionRunContext(session=HookSession(sess, self._graph))
        with knowing(self._step, self._graph, everything=True):
            self._asked = self._hook.before_run(self._context)

    def after_run(self, sess, step, results):
        values = None
        if self._asked is not None and self._asked.fetches is not None:
            observed = results["observed"]
            values = tf.nest.map_structure(
                lambda item: self._value(item, observed), self._asked.fetches
            )
        with knowing(self._step, self._graph):
            self._hook.after_run(self._context, SessionRunValues(values, None, None))
        if self._context.stop_requested:
            sess.request_stop()

    def _value(self, item, observed):
        if isinstance(item, tf.Operation):
            return None
        key = self._keys.get(item if isinstance(item, str) else id(item))
        if key is None:
            raise KeyError(
                f"{type(self._hook).__name__} asks for {item}, which it neither named "
                "when it was first asked nor holds in an attribute after begin()"
            )
        return observed[key]

    def end(self, sess):
        with knowing(self._step, self._graph):
            self._hook.end(HookSession(sess, self._graph))


# What has counters, timers and lists of its own.
_CALLED = (
    v1.train.SessionRunHook,
    training_session.Hook,
    tf_keras.callbacks.Callback,
)


def made_anew(hook):
    """A hook with counters, timers and lists of its own, that watches the same."""
    new = copy.copy(hook)
    for name, value in vars(hook).items():
        if isinstance(value, (list, dict, set)):
            setattr(new, name, copy.copy(value))
        elif isinstance(value, _CALLED):
            setattr(new, name, made_anew(value))
        elif isinstance(value, v1.train.SecondOrStepTimer):
            setattr(new, name, copy.copy(value))
    return new


def _is_value(item):
    return tf.is_tensor(item) or isinstance(item, tf.Variable)


def tensors_watched(hooks, graph):
    """Tensors that hooks watch, by the keys they are observed under."""
    found = {}
    for hook in hooks:
        if isinstance(hook, TensorHook):
            found.update(hook.resolved(graph))
    return found


def _own_summaries(graph):
    """Summaries made in this graph: its collections begin with those of the outer one."""
    summaries = graph.get_collection(_Keys.SUMMARIES)
    return [s for s in summaries if getattr(s, "graph", None) is graph]


def observe(replicas, spec, hooks, before):
    """Shows hooks and writers what they ask for of a training step that is traced.

    Args:
      before: the global step before the update. Where TF1 trained under a strategy it
        gave that one to whom asked for the global step, otherwise (None) the one after
        it.
    """
    graph = v1.get_default_graph()
    saved = _own_summaries(graph)
    if replicas.count == 1 and not any(s.op.name == "loss" for s in saved):
        v1.summary.scalar("loss", spec.loss)  # That of several is not known yet.
    training_session.summary.entries.extend(_own_summaries(graph))
    graph.add_to_collection(_Keys.LOSSES, spec.loss)
    watching = [*hooks, *spec.training_hooks, *spec.training_chief_hooks]
    observed = tensors_watched(watching, graph)
    if before is not None:
        step = replicas.global_step
        observed = {k: before if t is step else t for k, t in observed.items()}
    replicas.observe(observed)
    replicas.observe({"loss": spec.loss})
