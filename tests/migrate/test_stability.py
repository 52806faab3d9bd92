"""Every program of the tests passes the gates; one is that its result migrates to itself."""

from __future__ import annotations

import pathlib

import pytest

from migrate import pipeline
from migrate.findings import Outcome
from migrate.migration import Migration
from migrate.options import Options
from migrate.run import run_tree
from tests import ledger

PROGRAMS = pathlib.Path(__file__).parents[1] / "programs"
GROUPS = sorted(
    path for path in PROGRAMS.iterdir() if path.is_dir() and path.name != "__pycache__"
)


@pytest.mark.parametrize("group", GROUPS, ids=lambda path: path.name)
def test_no_gate_is_failed(group: pathlib.Path) -> None:
    ledger.rests_on(ledger.COMPILER, group)
    for result in run_tree([group], Options(), jobs=1):
        codes = {f.code for f in result.findings if f.outcome is Outcome.FAILED}
        # A mistake in a program is no fault of ours.
        assert not {code for code in codes if code.startswith("G")}, result.path


def test_a_result_that_is_not_stable_is_seen() -> None:
    """The control: one more line each time."""

    def core(text: str, options: Options, filename: str) -> Migration:
        return Migration(text + "# more\n")

    _, findings, _ = pipeline._migrate_module(
        "import tensorflow as tf\n", "a.py", Options(), core
    )
    assert {f.code for f in findings} == {"G009"}
