"""Values that build time knows: one small class for each kind, none of which changes.

What Python can change (a list, an object's fields) is a `Reference` to an address; the contents are in
the evaluator's store. A value says what is known of it and where it came from, never how it is spelled.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from migrate.graph.shapes import Shape


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """The place of the text that something came from, and the calls that led there.

    Attributes:
      file: of the place.
      line: of the innermost statement or expression.
      column: of it.
      calls: (file, line) of each call of the program's own functions, outermost first.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    calls: tuple[tuple[str, int], ...] = ()


class Value:
    """The value of an expression, as far as it is known before anything runs."""

    __slots__ = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Const(Value):
    """A number, string, bytes, boolean, None or Ellipsis: known, and the same in every run."""

    value: object

    def __eq__(self, other: object) -> bool:
        # 1, 1.0 and True are equal to Python, and three different things to TensorFlow.
        return (
            isinstance(other, Const)
            and type(self.value) is type(other.value)
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


NONE = Const(None)


@dataclasses.dataclass(frozen=True, slots=True)
class Array:
    """An array's dimensions and type, as far as they are known."""

    shape: Shape | None = None
    dtype: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Host(Value):
    """A value that Python has when the program runs, and that nobody knows before.

    Two hosts with one key are one value: a flag that nobody writes is the same in two tests.

    Attributes:
      key: names the expression; it was made by `Hosts`, which hash-conses.
      what: the expression, for a reader.
      array: what is known of it, where it is an array.
    """

    key: int
    what: str = dataclasses.field(compare=False)
    array: Array | None = dataclasses.field(default=None, compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Choice(Value):
    """One of two values, by a test that only a run decides.

    Attributes:
      test: the key of the host value that is tested.
    """

    test: int
    yes: Value
    no: Value


@dataclasses.dataclass(frozen=True, slots=True)
class Unknown(Value):
    """A value that the evaluator does not know, and why not."""

    reason: str
    origin: Origin = Origin()


@dataclasses.dataclass(frozen=True, slots=True)
class Tuple(Value):
    """A tuple; `names` are those of a namedtuple's fields."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()
    kind: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Reference(Value):
    """An object that Python can change: its address in the store.

    Attributes:
      kind: "list", "dict", "set", or "object".
    """

    address: int
    kind: str = "object"


@dataclasses.dataclass(frozen=True, slots=True)
class Slice(Value):
    """`start:stop:step`."""

    start: Value
    stop: Value
    step: Value


# -- what TensorFlow makes --


@dataclasses.dataclass(frozen=True, slots=True)
class Tensor(Value):
    """An output of a node of the graph.

    Attributes:
      node: the node's number.
      output: which of the node's results it is: a path like "0", or "state.c".
      dtype: "float32"; None where it is not known.
      shape: None where not even the rank is known.
      name: the whole name in the graph; None where it is not known.
    """

    node: int
    output: str
    dtype: str | None
    shape: Shape | None
    name: str | None = dataclasses.field(default=None, compare=False)
    graph: int = dataclasses.field(default=0, compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Operation(Value):
    """A node as something that is run, not read."""

    node: int
    name: str | None = dataclasses.field(default=None, compare=False)
    graph: int = dataclasses.field(default=0, compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class VariableValue(Value):
    """A variable: its number in the record, with what readers ask most."""

    number: int
    name: str | None
    dtype: str | None
    shape: Shape | None
    graph: int = dataclasses.field(default=0, compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class DType(Value):
    """`tf.float32`."""

    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class ShapeValue(Value):
    """A TensorShape; `dims` is None where the rank is not known."""

    dims: Shape | None


@dataclasses.dataclass(frozen=True, slots=True)
class Dimension(Value):
    """An element of a TensorShape; its `value` is a number, None, or a host value's key."""

    value: Dim


@dataclasses.dataclass(frozen=True, slots=True)
class HostDim:
    """A dimension that a host value gives."""

    host: Host


Dim = int | HostDim | None


# -- what is called and looked into --


@dataclasses.dataclass(frozen=True, slots=True)
class Symbol(Value):
    """A public name of TensorFlow 1, in its canonical spelling: "tf.nn.relu"."""

    path: str


@dataclasses.dataclass(frozen=True, slots=True)
class External(Value):
    """A name of another package than TensorFlow: "numpy.random.rand"."""

    path: str


@dataclasses.dataclass(frozen=True, slots=True)
class Builtin(Value):
    """A name of Python's builtins."""

    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Module(Value):
    """A module of the program; its names are in the store below its number."""

    number: int
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Function(Value):
    """A function of the program.

    Attributes:
      code: the number of its definition.
      frame: the frame it was defined in, whose names it can see; 0 for a module's.
      module: the module whose globals it sees.
      defaults: values of its parameters that have one, by name.
      owner: the address of the class in whose body it stands, for `super()`.
    """

    code: int
    name: str
    frame: int
    module: int
    defaults: tuple[tuple[str, Value], ...] = ()
    owner: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Method(Value):
    """A function or a name of TensorFlow bound to an object."""

    receiver: Value
    function: Value


@dataclasses.dataclass(frozen=True, slots=True)
class Own(Value):
    """A method of a value that has no class of the program: `x.get_shape`, `"%d".format`."""

    receiver: Value
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Partial(Value):
    """`functools.partial`."""

    function: Value
    given: tuple[Value, ...]
    named: tuple[tuple[str, Value], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Super(Value):
    """`super()`: the object, and the class after which its methods are looked for."""

    receiver: Value
    after: int


@dataclasses.dataclass(frozen=True, slots=True)
class Wrapped(Value):
    """A function under one of Python's own decorators.

    Attributes:
      kind: "property", "staticmethod", "classmethod", "contextmanager".
    """

    kind: str
    function: Value
