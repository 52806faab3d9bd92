"""TF1 to TF1: a function that returns early and starts a server returns at its end.

    if not FLAGS.job_name:            if not FLAGS.job_name:
        return None, ""                   return None, ""
    server = ...                      else:
    return setter, server.target          server = ...
                                          return setter, server.target

Only so can its body stand where it is called, beside the session. For the same reason a
generator returns a list, if the program does nothing but list what it yields:

    def towers(x):                    def towers(x):
        for part in x:                    listed = []
            yield loss(part)              for part in x:
    losses = list(towers(xs))                 listed.append(loss(part))
                                          return listed
                                      losses = towers(xs)
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source, walk_breadth_first


def move_returns_to_end(text: Text) -> Text:
    """The text in which such functions have all returns in tail position."""
    while "Server" in text.source:
        found = _find_early_return(text)
        if found is None:
            return text
        text = add_else(text, *found)
    return text


def _find_early_return(text: Text) -> tuple[ast.If, list[ast.stmt]] | None:
    """A branch that returns at its end, and what stands after it."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for function in walk_breadth_first(tree):
        if not isinstance(function, ast.FunctionDef) or not any(
            isinstance(node, ast.Call)
            and scopes.resolve(node.func) == "tf.train.Server"
            for node in walk_breadth_first(function)
        ):
            continue
        for index, statement in enumerate(function.body[:-1]):
            rest = function.body[index + 1 :]
            if (
                isinstance(statement, ast.If)
                and not statement.orelse
                and isinstance(statement.body[-1], ast.Return)
                and statement.body[-1].value is not None
                and any(isinstance(s, ast.Return) for s in rest)
                and all(text.is_alone(s) for s in (*statement.body, *rest))
            ):
                return statement, rest
    return None


def add_else(text: Text, branch: ast.If, rest: list[ast.stmt]) -> Text:
    """Moves the rest of the function into an `else` of the branch."""
    indent = text.lines[branch.lineno - 1][: branch.col_offset]
    deeper = text.lines[branch.body[0].lineno - 1][: branch.body[0].col_offset]
    lines, origins = text.indent_statements(rest, indent, deeper[len(indent) :])
    end = branch.end_lineno or branch.lineno
    return text.splice(
        end + 1,
        rest[-1].end_lineno or rest[-1].lineno,
        [f"{indent}else:", *lines],
        [text.origins[end - 1], *origins],
    )


def return_lists(text: Text) -> Text:
    """The text in which such generators are functions that return a list."""
    while "yield" in text.source:
        scopes = build_scopes(parse_source(text.source))
        new = next(
            (
                listed
                for node in scopes.walk()
                if isinstance(node, ast.FunctionDef)
                and (listed := _return_list(text, scopes, node)) is not None
            ),
            None,
        )
        if new is None:
            break
        text = new
    return text


def _return_list(text: Text, scopes: Scopes, function: ast.FunctionDef) -> Text | None:
    """The text with one generator as a function; None if it is none, or used in another way."""
    inner = [n for s in function.body for n in names.walk_scope(s)]
    yields = [n for n in inner if isinstance(n, ast.Yield | ast.YieldFrom)]
    statements = [scopes.parents[n] for n in yields]
    if (
        not yields
        or function.decorator_list
        or not isinstance(scopes.parents[function], ast.Module)
        or any(isinstance(n, ast.Return | ast.Try | ast.Global) for n in inner)
        or not all(
            isinstance(n, ast.Yield)
            and n.value is not None
            and isinstance(s, ast.Expr)
            and text.is_alone(s)
            for n, s in zip(yields, statements, strict=True)
        )
    ):
        return None
    calls = []
    for node in scopes.walk():
        if not (isinstance(node, ast.Name) and node.id == function.name):
            continue
        call = scopes.parents[node]
        around = scopes.parents.get(call)
        if not (
            isinstance(call, ast.Call)
            and call.func is node
            and isinstance(around, ast.Call)
            and names.find_key(around.func) == "list"
            and around.args == [call]
            and not around.keywords
        ):
            return None
        calls.append((around, call))
    first, last = function.body[0], function.body[-1]
    if not calls or first.lineno == function.lineno or not text.is_alone(last):
        return None
    listed = names.find_free_name(scopes.tree, "listed")
    edits = [Edit(around, text.flatten_segment(call)) for around, call in calls]
    for node in yields:
        assert isinstance(node, ast.Yield) and node.value is not None
        edits.append(Edit(node, f"{listed}.append({text.flatten_segment(node.value)})"))
    changed = text.apply_edits(edits)
    indent = text.find_indentation(last if len(function.body) == 1 else first)
    end = last.end_lineno or last.lineno
    origin = text.origins[end - 1]
    changed = changed.splice(end + 1, end, [f"{indent}return {listed}"], [origin])
    if names.is_docstring(first):
        begin = (first.end_lineno or first.lineno) + 1
    else:
        begin = first.lineno
    return changed.splice(begin, begin - 1, [f"{indent}{listed} = []"], [origin])
