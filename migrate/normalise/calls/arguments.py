"""TF1 to TF1: a tensor has a name where a function of the file makes variables by its shape.

    loss = tower_loss(image_splits[i], label_splits[i])

becomes, where `tower_loss` asks for the shape of its `images`,

    images = image_splits[i]
    loss = tower_loss(images, label_splits[i])

The variables are made before any step has computed the tensor: its shape is asked for by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text, repeat_step
from migrate.source.nodes import parse_source, walk_breadth_first

_COMPUTED = (ast.Subscript, ast.Call, ast.BinOp)
# Nodes that evaluate each of their parts, once.
_EVALUATED = (
    *(ast.Call, ast.keyword, ast.BinOp, ast.Tuple, ast.List, ast.Subscript),
    *(ast.Attribute, ast.Starred),
)
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)
_Parameter = tuple[ast.FunctionDef, str]


def name_arguments(text: Text) -> Text:
    """The text with a name for each such argument that has none."""
    if "shape" not in text.source:
        return text
    return repeat_step(text, _name_one_argument)


def _name_one_argument(text: Text) -> Text | None:
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    asked = _find_asked_parameters(scopes)
    if not asked:
        return None
    for call in walk_breadth_first(tree):
        if not isinstance(call, ast.Call):
            continue
        statement = _find_statement(scopes, call)
        if statement is None or not text.is_alone(statement):
            continue
        for parameter, argument in _match_arguments(scopes, call):
            if (
                parameter in asked
                and isinstance(argument, _COMPUTED)
                and _comes_first(scopes, statement, argument)
            ):
                return _add_name(text, tree, statement, argument, parameter)
    return None


def _find_asked_parameters(scopes: Scopes) -> set[_Parameter]:
    """Parameters of the file's functions whose shape these, or what they call, ask for."""
    found: set[_Parameter] = set()
    passed: list[tuple[_Parameter, _Parameter]] = []
    for node in scopes.walk():
        if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
            continue
        owner = scopes.find_scope(node).find_owner(node.id)
        function = owner.node if owner is not None else None
        if not isinstance(function, ast.FunctionDef):
            continue
        if node.id not in [a.arg for a in function.args.args]:
            continue
        parent = scopes.parents[node]
        if isinstance(parent, ast.Attribute) and parent.attr in ("shape", "get_shape"):
            found.add((function, node.id))
        if isinstance(parent, ast.keyword):
            parent = scopes.parents[parent]
        if isinstance(parent, ast.Call):
            for to, argument in _match_arguments(scopes, parent):
                if argument is node:
                    passed.append(((function, node.id), to))
    while True:
        more = {one for one, other in passed if other in found} - found
        if not more:
            return found
        found |= more


def _match_arguments(
    scopes: Scopes, call: ast.Call
) -> Iterator[tuple[_Parameter, ast.expr]]:
    """Yields each parameter of a called function of the file, with its argument."""
    if not isinstance(call.func, ast.Name):
        return
    made = reach.find_definitions(scopes, call.func)
    function = made[0] if len(made) == 1 else None
    if not isinstance(function, ast.FunctionDef):
        return
    bound = names.bind_arguments(call, tuple(a.arg for a in function.args.args))
    for name, argument in (bound or {}).items():
        yield (function, name), argument


def _find_statement(scopes: Scopes, call: ast.Call) -> ast.stmt | None:
    """The statement that evaluates a call whole, once; None if that is not certain."""
    node: ast.AST = call
    while isinstance(node, _EVALUATED):
        node = scopes.parents[node]
    return node if isinstance(node, _STATEMENTS) else None


def _comes_first(scopes: Scopes, statement: ast.stmt, argument: ast.expr) -> bool:
    """Whether what the statement computes before it may as well be computed after it."""
    calls = [
        n
        for n in walk_breadth_first(statement)
        if isinstance(n, ast.Call) and not _find_symbol(scopes, n).startswith("tf.")
    ]
    inside = set(walk_breadth_first(argument))
    if not any(call in inside for call in calls):
        return True  # It only builds graph.
    start = (argument.lineno, argument.col_offset)
    return not any(
        (call.end_lineno or 0, call.end_col_offset or 0) <= start for call in calls
    )


def _find_symbol(scopes: Scopes, call: ast.Call) -> str:
    return scopes.resolve(call.func) or ""


def _add_name(
    text: Text,
    tree: ast.Module,
    statement: ast.stmt,
    argument: ast.expr,
    parameter: _Parameter,
) -> Text:
    function, wish = parameter
    # A function with a parameter of this name does not see the new one.
    inside = {
        node
        for f in walk_breadth_first(tree)
        if isinstance(f, ast.FunctionDef) and wish in [a.arg for a in f.args.args]
        for node in walk_breadth_first(f)
    }
    others = [
        n for n in walk_breadth_first(tree) if n not in inside or statement in inside
    ]
    taken = {n.id for n in others if isinstance(n, ast.Name)}
    taken |= {n.arg for n in others if isinstance(n, ast.arg)}
    taken |= {
        n.name for n in walk_breadth_first(tree) if isinstance(n, ast.FunctionDef)
    }
    name, number = wish, 2
    while name in taken:
        base = f"{function.name}_{wish}"
        name, number = base if number == 2 else f"{base}_{number - 1}", number + 1
    value = text.find_segment(argument)
    if "\n" in value:
        value = ast.unparse(argument)
    indent = text.lines[statement.lineno - 1][: statement.col_offset]
    text = text.apply_edits([Edit(argument, name)])
    origin = text.origins[statement.lineno - 1]
    return text.splice(
        statement.lineno, statement.lineno - 1, [f"{indent}{name} = {value}"], [origin]
    )
