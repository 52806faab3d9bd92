"""D167: a fetched number of type float32 is computed with a number of Python.

    loss_value, _ = sess.run([loss, train])
    average += loss_value / batches

NumPy 1 computed this in float64, and NumPy 2 computes in float32. `loss_value.item()` is a
number of Python, and the line computes in all versions what it computed in NumPy 1.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, make_code
from migrate.rules.mistakes import values
from migrate.rules.mistakes.fetched_values import Fetched, FetchedValues
from migrate.rules.mistakes.mistake import Mistake, find_name
from migrate.source.nodes import find_plain_names
from migrate.tables import scalars as table

_REASON = (
    "NumPy 2 computes a fetched float32 with a number of Python in float32, and NumPy 1 "
    "computed in float64"
)
_RECIPE = "Write `.item()` behind the fetched value."
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_SIGNS = dict(zip(_ARITHMETIC, ("+", "-", "*", "/", "//", "%", "**")))
_SUMS = (ast.Add, ast.Sub)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_GIVE_NUMBERS = frozenset({"float", "int", "len"})
_COUNTERS = frozenset({"range", "xrange", "enumerate"})
_DEEP = 8


class _Is(enum.Enum):
    """What an operand is. A number is Python's own, or will be one."""

    NUMBER = enum.auto()
    FETCHED = enum.auto()


def find(scopes: Scopes) -> Iterator[Mistake]:
    """Reports fetched numbers that the program computes with, or compares."""
    yield from _Numbers(scopes).find()


class _Numbers:
    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._runs = FetchedValues(scopes)
        self._memo: dict[ast.expr, _Is | None] = {}

    def find(self) -> Iterator[Mistake]:
        mended: set[ast.expr] = set()
        for node in self._scopes.walk():
            for one, other in self._list_pairs(node):
                if (self._judge(one), self._judge(other)) == (_Is.FETCHED, _Is.NUMBER):
                    if one not in mended:
                        mended.add(one)
                        yield self._mend(*self._write_item(one))
            if self._is_sum(node) and node not in mended:
                assert isinstance(node, ast.Call)
                each = make_code("sum(value.item() for value in ", node.args[0], ")")
                yield self._mend(node, each)

    def _mend(self, node: ast.expr, code: Code) -> Mistake:
        return Mistake(node, "D167", _REASON, _RECIPE, ((node, code),), kept=True)

    def _write_item(self, node: ast.expr) -> tuple[ast.expr, Code]:
        """What is written anew, and how. A run call is; so its operation is with it."""
        above = self._scopes.parents[node]
        if isinstance(node, ast.Call) and isinstance(above, ast.BinOp):
            first, sign = above.left is node, _SIGNS[type(above.op)]
            left, right = (".item()", "") if first else ("", ".item()")
            code = make_code(above.left, f"{left} {sign} ", above.right, right)
            return above, self._put_in_brackets(above, code)
        stands = isinstance(above, ast.BinOp) and not isinstance(above.op, _SUMS)
        brackets = isinstance(node, ast.BinOp) and isinstance(node.op, _SUMS) and stands
        if isinstance(node, ast.BinOp | ast.UnaryOp) and not brackets:
            return node, make_code("(", node, ").item()")
        return node, make_code(node, ".item()")

    def _put_in_brackets(self, node: ast.BinOp, code: Code) -> Code:
        inside = isinstance(self._scopes.parents[node], ast.BinOp | ast.UnaryOp)
        return make_code("(", code, ")") if inside else code

    def _list_pairs(self, node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
        """Yields the operands of an operation, each with the other one."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            yield node.left, node.right
            yield node.right, node.left
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, _ARITHMETIC):
            if isinstance(node.target, ast.Name):
                yield node.value, node.target
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.ops[0], _ORDERS):
                yield node.left, node.comparators[0]
                yield node.comparators[0], node.left

    def _judge(self, node: ast.expr) -> _Is | None:
        if node not in self._memo:
            self._memo[node] = None
            self._memo[node] = self._decide(node)
        return self._memo[node]

    def _decide(self, node: ast.expr) -> _Is | None:
        if isinstance(node, ast.Constant):
            known = isinstance(node.value, int | float)
            return _Is.NUMBER if known and not isinstance(node.value, bool) else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            return self._judge(node.operand)
        if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            return self._join(self._judge(node.left), self._judge(node.right))
        if self._is_sum(node) or self._gives_number(node):
            return _Is.NUMBER
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            if self._is_scalar(self._runs.trace_value(node)):
                return _Is.FETCHED
        return _Is.NUMBER if self._is_named_number(node) else None

    def _join(self, one: _Is | None, other: _Is | None) -> _Is | None:
        if one is None or other is None:
            return None
        return _Is.FETCHED if one is other is _Is.FETCHED else _Is.NUMBER

    def _is_scalar(self, found: Fetched) -> bool:
        return (
            bool(found.parts)
            and found.complete
            and all(map(self._has_one, found.parts))
        )

    def _is_sum(self, node: ast.AST) -> bool:
        """Whether a node is `sum(losses)` of fetched numbers."""
        return (
            isinstance(node, ast.Call)
            and self._calls_builtin(node, {"sum"})
            and len(node.args) == 1
            and not node.keywords
            and not isinstance(node.args[0], ast.Starred)
            and self._is_scalar(self._runs.find_item_value(node.args[0], None))
        )

    def _gives_number(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self._calls_builtin(node, _GIVE_NUMBERS)

    def _calls_builtin(self, call: ast.Call, wanted: frozenset[str] | set[str]) -> bool:
        function = call.func
        return (
            isinstance(function, ast.Name)
            and function.id in wanted
            and self._scopes.find_scope(function).find_owner(function.id) is None
        )

    def _is_named_number(self, node: ast.expr) -> bool:
        """Whether all that a name may have is numbers of Python; or it is a flag."""
        if isinstance(node, ast.Attribute):
            return (self._scopes.resolve(node.value) or "").endswith("flags.FLAGS")
        if not isinstance(node, ast.Name):
            return False
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bindings = owner.bindings.get(node.id, ()) if owner is not None else ()
        return bool(bindings) and all(self._binds_number(node.id, b) for b in bindings)

    def _binds_number(self, name: str, binding: ast.AST) -> bool:
        if isinstance(binding, ast.Assign):
            return all(
                self._gives_name_a_number(name, target, binding.value)
                for target in binding.targets
            )
        if isinstance(binding, ast.AugAssign):
            # What is fetched becomes a number before it is added.
            return self._judge(binding.value) is not None
        if isinstance(binding, ast.For) and isinstance(binding.iter, ast.Call):
            target = binding.target
            if isinstance(target, ast.Tuple):
                target = target.elts[0]
                if not self._calls_builtin(binding.iter, {"enumerate"}):
                    return False
            return (
                isinstance(target, ast.Name)
                and target.id == name
                and self._calls_builtin(binding.iter, _COUNTERS)
            )
        return False

    def _gives_name_a_number(
        self, name: str, target: ast.expr, value: ast.expr
    ) -> bool:
        """Whether an assignment to a target gives a name in it a number of Python."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = zip(target.elts, value.elts)
            return len(target.elts) == len(value.elts) and all(
                self._gives_name_a_number(name, one, other)
                for one, other in pairs
                if name in find_plain_names(one)
            )
        return isinstance(target, ast.Name) and self._judge(value) is _Is.NUMBER

    def _has_one(self, node: ast.expr, deep: int = _DEEP) -> bool:
        """Whether a tensor is one number of a floating type."""
        made = values.find_single(self._scopes, node) if deep else None
        if isinstance(made, ast.Constant):
            return isinstance(made.value, float)
        if isinstance(made, ast.UnaryOp):
            return self._has_one(made.operand, deep - 1)
        if isinstance(made, ast.BinOp) and not isinstance(made.op, ast.MatMult):
            sides = [
                s for s in (made.left, made.right) if self._judge(s) is not _Is.NUMBER
            ]
            return bool(sides) and all(self._has_one(side, deep - 1) for side in sides)
        if not isinstance(made, ast.Call):
            return False
        symbol = find_name(self._scopes, made.func)
        if any(isinstance(a, ast.Starred) for a in made.args):
            return False
        if symbol in table.REDUCES:
            axes, place = table.REDUCES[symbol]
            given = [names.find_argument(made, name, place) for name in axes]
            kept = [names.find_argument(made, name) for name in table.KEEPS]
            return not any([*given, *kept]) and len(made.args) <= place
        if symbol in table.NUMBERS:
            return names.find_argument(made, table.REDUCTION) is None
        if symbol in table.OF_NUMBERS and made.args:
            sides = [s for s in made.args[:2] if self._judge(s) is not _Is.NUMBER]
            return bool(sides) and all(self._has_one(s, deep - 1) for s in sides)
        return False
