"""Every part of every table matters: a program tells it, which `tests/mutation` found.

`killers.tsv` has each part with its program, and `outcomes.tsv` what the tool makes of the
programs: a row that is removed or changed changes one of them. That the list is whole is
checked in each run. A few parts, which the commit draws, are planted anew.
"""

from __future__ import annotations

import hashlib
import pathlib
import subprocess
import sys

import pytest

from tests import ledger
from tests.ledger import sample
from tests.mutation import outcomes, parts, programs, survey, watching

ROOT = pathlib.Path(__file__).parents[3]
KILLERS = survey.killers()
RECORDED = survey.recorded()
SURVIVORS = survey.survivors()
DRAWN = 6
SHARES = 4
# Where the programs are, and what looks at them.
PLACES = ("tests/mutation", "tests/rules", "tests/programs", "reference")
_RECORD = "python -m tests.mutation.survey --record"


def _draw(by: str) -> list[str]:
    """Some parts, others for another commit."""
    return sorted(
        KILLERS, key=lambda name: hashlib.sha256(f"{by} {name}".encode()).digest()
    )[:DRAWN]


def _tell(*names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.mutation.survey", "--tell", *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("share", range(SHARES))
def test_outcomes_are_those_recorded(share: int) -> None:
    ledger.rests_on(ledger.COMPILER, *(ROOT / place for place in PLACES))
    chosen = [*RECORDED][share::SHARES]
    changed = survey.find_changed({name: RECORDED[name] for name in chosen})
    assert not changed, "if that is meant: python -m tests.mutation.survey --outcomes"


def test_every_part_is_in_a_list() -> None:
    assert not survey.find_gaps(KILLERS, SURVIVORS), _RECORD
    assert not {*KILLERS} & {*SURVIVORS}
    assert survey.programs_of(KILLERS) == [*RECORDED]
    assert not SURVIVORS


def test_the_drawn_parts_are_told() -> None:
    done = _tell(*_draw(sample.seed(ROOT)))
    assert done.returncode == 0, (done.stdout, done.stderr, _RECORD)


def test_tables_elsewhere_are_tables() -> None:
    for module in parts.ELSEWHERE:
        assert (parts.TABLES / f"{module}.py").exists()
        assert module not in parts.modules()


# -- controls ---------------------------------------------------------------------------


def test_a_new_row_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {n: k for n, k in KILLERS.items() if n != next(iter(KILLERS))}
    assert survey.find_gaps(known, SURVIVORS) == {next(iter(KILLERS))}


def test_another_outcome_is_noticed() -> None:
    name = "call tf.log"
    now = outcomes.outcome_of(programs.find(name))
    assert not survey.find_changed({name: now})
    assert survey.find_changed({name: outcomes.Outcome(now.codes, "another")})


def test_a_part_without_a_reader_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its program reads nothing of it, so nothing changes."""
    name = next(n for n in KILLERS if n.startswith("unsupported: "))
    monkeypatch.setattr(
        survey, "recorded", lambda: {"call tf.log": _now("call tf.log")}
    )
    assert survey.find_untold([name], {name: "call tf.log"}) == [name]


def _now(name: str) -> outcomes.Outcome:
    return watching.migrate([name])[name]


def test_another_commit_draws_others() -> None:
    assert _draw("a") != _draw("b")
    assert len(_draw("a")) == DRAWN
