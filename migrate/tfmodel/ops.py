"""Functions that give one tensor: the rows of `ops.tsv`, read."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources

from migrate.graph.values import NONE, Value
from migrate.tfmodel import graphs, more_rules, names, rules, tensors
from migrate.tfmodel.registry import FUNCTIONS, Call, label_of, type_name

TABLE = "ops.tsv"
# Functions of sparse tensors that give a dense one.
_SPARSE = frozenset(
    {
        *("tf.nn.ctc_loss", "tf.edit_distance", "tf.sparse_tensor_dense_matmul"),
        *("tf.sparse_tensor_to_dense", "tf.nn.embedding_lookup_sparse"),
        "tf.nn.safe_embedding_lookup_sparse",
    }
)


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One function.

    Attributes:
      name: of its operation, where the program gives none.
      inner: the operation in its scope that is the result; None: the name is no scope's.
      rule: of the result's shape.
      dtype: how the result's type is found.
      first: its first parameter.
    """

    symbol: str
    name: str
    inner: str | None
    rule: rules.Rule
    dtype: str
    first: str


@functools.cache
def rows() -> dict[str, Row]:
    """The table's rows by symbol."""
    text = importlib.resources.files(__package__).joinpath(TABLE).read_text("utf-8")
    found: dict[str, Row] = {}
    for line in text.splitlines():
        if line.startswith("#") or not line:
            continue
        symbol, name, rule, dtype = line.split("\t")
        base, slash, inner = name.partition("/")
        function = getattr(rules, rule, None) or getattr(more_rules, rule)
        parameters = names.parameters(symbol) or ()
        first = next((p.partition("=")[0].lstrip("*") for p in parameters), "")
        found[symbol] = Row(
            symbol, base, inner if slash else None, function, dtype, first
        )
    return found


def register() -> None:
    """Registers the rows."""
    for symbol, row in rows().items():
        FUNCTIONS.setdefault(label_of(symbol), functools.partial(evaluate, row))


def evaluate(row: Row, call: Call) -> Value:
    """The tensor of a call."""
    m = call.m
    unknown = graphs.unknown_among(call.given.values())
    if unknown is not None:
        return unknown
    sparse = any(tensors.is_sparse(m.resolve(value)) for value in call.given.values())
    if sparse and row.symbol not in _SPARSE:
        return call.problem("a sparse tensor")
    shape = row.rule(call, row.first)
    dtype = dtype_of(row, call)
    extra = _find_extra_operation(row, call)
    if extra:
        graphs.unique(m, extra)
    whole = call.name_of(_name(row, call))
    if whole is not None and row.inner:
        whole = None if row.inner == "?" else f"{whole}/{row.inner}"
    return call.tensor(call.node(), dtype, shape, whole)


def _name(row: Row, call: Call) -> str:
    """Parses `Where|x:Select`: the second name applies if the argument is given."""
    name, _, other = row.name.partition("|")
    parameter, _, second = other.partition(":")
    return second if other and call.get(parameter) != NONE else name


def _find_extra_operation(row: Row, call: Call) -> str | None:
    """An operation that the function makes beside its own."""
    if row.rule is not rules.infer_reduced_shape or row.inner is not None:
        return None
    axis = call.get("axis", "reduction_indices")
    if axis != NONE:
        return None
    shape = rules.shape_of(call, row.first)
    return "Const" if shape is not None else "Rank"


def dtype_of(row: Row, call: Call) -> str | None:
    """The type of the result."""
    kind, _, otherwise = row.dtype.partition("|")
    if kind.startswith("@"):
        given = call.get(kind[1:])
        found = type_name(given)
        if found is None and given == NONE and otherwise:
            return _of_argument(call, row.first) if otherwise == "=" else otherwise
        return found
    if kind == "=":
        return _of_argument(call, row.first)
    if kind.startswith("="):
        return tensors.about(call.m, call.get(kind[1:])).dtype
    if kind == "where":
        return (
            "int64"
            if call.get("x") == NONE
            else tensors.about(call.m, call.get("x")).dtype
        )
    return kind


def _of_argument(call: Call, first: str) -> str | None:
    """The type of the first argument, or of the tensor that it is converted beside."""
    value = call.get(first)
    found = tensors.about(call.m, value).dtype
    if tensors.is_symbolic(call.m.resolve(value)):
        return found
    for other in call.given.values():
        other = call.m.resolve(other)
        if tensors.is_symbolic(other):
            dtype = tensors.about(call.m, other).dtype
            if dtype not in (None, "bool", "string"):
                return dtype
    return found
