"""Words that several parts of the analysis share."""

from __future__ import annotations

from migrate.program.ir import Kind

SETUP_KINDS = frozenset(
    {Kind.CLUSTER, Kind.SERVER, Kind.DEVICE, Kind.CONFIG, Kind.INITIALIZER_OP}
)
