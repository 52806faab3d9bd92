"""Declares what the evaluator asks of a library with its own symbols (TensorFlow)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from migrate.graph.values import Host, Reference, Symbol, Unknown, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


class Library(Protocol):
    """A library's symbols and values; a method returns None if it has no answer."""

    def find_root(self, module: str) -> str | None:
        """The symbol of a module that is imported: "tensorflow.train" is "tf.train"."""

    def find_symbol(self, m: Machine, path: str) -> Value:
        """Returns the value of a dotted name."""

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
        """Sets an attribute; False if it is a field like any other object's."""

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
        """Lists the elements of one of the library's values."""

    def enter(self, m: Machine, value: Value) -> Value | None:
        """Evaluates `with value as ...`; None if the value is no manager of it."""

    def leave(self, m: Machine, value: Value) -> None:
        """The end of a `with`."""

    def find_truth(self, m: Machine, value: Value) -> bool | Host | Unknown | None:
        """Whether one of its values counts as true."""
