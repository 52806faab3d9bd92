"""Faults that are planted into the table of calls are noticed; `tests/mutation/calls.py` has them all.

`mutants.json` lists each fault with the case that notices it. That every fault has an entry,
and that each entry's case is migrated to another text, is checked in each run. Values are
computed for a few entries, which the commit draws.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import pathlib
from collections.abc import Mapping

import pytest

from migrate.tables.calls import CALLS
from tests.ledger import sample

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="needs tensorflow"
)
mutation = pytest.importorskip("tests.mutation.calls")
MUTANTS = {str(m): m for row in CALLS.values() for m in mutation.mutants(row)}
KILLED_BY: dict[str, str] = mutation.killed_by()
DRAWN = 12
_RECORD = "record them: python -m tests.mutation --record SYMBOL"


def _draw(by: str) -> list[str]:
    """Some entries, others for another commit."""
    return sorted(
        KILLED_BY, key=lambda name: hashlib.sha256(f"{by} {name}".encode()).digest()
    )[:DRAWN]


def find_gaps(killed_by: Mapping[str, str]) -> set[str]:
    """Mutants without an entry, and entries of no mutant."""
    return {*killed_by, *mutation.EQUAL} ^ {*MUTANTS}


def find_idle(killed_by: Mapping[str, str]) -> list[str]:
    """Entries whose case is none, or is migrated to the same text with the mutant."""
    idle = []
    for name, case in killed_by.items():
        mutant = MUTANTS[name]
        calls = [c for k, c in mutation.cases_of(CALLS[mutant.symbol]) if k == case]
        if all(mutation.changed_text(mutant, call) is None for call in calls):
            idle.append(name)
    return idle


def test_every_mutant_is_killed_or_means_the_same() -> None:
    assert not find_gaps(KILLED_BY), _RECORD
    assert not {*KILLED_BY} & {*mutation.EQUAL}


def test_each_case_is_migrated_to_another_text() -> None:
    assert not find_idle(KILLED_BY), _RECORD


def test_the_drawn_cases_kill() -> None:
    drawn = _draw(sample.seed(pathlib.Path(__file__).parents[3]))
    alive = [n for n in drawn if not mutation.is_killed_by(MUTANTS[n], KILLED_BY[n])]
    assert not alive, _RECORD


@pytest.mark.parametrize("name", mutation.EQUAL)
def test_why_it_means_the_same_still_holds(name: str) -> None:
    assert mutation.EQUAL[name].holds(MUTANTS[name])


# -- controls ---------------------------------------------------------------------------


def test_a_row_without_an_entry_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    new = dataclasses.replace(CALLS["tf.pad"], symbol="tf.padded")
    added = {str(m): m for m in mutation.mutants(new)}
    monkeypatch.setattr(f"{__name__}.MUTANTS", MUTANTS | added)
    assert find_gaps(KILLED_BY) == {*added}


def test_a_removed_case_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "tf.transpose: positional"
    left = [c for c in mutation.symbol_cases.CASES if c != KILLED_BY[name]]
    monkeypatch.setattr(mutation.symbol_cases, "CASES", left)
    assert find_idle({name: KILLED_BY[name]}) == [name]
    assert not mutation.is_killed_by(MUTANTS[name], KILLED_BY[name])
    assert mutation.find_killer(MUTANTS[name]) is None


def test_a_case_that_does_not_kill_is_noticed() -> None:
    """Its text is another one, but the values are real numbers: nothing is conjugated."""
    mutant = MUTANTS["tf.transpose: positional"]
    case = "tf.transpose(x, [1, 0], 't')"
    assert not find_idle({str(mutant): case})
    assert not mutation.is_killed_by(mutant, case)


def test_another_commit_draws_others() -> None:
    assert _draw("a") != _draw("b")
    assert len(_draw("a")) == DRAWN


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("tf.argmax: keyword axis", "tf.arg_max: keyword axis"),
        ("tf.transpose: positional", "tf.string_to_number: positional"),
        ("tf.nn.moments: keyword keepdims", "tf.nn.moments: keyword shift"),
        (
            "tf.nn.weighted_cross_entropy_with_logits: required logits",
            "tf.nn.sigmoid_cross_entropy_with_logits: required logits",
        ),
    ],
)
def test_a_reason_of_another_mutant_does_not_hold(name: str, reason: str) -> None:
    assert not mutation.EQUAL[reason].holds(MUTANTS[name])


def test_a_fault_that_no_case_reaches_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = ("tf.reduce_sum(x, axis=1)",)
    monkeypatch.setattr(mutation.symbol_cases, "CASES", cases)
    recorded = {"dtype": "float32", "value": [-4.5, 4.5]}
    monkeypatch.setitem(mutation.RECORDED, cases[0], recorded)
    left = {m.part for m in mutation.survivors(["tf.reduce_sum"])}
    assert "renamed keep_dims" in left
    assert "target" not in left
