"""Finds where a program's own hooks run something in their session: no step has one.

Variables, the global step among them, have values at any time; so what a hook runs may be
those. Whether it is, is read from what the hook's own class says of it.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.frontends.sessions.derived_hooks import find_hook_classes
from migrate.source.nodes import walk_breadth_first

_BASES = frozenset(
    f"tf.{package}.{name}"
    for package in ("train", "estimator")
    for name in ("SessionRunHook", "CheckpointSaverListener")
)
# Method -> which parameter is a session; of the others, which has one as `session`.
_SESSION = {
    "after_create_session": 1,
    "end": 1,
    "before_save": 1,
    "after_save": 1,
}
_CONTEXT = {"before_run": 1, "after_run": 1}
# Calls that give a variable, and those that give a list of them.
_VARIABLE = frozenset(
    {
        "tf.get_variable",
        "tf.python.training.training_util._get_or_create_global_step_read",
        "tf.train.get_global_step",
        "tf.train.get_or_create_global_step",
        "tf.Variable",
    }
)
_VARIABLES = frozenset(
    {
        "tf.global_variables",
        "tf.model_variables",
        "tf.moving_average_variables",
        "tf.trainable_variables",
    }
)


@dataclasses.dataclass(frozen=True)
class SessionRun:
    """`session.run(fetches)` or `fetches.eval(session)` in a hook's method.

    Attributes:
      call: the call.
      session: what is run in.
      fetches: what is run, None if the call is of another form.
      variables: whether that is variables, and lists and dicts of them, and nothing is fed.
      is_eval: whether it is the second form.
      initializer: whether it is `something.initializer`, of no variable that is seen.
    """

    call: ast.Call
    session: ast.expr
    fetches: ast.expr | None
    variables: bool
    is_eval: bool
    initializer: bool = False


@dataclasses.dataclass(frozen=True)
class VariableLoad:
    """`variable.load(value, session)` in a hook's method."""

    call: ast.Call
    variable: ast.expr
    value: ast.expr
    session: ast.expr


def find_variable_loads(scopes: Scopes) -> Iterator[VariableLoad]:
    """Finds the calls `variable.load(value, session)` in methods of hooks."""
    for hook in find_hook_classes(scopes):
        for method in hook.body:
            if isinstance(method, ast.FunctionDef):
                context, names = _find_sessions(method)
                for node in walk_breadth_first(method):
                    if not isinstance(node, ast.Call) or len(node.args) > 2:
                        continue
                    given = dict(zip(("value", "session"), node.args, strict=False))
                    given |= {k.arg or "**": k.value for k in node.keywords}
                    if (
                        isinstance(node.func, ast.Attribute)
                        and node.func.attr == "load"
                        and set(given) == {"value", "session"}
                        and _is_session(given["session"], names, context)
                    ):
                        yield VariableLoad(node, node.func.value, **given)


def find_session(call: ast.Call, scopes: Scopes) -> ast.expr | None:
    """The session of `session.run(...)` in a hook's method; None if it is none."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "run":
        return None
    node: ast.AST | None = call
    while node is not None and not isinstance(node, ast.FunctionDef):
        node = scopes.parents.get(node)
    if node is None:
        return None
    context, names = _find_sessions(node)
    return call.func.value if _is_session(call.func.value, names, context) else None


def find_session_runs(scopes: Scopes) -> Iterator[SessionRun]:
    """Finds the session runs in methods of a program's hooks."""
    hooks = set(find_hook_classes(scopes))
    for node in walk_breadth_first(scopes.tree):
        if isinstance(node, ast.ClassDef) and (
            node in hooks or any(scopes.resolve(base) in _BASES for base in node.bases)
        ):
            known = _Known(node, scopes)
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield from _find_runs(method, known)


def _find_runs(method: ast.FunctionDef, known: _Known) -> Iterator[SessionRun]:
    context, names = _find_sessions(method)
    for node in walk_breadth_first(method):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        given = [*node.args, *(k.value for k in node.keywords)]
        if node.func.attr == "run" and _is_session(node.func.value, names, context):
            named = [k.value for k in node.keywords if k.arg == "fetches"]
            fetches = given[0] if len(given) == 1 and (node.args or named) else None
            is_variables = fetches is not None and known.is_variables(fetches, method)
            initializer = (
                isinstance(fetches, ast.Attribute)
                and fetches.attr == "initializer"
                and not known.is_variables(fetches.value, method)
            )
            yield SessionRun(
                node, node.func.value, fetches, is_variables, False, initializer
            )
        elif node.func.attr == "eval":
            sessions = [x for x in given if _is_session(x, names, context)]
            if sessions:
                fetches = node.func.value if len(given) == 1 else None
                is_variables = fetches is not None and known.is_variables(
                    fetches, method
                )
                yield SessionRun(node, sessions[0], fetches, is_variables, True)


class _Known:
    """One class; knows which expressions of its methods are variables."""

    def __init__(self, class_: ast.ClassDef, scopes: Scopes) -> None:
        self._scopes = scopes
        # Attribute of self -> everything that is assigned to it, and in which method.
        self._attributes: dict[str, list[tuple[ast.expr | None, ast.FunctionDef]]] = {}
        for method in class_.body:
            if isinstance(method, ast.FunctionDef):
                for node in walk_breadth_first(method):
                    self._note_node(node, method)

    def _note_node(self, node: ast.AST, method: ast.FunctionDef) -> None:
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, (ast.Store, ast.Del))
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
        ):
            parent = self._scopes.parents.get(node)
            value = None  # As in a loop or a tuple, whose parts are not followed.
            if isinstance(parent, ast.Assign) and node in parent.targets:
                value = parent.value
            elif isinstance(parent, ast.AnnAssign):
                value = parent.value
            self._attributes.setdefault(node.attr, []).append((value, method))

    def is_variables(self, node: ast.expr, method: ast.FunctionDef) -> bool:
        """Whether an expression of a method is a variable, or several."""
        return self._is(node, method, frozenset())

    def _is(
        self, node: ast.expr, method: ast.FunctionDef, seen: frozenset[str]
    ) -> bool:
        if isinstance(node, (ast.List, ast.Tuple)):
            return all(self._is(item, method, seen) for item in node.elts)
        if isinstance(node, ast.Dict):
            return all(self._is(item, method, seen) for item in node.values)
        if isinstance(node, ast.Call):
            return self._scopes.resolve(node.func) in _VARIABLE | _VARIABLES
        if isinstance(node, ast.Subscript):
            return self._is(node.value, method, seen)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            first = node.generators[0]
            return (
                isinstance(node, ast.ListComp)
                and len(node.generators) == 1
                and isinstance(node.elt, ast.Name)
                and isinstance(first.target, ast.Name)
                and node.elt.id == first.target.id
                and self._is(first.iter, method, seen)
            )
        if isinstance(node, ast.Name):
            return self._are_all_variables(
                _find_assigned_values(node.id, method), method, seen, node.id
            )
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
        ):
            values = self._attributes.get(node.attr, [])
            values = [
                (value, at)
                for value, at in values
                if not (isinstance(value, ast.Constant) and value.value is None)
            ]
            name = f"self.{node.attr}"
            return (
                bool(values)
                and name not in seen
                and all(
                    value is not None and self._is(value, at, seen | {name})
                    for value, at in values
                )
            )
        return False

    def _are_all_variables(
        self,
        values: list[ast.expr | None],
        method: ast.FunctionDef,
        seen: frozenset[str],
        name: str,
    ) -> bool:
        return (
            bool(values)
            and name not in seen
            and all(
                value is not None and self._is(value, method, seen | {name})
                for value in values
            )
        )


def _find_assigned_values(name: str, method: ast.FunctionDef) -> list[ast.expr | None]:
    """Lists the values that a method binds to a name; None for each unknown one."""
    arguments = method.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    found: list[ast.expr | None] = [None for a in every if a.arg == name]
    plain: set[ast.AST] = set()
    for node in walk_breadth_first(method):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    found.append(node.value)
                    plain.add(target)
        elif (
            isinstance(node, ast.Name)
            and node.id == name
            and not isinstance(node.ctx, ast.Load)
            and node not in plain
        ):
            found.append(None)
    return found


def _find_sessions(method: ast.FunctionDef) -> tuple[str | None, set[str]]:
    """The name of a method's run context, and those of its session."""
    session = _find_parameter(method, _SESSION.get(method.name))
    context = _find_parameter(method, _CONTEXT.get(method.name))
    names = {session} if session else set()
    for node in walk_breadth_first(method):
        if isinstance(node, ast.Assign) and _is_session(node.value, names, context):
            names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return context, names


def _is_session(node: ast.expr, names: set[str], context: str | None) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "session"
        and isinstance(node.value, ast.Name)
        and node.value.id == context
    )


def _find_parameter(method: ast.FunctionDef, index: int | None) -> str | None:
    """The name of a method's parameter, by its place after `self`."""
    if index is None or len(method.args.args) <= index:
        return None
    return method.args.args[index].arg
