"""`with`: managers of the library, of the program, and generators that are managers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.evaluate import calls, objects
from migrate.evaluate.assignment import assign_value
from migrate.evaluate.completions import NORMAL, Completion
from migrate.graph.values import NONE, External, Host, Unknown, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


_SWALLOWS = (
    "tf.train.Supervisor.stop_on_exception",
    "tf.train.Coordinator.stop_on_exception",
    "contextlib.suppress",
)


def execute_with(m: Machine, node: ast.With) -> Completion:
    """A `with` statement, one manager after the other."""
    return _execute_with(m, node, 0)


def _execute_with(m: Machine, node: ast.With, index: int) -> Completion:
    from migrate.evaluate import statements
    from migrate.evaluate.expressions import evaluate

    if index == len(node.items):
        return statements.execute_all(m, node.body)
    item = node.items[index]
    manager = evaluate(m, item.context_expr)
    m.at = item.context_expr
    if objects.find_class(m, manager) == External("contextlib.contextmanager"):
        return _run_in_generator(m, node, index, manager)
    entered = m.library.enter(m, manager)
    if entered is None:
        special = objects.find_special(m, manager, "__enter__")
        if special is not None:
            entered = calls.call_value(m, special, [], {})
    if entered is None and isinstance(manager, Unknown):
        m.report_problem(f"a manager that is not known: {manager.reason}")
    if item.optional_vars is not None:
        assign_value(m, item.optional_vars, entered if entered is not None else manager)
    ended = _execute_with(m, node, index + 1)
    m.library.leave(m, manager)
    if ended.kind == "raise" and _swallows(manager):
        return NORMAL
    special = objects.find_special(m, manager, "__exit__")
    if special is not None:
        calls.call_value(m, special, [NONE, NONE, NONE], {})
    return ended


def _swallows(manager: Value) -> bool:
    """Whether what is raised below a manager goes no further."""
    return isinstance(manager, Host) and manager.what.startswith(_SWALLOWS)


def _run_in_generator(
    m: Machine, node: ast.With, index: int, manager: Value
) -> Completion:
    """The body runs where the generator yields."""
    item = node.items[index]
    ended: list[Completion] = []

    def run_body(value: Value) -> Value:
        if item.optional_vars is not None:
            assign_value(m, item.optional_vars, value)
        if not ended:
            ended.append(_execute_with(m, node, index + 1))
        return NONE

    calls.run_generator(m, manager, run_body)
    return ended[0] if ended else NORMAL
