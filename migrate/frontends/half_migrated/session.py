"""The session around eager code: its arguments and hooks, and what ends its loop."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.hooks import HOOKS, SESSION_PARAMETERS

_STOP = "tf.train.StopAtStepHook"
# Hooks that watch no tensor of a graph, and what they may be given.
QUIET_HOOKS = {
    _STOP: ("num_steps", "last_step"),
    "tf.train.StepCounterHook": ("every_n_steps", "every_n_secs", "output_dir"),
    "tf.train.CheckpointSaverHook": (
        *("checkpoint_dir", "save_secs", "save_steps"),
        "checkpoint_basename",
    ),
}


class SessionReader:
    """Reads the session of one file.

    Args:
      found: its calls, each with what it calls.
      sessions: those that open a session.
    """

    def __init__(
        self,
        scopes: Scopes,
        found: list[tuple[ast.Call, str]],
        sessions: list[ast.Call],
    ) -> None:
        self._scopes = scopes
        self._found = found
        self._sessions = sessions

    def read_session(self) -> tuple[ast.Call, ast.With, str]:
        call = self._sessions[0]
        item = self._scopes.parents[call]
        block = self._scopes.parents[item]
        if (
            len(self._sessions) != 1
            or not isinstance(item, ast.withitem)
            or not isinstance(block, ast.With)
            or len(block.items) != 1
            or not isinstance(item.optional_vars, ast.Name)
        ):
            raise Refused(
                "D121",
                call,
                "the program does not open exactly one session, in a block of its own",
                "Open one session: `with tf.train.MonitoredTrainingSession(...) as "
                "sess:`.",
            )
        return call, block, item.optional_vars.id

    def read_arguments(self, call: ast.Call) -> dict[str, ast.expr]:
        plain = self._scopes.resolve(call.func) in roles.PLAIN_SESSIONS
        parameters = ("master", "graph", "config") if plain else SESSION_PARAMETERS
        if plain and any(k.arg == "target" for k in call.keywords):
            parameters = ("target", "graph", "config")
        bound = names.bind_arguments(call, parameters)
        if bound is None or {"graph", "scaffold", "chief_only_hooks"} & set(bound):
            raise Refused(
                "D121",
                call,
                "the session has arguments that an eager program cannot have",
                "Leave these arguments out.",
            )
        for hook, symbol in self._found:
            given = names.bind_arguments(
                hook, HOOKS[symbol].parameters if symbol in HOOKS else ()
            )
            if symbol.endswith("Hook") and (
                symbol not in QUIET_HOOKS
                or given is None
                or not given.keys() <= set(QUIET_HOOKS[symbol])
            ):
                raise Refused(
                    "D121",
                    hook,
                    "the hook needs the session of a graph",
                    "Write in the loop what the hook does.",
                )
        return bound

    def stops(self) -> bool:
        """Whether a hook asks the session to stop."""
        return any(symbol == _STOP for _, symbol in self._found)

    def find_endless_loop(self, block: ast.With) -> ast.While | None:
        """`while not sess.should_stop():` of a session that nothing stops."""
        if self.stops():
            return None
        for node in walk_breadth_first(block):
            if isinstance(node, ast.While) and "should_stop" in ast.unparse(node.test):
                inner = [n for s in node.body for n in walk_breadth_first(s)]
                ends = (ast.Break, ast.Return, ast.Raise)
                asked = any(
                    isinstance(n, ast.Attribute) and n.attr == "request_stop"
                    for n in inner
                )
                if not asked and not any(isinstance(n, ends) for n in inner):
                    return node
        return None
