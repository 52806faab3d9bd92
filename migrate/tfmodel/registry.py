"""Registers the functions that answer calls, by the label of the called definition.

A label is the place of a definition in TensorFlow 1.15.5 (`names.tsv`), so that a
function that has several public names is registered once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.evaluate import containers
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Builtin,
    Const,
    DType,
    Operation,
    Reference,
    Tensor,
    Unknown,
    Value,
)
from migrate.tfmodel import graphs, names

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


_PYTHON = {"float": "float32", "int": "int32"}


def type_name(given: Value) -> str | None:
    """The name of a type, as TensorFlow reads it: Python's float is float32, and NumPy's float64."""
    from migrate.evaluate import arrays

    python = given.name if isinstance(given, Builtin) else graphs.text_of(given)
    return _PYTHON.get(python or "") or arrays.find_type_name(given)


@dataclasses.dataclass
class Call:
    """A call that is being evaluated.

    Attributes:
      symbol: the public name that was called, or the class and the method.
      label: of the definition.
      given: arguments by parameter; those that were not given are not there.
      defaults: of the parameters that have one.
      receiver: the object, for a method.
    """

    m: Machine
    symbol: str
    label: str
    given: dict[str, Value]
    defaults: dict[str, Value] = dataclasses.field(default_factory=dict)
    receiver: Value = NONE

    def get(self, *names_: str) -> Value:
        """Returns the first of these arguments that is given, or a default."""
        for name in names_:
            found = self.given.get(name)
            if found is not None and found != NONE:
                return self.m.resolve(found)
        for name in names_:
            if name in self.given:
                return NONE
        for name in names_:
            if name in self.defaults:
                return self.defaults[name]
        return NONE

    def text(self, *names_: str) -> str | None:
        """A string argument."""
        return graphs.text_of(self.get(*names_))

    def number(self, *names_: str) -> int | None:
        """An integer argument."""
        found = self.get(*names_)
        if isinstance(found, Const) and isinstance(found.value, int):
            return int(found.value)
        return None

    def flag(self, *names_: str) -> bool | None:
        """A boolean argument; None where it is not known."""
        found = self.get(*names_)
        if isinstance(found, Const):
            return bool(found.value)
        return None

    def items(self, *names_: str) -> list[Value] | None:
        """The elements of a sequence."""
        from migrate.evaluate import calls

        return calls.iterate_over(self.m, self.get(*names_))

    def dims(self, *names_: str) -> Shape | None:
        """A shape argument."""
        from migrate.tfmodel import tensors

        return tensors.shape_argument(self.m, self.get(*names_))

    def dtype(self, *names_: str) -> str | None:
        """A type argument."""
        return type_name(self.get(*names_))

    # What is made.

    def node(self, needs: tuple[Value, ...] = ()) -> int:
        """The call's node."""
        return graphs.add(self.m, self.label, self.symbol, self.given, needs)

    def tensor(
        self,
        node: int,
        dtype: str | None,
        shape: Shape | None,
        name: str | None = None,
        output: str = "0",
        index: int = 0,
    ) -> Tensor:
        """An output of a node."""
        whole = None if name is None else f"{name}:{index}"
        return Tensor(node, output, dtype, shape, whole, graphs.current(self.m))

    def operation(self, node: int, name: str | None = None) -> Operation:
        """A node as an operation."""
        return Operation(node, name, graphs.current(self.m))

    def name_of(self, default: str) -> str | None:
        """The whole name of an operation: the argument `name`, or the default, made unique."""
        given = self.get("name")
        if isinstance(given, Const) and isinstance(given.value, str):
            if given.value.endswith("/"):
                return given.value[:-1]
            return graphs.unique(self.m, given.value)
        if given != NONE:
            return None
        return graphs.unique(self.m, default)

    def unknown(self, reason: str) -> Unknown:
        return self.m.make_unknown(f"{self.symbol}: {reason}")

    def problem(self, reason: str) -> Unknown:
        return self.m.report_problem(f"{self.symbol}: {reason}")


Handler = Callable[[Call], Value]
FUNCTIONS: dict[str, Handler] = {}
# By the label of a class.
CLASSES: dict[str, Handler] = {}
METHODS: dict[tuple[str, str], Handler] = {}
ATTRIBUTES: dict[tuple[str, str], Handler] = {}
PARENTS: dict[str, str] = {}
_TYPES: dict[str, str] = {}


def label_of(symbol: str) -> str:
    """The label of a public name.

    Raises:
      KeyError: TensorFlow 1.15.5 has no such name.
    """
    found = names.look_up(symbol)
    if found is None or not found.label:
        raise KeyError(symbol)
    return found.label


def function(*symbols: str) -> Callable[[Handler], Handler]:
    """Registers what calls of functions do."""

    def register(handler: Handler) -> Handler:
        for symbol in symbols:
            FUNCTIONS[label_of(symbol)] = handler
        return handler

    return register


def class_(*symbols: str, below: str = "") -> Callable[[Handler], Handler]:
    """Registers what an initialiser does.

    Args:
      below: the class whose methods these have too.
    """

    def register(handler: Handler) -> Handler:
        for symbol in symbols:
            own = label_of(symbol)
            CLASSES[own] = handler
            _TYPES.setdefault(own, symbol)
            if below:
                PARENTS[own] = label_of(below)
        return handler

    return register


def method(symbol: str, *methods: str) -> Callable[[Handler], Handler]:
    """Registers what methods of a class do."""

    def register(handler: Handler) -> Handler:
        for one in methods:
            METHODS[label_of(symbol), one] = handler
        return handler

    return register


def attribute(symbol: str, *attributes: str) -> Callable[[Handler], Handler]:
    """Registers what attributes of an object are."""

    def register(handler: Handler) -> Handler:
        for one in attributes:
            ATTRIBUTES[label_of(symbol), one] = handler
        return handler

    return register


def lineage(label: str) -> list[str]:
    """A class's label and those of the classes above it."""
    found = [label]
    while found[-1] in PARENTS:
        found.append(PARENTS[found[-1]])
    return found


def find(
    table: dict[tuple[str, str], Handler], label: str, name: str
) -> tuple[str, Handler] | None:
    """The handler of a class's method or attribute, with the label of the class that has it."""
    for one in lineage(label):
        if (one, name) in table:
            return one, table[one, name]
    return None


def default_of(text: str) -> Value | None:
    """The value that a parameter's default spells."""
    import ast

    if text.startswith("tf."):
        return DType(text.removeprefix("tf."))
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if isinstance(value, (tuple, list)):
        from migrate.graph.values import Tuple

        return Tuple(tuple(Const(v) for v in value))
    return Const(value) if not isinstance(value, (dict, set)) else None


def fields_of(m: Machine, value: Reference, name: str) -> Value:
    """A hidden field of one of the library's objects."""
    from migrate.evaluate import objects

    return objects.get_field(m, value, "tf:" + name) or NONE


def keep(m: Machine, value: Reference, /, **fields: Value) -> None:
    """Sets hidden fields."""
    from migrate.evaluate import objects

    for name, item in fields.items():
        objects.set_field(m, value, "tf:" + name, item)


def as_list(m: Machine, value: Value) -> list[Value]:
    """The elements of a sequence, or the value alone."""
    found = containers.list_elements(m, value)
    return [value] if found is None or isinstance(value, Const) else found
