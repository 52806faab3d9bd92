"""Where the cells and layers that a program makes are applied.

    cells = [BasicLSTMCell(8) for _ in range(2)]
    output, state = tf.nn.static_rnn(MultiRNNCell(cells), inputs)

The second line applies both cells. Their variables are made there, when it first runs.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import recurrent

# Methods that make no variables, of a cell and of a list of cells.
_HARMLESS = frozenset(
    {"zero_state", "append", "extend", "insert", "items", "keys", "values", "get"}
    | {"pop", "index", "count"}
)
# Functions of TensorFlow that hold or apply the cells, layers and functions that they get.
_MAY_HOLD = (
    *("tf.contrib.", "tf.keras.", "tf.nn.raw_rnn", "tf.nn.static_state_saving_rnn"),
    *("tf.map_fn", "tf.scan", "tf.fold", "tf.while_loop", "tf.cond", "tf.case"),
    "tf.make_template",
)


def find_applied(
    scopes: Scopes, objects: frozenset[ast.Call]
) -> dict[ast.Call, frozenset[ast.Call]]:
    """Maps calls that apply cells or layers to those that they may apply.

    Args:
      objects: the calls that make the cells and layers.
    """
    return _Applied(scopes, objects).find() if objects else {}


class _Applied:
    def __init__(self, scopes: Scopes, objects: frozenset[ast.Call]) -> None:
        self._scopes = scopes
        self._objects = objects

    def find(self) -> dict[ast.Call, frozenset[ast.Call]]:
        found: dict[ast.Call, frozenset[ast.Call]] = {}
        for call in self._scopes.walk():
            if not isinstance(call, ast.Call):
                continue
            symbol = self._scopes.resolve(call.func) or ""
            if call in self._objects or symbol in recurrent.WRAPPERS:
                continue
            given: list[ast.expr] = []
            if symbol in recurrent.LOOPS or symbol.startswith(_MAY_HOLD):
                given = [*call.args, *(k.value for k in call.keywords)]
            elif not symbol and self._is_object(call.func, self._holders):
                given = [call.func]
            made: set[ast.Call] = set()
            for value in given:
                made |= self._find_mentioned(value, self._holders)
            if symbol in recurrent.LOOPS and not made:
                made |= self._objects  # The call does not show which.
            if made:
                found[call] = frozenset(made)
        return found

    @functools.cached_property
    def _holders(self) -> dict[str, frozenset[ast.Call]]:
        """Maps names, attributes and functions to the objects that they may hold or return.

        An attribute is known by its last name only, whatever its object is.
        """
        held: dict[str, frozenset[ast.Call]] = {}
        pairs = [
            (key, value)
            for node in self._scopes.walk()
            for target, value in _list_bindings(node)
            for key in _list_keys(target)
        ]
        grows = True
        while grows:
            grows = False
            for key, value in pairs:
                made = self._find_mentioned(value, held)
                if not made <= held.get(key, frozenset()):
                    held[key] = held.get(key, frozenset()) | made
                    grows = True
        return held

    def _find_mentioned(
        self, value: ast.AST, held: dict[str, frozenset[ast.Call]]
    ) -> frozenset[ast.Call]:
        """Returns the objects that the value of an expression may be, or may hold."""
        found: set[ast.Call] = set()
        work: list[ast.AST] = [value]
        while work:
            node = work.pop()
            match node:
                case ast.Name(id=key):
                    # A parameter may hold any of them.
                    found |= self._objects if self._is_parameter(node) else set()
                    found |= held.get(key, frozenset())
                case ast.Attribute(value=inner, attr=key):
                    found |= held.get(key, frozenset())
                    if not isinstance(inner, (ast.Name, ast.Attribute)):
                        work.append(inner)
                case ast.Call() if node in self._objects:
                    found.add(node)
                case ast.Call(func=func):
                    if self._is_own(func):
                        work.append(func)  # What it returns.
                    elif not self._gives_tensors(node, held):
                        work += [func, *node.args, *(k.value for k in node.keywords)]
                case _:
                    work += list_children(node)
        return frozenset(found)

    def _gives_tensors(
        self, call: ast.Call, held: dict[str, frozenset[ast.Call]]
    ) -> bool:
        """Whether the result of a call holds no cell and no layer."""
        symbol = self._scopes.resolve(call.func) or ""
        if symbol:
            return symbol.startswith("tf.") and (
                symbol in recurrent.LOOPS
                or symbol not in recurrent.WRAPPERS
                and not symbol.startswith(_MAY_HOLD)
            )
        if isinstance(call.func, ast.Attribute) and call.func.attr == "zero_state":
            return True
        return self._is_object(call.func, held)

    def _is_object(
        self, function: ast.expr, held: dict[str, frozenset[ast.Call]]
    ) -> bool:
        """Whether what is called may be a cell or layer, and not a function of the program."""
        if self._is_own(function):
            return False
        if isinstance(function, ast.Attribute):
            if function.attr in _HARMLESS:
                return False
            if self._find_mentioned(function.value, held):
                return True  # A method of an object: `layer.apply(x)`.
        return bool(self._find_mentioned(function, held))

    def _is_own(self, function: ast.expr) -> bool:
        """Whether what is called is a function, class or method of the program."""
        if isinstance(function, ast.Name):
            return bool(reach.find_definitions(self._scopes, function))
        if not isinstance(function, ast.Attribute):
            return False
        methods = reach.find_methods(self._scopes).get(function.attr, ())
        return bool(methods) and not any(
            names.find_key(decorator) == "property"
            for method in methods
            if isinstance(method, ast.FunctionDef)
            for decorator in method.decorator_list
        )

    def _is_parameter(self, name: ast.Name) -> bool:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        bound = owner.bindings.get(name.id, []) if owner is not None else []
        return any(isinstance(binding, ast.arg) for binding in bound)


def _list_bindings(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Lists what a node gives a value to, with the value."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.AugAssign(target=target, value=value)
            | ast.NamedExpr(target=target, value=value)
            | ast.For(target=target, iter=value)
            | ast.comprehension(target=target, iter=value)
            | ast.withitem(optional_vars=ast.expr() as target, context_expr=value)
        ):
            yield target, value
        case ast.Call(func=ast.Attribute(value=target), args=values):
            yield from ((target, value) for value in values)  # cells.append(cell)
        case ast.FunctionDef(name=name):
            for inner in walk_breadth_first(node):
                match inner:
                    case (
                        ast.Return(value=ast.expr() as value)
                        | ast.Yield(value=ast.expr() as value)
                    ):
                        yield ast.Name(name), value


def _list_keys(target: ast.AST) -> Iterator[str]:
    """Lists the names and attributes that a target binds or changes."""
    match target:
        case ast.Name(id=key) | ast.Attribute(attr=key):
            yield key
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _list_keys(part)
        case ast.Subscript(value=inner) | ast.Starred(value=inner):
            yield from _list_keys(inner)
