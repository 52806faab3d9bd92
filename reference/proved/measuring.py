"""Puts each program of the list through `tf1to2 verify` and keeps what it said."""

from __future__ import annotations

import json
import pathlib
import re
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import Any

from reference.proved.programs import CannotFetch, Program, bring, root_of
from reference.verify.runs import Limits
from reference.verify.verdict import Outcome, Verdict
from reference.verify.verification import Request, verify

MEASURED = pathlib.Path(__file__).with_name("measured.json")
STEPS = 100
SECONDS = 150.0
_CODE = re.compile(r"\b([A-Z]\d{3})\b")
_LARGEST = re.compile(r"largest difference (\S+) in (.+), tolerance (\S+) because")
_KEPT = 300  # Characters of a message.


def read_measured(path: pathlib.Path = MEASURED) -> dict[str, dict[str, Any]]:
    """Reads the measured results, by the program's name."""
    return json.loads(path.read_text()) if path.exists() else {}


def measure(
    programs: Iterable[Program],
    mirrors: pathlib.Path | None,
    say: Callable[[str], None],
    path: pathlib.Path = MEASURED,
) -> None:
    """Measures the programs one after another; each is kept as soon as it is known."""
    for program in programs:
        begun = time.monotonic()
        row = measure_one(program, mirrors)
        say(f"{program.name}: {row['line']} ({time.monotonic() - begun:.0f} s)")
        rows = {**read_measured(path), program.name: row}
        path.write_text(json.dumps(rows, indent=1, sort_keys=True, ensure_ascii=False))


def measure_one(program: Program, mirrors: pathlib.Path | None) -> dict[str, Any]:
    """One program's row: the verdict, its line, the largest difference."""
    with tempfile.TemporaryDirectory(prefix="tf1to2-proved-") as made:
        work = pathlib.Path(made)
        try:
            old = bring(program, work / "program", mirrors)
        except CannotFetch as error:
            return {"verdict": "not fetched", "line": str(error)[:_KEPT]}
        row = _row(program, old, work)
        if row["verdict"] == "refused":
            row["compat"] = _row(program, old, work, "compat")
        return row


def _row(
    program: Program, old: pathlib.Path, work: pathlib.Path, fallback: str = ""
) -> dict[str, Any]:
    """Verifies a program, or its form after `--fallback`, and returns the row."""
    place = work / f"verify{fallback}"
    place.mkdir()
    verdict = verify(
        Request(
            old,
            None,
            program.arguments,
            place,
            Limits(STEPS, SECONDS),
            root=root_of(program, old),
            preloaded=True,  # TensorFlow is imported once for all programs.
            fallback=fallback,
        )
    )
    return row_of(verdict, str(work))


def row_of(verdict: Verdict, work: str) -> dict[str, Any]:
    """Makes the row of a verdict, without the program's text or local paths."""
    line = verdict.line.replace(work, "").strip()
    row: dict[str, Any] = {"verdict": verdict.outcome.value, "line": line[:_KEPT]}
    if verdict.outcome is Outcome.UNKNOWN:
        row["verdict"], row["line"] = _why_not(line)
        return row
    rows = verdict.comparison.rows if verdict.comparison else []
    if rows:
        row["steps"] = max(r.steps for r in rows)
    found = _LARGEST.search(line)
    if verdict.outcome is Outcome.EQUAL:
        row["largest"], row["in"], row["allowed"] = (
            (float(found[1]), found[2], float(found[3])) if found else (0.0, "", 0.0)
        )
    elif rows:
        worst = max(rows, key=lambda r: r.difference)
        row["largest"], row["in"] = float(f"{worst.difference:.2g}"), worst.name
    if verdict.stage:
        row["stage"] = verdict.stage[:_KEPT]
    return row


def _why_not(line: str) -> tuple[str, str]:
    """Explains in a word and a sentence why a program could not be compared."""
    if "the program is not migrated" in line:
        codes = sorted(set(_CODE.findall(line)))
        return "refused", ", ".join(codes) or line[:_KEPT]
    first, _, rest = line.removeprefix("could not run: ").partition("\n")
    asked = re.search(r"It wanted to reach [^;\n]*", rest)
    text = first if asked is None else f"{first} {asked[0]}."
    if first.startswith("the original"):
        return "does not run under TensorFlow 1.15.5", text[:_KEPT]
    if first.startswith("the migration"):
        return "the migration does not run", text[:_KEPT]
    return "not compared", text[:_KEPT]
