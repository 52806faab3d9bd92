"""Checks that the text of a migration depends on the program alone."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from tests import ledger

ROOT = pathlib.Path(__file__).parents[2]
PROGRAMS = (
    "tests/programs/alone/fed_in_part.py",
    "tests/programs/alone/lazy_scopes.py",
    "reference/estimator_classifier/tf1.py",
    "reference/in_graph_towers/tf1.py",
)


def _migrated(program: str, seed: int) -> bytes:
    """A program's diff, by a Python that puts the elements of sets in another order."""
    return subprocess.run(
        [sys.executable, "-m", "migrate", "migrate", program, "--diff"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        stdout=subprocess.PIPE,
        timeout=300,
        check=True,
    ).stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_order_of_a_set_is_seen(program: str) -> None:
    ledger.rests_on(ledger.COMPILER, ledger.ROOT / program)
    first, *others = [_migrated(program, seed) for seed in (1, 2, 3)]
    assert first
    assert all(other == first for other in others)
