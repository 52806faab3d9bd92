"""Initializers: what gives variables their first values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import calls, containers, objects
from migrate.graph.record import Initial
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Choice,
    Const,
    DType,
    Function,
    Host,
    Method,
    Partial,
    Reference,
    Symbol,
    Tensor,
    Unknown,
    Value,
    VariableValue,
)
from migrate.tfmodel.registry import CLASSES, Call, fields_of, keep, label_of

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

_UNIFORM, _NORMAL, _TRUNCATED = (
    "RandomUniform",
    "RandomStandardNormal",
    "TruncatedNormal",
)
# Class -> what it draws with; a number: what it fills with; "": it says so by an argument.
_DRAWS: dict[str, str] = {
    "tf.random_uniform_initializer": _UNIFORM,
    "tf.random_normal_initializer": _NORMAL,
    "tf.truncated_normal_initializer": _TRUNCATED,
    "tf.glorot_uniform_initializer": _UNIFORM,
    "tf.glorot_normal_initializer": _TRUNCATED,
    "tf.uniform_unit_scaling_initializer": _UNIFORM,
    "tf.variance_scaling_initializer": "",
    "tf.orthogonal_initializer": _NORMAL,
    "tf.initializers.identity": "",
    "tf.keras.initializers.RandomNormal": _NORMAL,
    "tf.keras.initializers.RandomUniform": _UNIFORM,
    "tf.keras.initializers.TruncatedNormal": _TRUNCATED,
}
_FILLS = {"tf.zeros_initializer": 0.0, "tf.ones_initializer": 1.0}
# Functions that give an initializer.
_MADE: dict[str, str] = {
    "tf.keras.initializers.he_normal": _TRUNCATED,
    "tf.keras.initializers.he_uniform": _UNIFORM,
    "tf.keras.initializers.lecun_normal": _TRUNCATED,
    "tf.keras.initializers.lecun_uniform": _UNIFORM,
    "tf.contrib.layers.xavier_initializer": "",
    "tf.contrib.layers.xavier_initializer_conv2d": "",
    "tf.contrib.layers.variance_scaling_initializer": "",
}
_BY_NAME = {
    "zeros": Initial(constant=0.0),
    "ones": Initial(constant=1.0),
    "glorot_uniform": Initial((_UNIFORM,)),
    "glorot_normal": Initial((_TRUNCATED,)),
    "he_normal": Initial((_TRUNCATED,)),
    "he_uniform": Initial((_UNIFORM,)),
    "uniform": Initial((_UNIFORM,)),
    "normal": Initial((_NORMAL,)),
    "orthogonal": Initial((_NORMAL,)),
    "lecun_normal": Initial((_TRUNCATED,)),
    "random_uniform": Initial((_UNIFORM,)),
    "random_normal": Initial((_NORMAL,)),
}
UNKNOWN = Initial(("?",))


def _keep_arguments(call: Call) -> Value:
    assert isinstance(call.receiver, Reference)
    keep(call.m, call.receiver, **call.given)
    return NONE


for _symbol in (*_DRAWS, *_FILLS, "tf.constant_initializer"):
    CLASSES[label_of(_symbol)] = _keep_arguments


def make(m: Machine, symbol: str, given: dict[str, Value]) -> Reference:
    """An initializer as a program would have made it."""
    made = objects.make_object(m, Symbol(symbol))
    keep(m, made, **given)
    return made


def _maker(symbol: str) -> None:
    from migrate.tfmodel.registry import FUNCTIONS

    def handler(call: Call) -> Value:
        return make(call.m, symbol, call.given)

    FUNCTIONS[label_of(symbol)] = handler


for _symbol in _MADE:
    _maker(_symbol)


def first_value(
    m: Machine, value: Value, shape: Shape | None, dtype: str | None
) -> Initial:
    """Returns the first value that an initializer, or a tensor, gives a variable."""
    value = m.resolve(value)
    if value == NONE:
        # TensorFlow draws numbers, and fills what it cannot draw with zeros.
        if dtype is None or dtype.startswith(("float", "bfloat", "complex")):
            return Initial((_UNIFORM,))
        return Initial(constant=False if dtype == "bool" else 0)
    if isinstance(value, Const) and isinstance(value.value, str):
        return _BY_NAME.get(value.value, UNKNOWN)
    if isinstance(value, Symbol):
        return _of_symbol(m, value, dtype)
    if isinstance(value, (Tensor, VariableValue)):
        return of_tensor(m, value)
    cls = objects.find_class(m, value)
    if isinstance(cls, Symbol) and isinstance(value, Reference):
        return _of_class(m, value, _alias(cls.path), dtype)
    if isinstance(value, (Function, Method, Partial)) or objects.find_special(
        m, value, "__call__"
    ):
        return _of_function(m, value, shape, dtype)
    if isinstance(value, (Host, Choice, Unknown)):
        return Initial(value=value)
    return constant(m, value, dtype)


def _alias(path: str) -> str:
    """The spelling that the tables have of a class's name."""
    for known in (*_DRAWS, *_FILLS, *_MADE, "tf.constant_initializer"):
        if known == path or known not in _MADE and label_of(known) == _label(path):
            return known
    return path


def _label(path: str) -> str:
    try:
        return label_of(path)
    except KeyError:
        return ""


def _of_symbol(m: Machine, value: Symbol, dtype: str | None) -> Initial:
    path = _alias(value.path)
    if path in _FILLS:
        return _make_fill(_FILLS[path], dtype)
    if path in _DRAWS and _DRAWS[path]:
        return Initial((_DRAWS[path],))
    if path in ("tf.keras.initializers.he_normal",):
        return Initial((_MADE[path],))
    from migrate.tfmodel.dispatch import construct

    made = construct(m, value, [], {})
    if isinstance(made, Reference):
        return first_value(m, made, None, dtype)
    return UNKNOWN


def _make_fill(number: float, dtype: str | None) -> Initial:
    if dtype == "bool":
        return Initial(constant=bool(number))
    if dtype is not None and dtype.startswith(("int", "uint")):
        return Initial(constant=int(number))
    return Initial(constant=number)


def _of_class(m: Machine, value: Reference, path: str, dtype: str | None) -> Initial:
    if path in _FILLS:
        return _make_fill(_FILLS[path], dtype)
    if path == "tf.constant_initializer":
        given = fields_of(m, value, "value")
        return constant(m, Const(0) if given == NONE else given, dtype)
    if _DRAWS.get(path):
        return Initial((_DRAWS[path],))
    if _MADE.get(path):
        return Initial((_MADE[path],))
    if path.startswith("tf.contrib.layers.xavier"):
        uniform = fields_of(m, value, "uniform")
        if uniform in (NONE, Const(True)):
            return Initial((_UNIFORM,))
        return Initial((_TRUNCATED,)) if uniform == Const(False) else UNKNOWN
    if path == "tf.contrib.layers.variance_scaling_initializer":
        uniform = fields_of(m, value, "uniform")
        return (
            Initial((_UNIFORM,)) if uniform == Const(True) else Initial((_TRUNCATED,))
        )
    if path == "tf.variance_scaling_initializer":
        kind = fields_of(m, value, "distribution")
        text = kind.value if isinstance(kind, Const) else None
        if text == "uniform":
            return Initial((_UNIFORM,))
        return (
            Initial((_NORMAL,))
            if text == "untruncated_normal"
            else Initial((_TRUNCATED,))
        )
    return UNKNOWN


def _of_function(
    m: Machine, value: Value, shape: Shape | None, dtype: str | None
) -> Initial:
    """A function of the program, called as TensorFlow calls it."""
    from migrate.tfmodel import tensors

    given = tensors.shape_value(m, shape)
    named: dict[str, Value] = {
        "dtype": DType(dtype or "float32"),
        "partition_info": NONE,
    }
    if isinstance(value, Function):
        code = m.codes[value.code][0]
        known = {a.arg for a in (*code.args.args, *code.args.kwonlyargs)}
        if code.args.kwarg is None:
            named = {k: v for k, v in named.items() if k in known}
    result = calls.call_value(m, value, [given], named)
    if isinstance(result, (Tensor, VariableValue)):
        return of_tensor(m, result)
    if isinstance(result, (Host, Choice, Unknown)):
        return Initial(value=result)
    return constant(m, result, dtype)


def constant(m: Machine, value: Value, dtype: str | None) -> Initial:
    """A number, or a list of them."""
    try:
        found = containers.convert_to_python(m, value)
    except containers.NotConstant:
        return Initial(value=value)
    flat = list(_flat(found))
    if (
        flat
        and all(v == flat[0] for v in flat)
        and not isinstance(flat[0], (str, bytes))
    ):
        number = flat[0]
        if dtype is not None and dtype.startswith(("float", "bfloat")):
            number = float(number)  # type: ignore[arg-type]
        elif dtype == "bool":
            number = bool(number)
        return Initial(constant=number, value=value)
    if len(flat) == 1:
        return Initial(constant=flat[0], value=value)
    return Initial(constant="array", value=value)


def _flat(value: object) -> list[object]:
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in _flat(item)]
    return [value]


def of_tensor(m: Machine, value: Value) -> Initial:
    """Finds the random draws that a tensor is computed from."""
    draws: set[str] = set()
    number: object = None
    work: list[Value] = [value]
    seen: set[int] = set()
    while work:
        one = work.pop()
        if isinstance(one, VariableValue):
            draws.add(f"variable {one.name}")
        elif isinstance(one, Tensor):
            if one.node in seen:
                continue
            seen.add(one.node)
            node = m.record.nodes[one.node]
            draws.update(_DRAWN.get(node.symbol, ()))
            if node.symbol in ("tf.placeholder", "tf.placeholder_with_default"):
                draws.add("Placeholder")
            number = _number_of(node.symbol, dict(node.given), number)
            work += node.given.values()
            work += node.needs
        elif isinstance(one, (Unknown, Choice)):
            draws.add("?")
        elif hasattr(one, "items") and isinstance(one.items, tuple):
            work += one.items
    alone = len(seen) == 1 and not draws
    return Initial(tuple(sorted(draws)), number if alone else None, value)


_DRAWN = {
    "tf.random_uniform": (_UNIFORM,),
    "tf.random.uniform": (_UNIFORM,),
    "tf.random_normal": (_NORMAL,),
    "tf.random.normal": (_NORMAL,),
    "tf.truncated_normal": (_TRUNCATED,),
    "tf.random.truncated_normal": (_TRUNCATED,),
}


def _number_of(symbol: str, given: dict[str, Value], found: object) -> object:
    if symbol in ("tf.zeros", "tf.zeros_like"):
        return 0.0
    if symbol in ("tf.ones", "tf.ones_like"):
        return 1.0
    if symbol in ("tf.constant", "tf.fill"):
        value = given.get("value")
        if isinstance(value, Const):
            return value.value
    return found
