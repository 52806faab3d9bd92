"""The scenarios, by name."""

from __future__ import annotations

from reference.async_parameter_server.spec import SCENARIO as ASYNCHRONOUS
from reference.scenario import Scenario
from reference.sync_replicas.spec import SCENARIO as SYNCHRONOUS

SCENARIOS: dict[str, Scenario] = {s.name: s for s in (ASYNCHRONOUS, SYNCHRONOUS)}
