"""TF1 to TF1: what builds a graph and ends early has the rest in an `else`.

    self.loss = ...                   self.loss = ...
    if mode == "infer":               if mode == "infer":
        return                            pass
    self.train_op = ...               else:
                                          self.train_op = ...

Only so can a constructor's body stand where the object is made.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes, scopes_of
from migrate.normalise.text import Text
from migrate.source.nodes import tree_of, walk_breadth_first

# More branches than any constructor has.
_ROUNDS = 50


def in_else(text: Text) -> Text:
    """The text in which such functions and methods end at their end."""
    for _ in range(_ROUNDS):
        found = _early(text)
        if found is None:
            break
        text = _with_else(text, *found)
    return text


def _early(text: Text) -> tuple[ast.If, list[ast.stmt]] | None:
    """A branch that ends with a `return` of nothing, and what stands after it."""
    tree = tree_of(text.source)
    scopes = scopes_of(tree)
    for function in walk_breadth_first(tree):
        if not isinstance(function, ast.FunctionDef) or not _builds(scopes, function):
            continue
        if any(_returns_value(node) for node in walk_breadth_first(function)):
            continue
        for suite in _suites(function):
            for index, statement in enumerate(suite[:-1]):
                rest = suite[index + 1 :]
                if (
                    isinstance(statement, ast.If)
                    and not statement.orelse
                    and isinstance(statement.body[-1], ast.Return)
                    and all(text.alone(s) for s in (*statement.body, *rest))
                ):
                    return statement, rest
    return None


def _suites(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    """The suites after which nothing of the function is done."""
    found = [function.body]
    last = function.body[-1]
    while isinstance(last, ast.With) or (isinstance(last, ast.If) and last.orelse):
        suite = last.body if isinstance(last, ast.With) else last.orelse
        found.append(suite)
        last = suite[-1]
    return found


def _builds(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether it has anything of TensorFlow's in it."""
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and (scopes.resolve(node) or "").startswith("tf.")
        for node in walk_breadth_first(function)
    )


def _returns_value(node: ast.AST) -> bool:
    """Whether what is called gives something: then it is no constructor."""
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        return True
    value = node.value if isinstance(node, ast.Return) else None
    return value is not None and not (
        isinstance(value, ast.Constant) and value.value is None
    )


def _with_else(text: Text, branch: ast.If, rest: list[ast.stmt]) -> Text:
    """The rest of the suite in an `else` of the branch, which has no `return`."""
    end = branch.body[-1]
    indent = text.lines[branch.lineno - 1][: branch.col_offset]
    deeper = text.lines[end.lineno - 1][: end.col_offset]
    lines, origins = text.indented(rest, indent, deeper[len(indent) :])
    begin = (end.end_lineno or end.lineno) + 1
    last = rest[-1].end_lineno or rest[-1].lineno
    between = last - len(lines)
    text = text.spliced(
        begin,
        last,
        [*text.lines[begin - 1 : between], f"{indent}else:", *lines],
        [*text.origins[begin - 1 : between], text.origins[end.lineno - 1], *origins],
    )
    left = [f"{deeper}pass"] if len(branch.body) == 1 else []
    origin = text.origins[end.lineno - 1]
    return text.spliced(end.lineno, begin - 1, left, [origin] * len(left))
