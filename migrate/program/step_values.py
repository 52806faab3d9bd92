"""Describes an expression that has a value only while a step runs."""

from __future__ import annotations

import ast
import enum

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles


class Step(enum.Enum):
    """One kind of step value, in words that follow its name."""

    TENSOR = "is a tensor of the step"
    GATHERED = "holds tensors of the step"
    PLAIN = "is computed from values that only a step has"
    LISTED = (
        "is made from a list of variables, and layers make their variables in "
        "the first step"
    )


# Python's functions that return no tensor, whatever their arguments are.
_OF_PYTHON = frozenset({"len", "int", "float", "bool", "str", "repr", "type", "id"}) | {
    "isinstance",
    "hasattr",
    "sorted",
    "range",
}
# Attributes of a tensor or variable that are no tensors.
_STATIC = frozenset({"name", "dtype", "op", "graph", "device", "shape", "get_shape"})
_GATHERED = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp)
_GATHERERS = frozenset({"list", "tuple", "dict", "zip", "enumerate", "reversed", "set"})


def is_plain(scopes: Scopes, value: ast.expr) -> bool:
    """Whether an expression over tensors gives a plain Python value: a number, a name."""
    match value:
        case ast.Constant() | ast.JoinedStr():
            return True
        case ast.Attribute(value=base, attr=attribute):
            return attribute in _STATIC or is_plain(scopes, base)
        case ast.Call(func=ast.Name(id=name) as function):
            own = scopes.find_scope(function).find_owner(name) is not None
            if name in ("sum", "max", "min") and not own:
                return all(is_plain(scopes, a) for a in value.args)
            return name in _OF_PYTHON and not own
        case ast.Call(func=ast.Attribute(value=base, attr=attribute) as function):
            symbol = scopes.resolve(function)
            if attribute == "get_shape" or is_plain(scopes, base):
                return True
            computed = symbol is None or not symbol.startswith("tf.")
            return (
                computed
                and bool(value.args)
                and all(is_plain(scopes, a) for a in value.args)
            )
        case ast.Compare(ops=ops):
            return all(isinstance(op, (ast.Is, ast.IsNot)) for op in ops)
        case ast.Subscript(value=base):
            return is_plain(scopes, base)
        case ast.BinOp(left=left, right=right):
            text = isinstance(left, ast.Constant) and isinstance(left.value, str)
            return text or (is_plain(scopes, left) and is_plain(scopes, right))
        case (
            ast.ListComp(elt=made) | ast.SetComp(elt=made) | ast.GeneratorExp(elt=made)
        ):
            return is_plain(scopes, made)
        case ast.DictComp(key=key, value=made):
            return is_plain(scopes, key) and is_plain(scopes, made)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return bool(elements) and all(is_plain(scopes, e) for e in elements)
    return False


def _gathers(scopes: Scopes, value: ast.expr) -> bool:
    """Whether an expression puts tensors into a list, a tuple or a dict."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        named = value.func.id
        return (
            named in _GATHERERS
            and scopes.find_scope(value.func).find_owner(named) is None
        )
    return isinstance(value, _GATHERED)


def _lists_variables(scopes: Scopes, value: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Call)
        and scopes.resolve(node.func) in roles.TRAINABLE | roles.GLOBAL
        for node in walk_breadth_first(value)
    )


def describe(scopes: Scopes, node: ast.expr) -> Step:
    """Returns the kind of step value of an expression, or of the value of its name."""
    value = _find_value(scopes, node)
    if isinstance(value, ast.Name):  # `copy = parts`
        value = _find_value(scopes, value)
    if _lists_variables(scopes, value):
        return Step.LISTED
    if is_plain(scopes, value):
        return Step.PLAIN
    return Step.GATHERED if _gathers(scopes, value) else Step.TENSOR


def _find_value(scopes: Scopes, node: ast.expr) -> ast.expr:
    """Returns the last value assigned to a name before it is read; or the expression."""
    if not isinstance(node, ast.Name):
        return node
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = [
        b
        for b in (owner.bindings.get(node.id, []) if owner is not None else [])
        if getattr(b, "lineno", node.lineno) < node.lineno
    ]
    match bound[-1:]:
        case [ast.Assign(targets=[target], value=value)] if (
            names.find_key(target) == node.id
        ):
            return value
        case [ast.AnnAssign(value=ast.expr() as value)]:
            return value
    return node
