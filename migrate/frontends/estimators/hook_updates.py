"""Updates that a hook's `begin` builds: which of them its session runs, and with what.

    def begin(self):
        self._new_rate = tf.placeholder(tf.float32, [])
        self._set_rate = tf.assign(self._rate, self._new_rate)

    def after_run(self, run_context, run_values):
        run_context.session.run(self._set_rate, feed_dict={self._new_rate: 0.01})

TF1 ran such an operation when it was asked to; a function that is traced would run it in
every step. So it has to become an assignment where it is run, or be refused.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts.names import is_none_constant
from migrate.facts.scopes import Scopes
from migrate.frontends.estimators.hooks import find_session
from migrate.frontends.sessions.derived_hooks import find_hook_classes
from migrate.source.nodes import walk_breadth_first

_UPDATES = frozenset(
    f"tf.{name}" for name in ("assign", "assign_add", "assign_sub", "scatter_update")
)
_METHODS = frozenset({"assign", "assign_add", "assign_sub", "scatter_update"})


@dataclasses.dataclass(frozen=True)
class HookUpdate:
    """An update that a hook builds.

    Attributes:
      call: what builds it.
      runs: where a session runs it, with (session, value) of each; empty if it has to
        be refused.
      variable: what is assigned.
      statements: what is of no use without it: it, and its placeholder.
    """

    call: ast.Call
    runs: tuple[tuple[ast.Call, ast.expr, ast.expr], ...] = ()
    variable: ast.expr | None = None
    statements: tuple[ast.Assign, ...] = ()


def find_hook_updates(scopes: Scopes) -> Iterator[HookUpdate]:
    """The updates that the `begin` of a program's hooks builds, in source order."""
    for hook in find_hook_classes(scopes):
        for method in hook.body:
            if isinstance(method, ast.FunctionDef) and method.name == "begin":
                for node in walk_breadth_first(method):
                    if isinstance(node, ast.Call) and _is_update(node, scopes):
                        read = _Hook(hook, scopes).read(node)
                        yield read or HookUpdate(node)


def _is_update(call: ast.Call, scopes: Scopes) -> bool:
    symbol = scopes.resolve(call.func)
    if symbol is not None:
        return symbol in _UPDATES
    return isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS


class _Hook:
    """One hook, with all uses of its attributes."""

    def __init__(self, hook: ast.ClassDef, scopes: Scopes) -> None:
        self._scopes = scopes
        self._uses: dict[str, list[ast.Attribute]] = {}
        for node in walk_breadth_first(hook):
            name = _read_own_attribute(node)
            if name is not None and isinstance(node, ast.Attribute):
                self._uses.setdefault(name, []).append(node)

    def read(self, call: ast.Call) -> HookUpdate | None:
        """Reads an assignment that is kept in an attribute, and only run; else None."""
        statement = self._scopes.parents.get(call)
        update = self._find_kept_attribute(statement)
        given = [*call.args, *(k.value for k in call.keywords)]
        if call.keywords or update is None or not isinstance(statement, ast.Assign):
            return None
        if self._scopes.resolve(call.func) == "tf.assign" and len(given) == 2:
            variable, value = given
        elif (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "assign"
            and self._scopes.resolve(call.func) is None
            and len(given) == 1
        ):
            variable, value = call.func.value, given[0]
        else:
            return None
        if _read_own_attribute(variable) is None:
            return None  # Not to be had in another method.
        runs, placeholder = [], self._find_placeholder(value)
        for use in self._uses[update]:
            if isinstance(use.ctx, ast.Load):
                run = self._run(use, value, placeholder)
                if run is None:
                    return None
                runs.append(run)
        if not runs:
            return None
        statements = (statement, placeholder) if placeholder else (statement,)
        return HookUpdate(call, tuple(runs), variable, statements)

    def _find_kept_attribute(self, statement: ast.AST | None) -> str | None:
        """Finds the attribute that only this statement assigns, apart from None."""
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        name = _read_own_attribute(statement.targets[0])
        if name is None:
            return None
        for use in self._uses[name]:
            parent = self._scopes.parents.get(use)
            if isinstance(use.ctx, ast.Load) or parent is statement:
                continue
            value = getattr(parent, "value", None)
            if not isinstance(parent, ast.Assign) or not is_none_constant(value):
                return None
        return name

    def _find_placeholder(self, value: ast.expr) -> ast.Assign | None:
        """Finds the statement that makes the placeholder in an attribute."""
        for use in self._uses.get(_read_own_attribute(value) or "", []):
            parent = self._scopes.parents.get(use)
            if (
                isinstance(parent, ast.Assign)
                and isinstance(parent.value, ast.Call)
                and self._scopes.resolve(parent.value.func) == "tf.placeholder"
                and self._find_kept_attribute(parent) is not None
            ):
                return parent
        return None

    def _run(
        self, use: ast.Attribute, value: ast.expr, placeholder: ast.Assign | None
    ) -> tuple[ast.Call, ast.expr, ast.expr] | None:
        """Reads the call, session and value of a `session.run(self.update, ...)`."""
        call = self._scopes.parents.get(use)
        if not isinstance(call, ast.Call) or call.args[:1] != [use]:
            return None
        if not isinstance(self._scopes.parents.get(call), ast.Expr):
            return None  # What it gives is looked at.
        session = find_session(call, self._scopes)
        feeds = [*call.args[1:], *(k.value for k in call.keywords)]
        if session is None or any(k.arg != "feed_dict" for k in call.keywords):
            return None
        if placeholder is None:
            fixed = isinstance(value, ast.Constant)
            return (call, session, value) if fixed and not feeds else None
        if len(feeds) != 1 or not isinstance(feeds[0], ast.Dict):
            return None
        keys, values = feeds[0].keys, feeds[0].values
        fed = (
            len(keys) == 1
            and keys[0] is not None
            and _read_own_attribute(keys[0]) == _read_own_attribute(value)
        )
        # The placeholder is made, assigned and fed, and nothing else.
        known = 2 + sum(
            isinstance(self._scopes.parents.get(u), ast.Dict)
            for u in self._uses[_read_own_attribute(value) or ""]
        )
        alone = len([u for u in self._uses[_read_own_attribute(value) or ""]]) == known
        return (call, session, values[0]) if fed and alone else None


def _read_own_attribute(node: ast.AST | None) -> str | None:
    """The name of an attribute of `self`."""
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    ):
        return node.attr
    return None
