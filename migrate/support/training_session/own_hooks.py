"""Hooks of your own, with the methods that TF1's had."""

import collections

import tensorflow as tf

from .hooks import Hook
from .variables import shards_of


class SessionRunHook:
    """tf.train.SessionRunHook: derive hooks of your own from it, as in TF1.

    What `before_run` asks for it calls by the names under which the step function gives
    it to `replicas.observe`. Its session reads variables, between the steps.
    """

    def begin(self): ...

    def after_create_session(self, session, coord): ...

    def before_run(self, run_context): ...

    def after_run(self, run_context, run_values): ...

    def end(self, session): ...


class SessionRunArgs(
    collections.namedtuple("SessionRunArgs", ["fetches", "feed_dict"])
):
    """What a hook wants to see of a step, and what it feeds.

    Args:
      fetches: a name, or lists, tuples and dicts of names.
      feed_dict: values by the names that the program gives to `Fed`.
    """

    __slots__ = ()

    def __new__(cls, fetches=None, feed_dict=None):
        return super().__new__(cls, fetches, feed_dict)


# Stands for an argument of a step function that hooks feed, by its name.
Fed = collections.namedtuple("Fed", ["name"])


# What it is given: values in the same lists, tuples and dicts; None where it asked for nothing.
SessionRunValues = collections.namedtuple("SessionRunValues", ["results"])


class SessionRunContext:
    """What a hook can do around a step: look at variables, and ask training to stop."""

    def __init__(self, session):
        self._session = session
        self.session = HookSession(session)

    @property
    def stop_requested(self):
        return self._session.stop_requested

    def request_stop(self):
        self._session.request_stop()


class HookSession:
    """What a hook sees of its session: present values of variables."""

    def __init__(self, session):
        self.replicas = session.replicas

    def run(self, fetches):
        """Values of variables, or of those that steps give under these names.

        Raises:
          TypeError: something is no variable; only a step could compute it.
        """
        return tf.nest.map_structure(self._value, fetches)

    def load(self, variable, value):
        """Gives a variable a value, which the next step finds."""
        self._variable(variable).assign(value)

    def _variable(self, item):
        if isinstance(item, str):
            item = self.replicas.observed_variables.get(item, item)
        if isinstance(item, str) and item == "global_step":
            item = self.replicas.global_step
        if not hasattr(item, "assign"):
            raise TypeError(
                f"a hook runs {item} in its session, where it can read variables: ask for it "
                "by SessionRunArgs in before_run, and take its value in after_run"
            )
        return item

    def _value(self, item):
        variable = self._variable(item)
        # Only for variables.shards_of.
        if len(shards_of(variable)) > 1:
            return tf.convert_to_tensor(variable).numpy()
        return self.replicas.read(variable)


class OwnHook(Hook):
    """Calls a SessionRunHook as TF1's session did."""

    def __init__(self, hook):
        self._hook = hook
        self._asked = self._context = None
        hook.begin()  # Before there is a session.

    def begin(self, sess):
        self._hook.after_create_session(HookSession(sess), None)

    recovered = begin  # TF1 made a new session.

    def before_run(self, sess):
        self._context = SessionRunContext(sess)
        self._asked = self._hook.before_run(self._context)

    def feeds(self):
        """What the step that comes is fed, by name."""
        return dict(self._asked.feed_dict or {}) if self._asked is not None else {}

    def after_run(self, sess, step, results):
        values = None
        if self._asked is not None and self._asked.fetches is not None:
            values = tf.nest.map_structure(
                lambda name: _observed(results, name), self._asked.fetches
            )
        self._hook.after_run(self._context, SessionRunValues(values))

    def end(self, sess):
        self._hook.end(HookSession(sess))


def _observed(results, name):
    """What a step has given under a name.

    Raises:
      KeyError: this step does not compute it, as it is not fed what that needs.
    """
    try:
        return results["observed"][name]
    except KeyError:
        raise KeyError(
            f"a hook asks for {name!r}, which this step does not give to observe"
        ) from None


def fed_by(hooks, args):
    """A step's arguments, with what hooks feed.

    Raises:
      RuntimeError: two hooks feed the same.
    """
    fed = {}
    for hook in hooks:
        feeds = hook.feeds() if isinstance(hook, OwnHook) else {}
        if fed.keys() & feeds.keys():
            raise RuntimeError("Same tensor is fed by two hooks.")
        fed.update(feeds)
    return [fed[arg.name] if isinstance(arg, Fed) else arg for arg in args]


def called(hooks):
    """Hooks as a session calls them; those of your own begin."""
    return [OwnHook(h) if isinstance(h, SessionRunHook) else h for h in hooks]
