"""Counts how often the gate of effects stops a program of this repository.

Tests that prove these programs fail if the gate stops one; the record says of how many
files that is true.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator

from migrate import run
from migrate.findings import Finding

ROOT = pathlib.Path(__file__).parents[2]
RECORDED = pathlib.Path(__file__).with_name("suite.json")
_GATE = "G007"
# How the recipe begins for a name that the program itself binds again too late.
_OF_THE_PROGRAM = "Assign the new value"


def stops(finding: Finding) -> bool:
    """Whether the gate of effects says that the result would not do as the program did."""
    return finding.code == _GATE and not finding.recipe.startswith(_OF_THE_PROGRAM)


def find_programs() -> list[pathlib.Path]:
    """Trees of programs: those of `tests/programs`, and the originals of `reference`."""
    own = [p for p in (ROOT / "tests/programs").iterdir() if p.is_dir()]
    return sorted([*own, *(ROOT / "reference").glob("*/tf1.py")])


def _count() -> Iterator[tuple[int, list[str]]]:
    """Counts the files of each tree, and lists the findings of the gate in them."""
    for tree in find_programs():
        results = list(run.run_tree([tree], jobs=0))
        yield (
            len(results),
            [
                f"{result.path.relative_to(ROOT)}:{found.line}: {found.reason}"
                for result in results
                for found in result.findings
                if stops(found)
            ],
        )


def record() -> None:
    """Counts, and writes the record."""
    counted = list(_count())
    row = {
        "files": sum(files for files, _ in counted),
        "violations": [said for _, told in counted for said in told],
    }
    RECORDED.write_text(json.dumps(row, indent=1) + "\n", "utf-8")


def recorded() -> tuple[int, list[str]]:
    """The recorded count: files, and what the gate said of them."""
    row = json.loads(RECORDED.read_text("utf-8"))
    return row["files"], row["violations"]
