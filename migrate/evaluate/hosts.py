"""Host values: expressions that a run decides, hash-consed so that one expression is one value."""

from __future__ import annotations

from collections.abc import Hashable

from migrate.graph.values import Array, Const, Host, Value

_LONGEST = 60


class Hosts:
    """Makes host values; the same expression of the same values is the same host."""

    def __init__(self) -> None:
        self._keys: dict[Hashable, int] = {}
        self._fresh = 0
        self._whats: list[str] = []
        self._expressions: list[tuple[Hashable, ...]] = []
        self._negated: dict[int, int] = {}

    def make(
        self, kind: str, *parts: Value | str, what: str = "", array: Array | None = None
    ) -> Host:
        """The host value of an expression without effects."""
        return self._make_host((kind, *parts), what or kind, array)

    def make_negation(self, host: Host) -> Host:
        """`not host`."""
        opposite = self.make("not", host, what=f"not {host.what}")
        self._negated[opposite.key] = host.key
        return opposite

    def find_polarity(self, key: int) -> tuple[int, bool]:
        """The test that a key is, or is the negation of; False for the latter."""
        positive = True
        while key in self._negated:
            key, positive = self._negated[key], not positive
        return key, positive

    def make_fresh(self, what: str, array: Array | None = None) -> Host:
        """A host value that is no other one: a draw, a read, what a loop has changed."""
        self._fresh += 1
        return self._make_host(("fresh", self._fresh), what, array)

    def find_parts(self, host: Host) -> tuple[Hashable, ...]:
        """The kind of a host's expression, and what it is made of."""
        return self._expressions[host.key]

    def describe_host(self, key: int) -> str:
        """A host's expression, for a reader."""
        return self._whats[key]

    def _make_host(
        self, expression: tuple[Hashable, ...], what: str, array: Array | None
    ) -> Host:
        key = self._keys.get(expression)
        what = what if len(what) <= _LONGEST else what[:_LONGEST] + "..."
        if key is None:
            key = self._keys[expression] = len(self._keys)
            self._whats.append(what)
            self._expressions.append(expression)
        return Host(key, what, array)


def describe(value: Value) -> str:
    """A value for a reader."""
    if isinstance(value, Const):
        return repr(value.value)
    if isinstance(value, Host):
        return value.what
    return type(value).__name__.lower()
