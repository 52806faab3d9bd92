"""Inlines the functions that make, read or batch queues.

A program may make a queue in one function, read it in a second, and batch it in a third. The
code between these calls becomes a function of the dataset, so all of it must be in one place.
"""

from __future__ import annotations

import ast
import builtins

from migrate.facts import names
from migrate.normalise.calls.inliner import Call, Inliner, NotInlinable
from migrate.normalise.queues.view import Home, Note, State, Unread, View
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import queues as table

_TRAINS = ("minimize", "apply_gradients", "managed_session")
_NOT_ALWAYS = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.comprehension)


def bring_helper(view: View, state: State, brought: set[str]) -> Text | None:
    """The text with one call of such a function replaced by the function's body.

    Args:
      brought: names of the inlined functions; this function adds to it.

    Raises:
      Unread: a call of such a function cannot be inlined.
    """
    helpers = _find_helpers(view)
    for node in walk_breadth_first(view.tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        callee = _find_definition(view, node.func)
        if callee not in helpers:
            continue
        home = view.find_home(node)
        if home is callee or isinstance(view.scopes.parents[callee], ast.FunctionDef):
            continue
        statement = view.find_statement(node)
        if _stays(view, node, statement):
            continue
        if not (
            isinstance(statement, (ast.Assign, ast.Expr)) and statement.value is node
        ):
            return _name_call(view, statement, node)
        call = Call(statement, node, callee, None, None, callee.name)
        inliner = Inliner(
            view.text,
            view.scopes,
            _find_names_in(view, home),
            _find_bound_names(view, home),
        )
        try:
            text = inliner.inline_statement(call)
        except NotInlinable as error:
            raise Unread(
                view,
                node,
                "I120",
                f"`{callee.name}` is a part of the queue input: {error}",
                "Write the function's body where it is called.",
            ) from error
        brought.add(callee.name)
        why = (
            f"`{callee.name}` is a part of the queue input, and its body now stands "
            "here"
        )
        state.notes.append(Note(view.find_line(callee), "S130", callee.name, why))
        return _drop_unused_functions(text, brought)
    return None


def _drop_unused_functions(text: Text, brought: set[str]) -> Text:
    """The text without inlined functions that nothing uses any more."""
    while True:
        tree = parse_source(text.source)
        read = find_plain_names(tree, ast.Load)
        gone = [
            s
            for s in tree.body
            if isinstance(s, ast.FunctionDef)
            and s.name in brought
            and s.name not in read
        ]
        if not gone:
            return text
        node = gone[-1]
        last = node.end_lineno or node.lineno
        while last < len(text.lines) and not text.lines[last].strip():
            last += 1
        text = text.splice(node.lineno, last, [], [])


def _find_helpers(view: View) -> set[ast.FunctionDef]:
    """Functions of the module that make or read queues, or call such a function."""
    functions = [
        s
        for s in view.tree.body
        if isinstance(s, ast.FunctionDef) and _passes_on(view, s)
    ]
    found: set[ast.FunctionDef] = set()
    for function in functions:
        for node in walk_breadth_first(function):
            if isinstance(node, ast.Call) and (
                view.scopes.resolve(node.func) in table.INPUT
            ):
                found.add(function)
    while True:
        more = {
            function
            for function in functions
            if function not in found
            for node in walk_breadth_first(function)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and _find_definition(view, node.func) in found
        }
        if not more:
            return found
        found |= more


def _passes_on(view: View, function: ast.FunctionDef) -> bool:
    """Whether a function returns what it makes, and trains nothing itself."""
    returns = any(
        isinstance(n, ast.Return) and n.value is not None
        for n in names.walk_scope_of_function(function)
    )
    return returns and not any(
        "Session" in (view.scopes.resolve(n.func) or "")
        or (isinstance(n.func, ast.Attribute) and n.func.attr in _TRAINS)
        for n in walk_breadth_first(function)
        if isinstance(n, ast.Call)
    )


def _find_definition(view: View, name: ast.Name) -> ast.FunctionDef | None:
    bindings = view.list_bindings(name)
    if len(bindings) == 1 and isinstance(bindings[0], ast.FunctionDef):
        return bindings[0]
    return None


def _stays(view: View, node: ast.AST, statement: ast.stmt) -> bool:
    """Whether a call may run more or less than once when its statement runs, and so must stay."""
    if not isinstance(statement, (ast.Assign, ast.Expr, ast.Return)):
        return True
    while node is not statement:
        node = view.scopes.parents[node]
        if isinstance(node, _NOT_ALWAYS):
            return True
    return False


def _name_call(view: View, statement: ast.stmt, call: ast.Call) -> Text:
    """Moves a call out of a larger statement, into an assignment before it."""
    if not view.text.is_alone(statement):
        raise Unread(
            view,
            call,
            "I120",
            "it shares its line with other code",
            "Write it on a line of its own.",
        )
    name = view.choose_free_name("element")
    return view.insert_before(
        statement, [f"{name} = {view.flatten_expression(call)}"], [Edit(call, name)]
    )


def _find_names_in(view: View, home: Home) -> set[str]:
    found = set(dir(builtins)) | set(view.scopes.module.bindings)
    for node in walk_breadth_first(home):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found


def _find_bound_names(view: View, home: Home) -> frozenset[str]:
    if isinstance(home, ast.Module):
        return frozenset()
    return frozenset(view.scopes.scope_by_node[home].bindings)
