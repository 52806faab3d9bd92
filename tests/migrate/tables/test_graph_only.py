"""A reason of a symbol that needs a graph is the one that is told, or there is none."""

from __future__ import annotations

import pytest

from migrate.findings import Outcome
from migrate.rules.symbols import find_verdict
from migrate.tables.graph_only import GRAPH_ONLY, GraphOnly
from migrate.tables.unsupported import UNSUPPORTED


@pytest.mark.parametrize("row", GRAPH_ONLY.values(), ids=lambda row: row.symbol)
def test_it_gives_the_reason_that_unsupported_does_not(
    row: GraphOnly,
) -> None:
    found = find_verdict(row.symbol)
    if row.reason is None:
        assert found.outcome is Outcome.REFUSED
        assert (found.code, found.reason) in {row[:2] for row in UNSUPPORTED.values()}
    elif found.code == "T112":
        assert row.reason == found.reason
