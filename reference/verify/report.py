"""Reports of a verdict: JSON, or one HTML page."""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib
from typing import Any

from reference.verify import page
from reference.verify.verdict import Verdict


def save(path: pathlib.Path, verdict: Verdict, old: str, new: str | None) -> None:
    """Writes a report; its suffix says which.

    Raises:
      ValueError: no report has such a suffix.
    """
    check_suffix(path)
    write = page.to_html if path.suffix == ".html" else to_json
    path.write_text(write(verdict, old, new))


def check_suffix(path: pathlib.Path) -> None:
    if path.suffix not in (".json", ".html"):
        raise ValueError(f"{path}: a report of a verification is .json or .html")


def to_json(verdict: Verdict, old: str, new: str | None) -> str:
    return json.dumps(as_data(verdict, old, new), indent=1) + "\n"


def as_data(verdict: Verdict, old: str, new: str | None) -> dict[str, Any]:
    """All of a verdict as plain data, without infinities, which JSON has not."""
    comparison = verdict.comparison
    data = {
        "schema": 1,
        "old": old,
        "new": new,
        "verdict": verdict.outcome.value,
        "line": verdict.line,
        "first": dataclasses.asdict(verdict.first) if verdict.first else None,
        "variable": dataclasses.asdict(verdict.variable) if verdict.variable else None,
        "bisected": verdict.stage,
        "codes": verdict.codes,
        "reduced": verdict.reduced,
        "not_proved": verdict.unproven,
        "steps": list(comparison.steps) if comparison else [0, 0],
        "values": [dataclasses.asdict(r) for r in comparison.rows]
        if comparison
        else [],
    }
    return _finite(data)  # type: ignore[no-any-return]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, (list, tuple)):
        return [_finite(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else math.copysign(1.7e308, value)
    return value
