"""Words that several parts of the analysis share."""

from __future__ import annotations

import ast

from migrate.program.ir import Kind

SETUP_KINDS = frozenset(
    {Kind.CLUSTER, Kind.SERVER, Kind.DEVICE, Kind.CONFIG, Kind.INITIALIZER_OP}
)


def is_given(node: ast.expr | None) -> bool:
    return node is not None and not (
        isinstance(node, ast.Constant) and node.value is None
    )
