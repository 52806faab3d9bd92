"""Runs a model_fn's branches for one mode: which statements are left, in one line."""

from __future__ import annotations

import ast
import dataclasses
import re

from migrate.facts import constants, names
from migrate.facts.scopes import Scopes
from migrate.program.keras_units import Unit
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import contrib_graph, modes

MODES = ("TRAIN", "EVAL", "PREDICT")
_STRINGS = {"train": "TRAIN", "eval": "EVAL", "infer": "PREDICT"}
_TEXTS = {mode: text for text, mode in _STRINGS.items()}
_SCOPES = (
    *("tf.name_scope", "tf.variable_scope", "tf.control_dependencies"),
    *contrib_graph.ARG_SCOPES,
)


class NotSplit(Exception):
    """The model_fn cannot be split into a Keras model.

    Attributes:
      node: where.
      reason: why, for the user.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason


class Untold(Exception):
    """A function of the network needs a parameter for its caller's variable scope."""

    def __init__(self, function: ast.FunctionDef) -> None:
        super().__init__(function.name)
        self.function = function


@dataclasses.dataclass
class Straight:
    """The statements that one mode runs.

    Attributes:
      units: statements, in order.
      spec: the call of EstimatorSpec that is returned.
      around: the statements around that return.
    """

    units: list[Unit]
    spec: ast.Call
    around: tuple[ast.stmt, ...]


class ModeValues:
    """One mode's known values of expressions.

    Args:
      mode: one of MODES.
      name: the parameter that holds it.
      labels: the parameter that holds labels.
    """

    def __init__(self, mode: str, name: str, labels: str, scopes: Scopes) -> None:
        self._mode, self._name, self._labels = mode, name, labels
        # Expressions that ask whether there are labels.
        self.unlabelled: set[ast.expr] = set()
        self._scopes = scopes
        # By name, or attribute of one ("self.training").
        self.known: dict[str, bool] = {}
        # Those of them that are names of a literal, which no mode decides.
        self.literals: set[str] = set()
        # Literals in place of expressions that the mode decides.
        self.overrides: dict[ast.AST, bool] = {}
        # Names that the mode's statements bind.
        self.bound: set[str] = set()

    @property
    def decided(self) -> set[str]:
        """Names that hold what the mode decides."""
        return self.known.keys() - self.literals

    def choose_branch(self, node: ast.expr) -> ast.expr:
        """Returns the branch of a conditional expression that this mode takes."""
        while isinstance(node, ast.IfExp):
            test = self.decide_test(node.test)
            if test is None:
                return node
            node = node.body if test else node.orelse
        return node

    def fold_code(self, node: ast.AST) -> dict[ast.AST, ast.expr | str]:
        """Maps the expressions that the mode decides to their values in this mode."""
        if (
            isinstance(node, ast.IfExp)
            and (value := self.choose_branch(node)) is not node
        ):
            return {node: value} | self.fold_code(value)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id == self._name:
                return {node: f'"{_TEXTS[self._mode]}"'}
            absent = self._mode == "PREDICT" and node.id == self._labels
            if absent and node.id not in self.bound:
                return {node: "None"}
            if node.id in self.decided:
                return {node: str(self.known[node.id])}
        if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
            test = self.decide_test(node)
            if test is not None and self.reads_mode(node):
                return {node: str(test)}
        found: dict[ast.AST, ast.expr | str] = {}
        if isinstance(node, (ast.IfExp, ast.If)) and isinstance(node.test, ast.BoolOp):
            # `weighted and training` becomes the operand that the mode does not decide.
            left = [v for v in node.test.values if self.decide_test(v) is None]
            if len(left) == 1:
                found[node.test] = left[0]
        for child in list_children(node):
            found |= self.fold_code(child)
        return found

    def reads_mode(self, node: ast.AST) -> bool:
        """Whether what the mode decides is part of some code."""
        return bool(names.find_reads(node) & {self._name, self._labels, *self.decided})

    def decide_test(self, node: ast.expr) -> bool | None:
        """Whether an expression is true; None if that is not known."""
        if node in self.overrides:
            return self.overrides[node]
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self.known.get(names.find_key(node) or "")
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            value = self.decide_test(node.operand)
            return None if value is None else not value
        if isinstance(node, ast.BoolOp):
            return self._decide_several(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._decide_comparison(node.left, node.ops[0], node.comparators[0])
        return None

    def _decide_several(self, node: ast.BoolOp) -> bool | None:
        values = [self.decide_test(value) for value in node.values]
        decisive = isinstance(node.op, ast.Or)
        if decisive in values:
            return decisive
        return None if None in values else not decisive

    def _decide_comparison(
        self, left: ast.expr, op: ast.cmpop, right: ast.expr
    ) -> bool | None:
        if isinstance(op, (ast.In, ast.NotIn)):
            if not self.is_mode(left) or not isinstance(right, (ast.Tuple, ast.List)):
                return None
            modes = [self._find_mode_key(item) for item in right.elts]
            if None in modes:
                return None
            return (self._mode in modes) == isinstance(op, ast.In)
        if not isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
            return None
        equal = isinstance(op, (ast.Eq, ast.Is))
        for one, other in ((left, right), (right, left)):
            if self.is_mode(one) and (key := self._find_mode_key(other)) is not None:
                return (key == self._mode) == equal
        if isinstance(left, ast.Name) and left.id == self._labels:
            if isinstance(right, ast.Constant) and right.value is None:
                self.unlabelled.add(left)
                return (self._mode == "PREDICT") == equal
        return None

    def is_mode(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self._name

    def _find_mode_key(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return _STRINGS.get(node.value)
        value = constants.find_class_value(self._scopes, node)
        if value is not None:
            return self._find_mode_key(value)
        text = modes.MODES.get(self._scopes.resolve(node) or "")
        return _STRINGS[ast.literal_eval(text)] if text is not None else None


class _Raised(Exception):
    """The mode ends in an error."""


def follow_mode(
    function: ast.FunctionDef,
    values: ModeValues,
    scopes: Scopes,
    specs: tuple[str, ...],
) -> Straight | None:
    """The statements that a mode runs, and the spec it returns; None if it fails.

    Raises:
      NotSplit: a branch depends on more than the mode and holds a return.
    """
    units: list[Unit] = []
    try:
        return _run(function.body, (), values, scopes, specs, units)
    except _Raised:
        return None


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
            return Straight(units, _find_spec(statement, scopes, specs, units), around)
        if isinstance(statement, ast.Raise):
            raise _Raised
        if shares(statement, scopes):
            continue
        if isinstance(statement, ast.If):
            test = values.decide_test(statement.test)
            if test is not None:
                taken = statement.body if test else statement.orelse
                inside = (*around, statement)
                found = _run(taken, inside, values, scopes, specs, units)
                if found is not None:
                    return found
                continue
        elif isinstance(statement, ast.Assert):
            test = values.decide_test(statement.test)
            if test is False:
                raise _Raised
            if test is not None:
                continue
        elif isinstance(statement, ast.With) and is_scope(statement, scopes):
            inside = (*around, statement)
            found = _run(statement.body, inside, values, scopes, specs, units)
            if found is not None:
                return found
            continue
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], values.decide_test(statement.value)
            if isinstance(target, ast.Name):
                if values.known.get(target.id, value) != value:
                    if any(target.id in names.find_reads(u.statement) for u in units):
                        raise NotSplit(
                            statement,
                            f"the program assigns `{target.id}` again after it "
                            "was read",
                        )
                    values.known.pop(target.id)
                if value is not None:
                    values.known[target.id] = value
                    if not _is_literal(target, statement.value, scopes):
                        continue
                    values.literals.add(target.id)
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.Return) and not _is_in_inner_function(
                node, statement, scopes
            ):
                raise NotSplit(
                    statement,
                    "a condition other than the mode decides whether it returns here",
                )
        units.append(Unit(statement, around))
        values.bound |= names.find_binds(statement)
    return None


def _is_literal(target: ast.Name, value: ast.expr, scopes: Scopes) -> bool:
    """Whether a name is True or False, in every mode."""
    owner = scopes.find_scope(target)
    return isinstance(value, ast.Constant) and len(owner.bindings[target.id]) == 1


def _is_in_inner_function(node: ast.AST, statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether a node belongs to a function defined inside the statement."""
    current: ast.AST | None = node
    while current is not None and current is not statement:
        current = scopes.parents.get(current)
        if isinstance(current, (ast.FunctionDef, ast.Lambda)):
            return True
    return False


def is_plain_assignment(statement: ast.stmt) -> bool:
    """Whether a statement is `name = value`."""
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
    )


def is_none(statement: ast.stmt) -> bool:
    """Whether a statement is `name = None`, which is what other modes have."""
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value is None
    )


def is_scope(statement: ast.With, scopes: Scopes) -> bool:
    """Whether a `with` only names things, orders them, or gives layers arguments.

    Or places them on a device of their own process.
    """
    return all(
        isinstance(item.context_expr, ast.Call)
        and (
            scopes.resolve(item.context_expr.func) in _SCOPES
            or is_device(item.context_expr, scopes)
        )
        and (item.optional_vars is None or _is_opened_again(item, scopes))
        for item in statement.items
    )


def is_device(call: ast.Call, scopes: Scopes) -> bool:
    """Whether it is tf.device of the process that runs it, written out: "/cpu:0"."""
    if scopes.resolve(call.func) != "tf.device" or len(call.args) != 1:
        return False
    place = call.args[0]
    return (
        isinstance(place, ast.Constant)
        and isinstance(place.value, str)
        and re.fullmatch(r"/(device:)?[cg]pu:0", place.value, re.IGNORECASE) is not None
    )


def _is_opened_again(item: ast.withitem, scopes: Scopes) -> bool:
    """Whether the name of a variable scope only shares its variables, or opens it again."""
    name, call = item.optional_vars, item.context_expr
    assert isinstance(call, ast.Call)
    if not isinstance(name, ast.Name):
        return False
    if scopes.resolve(call.func) != "tf.variable_scope":
        return False
    owner = scopes.find_scope(name).find_owner(name.id)
    if owner is None or len(owner.bindings[name.id]) != 1:
        return False
    for node in walk_breadth_first(owner.node):
        if isinstance(node, ast.Name) and node.id == name.id and node is not name:
            parent = scopes.parents.get(node)
            above = scopes.parents.get(parent) if parent is not None else None
            if isinstance(parent, ast.Attribute) and isinstance(above, ast.Call):
                expression = scopes.parents.get(above)
                if isinstance(expression, ast.Expr) and shares(expression, scopes):
                    continue
            if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
                if scopes.resolve(parent.func) == "tf.variable_scope":
                    continue
            return False
    return True


def shares(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether a statement is `scope.reuse_variables()`.

    Without it TF1 raised an error if a variable was made twice. So equal names are
    enough to know that variables are shared.
    """
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr != "reuse_variables" or call.args or call.keywords:
        return False
    of = call.func.value
    if isinstance(of, ast.Call):
        return scopes.resolve(of.func) == "tf.get_variable_scope"
    if not isinstance(of, ast.Name):
        return False
    owner = scopes.find_scope(of).find_owner(of.id)
    bound = owner.bindings[of.id] if owner is not None else []
    return len(bound) == 1 and isinstance(bound[0], ast.With)


def _find_spec(
    statement: ast.Return,
    scopes: Scopes,
    specs: tuple[str, ...],
    units: list[Unit],
) -> ast.Call:
    """The spec that is returned; the statement that named it is taken off the units."""
    call = statement.value
    if isinstance(call, ast.Name):
        named = [u for u in units if call.id in names.find_binds(u.statement)]
        if named and is_plain_assignment(named[-1].statement):
            call = named[-1].statement.value  # type: ignore[attr-defined]
            for unit in named:
                if unit is named[-1] or is_none(unit.statement):
                    units.remove(unit)
    if isinstance(call, ast.Call) and scopes.resolve(call.func) in specs:
        if not any(isinstance(a, ast.Starred) for a in call.args):
            if all(k.arg is not None for k in call.keywords):
                return call
    raise NotSplit(statement, "it does not return a call of EstimatorSpec")
