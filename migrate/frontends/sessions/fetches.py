"""Reads the fetches of a run call, element by element."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Kind


@dataclasses.dataclass(frozen=True, eq=False)
class Leaf:
    """One fetched thing: its expression, and whether it has a value.

    `inner` are the elements of a display nested in the fetches.
    """

    node: ast.expr
    kind: Kind
    inner: tuple[Leaf, ...] = ()

    @property
    def has_value(self) -> bool:
        return self.kind is not Kind.OPERATION

    @property
    def value(self) -> Code:
        """Writes the value that the step function returns; None for an operation."""
        if not self.has_value:
            return make_code("None")
        if not self.inner:
            return make_code(self.node)
        values = [leaf.value for leaf in self.inner]
        if isinstance(self.node, ast.Dict):
            pairs = [make_code(k, ": ", v) for k, v in zip(self.node.keys, values) if k]
            return make_code("{", join_code(", ", pairs), "}")
        if isinstance(self.node, ast.List):
            return make_code("[", join_code(", ", values), "]")
        return make_code(
            "(", join_code(", ", values), ",)" if len(values) == 1 else ")"
        )

    def walk_leaves(self) -> Iterator[Leaf]:
        if not self.inner:
            yield self
        for leaf in self.inner:
            yield from leaf.walk_leaves()


def spread(node: ast.expr) -> bool:
    """`[*a, b]` or `{**a, "b": b}`."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(isinstance(e, ast.Starred) for e in node.elts)
    return isinstance(node, ast.Dict) and None in node.keys
