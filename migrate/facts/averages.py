"""Whether a function averages gradients over towers, told by what it computes.

`average_gradients(tower_grads)` has many spellings: stack or concat, reduce_mean or
add_n and a division, comprehensions or loops. So the function is not matched but run,
on numbers: two towers and three, two variables, by an interpreter of the few constructs
that such functions are made of. What it does not know is no average.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from migrate.facts.scopes import Scopes

_TOWERS = (
    [[1.0, 2.0], [5.0, -3.0]],
    [[4.0, 0.5], [2.0, 8.0]],
    [[-2.0, 7.0], [0.0, 1.0]],
)
_MOST_STEPS = 5000  # A few hundred are needed; a loop without an end ends here.


class _Unknown(Exception):
    """A construct or function that this interpreter does not know."""


class _Returned(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Continue(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class _Tensor:
    """Numbers in nested lists."""

    data: Any


@dataclasses.dataclass(frozen=True)
class _Variable:
    index: int


def averages_towers(function: ast.FunctionDef, scopes: Scopes, count: str = "") -> bool:
    """Whether it gives the mean over towers, per variable, as (gradient, variable).

    Args:
      function: takes one argument: per tower a list of (gradient, variable).
      count: an expression that is the number of towers, where the program has one. A
        literal is the only number tried: dividing by it is a mean.
    """
    counts = [int(count)] if count.isdigit() and 0 < int(count) <= 64 else [2, 3]
    return all(_averages(function, scopes, count, _towers(n)) for n in counts)


def _towers(count: int) -> list[list[list[float]]]:
    """Gradients of so many towers, no two alike."""
    return [
        [[number + tower for number in gradient] for gradient in _TOWERS[tower % 3]]
        for tower in range(count)
    ]


def _averages(
    function: ast.FunctionDef,
    scopes: Scopes,
    count: str,
    towers: list[list[list[float]]],
) -> bool:
    """Whether it gives the mean of these towers."""
    parameters = [a.arg for a in function.args.args]
    if not parameters or len(parameters) - len(function.args.defaults) > 1:
        return False
    given = [
        [(_Tensor(gradient), _Variable(i)) for i, gradient in enumerate(tower)]
        for tower in towers
    ]
    interpreter = _Interpreter(scopes, count, len(towers))
    try:
        for parameter, default in zip(
            reversed(parameters[1:]), reversed(function.args.defaults)
        ):
            interpreter.names[parameter] = interpreter.value(default)
        interpreter.names[parameters[0]] = given
        result = interpreter.call(function.body)
    except (_Unknown, TypeError, ValueError, IndexError, KeyError, ZeroDivisionError):
        return False
    if not isinstance(result, (list, tuple)) or len(result) != len(towers[0]):
        return False
    for index, pair in enumerate(result):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            return False
        mean = [
            sum(tower[index][k] for tower in towers) / len(towers) for k in range(2)
        ]
        gradient, variable = pair
        if variable != _Variable(index) or not isinstance(gradient, _Tensor):
            return False
        if not isinstance(gradient.data, list) or len(gradient.data) != 2:
            return False
        if any(abs(a - b) > 1e-9 for a, b in zip(gradient.data, mean)):
            return False
    return True


def _elementwise(function: Callable[[float, float], float], a: Any, b: Any) -> Any:
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            raise _Unknown
        return [_elementwise(function, x, y) for x, y in zip(a, b)]
    if isinstance(a, list):
        return [_elementwise(function, x, b) for x in a]
    if isinstance(b, list):
        return [_elementwise(function, a, y) for y in b]
    return function(a, b)


def _data(value: Any) -> Any:
    if isinstance(value, _Tensor):
        return value.data
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise _Unknown


def _sum(items: Sequence[Any]) -> Any:
    total = items[0]
    for item in items[1:]:
        total = _elementwise(lambda x, y: x + y, total, item)
    return total


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y,
}
_BY_NAME: dict[str, type[ast.operator]] = {
    "add": ast.Add,
    "multiply": ast.Mult,
    "scalar_mul": ast.Mult,
    "divide": ast.Div,
    "div": ast.Div,
    "truediv": ast.Div,
    "realdiv": ast.Div,
}


class _Interpreter:
    def __init__(self, scopes: Scopes, count: str, towers: int) -> None:
        self._scopes = scopes
        self._count = count
        self._towers = towers
        self.names: dict[str, Any] = {}
        self._steps = 0

    def call(self, body: Iterable[ast.stmt]) -> Any:
        try:
            self.suite(body)
        except _Returned as returned:
            return returned.value
        return None

    # -- statements ----------------------------------------------------------------

    def suite(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise _Unknown
        if isinstance(node, ast.Assign):
            value = self.value(node.value)
            for target in node.targets:
                self.bind(target, value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            old, new = self.names[node.target.id], self.value(node.value)
            self.names[node.target.id] = self.operation(type(node.op), old, new)
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant):
                self.value(node.value)
        elif isinstance(node, ast.For) and not node.orelse:
            for item in self.value(node.iter):
                self.bind(node.target, item)
                try:
                    self.suite(node.body)
                except _Continue:
                    continue
        elif isinstance(node, ast.If):
            self.suite(node.body if self.truth(node.test) else node.orelse)
        elif isinstance(node, ast.With):
            for item in node.items:
                symbol = (
                    self._scopes.resolve(item.context_expr.func)
                    if isinstance(item.context_expr, ast.Call)
                    else None
                )
                if symbol not in ("tf.device", "tf.name_scope"):
                    raise _Unknown
            self.suite(node.body)
        elif isinstance(node, ast.Return):
            raise _Returned(self.value(node.value) if node.value else None)
        elif isinstance(node, ast.Continue):
            raise _Continue
        elif not isinstance(node, ast.Pass):
            raise _Unknown

    def bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = list(value)
            if len(items) != len(target.elts):
                raise _Unknown
            for element, item in zip(target.elts, items):
                self.bind(element, item)
        else:
            raise _Unknown

    def truth(self, node: ast.expr) -> bool:
        value = self.value(node)
        if isinstance(value, (_Tensor, _Variable)):
            raise _Unknown
        return bool(value)

    # -- expressions -----------------------------------------------------------------

    def value(self, node: ast.expr) -> Any:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise _Unknown
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id in self.names:
            return self.names[node.id]
        if isinstance(node, (ast.Name, ast.Attribute)):
            if ast.unparse(node) != self._count:
                raise _Unknown
            return self._towers
        if isinstance(node, ast.Call) and ast.unparse(node) == self._count:
            return self._towers  # `len(devices)`
        if isinstance(node, ast.Tuple):
            return tuple(self.value(e) for e in node.elts)
        if isinstance(node, ast.List):
            return [self.value(e) for e in node.elts]
        if isinstance(node, ast.Subscript):
            base, index = self.value(node.value), self.value(node.slice)
            if not isinstance(base, (list, tuple)) or not isinstance(index, int):
                raise _Unknown
            return base[index]
        if isinstance(node, ast.BinOp):
            return self.operation(
                type(node.op), self.value(node.left), self.value(node.right)
            )
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.BoolOp):
            whole = all if isinstance(node.op, ast.And) else any
            return whole(self.truth(v) for v in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self.truth(node.operand)
        if isinstance(node, ast.IfExp):
            return self.value(node.body if self.truth(node.test) else node.orelse)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.comprehension(node)
        if isinstance(node, ast.Call):
            return self.applied(node)
        raise _Unknown

    def operation(self, how: type[ast.operator], left: Any, right: Any) -> Any:
        if how is ast.Add and isinstance(left, list) and isinstance(right, list):
            return left + right
        if how not in _OPERATORS:
            raise _Unknown
        result = _elementwise(_OPERATORS[how], _data(left), _data(right))
        tensor = isinstance(left, _Tensor) or isinstance(right, _Tensor)
        return _Tensor(result) if tensor else result

    def comparison(self, node: ast.Compare) -> bool:
        if len(node.ops) != 1:
            raise _Unknown
        left, right = self.value(node.left), self.value(node.comparators[0])
        how = node.ops[0]
        if right is None and isinstance(how, (ast.Is, ast.Eq)):
            return left is None
        if right is None and isinstance(how, (ast.IsNot, ast.NotEq)):
            return left is not None
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            if isinstance(how, ast.Eq):
                return left == right
            if isinstance(how, ast.NotEq):
                return left != right
            if isinstance(how, ast.Gt):
                return left > right
            if isinstance(how, ast.Lt):
                return left < right
        raise _Unknown

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        if len(node.generators) != 1:
            raise _Unknown
        generator = node.generators[0]
        outer, found = dict(self.names), []
        for item in self.value(generator.iter):
            self.bind(generator.target, item)
            if all(self.truth(test) for test in generator.ifs):
                found.append(self.value(node.elt))
        self.names = outer
        return found

    def applied(self, node: ast.Call) -> Any:
        symbol = self._scopes.resolve(node.func)
        if symbol is not None and symbol.startswith("tf."):
            return self.tensorflow(symbol, node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            target = self.value(node.func.value)
            if not isinstance(target, list) or len(node.args) != 1:
                raise _Unknown
            target.append(self.value(node.args[0]))
            return None
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise _Unknown
        name = node.func.id
        if name == "zip":
            items: list[Any] = []
            for argument in node.args:
                if isinstance(argument, ast.Starred):
                    items.extend(self.value(argument.value))
                else:
                    items.append(self.value(argument))
            return list(zip(*items))
        if len(node.args) != 1:
            raise _Unknown
        value = self.value(node.args[0])
        if name == "len" and isinstance(value, (list, tuple)):
            return len(value)
        if name == "float" and isinstance(value, (int, float)):
            return float(value)
        if name in ("list", "tuple") and isinstance(value, (list, tuple)):
            return list(value) if name == "list" else tuple(value)
        if name in ("range", "xrange") and isinstance(value, int):
            return list(range(value))
        if name == "enumerate" and isinstance(value, (list, tuple)):
            return list(enumerate(value))
        if name == "sum" and isinstance(value, list) and value:
            return _Tensor(_sum([_data(v) for v in value]))
        raise _Unknown

    def tensorflow(self, symbol: str, node: ast.Call) -> Any:
        name = symbol.removeprefix("tf.").removeprefix("math.")
        arguments = [self.value(a) for a in node.args]
        keywords = {k.arg: self.value(k.value) for k in node.keywords if k.arg}
        keywords.pop("name", None)
        if name in ("stack", "pack", "concat", "add_n", "accumulate_n"):
            values = keywords.pop("values", None) or keywords.pop("inputs", None)
            axis = keywords.pop("axis", keywords.pop("concat_dim", 0))
            for argument in arguments:
                if isinstance(argument, (list, tuple)):
                    values = argument
                else:
                    axis = argument
            if keywords or axis != 0 or not values:
                raise _Unknown
            items = [_data(v) for v in values]
            if name in ("add_n", "accumulate_n"):
                return _Tensor(_sum(items))
            if name == "concat":
                return _Tensor([row for item in items for row in item])
            return _Tensor(items)
        if name in ("reduce_mean", "reduce_sum", "expand_dims"):
            value = arguments[0] if arguments else keywords.pop("input_tensor", None)
            axis = arguments[1] if len(arguments) > 1 else None
            for spelling in ("axis", "reduction_indices", "dim"):
                axis = keywords.pop(spelling, axis)
            axis = axis[0] if isinstance(axis, list) and len(axis) == 1 else axis
            if keywords or axis != 0 or isinstance(value, list) and not value:
                raise _Unknown
            if isinstance(value, list):
                value = _Tensor([_data(v) for v in value])
            if name == "expand_dims":
                return _Tensor([_data(value)])
            rows = _data(value)
            total = _sum(rows)
            if name == "reduce_sum":
                return _Tensor(total)
            return _Tensor(_elementwise(lambda x, y: x / y, total, len(rows)))
        if name in ("identity", "convert_to_tensor") and len(arguments) == 1:
            return arguments[0]
        if name == "to_float" and isinstance(arguments[0], (int, float)):
            return float(arguments[0])
        if name in _BY_NAME and len(arguments) == 2 and not keywords:
            return self.operation(_BY_NAME[name], arguments[0], arguments[1])
        raise _Unknown
