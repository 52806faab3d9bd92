"""Every statement of a region, those within blocks too."""

from __future__ import annotations

from collections.abc import Sequence

from migrate.program.ir import Flow


def list_every_flow(flows: Sequence[Flow]) -> list[Flow]:
    found: list[Flow] = []
    for flow in flows:
        found.append(flow)
        for suite in flow.suites.values():
            found.extend(list_every_flow(suite))
    return found
