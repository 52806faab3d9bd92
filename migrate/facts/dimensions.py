"""Finds values of a program that may be dimensions of static shapes.

In TensorFlow 1 an item of a shape is a `Dimension`, whose number is its `value`. In
TensorFlow 2 it is the number. An expression may be several things: a parameter may be the
argument of any call. The order of statements does not count: a name may be anything that
it is ever bound to.
"""

from __future__ import annotations

import ast
import enum
import weakref
from collections.abc import Iterable, Iterator

from migrate.facts.names import get_last_part
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first


class Is(enum.Flag):
    """One kind of thing that an expression may be; the kinds can be combined."""

    NOTHING = 0
    DIMENSION = enum.auto()
    SHAPE = enum.auto()  # A TensorShape, or another container of dimensions.
    NUMBER = enum.auto()
    OBJECTS = enum.auto()  # Dimensions in TensorFlow 2, too: `shape.dims`.
    OBJECT = enum.auto()  # One of them.
    OTHER = enum.auto()


# Methods of a shape, or of a container of dimensions, that return one again.
_SAME = frozenset(
    {
        "concatenate",
        "merge_with",
        "with_rank",
        "with_rank_at_least",
        "with_rank_at_most",
    }
    | {"copy", "values"}
)
# Attributes with the shapes of a tensor or dataset. A dataset may have a nest of them.
_SHAPES = frozenset({"shape", "output_shapes"})
_MAKES_SHAPES = frozenset({"tf.TensorShape", "tf.broadcast_static_shape"})
_HOLDERS = frozenset({"filter", "list", "reversed", "set", "sorted", "tuple"})
_ONE_OF = frozenset({"max", "min", "next", "reduce", "sum", "prod", "cumprod", "mul"})
_NUMBERS = frozenset({"float", "int", "len", "str", "repr", "bool"})
_ADDS = frozenset({"add", "append", "extend", "insert"})
_OF_KEYS = frozenset({"get", "pop", "setdefault"})

_known: weakref.WeakKeyDictionary[Scopes, Dimensions] = weakref.WeakKeyDictionary()


def find_dimensions(scopes: Scopes) -> Dimensions:
    """Returns the dimensions of a module; they are computed once."""
    if scopes not in _known:
        _known[scopes] = Dimensions(scopes)
    return _known[scopes]


class Dimensions:
    """The dimensions of one module."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._memo: dict[ast.AST, Is] = {}
        self._attributes: dict[str, list[ast.expr]] = {}
        self._methods: dict[str, list[ast.FunctionDef]] = {}
        self._calls: dict[str, list[ast.Call]] = {}
        self._added: dict[str, list[tuple[ast.expr, ast.expr]]] = {}
        for node in scopes.walk():
            self._read(node)

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    self._attributes.setdefault(target.attr, []).append(node.value)
                elif isinstance(target, ast.Subscript):
                    self._add(target.value, node.value)
        elif isinstance(node, ast.Call):
            self._calls.setdefault(get_last_part(node.func), []).append(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr in _ADDS:
                if node.args:
                    self._add(node.func.value, node.args[-1])
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    self._methods.setdefault(item.name, []).append(item)

    def _add(self, container: ast.expr, value: ast.expr) -> None:
        self._added.setdefault(get_last_part(container), []).append((container, value))

    def find_values(self) -> Iterator[tuple[ast.expr, bool]]:
        """Yields each `.value` of a possible dimension, and whether it can be nothing else."""
        if not self._may_have():
            return
        for node in self._scopes.walk():
            if isinstance(node, ast.Attribute) and node.attr == "value":
                if isinstance(node.ctx, ast.Load):
                    kind = self.infer(node.value)
                    if Is.DIMENSION in kind:
                        yield node, not kind & (Is.OTHER | Is.OBJECT)
            elif isinstance(node, ast.Call) and _asks_value(node):
                if Is.DIMENSION in self.infer(node.args[0]):
                    yield node, False

    def _may_have(self) -> bool:
        """Whether the module asks for a shape at all."""
        found = {
            node.attr for node in self._scopes.walk() if isinstance(node, ast.Attribute)
        }
        return bool(found & {*_SHAPES, "get_shape", "TensorShape"})

    def infer(self, node: ast.AST | None) -> Is:
        """Returns the kinds of thing that an expression may be."""
        if node is None:
            return Is.OTHER
        if node not in self._memo:
            self._memo[node] = Is.NOTHING  # In a cycle, its other bindings decide.
            self._memo[node] = self._decide(node)
        return self._memo[node]

    def _decide(self, node: ast.AST) -> Is:
        match node:
            case ast.Constant(value=value):
                return Is.NUMBER if not isinstance(value, str) else Is.OTHER
            case ast.Name():
                return self._infer_name(node)
            case ast.Attribute():
                return self._infer_attribute(node)
            case ast.Subscript(slice=ast.Slice()):
                return self.infer(node.value)
            case ast.Subscript():
                nested = Is.SHAPE if _is_of_elements(node) else Is.NOTHING
                return self._infer_item(self.infer(node.value)) | nested
            case ast.Call():
                return self._infer_call(node)
            case ast.BinOp():
                return self._infer_arithmetic(
                    self.infer(node.left), self.infer(node.right)
                )
            case ast.UnaryOp():
                return self.infer(node.operand)
            case ast.BoolOp():
                return self._infer_any(node.values)
            case ast.IfExp():
                return self.infer(node.body) | self.infer(node.orelse)
            case ast.NamedExpr() | ast.Starred():
                return self.infer(node.value)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._infer_holder(node.elts)
            case ast.Dict():
                return self._infer_holder(node.values)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._infer_holder([node.elt])
            case ast.DictComp():
                return self._infer_holder([node.value])
            case ast.Compare():
                return Is.NUMBER
        return Is.OTHER

    def _infer_any(self, nodes: Iterable[ast.AST | None]) -> Is:
        found = Is.NOTHING
        for node in nodes:
            found |= self.infer(node)
        return found

    def _infer_holder(self, elements: Iterable[ast.expr]) -> Is:
        """Returns the kind of a container whose elements may be dimensions."""
        inside = Is.NOTHING
        for element in elements:
            one = self.infer(element)
            # An unpacked element gives its own elements, and a pair its contents.
            inside |= self._infer_item(one) if one & (Is.SHAPE | Is.OBJECTS) else one
        return _find_holder(inside)

    def _infer_item(self, holder: Is) -> Is:
        found = Is.NOTHING
        if Is.SHAPE in holder:
            found |= Is.DIMENSION
        if Is.OBJECTS in holder:
            found |= Is.OBJECT
        return found | (holder & (Is.NUMBER | Is.OTHER))

    def _infer_arithmetic(self, left: Is, right: Is) -> Is:
        both = left | right
        if both & (Is.SHAPE | Is.OBJECTS):  # `[size] + shape[1:]`
            return both & (Is.SHAPE | Is.OBJECTS | Is.OTHER)
        if Is.DIMENSION in both:
            return Is.DIMENSION
        return both

    # -- names, attributes, calls ------------------------------------------------------

    def _infer_name(self, name: ast.Name) -> Is:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        if owner is None:
            return Is.OTHER
        found = Is.NOTHING
        for binding in owner.bindings[name.id]:
            found |= self._classify_binding(name.id, binding, owner.node)
        for container, value in self._added.get(name.id, ()):
            if isinstance(container, ast.Name):
                if self._scopes.find_scope(container).find_owner(name.id) is owner:
                    found |= _find_holder(self.infer(value))
        return found

    def _classify_binding(self, name: str, binding: ast.AST, owner: ast.AST) -> Is:
        if isinstance(binding, ast.arg):
            return self._infer_parameter(binding, owner)
        for target, iterated in _find_loops(binding, owner):
            if any(
                isinstance(n, ast.Name) and n.id == name
                for n in walk_breadth_first(target)
            ):
                return self._classify_loop_target(name, target, iterated)
        if isinstance(binding, ast.Assign):
            found = Is.NOTHING
            for target in binding.targets:
                found |= self._classify_unpacked(name, target, binding.value)
            return found | self._infer_walrus(name, binding)
        if isinstance(binding, ast.AugAssign):
            return self._infer_arithmetic(Is.NUMBER, self.infer(binding.value))
        if isinstance(binding, ast.AnnAssign):
            return self.infer(binding.value) if binding.value else Is.NOTHING
        return self._infer_walrus(name, binding) or Is.OTHER

    def _infer_walrus(self, name: str, statement: ast.AST) -> Is:
        return self._infer_any(
            node.value
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.NamedExpr) and node.target.id == name
        )

    def _classify_unpacked(self, name: str, target: ast.expr, value: ast.expr) -> Is:
        """Returns the kind that a name gets from an assigned value, whole or in part."""
        if isinstance(target, ast.Name):
            return self.infer(value) if target.id == name else Is.NOTHING
        if isinstance(target, ast.Starred):
            return self._classify_unpacked(name, target.value, value)
        if not isinstance(target, (ast.Tuple, ast.List)):
            return Is.NOTHING
        found = Is.NOTHING
        own = value.elts if isinstance(value, (ast.Tuple, ast.List)) else None
        for index, part in enumerate(target.elts):
            if own is not None and len(own) == len(target.elts):
                found |= self._classify_unpacked(name, part, own[index])
            elif isinstance(part, ast.Starred):
                if isinstance(part.value, ast.Name) and part.value.id == name:
                    found |= self.infer(value)
            elif isinstance(part, ast.Name) and part.id == name:
                found |= self._infer_item(self.infer(value))
        return found

    def _classify_loop_target(
        self, name: str, target: ast.expr, iterated: ast.expr
    ) -> Is:
        """Returns the kind of a loop's target: an element, or a part of a pair."""
        if isinstance(iterated, ast.Call) and isinstance(target, ast.Tuple):
            called, given = get_last_part(iterated.func), iterated.args
            parts = target.elts
            if called == "enumerate" and len(parts) == 2 and given:
                if isinstance(parts[0], ast.Name) and parts[0].id == name:
                    return Is.NUMBER
                return self._classify_loop_target(name, parts[1], given[0])
            if called == "zip" and len(parts) == len(given):
                return self._infer_parts(name, parts, given)
            if called in ("items", "iteritems") and len(parts) == 2:
                if isinstance(iterated.func, ast.Attribute):
                    return self._classify_loop_target(
                        name, parts[1], iterated.func.value
                    )
        return self._infer_item(self.infer(iterated))

    def _infer_parts(
        self, name: str, parts: list[ast.expr], given: list[ast.expr]
    ) -> Is:
        found = Is.NOTHING
        for part, one in zip(parts, given):
            if any(
                isinstance(n, ast.Name) and n.id == name
                for n in walk_breadth_first(part)
            ):
                found |= self._classify_loop_target(name, part, one)
        return found

    def _infer_parameter(self, argument: ast.arg, function: ast.AST) -> Is:
        if isinstance(function, ast.Lambda):
            return self._infer_lambda_parameter(function)
        assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        if isinstance(self._scopes.parents.get(function), ast.ClassDef):
            names = names[1:]
        found = Is.NOTHING
        calls = self._calls.get(function.name, ())
        for call in calls:
            given: ast.expr | None = None
            if argument.arg in names:
                place = names.index(argument.arg)
                given = call.args[place] if place < len(call.args) else None
            for keyword in call.keywords:
                given = keyword.value if keyword.arg == argument.arg else given
            if given is not None:
                found |= self.infer(given)
        return found or Is.OTHER

    def _infer_lambda_parameter(self, function: ast.Lambda) -> Is:
        """Infers the parameter of a lambda, as in `map(lambda d: d.value, shape)`."""
        call = self._scopes.parents.get(function)
        if isinstance(call, ast.Call) and get_last_part(call.func) in (
            "map",
            "filter",
            "reduce",
        ):
            if function in call.args[:1]:
                return self._infer_any_item(call.args[1:])
        return Is.OTHER

    def _infer_any_item(self, holders: Iterable[ast.expr]) -> Is:
        found = Is.NOTHING
        for holder in holders:
            found |= self._infer_item(self.infer(holder))
        return found

    def _infer_attribute(self, node: ast.Attribute) -> Is:
        if node.attr == "value":
            return Is.NUMBER if self.infer(node.value) & ~Is.OTHER else Is.OTHER
        if node.attr == "dims" and Is.SHAPE in self.infer(node.value):
            return Is.OBJECTS
        own = self._attributes.get(node.attr, ())
        if node.attr in _SHAPES:
            return Is.SHAPE | self._infer_any(own)
        if self._scopes.find_dotted_path(node):
            return Is.OTHER
        found = self._infer_any(own)
        for container, value in self._added.get(node.attr, ()):
            if isinstance(container, ast.Attribute):
                found |= _find_holder(self.infer(value))
        return found if own else Is.OTHER

    def _infer_call(self, call: ast.Call) -> Is:
        called = call.func
        symbol = self._scopes.resolve(called) or ""
        if symbol in _MAKES_SHAPES:
            return Is.SHAPE
        if symbol == "tf.Dimension":
            return Is.OBJECT
        functions = self._find_functions(called)
        if functions:
            return self._infer_any(
                node.value
                for function in functions
                for node in walk_breadth_first(function)
                if isinstance(node, (ast.Return, ast.Yield))
            )
        last = get_last_part(called)
        if isinstance(called, ast.Attribute) and not self._scopes.import_path(called):
            return self._infer_method(called)
        if last in _NUMBERS or last == "dimension_value":
            return Is.NUMBER
        if last in _HOLDERS and call.args:
            return self.infer(call.args[-1])
        if last == "map" and call.args and isinstance(call.args[0], ast.Lambda):
            return _find_holder(self.infer(call.args[0].body))
        if last in _ONE_OF:
            given = call.args[1:] if last == "reduce" else call.args
            return self._infer_any_item(given) if given else Is.OTHER
        return Is.OTHER

    def _infer_method(self, called: ast.Attribute) -> Is:
        if called.attr == "get_shape":
            return Is.SHAPE
        of = self.infer(called.value)
        if called.attr in ("as_list", "num_elements") and Is.SHAPE in of:
            return Is.NUMBER
        if called.attr in _SAME and of & (Is.SHAPE | Is.OBJECTS):
            return of
        if called.attr in _OF_KEYS and of & (Is.SHAPE | Is.OBJECTS):
            return self._infer_item(of)
        return Is.OTHER

    def _find_functions(self, called: ast.expr) -> list[ast.FunctionDef]:
        if isinstance(called, ast.Attribute) and not self._scopes.import_path(called):
            return self._methods.get(called.attr, [])
        if not isinstance(called, ast.Name):
            return []
        owner = self._scopes.find_scope(called).find_owner(called.id)
        bindings = owner.bindings[called.id] if owner else []
        return [b for b in bindings if isinstance(b, ast.FunctionDef)]


def _find_holder(inside: Is) -> Is:
    """Returns the kind of a container. Numbers keep their kind, inside or outside of it."""
    found = Is.NOTHING
    if inside & (Is.DIMENSION | Is.SHAPE):
        found |= Is.SHAPE
    if inside & (Is.OBJECT | Is.OBJECTS):
        found |= Is.OBJECTS
    return found | (inside & (Is.NUMBER | Is.OTHER))


def _find_loops(
    binding: ast.AST, owner: ast.AST
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yields the loops of a statement or a comprehension, as target and iterable."""
    if isinstance(binding, (ast.For, ast.AsyncFor)):
        yield binding.target, binding.iter
    for generator in getattr(owner, "generators", ()):
        yield generator.target, generator.iter


def _is_of_elements(node: ast.expr) -> bool:
    """Whether an expression is a part of `dataset.output_shapes`, which may be a shape."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute) and node.attr == "output_shapes"


def _asks_value(call: ast.Call) -> bool:
    """Whether a call is `getattr(size, "value")`."""
    return (
        isinstance(call.func, ast.Name)
        and call.func.id == "getattr"
        and len(call.args) == 2
        and isinstance(call.args[1], ast.Constant)
        and call.args[1].value == "value"
    )
