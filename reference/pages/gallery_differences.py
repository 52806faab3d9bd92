"""Collects the differences of the gallery's programs from TensorFlow 1.15.5.

`python -m reference.pages.gallery_differences` takes what the tests measured from the
ledger, and writes `gallery_differences.json`. The pages do not read the ledger: other
machines measure other digits.
"""

from __future__ import annotations

import json
import pathlib

from reference import numerics
from reference.pages.gallery_programs import PROGRAMS, Program
from reference.registry import SCENARIOS

FILE = pathlib.Path(__file__).with_suffix(".json")


def find_difference(program: Program) -> str:
    """The largest difference of any run, or that the test compares what is printed."""
    if program.scenario:
        return numerics.find_largest(SCENARIOS[program.scenario])
    recorded: dict[str, str] = json.loads(FILE.read_text())
    return recorded[program.name] or "none: both write the same text"


def collect() -> dict[str, str]:
    """Collects the ledger's difference of each program that is no scenario."""
    from tests.ledger import rows  # The tests are not installed with the tool.

    known, _ = rows.read()
    return {
        name: known[program.test].difference
        for name, program in PROGRAMS.items()
        if not program.scenario
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(collect(), indent=2) + "\n")
