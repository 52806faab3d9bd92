"""What a library with symbols of its own (TensorFlow) answers the evaluator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from migrate.graph.values import Host, Reference, Symbol, Unknown, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


class Library(Protocol):
    """Its symbols, and the values that it makes. None: the evaluator knows better."""

    def find_root(self, module: str) -> str | None:
        """The symbol of a module that is imported: "tensorflow.train" is "tf.train"."""

    def find_symbol(self, m: Machine, path: str) -> Value:
        """What a dotted name is."""

    def call_symbol(
        self, m: Machine, symbol: Symbol, given: list[Value], named: dict[str, Value]
    ) -> Value:
        """A call of a function, or of a class, by its symbol."""

    def call_method(
        self,
        m: Machine,
        receiver: Value,
        name: str,
        given: list[Value],
        named: dict[str, Value],
    ) -> Value:
        """A call of a method of a value that the library made."""

    def call_own(
        self,
        m: Machine,
        receiver: Value,
        name: str,
        given: list[Value],
        named: dict[str, Value],
    ) -> Value | None:
        """A method of a value that is no object: a tensor, a shape. None: it is not the library's."""

    def find_attribute(self, m: Machine, value: Value, name: str) -> Value | None:
        """An attribute of a value that the library made."""

    def set_attribute(self, m: Machine, value: Value, name: str, item: Value) -> bool:
        """Sets one; False where it is a field like those of the program's own objects."""

    def initialise(
        self,
        m: Machine,
        receiver: Reference,
        symbol: Symbol,
        given: list[Value],
        named: dict[str, Value],
    ) -> None:
        """`__init__` of a class of the library, for an object of it or of a class below it."""

    def is_instance(self, m: Machine, value: Value, symbol: Symbol) -> bool | None:
        """Whether a value is of a class of the library; None: that is not known."""

    def apply_binary(
        self, m: Machine, operator: str, left: Value, right: Value
    ) -> Value | None:
        """`left + right`, where one of them is the library's; None: neither is."""

    def apply_unary(self, m: Machine, operator: str, operand: Value) -> Value | None:
        """`-x`, `abs(x)`."""

    def get_item(self, m: Machine, value: Value, index: Value) -> Value | None:
        """`value[index]`."""

    def list_elements(self, m: Machine, value: Value) -> list[Value] | None:
        """What iterating over one of the library's values gives."""

    def enter(self, m: Machine, value: Value) -> Value | None:
        """`with value as ...`; None: it is none of the library's managers."""

    def leave(self, m: Machine, value: Value) -> None:
        """The end of a `with`."""

    def find_truth(self, m: Machine, value: Value) -> bool | Host | Unknown | None:
        """Whether one of its values counts as true."""
