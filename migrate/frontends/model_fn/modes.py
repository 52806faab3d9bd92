"""Runs a model_fn's branches for one mode: which statements are left, in one line."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scopes
from migrate.program.keras_model import Unit

MODES = ("TRAIN", "EVAL", "PREDICT")
_MODE_KEYS = ("tf.estimator.ModeKeys", "tf.contrib.learn.ModeKeys")
_STRINGS = {"train": "TRAIN", "eval": "EVAL", "infer": "PREDICT"}
_SCOPES = ("tf.name_scope", "tf.variable_scope", "tf.control_dependencies")


class NotSplit(Exception):
    """The function does not lie in what can be split.

    Attributes:
      node: where.
      reason: why, for the user.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason


@dataclasses.dataclass
class Straight:
    """What one mode runs.

    Attributes:
      units: statements, in order.
      spec: the call of EstimatorSpec that is returned.
      around: the statements around that return.
    """

    units: list[Unit]
    spec: ast.Call
    around: tuple[ast.stmt, ...]


class ModeValues:
    """What is known of expressions in one mode.

    Args:
      mode: one of MODES.
      name: the parameter that holds it.
      labels: the parameter that holds labels.
    """

    def __init__(self, mode: str, name: str, labels: str, scopes: Scopes) -> None:
        self._mode, self._name, self._labels = mode, name, labels
        self._scopes = scopes
        self.known: dict[str, bool] = {}

    def of_test(self, node: ast.expr) -> bool | None:
        """Whether an expression is true; None where that is not known."""
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return node.value
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            value = self.of_test(node.operand)
            return None if value is None else not value
        if isinstance(node, ast.BoolOp):
            return self._of_several(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._of_comparison(node.left, node.ops[0], node.comparators[0])
        return None

    def _of_several(self, node: ast.BoolOp) -> bool | None:
        values = [self.of_test(value) for value in node.values]
        decisive = isinstance(node.op, ast.Or)
        if decisive in values:
            return decisive
        return None if None in values else not decisive

    def _of_comparison(
        self, left: ast.expr, op: ast.cmpop, right: ast.expr
    ) -> bool | None:
        if isinstance(op, (ast.In, ast.NotIn)):
            if not self.is_mode(left) or not isinstance(right, (ast.Tuple, ast.List)):
                return None
            modes = [self._mode_key(item) for item in right.elts]
            if None in modes:
                return None
            return (self._mode in modes) == isinstance(op, ast.In)
        if not isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
            return None
        equal = isinstance(op, (ast.Eq, ast.Is))
        for one, other in ((left, right), (right, left)):
            if self.is_mode(one) and (key := self._mode_key(other)) is not None:
                return (key == self._mode) == equal
        if isinstance(left, ast.Name) and left.id == self._labels:
            if isinstance(right, ast.Constant) and right.value is None:
                return (self._mode == "PREDICT") == equal
        return None

    def is_mode(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self._name

    def _mode_key(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return _STRINGS.get(node.value)
        symbol = self._scopes.resolve(node) or ""
        path, _, last = symbol.rpartition(".")
        return last if path in _MODE_KEYS and last in MODES else None


def straight(
    function: ast.FunctionDef,
    values: ModeValues,
    scopes: Scopes,
    specs: tuple[str, ...],
) -> Straight:
    """The statements that a mode runs, and the spec it returns.

    Raises:
      NotSplit: a branch depends on more than the mode and holds a return, or there is
        no return of a spec.
    """
    units: list[Unit] = []
    found = _run(function.body, (), values, scopes, specs, units)
    if found is None:
        raise NotSplit(function, "in one of the modes it returns no EstimatorSpec")
    return found


def _run(
    body: list[ast.stmt],
    around: tuple[ast.stmt, ...],
    values: ModeValues,
    scopes: Scopes,
    specs: tuple[str, ...],
    units: list[Unit],
) -> Straight | None:
    for statement in body:
        if isinstance(statement, ast.Return):
            return Straight(units, _spec(statement, scopes, specs), around)
        if isinstance(statement, ast.If):
            test = values.of_test(statement.test)
            if test is not None:
                taken = statement.body if test else statement.orelse
                inside = (*around, statement)
                found = _run(taken, inside, values, scopes, specs, units)
                if found is not None:
                    return found
                continue
        elif isinstance(statement, ast.With) and is_scope(statement, scopes):
            inside = (*around, statement)
            found = _run(statement.body, inside, values, scopes, specs, units)
            if found is not None:
                return found
            continue
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], values.of_test(statement.value)
            if isinstance(target, ast.Name):
                if value is not None:
                    values.known[target.id] = value
                    continue
                values.known.pop(target.id, None)
        for node in ast.walk(statement):
            if isinstance(node, ast.Return) and not _inner(node, statement, scopes):
                raise NotSplit(statement, "a return that more than the mode decides")
        units.append(Unit(statement, around))
    return None


def _inner(node: ast.AST, statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether a node belongs to a function defined inside the statement."""
    current: ast.AST | None = node
    while current is not None and current is not statement:
        current = scopes.parents.get(current)
        if isinstance(current, (ast.FunctionDef, ast.Lambda)):
            return True
    return False


def is_scope(statement: ast.With, scopes: Scopes) -> bool:
    """Whether a `with` only names things, or orders them."""
    return all(
        item.optional_vars is None
        and isinstance(item.context_expr, ast.Call)
        and scopes.resolve(item.context_expr.func) in _SCOPES
        for item in statement.items
    )


def _spec(statement: ast.Return, scopes: Scopes, specs: tuple[str, ...]) -> ast.Call:
    call = statement.value
    if isinstance(call, ast.Call) and scopes.resolve(call.func) in specs:
        if not any(isinstance(a, ast.Starred) for a in call.args):
            if all(k.arg is not None for k in call.keywords):
                return call
    raise NotSplit(statement, "it returns something else than a call of EstimatorSpec")
