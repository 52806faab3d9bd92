"""Models NumPy's arrays: their dimensions and types, but not their numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from migrate.evaluate import containers
from migrate.evaluate.hosts import describe
from migrate.graph import shapes
from migrate.graph.values import (
    NONE,
    Array,
    Const,
    Dim,
    Dimension,
    DType,
    Host,
    HostDim,
    Tuple,
    Value,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

_DTYPES = {"float16", "float32", "float64", "int8", "int16", "int32", "int64"}
_DTYPES |= {"uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128"}
_ALIASES = {"float": "float64", "int": "int64", "bool_": "bool", "double": "float64"}
_ALIASES |= {"f": "float32", "d": "float64", "f4": "float32", "f8": "float64"}
_ALIASES |= {"i4": "int32", "i8": "int64", "i": "int32", "u1": "uint8"}
_ALIASES |= {"float_": "float64", "int_": "int64", "str": "string", "object": "string"}
# Functions of constants that are computed.
_PURE = {
    "sqrt",
    "log",
    "exp",
    "ceil",
    "floor",
    "pow",
    "log2",
    "log10",
    "sin",
    "cos",
    "tanh",
}
_SAME = {
    "abs",
    "exp",
    "log",
    "sqrt",
    "square",
    "sin",
    "cos",
    "tanh",
    "sign",
    "copy",
    "asarray",
}
_SAME |= {
    "nan_to_num",
    "clip",
    "round",
    "around",
    "flipud",
    "fliplr",
    "float32",
    "maximum",
    "negative",
}
_SAME |= {
    "zeros_like",
    "ones_like",
    "array",
    "ascontiguousarray",
    "cumsum",
    "minimum",
    "float64",
}
_REDUCES = frozenset(
    {
        "sum",
        "mean",
        "max",
        "min",
        "std",
        "var",
        "prod",
        "argmax",
        "argmin",
        "any",
        "all",
    }
)
_JOINED = {"concatenate", "vstack", "hstack"}
_BROADCAST = {"maximum", "minimum", "power", "add", "subtract", "multiply", "divide"}
_FILLED = {"zeros", "ones", "empty", "full"}
# Draws: the dimensions are the arguments themselves, or the last one.
_BY_ARGUMENTS = {"random.rand", "random.randn"}
_BY_SIZE = {"random.random", "random.random_sample", "random.ranf", "random.sample"}
_SIZED = {
    "random.normal": 2,
    "random.uniform": 2,
    "random.randint": 2,
    "random.binomial": 2,
}
_SIZED |= {"random.truncated_normal": 2, "random.choice": 1, "random.poisson": 1}


def find_dtype(path: str) -> Value | None:
    """`numpy.float32` as a type."""
    package, _, name = path.partition(".")
    if package != "numpy":
        return None
    if name in _DTYPES:
        return DType(name)
    return DType(_ALIASES[name]) if name in _ALIASES else None


def find_type_name(value: Value | None) -> str | None:
    """The name of a type that is given as one."""
    from migrate.graph.values import Builtin, External

    if isinstance(value, DType):
        return value.name
    if isinstance(value, Const) and isinstance(value.value, str):
        return _ALIASES.get(value.value, value.value)
    if isinstance(value, Builtin):
        return _ALIASES.get(value.name)
    if isinstance(value, External):
        return _ALIASES.get(value.path.rpartition(".")[2])
    return None


def read_dims(m: Machine, value: Value) -> tuple[Dim, ...] | None:
    """Reads the dimensions that a value gives: a number, or a sequence of them."""
    items = containers.list_elements(m, value)
    if items is None:
        one = read_dim(value)
        return None if one is None else (one,)
    return tuple(read_dim(item) for item in items)


def read_dim(value: Value) -> Dim:
    """Reads the dimension that a value gives; None if it is not known."""
    if isinstance(value, Dimension):
        return value.value
    if isinstance(value, Const) and isinstance(value.value, (int, float)):
        return int(value.value) if 0 <= value.value < math.inf else None
    return HostDim(value) if isinstance(value, Host) else None


def make_array_of_literal(m: Machine, value: Value) -> Array | None:
    """Makes the array that `numpy.array` makes of a list of numbers."""
    if isinstance(value, Const):
        kind = type(value.value)
        names = {
            float: "float64",
            int: "int64",
            bool: "bool",
            str: "string",
            bytes: "string",
        }
        names |= {complex: "complex128"}
        return Array((), names[kind]) if kind in names else None
    if isinstance(value, Host):
        return value.array
    items = containers.list_elements(m, value)
    if items is None or isinstance(value, Const):
        return None
    if not items:
        return Array((0,), "float64")
    parts = [make_array_of_literal(m, item) for item in items[:2000]]
    known = [p for p in parts if p is not None]
    if len(known) < len(parts):
        return None
    first = known[0]
    if any(p.shape != first.shape for p in known):
        return None
    order = ["bool", "int64", "float64", "complex128", "string"]
    types = [p.dtype for p in known]
    if any(t not in order for t in types):
        widest = types[0] if len(set(types)) == 1 else None
    else:
        widest = max(types, key=lambda t: order.index(t))  # type: ignore[arg-type]
    shape = None if first.shape is None else (len(items), *first.shape)
    return Array(shape, widest)


def find_shape(m: Machine, value: Host) -> Value:
    """`.shape` of an array."""
    if value.array is not None and value.array.shape is not None:
        return Tuple(
            tuple(
                _make_dimension(m, value, i, d) for i, d in enumerate(value.array.shape)
            )
        )
    return m.hosts.make(".", value, "shape", what=f"{value.what}.shape")


def _make_dimension(m: Machine, value: Host, index: int, found: Dim) -> Value:
    if found is None:
        return m.hosts.make(
            "shape", value, str(index), what=f"{value.what}.shape[{index}]"
        )
    return containers.make_dimension(found)


def call_function(
    m: Machine, path: str, given: list[Value], named: dict[str, Value]
) -> Value | None:
    """A call of NumPy or of `math`; None where nothing is known of it."""
    name = path.partition(".")[2]
    constant = _compute_constant(m, name, given, named)
    if constant is not None:
        return constant
    array = _make_array(m, name, given, named)
    if array is None:
        return None
    what = f"{path}({', '.join(map(describe, given))})"
    if name.startswith("random."):
        return m.hosts.make_fresh(what, array)
    return m.hosts.make(path, *given, *named.values(), what=what, array=array)


def _compute_constant(
    m: Machine, name: str, given: list[Value], named: dict[str, Value]
) -> Value | None:
    try:
        values: list[Any] = [containers.convert_to_python(m, v) for v in given]
    except containers.NotConstant:
        return None
    if named:
        return None
    try:
        if name in _PURE and all(isinstance(v, (int, float)) for v in values):
            return Const(getattr(math, name)(*values))
        if name in ("prod", "product") and len(values) == 1:
            return Const(math.prod(values[0]))
        if name in ("sum", "max", "min") and len(values) == 1 and _is_flat(values[0]):
            functions: dict[str, Callable[[Any], Any]] = {
                "sum": sum,
                "max": max,
                "min": min,
            }
            return Const(functions[name](values[0]))
        if name in ("int32", "int64", "float32", "float64") and len(values) == 1:
            if isinstance(values[0], (int, float)):
                return Const(
                    int(values[0]) if name.startswith("int") else float(values[0])
                )
    except (TypeError, ValueError, ArithmeticError):
        return None
    return None


def _is_flat(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(
        isinstance(v, (int, float)) for v in value
    )


def _make_array(
    m: Machine, name: str, given: list[Value], named: dict[str, Value]
) -> Array | None:
    kind = find_type_name(named.get("dtype"))
    if name in _FILLED and (given or "shape" in named):
        shape = read_dims(m, given[0] if given else named["shape"])
        place = 2 if name == "full" else 1
        if len(given) > place:
            kind = find_type_name(given[place])
        return Array(shape, kind or ("float64" if "dtype" not in named else None))
    if name in _BY_ARGUMENTS:
        # Without dimensions it is a number of Python's.
        return Array(tuple(read_dim(v) for v in given), "float64" if given else "float")
    if name in _BY_SIZE:
        size = given[0] if given else named.get("size", NONE)
        if size == NONE:
            return Array((), "float")
        return Array(read_dims(m, size), "float64")
    if name in _SIZED:
        place = _SIZED[name]
        size = named.get("size", given[place] if len(given) > place else NONE)
        drawn = _find_drawn_type(name)
        if size == NONE:
            return Array((), drawn and drawn.removesuffix("64"))
        return Array(read_dims(m, size), drawn)
    if name in ("array", "asarray") and given:
        found = make_array_of_literal(m, given[0])
        if found is None:
            return None
        return Array(
            found.shape,
            find_type_name(given[1]) if len(given) > 1 else kind or found.dtype,
        )
    if name == "linspace" and given:
        count = given[2] if len(given) > 2 else named.get("num", Const(50))
        return Array((read_dim(count),), "float64")
    if name in ("eye", "identity") and given:
        one = read_dim(given[0])
        return Array(
            (one, read_dim(given[1]) if len(given) > 1 else one), kind or "float64"
        )
    if name in _BROADCAST and len(given) > 1:
        first, second = (
            make_array_of_literal(m, given[0]),
            make_array_of_literal(m, given[1]),
        )
        if first is None or second is None:
            return None
        firm = [a.dtype for a in (first, second) if a.shape != ()] or [first.dtype]
        return Array(shapes.broadcast(first.shape, second.shape), kind or firm[0])
    if name in _JOINED and given:
        return _concatenate_arrays(m, name, given, named)
    if name == "arange" and len(given) == 1 and isinstance(given[0], Const):
        return Array((read_dim(given[0]),), kind or "int64")
    if name in _SAME and given:
        found = make_array_of_literal(m, given[0])
        return None if found is None else Array(found.shape, kind or found.dtype)
    if name == "reshape" and len(given) > 1:
        found = make_array_of_literal(m, given[0])
        return Array(
            _complete_shape(found, read_dims(m, given[1])),
            found.dtype if found else None,
        )
    if name == "expand_dims" and len(given) > 1:
        found = make_array_of_literal(m, given[0])
        if (
            found is not None
            and found.shape is not None
            and isinstance(given[1], Const)
        ):
            place = int(given[1].value)  # type: ignore[call-overload]
            place = place if place >= 0 else len(found.shape) + 1 + place
            return Array((*found.shape[:place], 1, *found.shape[place:]), found.dtype)
    return None


def _reduce_array(
    array: Array, name: str, given: list[Value], named: dict[str, Value]
) -> Array | None:
    """The array that `sum`, `mean` and their like make of one."""
    dtype = array.dtype
    if name in ("argmax", "argmin"):
        dtype = "int64"
    elif name in ("any", "all"):
        dtype = "bool"
    elif name in ("mean", "std", "var") and dtype not in ("float32", "float16"):
        dtype = "float64"
    axis = named.get("axis", given[0] if given else NONE)
    keep = named.get("keepdims") == Const(True)
    if axis == NONE:
        return None if keep else Array((), dtype)
    if array.shape is None:
        return Array(None, dtype)
    parts = axis.items if isinstance(axis, Tuple) else (axis,)
    numbers: list[int] = []
    for part in parts:
        if not (isinstance(part, Const) and isinstance(part.value, int)):
            return Array(None, dtype)
        numbers.append(part.value % len(array.shape) if array.shape else 0)
    kept = [
        1 if i in numbers else d
        for i, d in enumerate(array.shape)
        if keep or i not in numbers
    ]
    return Array(tuple(kept), dtype)


def _concatenate_arrays(
    m: Machine, name: str, given: list[Value], named: dict[str, Value]
) -> Array | None:
    """Arrays one after another along an axis that is there already."""
    items = containers.list_elements(m, given[0])
    parts = [make_array_of_literal(m, item) for item in items or ()]
    known = [p.shape for p in parts if p is not None and p.shape is not None]
    if not parts or len(known) < len(parts) or len({len(s) for s in known}) > 1:
        return None
    rank = len(known[0])
    axis = named.get("axis", given[1] if len(given) > 1 else Const(0))
    place = axis.value if isinstance(axis, Const) else None
    if name != "concatenate":
        if rank < 2 and name == "vstack":
            return None
        place = 0 if name == "vstack" or rank < 2 else 1
    if not isinstance(place, int) or rank == 0:
        return None
    place %= rank
    dims_of = list(known[0])
    lengths = [s[place] for s in known]
    whole = [n for n in lengths if isinstance(n, int)]
    dims_of[place] = sum(whole) if len(whole) == len(lengths) else None
    types = {p.dtype for p in parts if p is not None}
    return Array(tuple(dims_of), types.pop() if len(types) == 1 else None)


def _find_drawn_type(name: str) -> str | None:
    if name == "random.choice":
        return None
    return "int64" if name in ("random.randint", "random.binomial") else "float64"


def _complete_shape(
    array: Array | None, wanted: tuple[Dim, ...] | None
) -> tuple[Dim, ...] | None:
    if wanted is None:
        return None
    if wanted.count(None) == 1 and array is not None and array.shape is not None:
        whole = shapes.compute_size(array.shape)
        others = shapes.compute_size(d for d in wanted if d is not None)
        if isinstance(whole, int) and isinstance(others, int) and others:
            return tuple(whole // others if d is None else d for d in wanted)
    return wanted


GENERATORS = ("numpy.random.RandomState", "numpy.random.default_rng")


def make_generator(m: Machine, path: str, given: list[Value]) -> Host:
    """A generator of random numbers: what it draws has the forms that `numpy.random` gives."""
    made = m.hosts.make_fresh(f"{path}({', '.join(map(describe, given))})")
    m.store.set(("generator", made.key), True)
    return made


def call_method(
    m: Machine, function: Host, given: list[Value], named: dict[str, Value]
) -> Value | None:
    """`array.reshape(...)`, `array.astype(...)`, `generator.rand(...)`."""
    parts = m.hosts.find_parts(function)
    if parts[:1] != (".",) or not isinstance(parts[1], Host):
        return None
    receiver, name = parts[1], str(parts[2])
    if m.store.get(("generator", receiver.key)) is True:
        return call_function(m, f"numpy.random.{name}", given, named)
    if receiver.array is None:
        return None
    array = receiver.array
    assert array is not None
    found: Array | None = None
    if name == "astype" and given:
        found = Array(array.shape, find_type_name(given[0]))
    elif name == "reshape" and given:
        wanted = (
            read_dims(m, given[0])
            if len(given) == 1
            else tuple(read_dim(v) for v in given)
        )
        found = Array(_complete_shape(array, wanted), array.dtype)
    elif name in ("copy", "round", "clip"):
        found = array
    elif name in _REDUCES:
        found = _reduce_array(array, name, given, named)
    elif name in ("flatten", "ravel") and array.shape is not None:
        found = Array((shapes.compute_size(array.shape),), array.dtype)
    if found is None:
        return None
    what = f"{function.what}({', '.join(map(describe, given))})"
    return m.hosts.make("call", function, *given, what=what, array=found)
