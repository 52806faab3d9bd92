"""Rewrites a call of a TF1 function: binds TF1's parameters and writes TF2's."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.program.code import Code, join_code, make_code
from migrate.tables import symbols
from migrate.tables.calls import CALLS, WITHOUT_GRADIENT, CallRow
from migrate.tables.contrib import CONTRIB_CALLS, SCOPED

# Expressions that need no parentheses as an operand.
_ATOMS = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript)


def _bind_arguments(
    call: ast.Call, row: CallRow
) -> list[tuple[str, ast.expr, bool]] | None:
    """Returns (TF1's parameter, value, positional) for each argument; None if unclear."""
    known = symbols.look_up(row.symbol)
    parameters = row.parameters or (known.signature_v1 if known is not None else ())
    found: list[tuple[str, ast.expr, bool]] = []
    for index, value in enumerate(call.args):
        if isinstance(value, ast.Starred) or index >= len(parameters):
            return None
        found.append((parameters[index], value, True))
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        found.append((keyword.arg, keyword.value, False))
    return found


def _write_value(row: CallRow, parameter: str, value: ast.expr, scopes: Scopes) -> Code:
    template = dict(row.wrapped).get(parameter)
    if template is None:
        return make_code(value)
    if template.startswith("tf.stop_gradient") and _has_no_gradient(value, scopes):
        return make_code(value)
    before, _, after = template.partition("{}")
    if after or isinstance(value, _ATOMS):
        return make_code(before, value, after)
    return make_code(before, "(", value, ")")


def _has_no_gradient(value: ast.expr, scopes: Scopes) -> bool:
    """Whether a value is known to depend on no variable, as a placeholder."""
    if isinstance(value, ast.Name):
        owner = scopes.find_scope(value).find_owner(value.id)
        bindings = owner.bindings[value.id] if owner is not None else []
        if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
            return False
        if not isinstance(bindings[0].targets[0], ast.Name):
            return False
        value = bindings[0].value
    return (
        isinstance(value, ast.Call) and scopes.resolve(value.func) in WITHOUT_GRADIENT
    )


def _is(value: ast.expr, wanted: str) -> bool:
    return isinstance(value, ast.Constant) and value.value == wanted


ROWS: dict[str, CallRow] = CALLS | {row.symbol: row for row in CONTRIB_CALLS}


def list_arguments(call: ast.Call | None) -> list[ast.expr]:
    """Returns the arguments of a call, positional ones and keywords."""
    if call is None:
        return []
    return [*call.args, *(k.value for k in call.keywords)]


def may_have_arg_scope(symbol: str, scopes: Scopes) -> bool:
    """Whether an arg_scope of the file may give the call arguments that it does not show."""
    return symbol in SCOPED and any(
        s.startswith("tf.contrib.") and s.endswith(".arg_scope")
        for _, s in scopes.walk_uses()
    )


def rewrite_call(call: ast.Call, row: CallRow, scopes: Scopes) -> Code | None:
    """Returns the call for TF2, or None if one of its arguments is not in the row.

    Positional arguments with the same meaning stay positional. All others are passed by
    TF2's names.
    """
    bound = _bind_arguments(call, row)
    if bound is None:
        return None
    renamed, only = dict(row.renamed), dict(row.only)
    if any(p in only and not _is(value, only[p]) for p, value, _ in bound):
        return None
    dropped = {p for p, _, _ in bound if p in row.dropped}
    seen: set[str] = set()
    parts: list[Code] = []
    positional = True
    for index, (parameter, value, by_position) in enumerate(bound):
        if parameter in row.dropped:
            positional = False
            continue
        if parameter not in row.keywords and parameter not in renamed:
            if not (by_position and index < row.positional):
                return None
        name = renamed.get(parameter, parameter)
        if name in seen:
            return None
        seen.add(name)
        positional = positional and by_position and index < row.positional
        new = _write_value(row, parameter, value, scopes)
        parts.append(new if positional else make_code(f"{name}=", new))
    if any(renamed.get(p, p) not in seen | dropped for p in row.required):
        return None
    first = bool(bound) and bound[0][2] and row.positional == 1
    for name, text in row.added:
        if first:  # tf.cast(x, tf.float32)
            parts.insert(1, make_code(text))
        else:
            parts.append(make_code(f"{name}={text}" if name else text))
    for name, text in row.defaults:
        if name not in seen:
            parts.append(make_code(f"{name}={text}"))
    return make_code(row.target, "(", join_code(", ", parts), ")")


def is_unchanged(call: ast.Call, row: CallRow) -> bool:
    """Whether TF2's function takes the arguments as they are written."""
    wrapped, renamed = dict(row.wrapped), dict(row.renamed)
    bound = _bind_arguments(call, row)
    if bound is None or row.added or row.defaults:
        return False
    return all(
        parameter not in wrapped
        and parameter not in row.dropped
        and (index < row.positional if by_position else parameter not in renamed)
        for index, (parameter, _, by_position) in enumerate(bound)
    )


def says_tf1(scopes: Scopes) -> bool:
    """Whether a call names an argument that only TF1's function has, such as keep_dims."""
    for node, symbol in scopes.walk_uses():
        row = CALLS.get(symbol)
        parent = scopes.parents.get(node)
        if row is None or not isinstance(parent, ast.Call) or parent.func is not node:
            continue
        if (scopes.find_dotted_path(node) or "").startswith("tensorflow.compat.v1"):
            continue
        known = symbols.look_up(symbol)
        new = known.signature_v2 if known is not None else ()
        old = {*dict(row.renamed), *row.dropped} - set(new)
        if any(keyword.arg in old for keyword in parent.keywords):
            return True
    return False
