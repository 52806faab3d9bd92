"""Executes Python's statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from migrate.evaluate import (
    decorators,
    exceptions,
    imports,
    loops,
    managers,
    objects,
    operators,
    subscripts,
)
from migrate.evaluate.assignment import assign_value, bind
from migrate.evaluate.completions import BREAK, CONTINUE, NORMAL, Completion
from migrate.evaluate.expressions import evaluate, make_function
from migrate.evaluate.joins import settle
from migrate.evaluate.store import MISSING
from migrate.evaluate.truth import find_truth
from migrate.graph.values import NONE, Host, Reference, Unknown, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def execute_all(m: Machine, body: Sequence[ast.stmt]) -> Completion:
    """Executes a suite and returns how it ends."""
    for statement in body:
        ended = execute(m, statement)
        if ended.kind != "normal":
            return ended
    return NORMAL


def execute(m: Machine, node: ast.stmt) -> Completion:
    """Executes a statement and returns how it ends."""
    m.count_step(node)
    handler = _HANDLERS.get(type(node))
    if handler is None:
        m.report_problem(f"a statement of the kind {type(node).__name__}", node)
        return NORMAL
    ended = handler(m, node)
    if m.ended is not None:
        ended, m.ended = m.ended, None
    return ended


def _execute_expression(m: Machine, node: ast.Expr) -> Completion:
    evaluate(m, node.value)
    return NORMAL


def _execute_assign(m: Machine, node: ast.Assign) -> Completion:
    value = evaluate(m, node.value)
    for target in node.targets:
        assign_value(m, target, value)
    return NORMAL


def _execute_annotated_assignment(m: Machine, node: ast.AnnAssign) -> Completion:
    if node.value is not None:
        assign_value(m, node.target, evaluate(m, node.value))
    return NORMAL


def _execute_augmented_assignment(m: Machine, node: ast.AugAssign) -> Completion:
    old = evaluate(m, _convert_to_read(node.target))
    value = evaluate(m, node.value)
    m.at = node
    if (
        isinstance(old, Reference)
        and old.kind == "list"
        and isinstance(node.op, ast.Add)
    ):
        from migrate.evaluate import builtin_methods

        builtin_methods.call_method(m, old, "extend", [value], {})
        return NORMAL
    assign_value(m, node.target, operators.apply_binary(m, type(node.op), old, value))
    return NORMAL


def _convert_to_read(node: ast.expr) -> ast.expr:
    # No code reads the context (Load or Store), so a target is evaluated as it is.
    return node


def _delete(m: Machine, node: ast.Delete) -> Completion:
    for target in node.targets:
        if isinstance(target, ast.Name):
            m.store.set((m.frame.find_home(target.id).number, target.id), MISSING)
        elif isinstance(target, ast.Subscript):
            subscripts.delete(m, evaluate(m, target.value), evaluate(m, target.slice))
        elif isinstance(target, ast.Attribute):
            base = evaluate(m, target.value)
            if isinstance(base, Reference):
                objects.delete_field(m, base, target.attr)
    return NORMAL


def _execute_if(m: Machine, node: ast.If) -> Completion:
    found = find_truth(m, evaluate(m, node.test))
    return execute_branch(
        m, node, found, lambda: execute_all(m, node.body), node.orelse
    )


def execute_branch(
    m: Machine,
    node: ast.If,
    found: bool | Host | Unknown,
    yes: Callable[[], Completion],
    orelse: Sequence[ast.stmt],
) -> Completion:
    """Executes both sides of a test, or the one that is known to be taken."""
    if isinstance(found, bool):
        return yes() if found else execute_all(m, orelse)
    if isinstance(found, Host):
        decided = m.find_outcome(found.key)
        if decided is not None:
            return yes() if decided else execute_all(m, orelse)
        test = found.key
    else:
        test = m.hosts.make_fresh(f"a test of what is not known: {found.reason}").key
    outcome = find_recorded_outcome(m, node.body, orelse)
    if outcome is not None:
        m.assume(test, outcome)
        return yes() if outcome else execute_all(m, orelse)
    if isinstance(found, Unknown):
        before = len(m.record.nodes)
    mark = m.store.mark()
    with m.enter_branch(test, True):
        one = yes()
    delta = m.store.take_off(mark)
    with m.enter_branch(test, False):
        other = execute_all(m, orelse)
    if isinstance(found, Unknown) and len(m.record.nodes) > before:
        m.report_problem(f"a test that decides what is built: {found.reason}", node)
    return settle(m, test, (one, delta), other, mark)


def find_recorded_outcome(
    m: Machine, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]
) -> bool | None:
    """Finds a test's outcome in the recorded run; None for both or unknown."""
    executed = m.configuration.has_executed
    file = m.frame.file
    first = executed(file, body[0].lineno, body[0].end_lineno or body[0].lineno)
    if first is None:
        return None
    if not orelse:
        # In a later round of a loop the test may have been false.
        return None if first and (m.repeated or m.loops) else first
    second = executed(file, orelse[0].lineno, orelse[0].end_lineno or orelse[0].lineno)
    if first and second:
        return None
    return bool(first) if first or second else None


def _execute_function(
    m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> Completion:
    value: Value = make_function(m, node, node.name)
    for decorator in reversed(node.decorator_list):
        value = decorators.apply(m, evaluate(m, decorator), value)
    bind(m, node.name, value)
    return NORMAL


def _execute_class(m: Machine, node: ast.ClassDef) -> Completion:
    bases = tuple(evaluate(m, base) for base in node.bases)
    made = objects.make_class(m, node.name, bases)
    outer = m.frame
    frame = m.make_frame(None, outer, outer.module or outer, outer.file)
    frame.is_class, frame.owner = True, made.address
    with m.enter_frame(frame):
        execute_all(m, node.body)
    for key in m.store.find_changed_cells(frame.mark):
        if isinstance(key, tuple) and key[0] == frame.number:
            member = m.store.get(key)
            if isinstance(member, Value):
                objects.set_field(m, made, key[1], member)
    value: Value = made
    for decorator in reversed(node.decorator_list):
        value = decorators.apply(m, evaluate(m, decorator), value)
    bind(m, node.name, value)
    return NORMAL


def _execute_return(m: Machine, node: ast.Return) -> Completion:
    value = NONE if node.value is None else evaluate(m, node.value)
    return Completion("return", value)


def _execute_raise(m: Machine, node: ast.Raise) -> Completion:
    value = NONE if node.exc is None else evaluate(m, node.exc)
    return Completion("raise", value)


def _assert(m: Machine, node: ast.Assert) -> Completion:
    if find_truth(m, evaluate(m, node.test)) is False:
        return Completion("raise", m.make_unknown("an assertion that fails", node))
    return NORMAL


def _execute_pass(m: Machine, node: ast.stmt) -> Completion:
    return NORMAL


def _execute_break(m: Machine, node: ast.Break) -> Completion:
    return BREAK


def _execute_continue(m: Machine, node: ast.Continue) -> Completion:
    return CONTINUE


def _execute_global(m: Machine, node: ast.Global | ast.Nonlocal) -> Completion:
    return NORMAL  # Frames know them from the start.


_HANDLERS: dict[type[ast.AST], Callable[[Machine, Any], Completion]] = {
    ast.Expr: _execute_expression,
    ast.Assign: _execute_assign,
    ast.AnnAssign: _execute_annotated_assignment,
    ast.AugAssign: _execute_augmented_assignment,
    ast.Delete: _delete,
    ast.If: _execute_if,
    ast.For: loops.execute_for,
    ast.While: loops.execute_while,
    ast.With: managers.execute_with,
    ast.Try: exceptions.execute_try,
    ast.FunctionDef: _execute_function,
    ast.AsyncFunctionDef: _execute_function,
    ast.ClassDef: _execute_class,
    ast.Return: _execute_return,
    ast.Raise: _execute_raise,
    ast.Assert: _assert,
    ast.Pass: _execute_pass,
    ast.Break: _execute_break,
    ast.Continue: _execute_continue,
    ast.Global: _execute_global,
    ast.Nonlocal: _execute_global,
    ast.Import: imports.execute_import,
    ast.ImportFrom: imports.execute_import_from,
}
