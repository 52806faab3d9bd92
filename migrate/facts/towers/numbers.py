"""An interpreter, on numbers, of the few constructs that averages over towers are made of."""

from __future__ import annotations

import ast
import collections
import dataclasses
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from typing import Any

from migrate.facts.scopes import Scopes

_MOST_STEPS = 5000  # A few hundred are needed; a loop without an end ends here.

_BUILTINS = frozenset({"builtins", "six.moves", "future.builtins", "past.builtins"})


class Unknown(Exception):
    """A construct or function that this interpreter does not know."""


class _Returned(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Continue(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Tensor:
    """Numbers in nested lists."""

    data: Any


@dataclasses.dataclass(frozen=True)
class Variable:
    index: int


@dataclasses.dataclass(frozen=True)
class _Function:
    """A function, and the names around it, which it reads when it is called."""

    node: ast.Lambda | ast.FunctionDef
    names: MutableMapping[str, Any]


def _apply_elementwise(
    function: Callable[[float, float], float], a: Any, b: Any
) -> Any:
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            raise Unknown
        return [_apply_elementwise(function, x, y) for x, y in zip(a, b)]
    if isinstance(a, list):
        return [_apply_elementwise(function, x, b) for x in a]
    if isinstance(b, list):
        return [_apply_elementwise(function, a, y) for y in b]
    return function(a, b)


def _read_data(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.data
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise Unknown


def _add_items(items: Sequence[Any]) -> Any:
    total = items[0]
    for item in items[1:]:
        total = _apply_elementwise(lambda x, y: x + y, total, item)
    return total


def _flatten(data: Any) -> Iterator[float]:
    for part in data if isinstance(data, list) else [data]:
        if isinstance(part, list):
            yield from _flatten(part)
        else:
            yield part


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


def _is_plain(node: ast.AST) -> bool:
    """Whether it defines a function that returns a value, and changes no other names."""
    return (
        isinstance(node, ast.FunctionDef)
        and not node.decorator_list
        and not any(
            isinstance(inner, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal))
            for inner in ast.walk(node)
        )
    )


def _imports_builtins(node: ast.AST) -> bool:
    """Whether it imports a name that has Python's own meaning."""
    return isinstance(node, ast.ImportFrom) and node.module in _BUILTINS


class Interpreter:
    def __init__(self, scopes: Scopes, count: str, towers: int) -> None:
        self._scopes = scopes
        self._count = count
        self._towers = towers
        self.names: MutableMapping[str, Any] = {}
        self._steps = 0

    def run_call(self, body: Iterable[ast.stmt]) -> Any:
        try:
            self.run_suite(body)
        except _Returned as returned:
            return returned.value
        return None

    # -- statements ----------------------------------------------------------------

    def run_suite(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self.run_statement(statement)

    def run_statement(self, node: ast.stmt) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise Unknown
        if isinstance(node, ast.Assign):
            value = self.evaluate_node(node.value)
            for target in node.targets:
                self.bind(target, value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            old, new = self.names[node.target.id], self.evaluate_node(node.value)
            if isinstance(node.op, ast.Add) and isinstance(old, list):
                old.extend(new)  # The list changes under all of its names.
                return
            self.names[node.target.id] = self.apply_operation(type(node.op), old, new)
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant):
                self.evaluate_node(node.value)
        elif isinstance(node, ast.For) and not node.orelse:
            for item in self.evaluate_node(node.iter):
                self.bind(node.target, item)
                try:
                    self.run_suite(node.body)
                except _Continue:
                    continue
        elif isinstance(node, ast.If):
            self.run_suite(node.body if self.find_truth(node.test) else node.orelse)
        elif isinstance(node, ast.With):
            for item in node.items:
                symbol = (
                    self._scopes.resolve(item.context_expr.func)
                    if isinstance(item.context_expr, ast.Call)
                    else None
                )
                if symbol not in ("tf.device", "tf.name_scope"):
                    raise Unknown
            self.run_suite(node.body)
        elif isinstance(node, ast.Return):
            raise _Returned(self.evaluate_node(node.value) if node.value else None)
        elif isinstance(node, ast.Continue):
            raise _Continue
        elif isinstance(node, ast.FunctionDef) and _is_plain(node):
            self.names[node.name] = _Function(node, self.names)
        elif not isinstance(node, ast.Pass):
            raise Unknown

    def bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = list(value)
            if len(items) != len(target.elts):
                raise Unknown
            for element, item in zip(target.elts, items):
                self.bind(element, item)
        else:
            raise Unknown

    def find_truth(self, node: ast.expr) -> bool:
        value = self.evaluate_node(node)
        if isinstance(value, (Tensor, Variable)):
            raise Unknown
        return bool(value)

    # -- expressions -----------------------------------------------------------------

    def evaluate_node(self, node: ast.expr) -> Any:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise Unknown
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and node.id in self.names:
            return self.names[node.id]
        if isinstance(node, (ast.Name, ast.Attribute)):
            if ast.unparse(node) == self._count:
                return self._towers
            function = self.find_function(node) if isinstance(node, ast.Name) else None
            if function is None:
                raise Unknown
            return function
        if isinstance(node, ast.Call) and ast.unparse(node) == self._count:
            return self._towers  # `len(devices)`
        if isinstance(node, ast.Tuple):
            return tuple(self.evaluate_node(e) for e in node.elts)
        if isinstance(node, ast.List):
            return [self.evaluate_node(e) for e in node.elts]
        if isinstance(node, ast.Subscript):
            base = self.evaluate_node(node.value)
            if not isinstance(base, (list, tuple)):
                raise Unknown
            if isinstance(node.slice, ast.Slice):
                ends = [node.slice.lower, node.slice.upper, node.slice.step]
                return base[
                    slice(*(self.evaluate_node(e) if e else None for e in ends))
                ]
            index = self.evaluate_node(node.slice)
            if not isinstance(index, int):
                raise Unknown
            return base[index]
        if isinstance(node, ast.BinOp):
            return self.apply_operation(
                type(node.op),
                self.evaluate_node(node.left),
                self.evaluate_node(node.right),
            )
        if isinstance(node, ast.Compare):
            return self.compare_values(node)
        if isinstance(node, ast.BoolOp):
            whole = all if isinstance(node.op, ast.And) else any
            return whole(self.find_truth(v) for v in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self.find_truth(node.operand)
        if isinstance(node, ast.IfExp):
            return self.evaluate_node(
                node.body if self.find_truth(node.test) else node.orelse
            )
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.evaluate_comprehension(node)
        if isinstance(node, ast.Lambda):
            return _Function(node, self.names)
        if isinstance(node, ast.Call):
            return self.apply_call(node)
        raise Unknown

    def apply_operation(self, how: type[ast.operator], left: Any, right: Any) -> Any:
        if how is ast.Add and isinstance(left, list) and isinstance(right, list):
            return left + right
        if how not in _OPERATORS:
            raise Unknown
        result = _apply_elementwise(
            _OPERATORS[how], _read_data(left), _read_data(right)
        )
        tensor = isinstance(left, Tensor) or isinstance(right, Tensor)
        return Tensor(result) if tensor else result

    def compare_values(self, node: ast.Compare) -> bool:
        if len(node.ops) != 1:
            raise Unknown
        left, right = (
            self.evaluate_node(node.left),
            self.evaluate_node(node.comparators[0]),
        )
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
        raise Unknown

    def evaluate_comprehension(
        self, node: ast.ListComp | ast.GeneratorExp
    ) -> list[Any]:
        if len(node.generators) != 1:
            raise Unknown
        generator = node.generators[0]
        items, found = self.evaluate_node(generator.iter), []
        outer = self.names
        self.names = collections.ChainMap({}, outer)
        for item in items:
            self.bind(generator.target, item)
            if all(self.find_truth(test) for test in generator.ifs):
                found.append(self.evaluate_node(node.elt))
        self.names = outer
        return found

    def map_items(self, node: ast.Call) -> Iterator[Any]:
        """Yields what `map` yields: the function is called when an item is asked for."""
        if len(node.args) < 2 or any(isinstance(a, ast.Starred) for a in node.args):
            raise Unknown
        function = self.evaluate_node(node.args[0])
        if not isinstance(function, _Function):
            raise Unknown
        items = [self.evaluate_node(argument) for argument in node.args[1:]]
        return (self.call_function(function, given) for given in zip(*items))

    def call_function(self, function: _Function, given: Sequence[Any]) -> Any:
        parameters = function.node.args
        own = [a.arg for a in (*parameters.posonlyargs, *parameters.args)]
        if len(own) != len(given) or parameters.vararg or parameters.kwonlyargs:
            raise Unknown
        outer = self.names
        self.names = collections.ChainMap(dict(zip(own, given)), function.names)
        try:
            if isinstance(function.node, ast.Lambda):
                return self.evaluate_node(function.node.body)
            return self.run_call(function.node.body)
        finally:
            self.names = outer

    def find_function(self, node: ast.Name) -> _Function | None:
        """Finds the program's function of a name: one inside the average, or outside of it."""
        if node.id in self.names:
            found = self.names[node.id]
            if not isinstance(found, _Function):
                raise Unknown
            return found
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        if not bound or all(_imports_builtins(b) for b in bound):
            return None
        made = bound[0].value if isinstance(bound[0], ast.Assign) else bound[0]
        if len(bound) > 1 or not (isinstance(made, ast.Lambda) or _is_plain(made)):
            raise Unknown
        assert isinstance(made, ast.Lambda | ast.FunctionDef)
        return _Function(made, {})

    def apply_call(self, node: ast.Call) -> Any:
        symbol = self._scopes.resolve(node.func)
        if symbol is not None and symbol.startswith("tf."):
            return self.call_tensorflow(symbol, node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            target = self.evaluate_node(node.func.value)
            if not isinstance(target, list) or len(node.args) != 1:
                raise Unknown
            target.append(self.evaluate_node(node.args[0]))
            return None
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise Unknown
        function = self.find_function(node.func)
        if function is not None:
            return self.call_function(
                function, [self.evaluate_node(argument) for argument in node.args]
            )
        name = node.func.id
        if name == "zip":
            items: list[Any] = []
            for argument in node.args:
                if isinstance(argument, ast.Starred):
                    items.extend(self.evaluate_node(argument.value))
                else:
                    items.append(self.evaluate_node(argument))
            return list(zip(*items))
        if name == "map":
            return self.map_items(node)
        if name in ("range", "xrange"):
            bounds = [self.evaluate_node(argument) for argument in node.args]
            if not bounds or not all(isinstance(b, int) for b in bounds):
                raise Unknown
            counted = range(*bounds)
            if len(counted) > _MOST_STEPS:
                raise Unknown
            return list(counted)
        if name == "sum" and len(node.args) == 2:
            rest = list(self.evaluate_node(node.args[0]))
            first = self.evaluate_node(node.args[1])
            return Tensor(_add_items([_read_data(v) for v in (first, *rest)]))
        if len(node.args) != 1:
            raise Unknown
        value = self.evaluate_node(node.args[0])
        if name == "len" and isinstance(value, (list, tuple)):
            return len(value)
        if name == "float" and isinstance(value, (int, float)):
            return float(value)
        if name in ("list", "tuple") and isinstance(value, (list, tuple, Iterator)):
            return list(value) if name == "list" else tuple(value)
        if name == "enumerate" and isinstance(value, (list, tuple)):
            return list(enumerate(value))
        if name == "sum" and isinstance(value, (list, tuple)) and value:
            return Tensor(_add_items([_read_data(v) for v in value]))
        raise Unknown

    def call_tensorflow(self, symbol: str, node: ast.Call) -> Any:
        name = symbol.removeprefix("tf.").removeprefix("math.")
        arguments = [self.evaluate_node(a) for a in node.args]
        keywords = {k.arg: self.evaluate_node(k.value) for k in node.keywords if k.arg}
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
                raise Unknown
            items = [_read_data(v) for v in values]
            if name in ("add_n", "accumulate_n"):
                return Tensor(_add_items(items))
            if name == "concat":
                return Tensor([row for item in items for row in item])
            return Tensor(items)
        if name in ("reduce_mean", "reduce_sum", "expand_dims"):
            value = arguments[0] if arguments else keywords.pop("input_tensor", None)
            axis = arguments[1] if len(arguments) > 1 else None
            for spelling in ("axis", "reduction_indices", "dim"):
                axis = keywords.pop(spelling, axis)
            axis = axis[0] if isinstance(axis, list) and len(axis) == 1 else axis
            if keywords or isinstance(value, list) and not value:
                raise Unknown
            if isinstance(value, list):
                value = Tensor([_read_data(v) for v in value])
            if axis not in (0, None):
                raise Unknown
            if name == "expand_dims":
                return Tensor([_read_data(value)])
            rows = _read_data(value)
            if axis is None:  # All is reduced.
                rows = list(_flatten(rows))
            total = _add_items(rows)
            if name == "reduce_sum":
                return Tensor(total)
            return Tensor(_apply_elementwise(lambda x, y: x / y, total, len(rows)))
        if name in ("identity", "convert_to_tensor") and len(arguments) == 1:
            return arguments[0]
        if name == "to_float" and isinstance(arguments[0], (int, float)):
            return float(arguments[0])
        if name in _BY_NAME and len(arguments) == 2 and not keywords:
            return self.apply_operation(_BY_NAME[name], arguments[0], arguments[1])
        raise Unknown
