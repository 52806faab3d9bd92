"""Finds the stage at which two programs part: feeds, forward, gradients, update."""

from __future__ import annotations

import re

import numpy as np

from reference.verify.problems import CannotRun
from reference.verify.records import Event, Record
from reference.verify.rows import Records
from reference.verify.runs import Program, Runs
from reference.verify.verdict import Verdict


def stage_of(
    records: Records, verdict: Verdict, runs: Runs, old: Program, new: Program
) -> str:
    """A sentence on the first thing that differs in the first step that does.

    Both programs are run again up to that step, with inputs and gradients recorded.
    """
    first = verdict.first
    if first is None or first.first is None or first.kind in ("metric", "prediction"):
        return ""
    step = first.first
    try:
        a = runs.run(old, "first-probed", steps=step + 1, probe=True)
        b = runs.run(new, "new-probed", steps=step + 1, probe=True)
    except CannotRun:
        a, b = records.first, records.new
    if step >= len(a.steps) or step >= len(b.steps):
        return ""
    one, two = a.steps[step], b.steps[step]
    where = f"the original: {one['at']}; migrated: {two.get('by') or two['at']}"
    fed = _feeds(a, one, b, two)
    if fed:
        return f"bisected: {fed} ({where})"
    if first.kind in ("fetch", "read"):
        wrong = verdict.variable
        if wrong is not None and _worker(wrong.name) < _worker(first.name):
            return (
                f"bisected: it is computed of variables that another worker has changed "
                f"otherwise before, {wrong.name} at step {wrong.first} ({where})"
            )
        return (
            "bisected: variables and inputs are alike before the step; the forward "
            f"computation differs ({where})"
        )
    gradients = _gradients(a, one, b, two)
    if gradients is None:
        return (
            "bisected: variables, inputs and fetched values are alike; gradients or "
            f"update differ ({where})"
        )
    if gradients:
        return (
            "bisected: variables, inputs and fetched values are alike; the gradient of "
            f"{gradients} differs ({where})"
        )
    return (
        "bisected: variables, inputs and gradients are alike; the update differs "
        f"({where})"
    )


def _worker(name: str) -> int:
    """The number of the worker that a value is of; the first is not named."""
    found = re.search(r"\(worker (\d+)\)", name)
    return int(found[1]) if found is not None else 0


def places(records: Records, verdict: Verdict) -> list[str]:
    """The line of the original that makes the first wrong step."""
    first = verdict.first
    steps = records.first.steps
    if first is None or first.first is None or first.first >= len(steps):
        return []
    return [steps[first.first]["at"]]


def _feeds(a: Record, one: Event, b: Record, two: Event) -> str:
    """Names the step's argument that differs from the original's data; "" for none."""
    given = [t for t in one["feeds"].values()]
    given += [t for n, t in one["probes"].items() if n.startswith("input:")]
    if not given:
        return ""
    for number, told in two["feeds"].items():
        if not told["shape"] or "digest" not in told:
            continue  # A scalar may be one that the original computed.
        same = [t for t in given if t["shape"] == told["shape"]]
        if same and all(t.get("digest") != told["digest"] for t in same):
            if not any(_close(a, t, b, told) for t in same):
                return f"argument {int(number) + 1} of the step is other data"
    return ""


def _close(a: Record, one: Event, b: Record, two: Event) -> bool:
    x, y = a.array(one), b.array(two)
    return (
        x is not None and y is not None and bool(np.allclose(x, y, rtol=1e-5, atol=0))
    )


def _gradients(a: Record, one: Event, b: Record, two: Event) -> str | None:
    """The variable whose gradient differs most; None where gradients were not seen."""
    prefix = "gradient:"
    old = {n: t for n, t in one["probes"].items() if n.startswith(prefix)}
    new = {n: t for n, t in two["probes"].items() if n.startswith(prefix)}
    both = sorted(old.keys() & new.keys())
    if not both:
        return None
    worst, found = 1e-4, ""
    for name in both:
        x, y = a.array(old[name]), b.array(new[name])
        if x is None or y is None or x.shape != y.shape:
            return str(name[len(prefix) :])
        top = float(np.max(np.abs(x))) if x.size else 0.0
        far = float(np.max(np.abs(x.astype(float) - y))) / (top or 1.0) if x.size else 0
        if far > worst:
            worst, found = far, name[len(prefix) :]
    return found
