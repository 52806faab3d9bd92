"""What the tables must agree with: what was observed of Python and of both TensorFlows.

    fact effects of calls

is such a fact. It is no program: it looks at a whole table, and says what contradicts what
was observed. A wrong part is noticed where something does.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

PREFIX = "fact "
_HOME = "tests.mutation."
# Fact -> the module and function that tell what contradicts it, the tables that it is about.
# What is more than that a name exists stands first.
FACTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "effects of calls": ("host_calls.find_contradictions", ("host_effects",)),
    **{
        f"{name} of Python": (
            f"python_objects.find_wrong_{name}",
            ("host_effects", "worker_state"),
        )
        for name in ("builtins", "functions", "methods", "operators")
    },
}


def _find(name: str) -> Callable[[], list[str]]:
    module, _, function = FACTS[name.removeprefix(PREFIX)][0].partition(".")
    found: Any = getattr(importlib.import_module(_HOME + module), function)
    return found  # type: ignore[no-any-return]


def names() -> list[str]:
    """All facts, as programs are called."""
    return [PREFIX + name for name in FACTS]


def about(table: str) -> list[str]:
    """The facts about a table."""
    return [PREFIX + name for name, (_, tables) in FACTS.items() if table in tables]


def find_contradictions(name: str) -> list[str]:
    """What contradicts a fact."""
    return _find(name)()


def holds(name: str) -> bool:
    """Whether nothing contradicts a fact, nor keeps it from being looked at."""
    try:
        return not find_contradictions(name)
    except Exception:
        return False
