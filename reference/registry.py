"""The scenarios, by name: every directory here with a spec.py."""

from __future__ import annotations

import importlib

from reference import scenario as _scenario
from reference.scenario import Scenario


def discover() -> dict[str, Scenario]:
    """Reads every `reference/<name>/spec.py`.

    Raises:
      ValueError: a spec contradicts itself, or its scenario has another name than its
        directory.
    """
    found: dict[str, Scenario] = {}
    for path in sorted(_scenario.HERE.glob("*/spec.py")):
        name = path.parent.name
        scenario = importlib.import_module(f"reference.{name}.spec").SCENARIO
        if scenario.name != name:
            raise ValueError(f"{path}: its scenario is named {scenario.name!r}")
        _scenario.check(scenario)
        found[name] = scenario
    return found


SCENARIOS: dict[str, Scenario] = discover()
