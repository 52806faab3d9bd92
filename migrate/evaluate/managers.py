"""`with`: managers of the library, of the program, and generators that are managers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.evaluate import calls, objects
from migrate.evaluate.assignment import assign
from migrate.evaluate.completions import NORMAL, Completion
from migrate.graph.values import NONE, External, Unknown, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def execute_with(m: Machine, node: ast.With) -> Completion:
    """A `with` statement, one manager after the other."""
    return _with(m, node, 0)


def _with(m: Machine, node: ast.With, index: int) -> Completion:
    from migrate.evaluate import statements
    from migrate.evaluate.expressions import evaluate

    if index == len(node.items):
        return statements.execute_all(m, node.body)
    item = node.items[index]
    manager = evaluate(m, item.context_expr)
    m.at = item.context_expr
    if objects.class_of(m, manager) == External("contextlib.contextmanager"):
        return _generated(m, node, index, manager)
    entered = m.library.enter(m, manager)
    if entered is None:
        special = objects.special(m, manager, "__enter__")
        if special is not None:
            entered = calls.call(m, special, [], {})
    if entered is None and isinstance(manager, Unknown):
        m.problem(f"a manager that is not known: {manager.reason}")
    if item.optional_vars is not None:
        assign(m, item.optional_vars, entered if entered is not None else manager)
    ended = _with(m, node, index + 1)
    m.library.leave(m, manager)
    special = objects.special(m, manager, "__exit__")
    if special is not None:
        calls.call(m, special, [NONE, NONE, NONE], {})
    return ended


def _generated(m: Machine, node: ast.With, index: int, manager: Value) -> Completion:
    """The body runs where the generator yields."""
    item = node.items[index]
    ended: list[Completion] = []

    def body(value: Value) -> Value:
        if item.optional_vars is not None:
            assign(m, item.optional_vars, value)
        if not ended:
            ended.append(_with(m, node, index + 1))
        return NONE

    calls.run_generator(m, manager, body)
    return ended[0] if ended else NORMAL
