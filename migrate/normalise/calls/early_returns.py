"""TF1 to TF1: a function that returns early and starts a server returns at its end.

    if not FLAGS.job_name:            if not FLAGS.job_name:
        return None, ""                   return None, ""
    server = ...                      else:
    return setter, server.target          server = ...
                                          return setter, server.target

Only so can its body stand where it is called, beside the session.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import build_scopes
from migrate.normalise.text import Text
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
