"""TensorFlow 1 as the evaluator's library: who answers for a symbol, a method, an attribute."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.evaluate import arguments_of, containers, objects
from migrate.graph.values import (
    NONE,
    Const,
    Dimension,
    DType,
    Host,
    Operation,
    Own,
    Reference,
    ShapeValue,
    Symbol,
    Tensor,
    Unknown,
    Value,
    VariableValue,
)
from migrate.tfmodel import (
    bound,
    host_symbols,
    names,
    operators,
    scopes,
    tensor_methods,
    tensors,
)
from migrate.tfmodel.registry import (
    ATTRIBUTES,
    CLASSES,
    FUNCTIONS,
    METHODS,
    Call,
    find,
    label_of,
    lineage,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


_FLAGS = "tf.flags.FLAGS."
# Symbols that only read: an unknown result of these adds nothing to the graph.
_LOOKS = frozenset({"tf.Graph.get_tensor_by_name", "tf.Graph.get_operation_by_name"})


class TensorFlow:
    """The library."""

    def find_root(self, module: str) -> str | None:
        first, _, rest = module.partition(".")
        if first == "tensorflow_core":
            first = "tensorflow"
        if first == "tf_slim":
            return "tf.contrib.slim" + ("." + rest if rest else "")
        if first != "tensorflow":
            return None
        return names.canonical("tf" + ("." + rest if rest else ""))

    def find_symbol(self, m: Machine, path: str) -> Value:
        path = names.canonical(path)
        if path.startswith(_FLAGS):
            return arguments_of.read_flag(m, path.removeprefix(_FLAGS))
        found = names.look_up(path)
        if found is not None:
            value = names.constant(found)
            return Symbol(path) if value is None else value
        if names.is_module(path):
            return Symbol(path)
        known = host_symbols.attribute(m, path)
        if known is not None:
            return known
        return m.make_unknown(f"TensorFlow 1.15 has no public name {path}")

    def call_symbol(
        self, m: Machine, symbol: Symbol, given: list[Value], named: dict[str, Value]
    ) -> Value:
        found = names.look_up(symbol.path)
        if found is None:
            return _of_module_path(m, symbol, given, named)
        if found.kind == "c" or found.label in CLASSES:
            return construct(m, symbol, given, named)
        handler = FUNCTIONS.get(found.label)
        if handler is None:
            return host_symbols.call(m, symbol.path, given, named)
        call = bound.bind(m, symbol.path, found.label, given, named)
        if isinstance(call, Unknown):
            return call
        for name, value in scopes.arguments_for(m, found.label).items():
            call.given.setdefault(name, value)
        return _report_unknown(m, symbol.path, handler(call))

    def call_method(
        self,
        m: Machine,
        receiver: Value,
        name: str,
        given: list[Value],
        named: dict[str, Value],
    ) -> Value:
        cls = objects.find_class(m, receiver)
        symbols = list(objects.find_libraries(m, cls)) if cls is not None else []
        for symbol in symbols:
            found = find(METHODS, _label(symbol.path), name)
            if found is not None:
                return _call_method(m, symbol, found, receiver, name, given, named)
        what = symbols[0].path if symbols else "an object"
        return host_symbols.call_method(m, what, receiver, name, given, named)

    def call_own(
        self,
        m: Machine,
        receiver: Value,
        name: str,
        given: list[Value],
        named: dict[str, Value],
    ) -> Value | None:
        if isinstance(receiver, ShapeValue):
            return tensors.call_shape_method(m, receiver, name, given)
        if isinstance(receiver, (Tensor, VariableValue, Operation)):
            return tensor_methods.call(m, receiver, name, given, named)
        if isinstance(receiver, DType):
            known = name == "is_compatible_with"
            return Const(True) if known else m.make_unknown(f"`.{name}` of a type")
        return None

    def find_attribute(self, m: Machine, value: Value, name: str) -> Value | None:
        if isinstance(value, Reference):
            return _of_object(m, value, name)
        return tensors.attribute(m, value, name)

    def set_attribute(self, m: Machine, value: Value, name: str, item: Value) -> bool:
        return False

    def initialise(
        self,
        m: Machine,
        receiver: Reference,
        symbol: Symbol,
        given: list[Value],
        named: dict[str, Value],
    ) -> None:
        _initialise(m, receiver, symbol, given, named)

    def is_instance(self, m: Machine, value: Value, symbol: Symbol) -> bool | None:
        found = tensors.is_instance(m, value, symbol)
        if found is not None:
            return found
        cls = objects.find_class(m, value)
        if cls is not None:
            wanted = _label(symbol.path)
            for one in objects.find_libraries(m, cls):
                if wanted in lineage(_label(one.path)):
                    return True
            return False
        return None if isinstance(value, (Host, Unknown)) else False

    def apply_binary(
        self, m: Machine, operator: str, left: Value, right: Value
    ) -> Value | None:
        if isinstance(left, DType) or isinstance(right, DType):
            return _types_are_equal(operator, left, right)
        if isinstance(left, ShapeValue) and isinstance(right, ShapeValue):
            return None
        return operators.binary(m, operator, left, right)

    def apply_unary(self, m: Machine, operator: str, operand: Value) -> Value | None:
        return operators.unary(m, operator, operand)

    def get_item(self, m: Machine, value: Value, index: Value) -> Value | None:
        return operators.get_item(m, value, index)

    def list_elements(self, m: Machine, value: Value) -> list[Value] | None:
        if (
            isinstance(value, Tensor)
            and value.shape
            and isinstance(value.shape[0], int)
        ):
            found = [
                operators.get_item(m, value, Const(i)) for i in range(value.shape[0])
            ]
            return [v for v in found if v is not None]
        return None

    def enter(self, m: Machine, value: Value) -> Value | None:
        if isinstance(value, Reference):
            cls = objects.find_class(m, value)
            if cls == Symbol("tf.contrib.framework.arg_scope"):
                return scopes.enter_arguments(m, value)
            for symbol in objects.find_libraries(m, cls) if cls is not None else ():
                found = find(METHODS, _label(symbol.path), "__enter__")
                if found is not None:
                    return _call_method(m, symbol, found, value, "__enter__", [], {})
        return value if isinstance(value, Host) else None

    def leave(self, m: Machine, value: Value) -> None:
        if isinstance(value, Reference):
            cls = objects.find_class(m, value)
            if cls == Symbol("tf.contrib.framework.arg_scope"):
                scopes.leave_arguments(m, value)
                return
            for symbol in objects.find_libraries(m, cls) if cls is not None else ():
                found = find(METHODS, _label(symbol.path), "__exit__")
                if found is not None:
                    _call_method(m, symbol, found, value, "__exit__", [], {})
                    return

    def find_truth(self, m: Machine, value: Value) -> bool | Host | Unknown | None:
        if isinstance(value, (Tensor, VariableValue)):
            return m.make_unknown("a tensor as a test")
        if isinstance(value, ShapeValue):
            return value.dims is not None
        if isinstance(value, Dimension):
            found = containers.make_dimension(value.value)
            if isinstance(found, Host):
                return found
            return bool(found.value) if isinstance(found, Const) else None
        return None


def _label(path: str) -> str:
    try:
        return label_of(path)
    except KeyError:
        return path


def _report_unknown(m: Machine, symbol: str, result: Value) -> Value:
    """Reports an unknown result as a problem: the call may have added to the graph."""
    if isinstance(result, Unknown) and symbol not in _LOOKS:
        return m.report_problem(result.reason)
    return result


def _types_are_equal(operator: str, left: Value, right: Value) -> Value | None:
    from migrate.evaluate import arrays

    if (
        operator not in ("eq", "ne")
        or isinstance(left, Host)
        or isinstance(right, Host)
    ):
        return None
    same = arrays.find_type_name(left) == arrays.find_type_name(right)
    return Const(same is (operator == "eq"))


def _call_method(
    m: Machine,
    symbol: Symbol,
    found: tuple[str, Callable[[Call], Value]],
    receiver: Value,
    name: str,
    given: list[Value],
    named: dict[str, Value],
) -> Value:
    owner, handler = found
    call = bound.bind_method(m, symbol.path, owner, name, given, named)
    if isinstance(call, Unknown):
        return call
    call.receiver = receiver
    return _report_unknown(m, call.symbol, handler(call))


def construct(
    m: Machine, symbol: Symbol, given: list[Value], named: dict[str, Value]
) -> Value:
    """An object of a class of the library."""
    direct = host_symbols.construct(m, symbol.path, given, named)
    if direct is not None:
        return direct
    label = _label(symbol.path)
    handler = next((CLASSES[one] for one in lineage(label) if one in CLASSES), None)
    if handler is None:
        return host_symbols.call(m, symbol.path, given, named)
    made = objects.make_object(m, symbol)
    result = _initialise(m, made, symbol, given, named)
    # A class may stand for what it makes: `tf.Variable(...)` is a variable.
    return made if result == NONE else result


def _initialise(
    m: Machine,
    receiver: Reference,
    symbol: Symbol,
    given: list[Value],
    named: dict[str, Value],
) -> Value:
    label = _label(symbol.path)
    handler = next((CLASSES[one] for one in lineage(label) if one in CLASSES), None)
    if handler is None:
        if symbol.path in ("tf.Module", "tf.keras.Model", "tf.keras.layers.Layer"):
            return NONE
        return m.report_problem(f"{symbol.path} is not modelled")
    call = bound.bind(m, symbol.path, label, given, named)
    if isinstance(call, Unknown):
        return call
    call.receiver = receiver
    return handler(call)


def _of_object(m: Machine, value: Reference, name: str) -> Value | None:
    cls = objects.find_class(m, value)
    if cls is None:
        return None
    for symbol in objects.find_libraries(m, cls):
        label = _label(symbol.path)
        found = find(ATTRIBUTES, label, name)
        if found is not None:
            call = Call(
                m, f"{symbol.path}.{name}", f"{found[0]}.{name}", {}, receiver=value
            )
            return found[1](call)
        if find(METHODS, label, name) is not None:
            return _make_method(value, symbol, name)
        if host_symbols.has_member(symbol.path, name):
            return _make_method(value, symbol, name)
    return None


def _make_method(value: Reference, symbol: Symbol, name: str) -> Value:
    from migrate.graph.values import Method

    return Method(value, Own(symbol, name))


def _of_module_path(
    m: Machine, symbol: Symbol, given: list[Value], named: dict[str, Value]
) -> Value:
    return host_symbols.call(m, symbol.path, given, named)
