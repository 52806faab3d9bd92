"""A record as named series: for every value of a program what it was step by step."""

from __future__ import annotations

import dataclasses
from typing import Any

from reference.verify.records import Event, Record

Told = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Point:
    """A value at one step.

    Attributes:
      step: how many steps were made before; of a variable the step that made it so.
      told: the array, as events tell it.
      at: the line of the program, "file:line".
    """

    step: int
    told: Told
    at: str


@dataclasses.dataclass
class Series:
    """A value of a program, step by step.

    Attributes:
      kind: "variable", "fetch", "read", "metric", "prediction".
      name: of its kind alone.
    """

    kind: str
    name: str
    points: list[Point] = dataclasses.field(default_factory=list)

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name


def variables(record: Record) -> dict[tuple[str, str], Series]:
    """Every variable after every step."""
    found: dict[tuple[str, str], Series] = {}
    many = {event.get("graph", 0) for event in record.steps}
    for event in record.steps:
        for name, told in event["variables"].items():
            if len(many) > 1:
                name = f"{name} (graph {event.get('graph', 0)})"
            series = found.setdefault(("variable", name), Series("variable", name))
            series.points.append(Point(event["step"], told, event["at"]))
    return found


def results(record: Record) -> dict[tuple[str, str], Series]:
    """Returns the series of Estimators' evaluations and predictions."""
    found: dict[tuple[str, str], Series] = {}
    for kind, events in (
        ("metric", record.of("metrics")),
        ("prediction", record.of("predictions")),
    ):
        for event in events:
            for name, told in event["values"].items():
                series = found.setdefault((kind, name), Series(kind, name))
                series.points.append(Point(event["step"], told, event["at"]))
    return found


def reads(record: Record) -> list[list[Event]]:
    """Runs that update nothing, in lists: those before step 0, before step 1, ..."""
    found: list[list[Event]] = [[] for _ in range(len(record.steps) + 1)]
    for event in record.of("read"):
        if event["step"] < len(found):
            found[event["step"]].append(event)
    return found
