"""Evaluates `try`: the body if nothing is raised, and the handlers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.evaluate import assignment
from migrate.evaluate.completions import NORMAL, Completion
from migrate.evaluate.joins import settle

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def execute_try(m: Machine, node: ast.Try) -> Completion:
    """Runs the body, and each handler as if the end of the body had raised."""
    ended = _execute_body(m, node)
    if node.finalbody:
        from migrate.evaluate import statements

        last = statements.execute_all(m, node.finalbody)
        if last.kind != "normal":
            return last
    return ended


def _execute_body(m: Machine, node: ast.Try) -> Completion:
    from migrate.evaluate import statements

    missing = _import_fails(m, node)
    if missing is not None:
        return statements.execute_all(m, missing.body)
    ended = statements.execute_all(m, node.body)
    if ended.kind == "raise":
        for handler in node.handlers:
            return _handle(m, handler)
        return ended
    if ended.kind == "normal":
        ended = statements.execute_all(m, node.orelse)
    for handler in node.handlers:
        ended = _run_handler_on_one_side(m, handler, ended)
    return ended


def _handle(m: Machine, handler: ast.ExceptHandler) -> Completion:
    from migrate.evaluate import statements

    if handler.name:
        assignment.bind(m, handler.name, m.hosts.make_fresh("an exception"))
    return statements.execute_all(m, handler.body)


def _run_handler_on_one_side(
    m: Machine, handler: ast.ExceptHandler, ended: Completion
) -> Completion:
    """Runs a handler on one side of the test "something was raised"."""
    first = handler.body[0]
    executed = m.configuration.has_executed(
        m.frame.file, first.lineno, first.end_lineno or first.lineno
    )
    if executed is False:
        return ended
    test = m.hosts.make_fresh("whether an exception is raised")
    if executed and ended.kind in ("return", "break", "continue"):
        # The run went through both, in different rounds or calls.
        executed = None
    nodes, variables = len(m.record.nodes), len(m.record.variables)
    mark = m.store.mark()
    with m.enter_branch(test.key, True):
        handled = _handle(m, handler)
    if len(m.record.nodes) > nodes or len(m.record.variables) > variables:
        if not executed:
            m.report_problem("a handler of an exception builds graph", handler)
    if executed and ended.kind == "normal" and handled.kind == "normal":
        return NORMAL
    if handled.kind in ("raise", "never") and ended.kind == "normal":
        m.store.take_off(mark)
        return ended
    delta = m.store.take_off(mark)
    return settle(m, test.key, (handled, delta), ended, mark)


def _import_fails(m: Machine, node: ast.Try) -> ast.ExceptHandler | None:
    """The handler that runs because an import of the body finds nothing under Python 3."""
    from migrate.evaluate import imports

    if not node.handlers:
        return None
    for statement in node.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            if imports.is_missing(m, statement):
                return node.handlers[0]
    return None
