"""Evaluates expressions whose names are constants, however they are written."""

from __future__ import annotations

import ast
import operator
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from migrate.facts.scopes import Scopes

# ("constant", repr), ("symbol", TensorFlow's name), ("expression", text whose names do
# not change) or ("unknown", ""), which equals nothing.
Value = tuple[str, str]
# A function and its parameter -> the parameter's value in a call.
Environment = Mapping[tuple[ast.AST, str], Value]

UNKNOWN: Value = ("unknown", "")
_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_FUNCTIONS: dict[str, Callable[..., object]] = {
    "bool": bool,
    "str": str,
    "int": int,
    "len": len,
    "float": float,
}


class _NoConstant(Exception):
    """The program must run before the value is known."""


def is_known(value: Value) -> bool:
    return value != UNKNOWN


def evaluate(scopes: Scopes, node: ast.expr | None, environment: Environment) -> Value:
    """Returns the value of an expression; the value of None if there is none."""
    if node is None:
        return ("constant", "None")
    symbol = scopes.resolve(node)
    if symbol is not None:
        return ("symbol", symbol)
    if isinstance(node, ast.Name):
        owner = scopes.find_scope(node).find_owner(node.id)
        given = environment.get((owner.node, node.id)) if owner is not None else None
        if given is not None:
            return given
    try:
        value = _Evaluation(scopes, environment).evaluate_node(node)
        if isinstance(value, (bool, int, float, str, tuple, list, type(None))):
            return ("constant", repr(value))
    except (_NoConstant, ArithmeticError, TypeError, ValueError, LookupError):
        pass
    changes = _Changes(scopes, node)
    if all(_keeps_value(scopes, n) for n in ast.walk(node)) and changes.known:
        return ("expression", ast.dump(node) + changes.text)
    return UNKNOWN


def find_class_value(scopes: Scopes, node: ast.expr) -> ast.expr | None:
    """Returns the value of `Modes.TRAIN`, of a class of this file; None if it may change.

    class Modes:
        TRAIN = "train"
    """
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return None
    owner = scopes.find_scope(node).find_owner(node.value.id)
    bound = owner.bindings[node.value.id] if owner is not None else []
    class_ = bound[0] if len(bound) == 1 else None
    if not isinstance(class_, ast.ClassDef):
        return None
    plain = all(isinstance(b, ast.Name) and b.id == "object" for b in class_.bases)
    if not plain or class_.keywords or class_.decorator_list:
        return None  # An Enum's attribute is an object of its own.
    own = scopes.scope_by_node[class_].bindings.get(node.attr, [])
    if len(own) != 1 or own[0] not in class_.body or _is_set(scopes, node):
        return None
    match own[0]:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value
    return None


def _is_set(scopes: Scopes, read: ast.Attribute) -> bool:
    """Whether other code may give an attribute of a class another value."""
    assert isinstance(read.value, ast.Name)
    if "." + read.attr in _find_changes(scopes):
        return True
    return any(
        isinstance(node, ast.Name)
        and node.id == read.value.id
        and not isinstance(scopes.parents.get(node), ast.Attribute)
        for node in scopes.walk()
    )


def _keeps_value(scopes: Scopes, node: ast.AST) -> bool:
    """Whether a part of an expression has the same value each time it is computed."""
    if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
        return False
    if isinstance(node, ast.Call):
        function = scopes.resolve(node.func) or ""
        plain = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
        return (
            plain or function.startswith("tf.") or isinstance(node.func, ast.Attribute)
        )
    return True


class _Changes:
    """The number of changes of an expression's names before it.

    Two expressions with the same text have the same value if no name changes between them.
    """

    def __init__(self, scopes: Scopes, node: ast.expr) -> None:
        self.known = True
        self.text = ""
        self._scopes = scopes
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                self._count_changes(part, part.id, scopes)
            elif isinstance(part, ast.Attribute):
                self._count_changes(part, "." + part.attr, scopes)

    def _count_changes(
        self, node: ast.Name | ast.Attribute, name: str, scopes: Scopes
    ) -> None:
        changes = _find_changes(scopes).get(name, [])
        if isinstance(node, ast.Name):
            scope = scopes.find_scope(node)
            owner = scope.find_owner(node.id)
            bound = owner.bindings.get(node.id, []) if owner is not None else []
            if len(bound) > 1:
                self.known = self.known and owner is scope
                changes = [*changes, *bound]
        before = [c for c in changes if c.lineno < node.lineno]  # type: ignore[attr-defined]
        if before:
            self.text += f" {name}: {len(before)}"
        parent = scopes.parents.get(node)
        while changes and parent is not None:
            if isinstance(parent, (ast.For, ast.While)):
                start, end = parent.lineno, parent.end_lineno or 0
                if any(start <= c.lineno <= end for c in changes):  # type: ignore[attr-defined]
                    self.text += f" in {start}"
            parent = scopes.parents.get(parent)


_FOUND: weakref.WeakKeyDictionary[Scopes, dict[str, list[ast.AST]]] = (
    weakref.WeakKeyDictionary()
)


def _find_changes(scopes: Scopes) -> dict[str, list[ast.AST]]:
    """Maps names and attributes to the places that change their objects in place."""
    if scopes not in _FOUND:
        found: dict[str, list[ast.AST]] = {}
        for node in scopes.walk():
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                found.setdefault("." + node.attr, []).append(node)
            changed: ast.AST | None = None
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                changed = node.value
            elif (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Call)
                and isinstance(node.value.func, ast.Attribute)
            ):
                changed = node.value.func.value
            if isinstance(changed, ast.Name):
                found.setdefault(changed.id, []).append(node)
            elif isinstance(changed, ast.Attribute):
                found.setdefault("." + changed.attr, []).append(node)
        _FOUND[scopes] = found
    return _FOUND[scopes]


class _Evaluation:
    """Computes an expression of constants."""

    def __init__(self, scopes: Scopes, environment: Environment, depth: int = 0):
        self._scopes = scopes
        self._environment = environment
        self._depth = depth

    def evaluate_node(self, node: ast.expr) -> object:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self._evaluate_name(node)
        if isinstance(node, (ast.Tuple, ast.List)):
            items = [self.evaluate_node(item) for item in node.elts]
            return tuple(items) if isinstance(node, ast.Tuple) else items
        if isinstance(node, ast.UnaryOp):
            operand = self.evaluate_node(node.operand)
            if isinstance(node.op, ast.Not):
                return not operand
            if isinstance(node.op, ast.USub) and isinstance(operand, (int, float)):
                return -operand
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            result: object = _BINARY[type(node.op)](
                self.evaluate_node(node.left), self.evaluate_node(node.right)
            )
            return result
        if isinstance(node, ast.BoolOp):
            first: object = None
            for item in node.values:
                first = self.evaluate_node(item)
                if bool(first) is isinstance(node.op, ast.Or):
                    break
            return first
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            compared = _COMPARED[type(node.ops[0])]
            return bool(
                compared(
                    self.evaluate_node(node.left),
                    self.evaluate_node(node.comparators[0]),
                )
            )
        if isinstance(node, ast.IfExp):
            return self.evaluate_node(
                node.body if self.evaluate_node(node.test) else node.orelse
            )
        if isinstance(node, ast.JoinedStr):
            return "".join(self._evaluate_part(part) for part in node.values)
        if isinstance(node, ast.Call) and not node.keywords:
            arguments = [self.evaluate_node(a) for a in node.args]
            if isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
                if self._scopes.find_scope(node).find_owner(node.func.id) is None:
                    made: object = _FUNCTIONS[node.func.id](*arguments)
                    return made
            elif isinstance(node.func, ast.Attribute) and node.func.attr == "format":
                text = self.evaluate_node(node.func.value)
                if isinstance(text, str):
                    return text.format(*arguments)
        raise _NoConstant

    def _evaluate_part(self, part: ast.expr) -> str:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion != -1:
                raise _NoConstant
            return str(self.evaluate_node(part.value))
        return str(self.evaluate_node(part))

    def _evaluate_name(self, node: ast.Name) -> object:
        owner = self._scopes.find_scope(node).find_owner(node.id)
        if owner is None or self._depth > 20:
            raise _NoConstant
        given = self._environment.get((owner.node, node.id))
        if given is not None:
            if given[0] != "constant":
                raise _NoConstant
            return ast.literal_eval(given[1])
        bound = owner.bindings[node.id]
        if len(bound) == 1 and isinstance(bound[0], ast.Assign):
            target = bound[0].targets[0]
            if len(bound[0].targets) == 1 and isinstance(target, ast.Name):
                deeper = _Evaluation(self._scopes, self._environment, self._depth + 1)
                value = deeper.evaluate_node(bound[0].value)
                if not isinstance(value, list):  # It may have another value by then.
                    return value
        raise _NoConstant
