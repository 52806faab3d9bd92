"""Every spelling of an idiom: the same numbers before and after, or a recorded refusal."""

from __future__ import annotations

import pathlib
import re
import sys

import pytest

from tests import ledger
from tests.spellings import matrix, page
from tests.spellings.matrix import IDIOMS, Refusal, find_spellings, read_recorded

AGAIN = "python -m tests.spellings PYTHON"
# The learning rate of an idiom's programs, and a wrong one.
FAULTS = {
    "towers": ("0.1", "0.11"),
    "build_model": ("0.05", "0.051"),
    "holds_session": ("0.1", "0.11"),
    "run_epoch": ("0.2", "0.21"),
    "several_models": ("0.3", "0.31"),
    "train_and_evaluate": ("0.2", "0.21"),
    "pretraining": ("0.05", "0.051"),
    "accumulation": ("0.05", "0.051"),
    "hooks": ("0.1", "0.11"),
}


def test_equal_to_tf1(tf1: str, tmp_path: pathlib.Path) -> None:
    """Each spelling that is recorded as equal is equal, and each other one as recorded."""
    recorded = read_recorded()
    outcomes, right = matrix.find_outcomes(tf1, tmp_path)
    assert outcomes.keys() == recorded.keys(), AGAIN
    for key, outcome in outcomes.items():
        assert outcome.outcome == recorded[key].outcome, (key, outcome, AGAIN)
    for idiom in IDIOMS:  # Only the spelling differs.
        logs = {k: v for k, v in right.items() if k.startswith(f"{idiom}/")}
        first = next(iter(logs.values()))
        for key, log in logs.items():
            assert log == pytest.approx(first, rel=matrix.TOLERANCE), key
            assert log[0] != log[1], key


def test_another_learning_rate_is_noticed(tf1: str, tmp_path: pathlib.Path) -> None:
    """A comparison that cannot fail proves nothing."""
    recorded = read_recorded()
    originals, faulty = {}, {}
    for spelling in find_spellings():
        if spelling.idiom in {k.split("/")[0] for k in faulty}:
            continue
        if recorded[spelling.key].outcome != "equal":
            continue
        texts = matrix.migrate_spelling(spelling)
        assert not isinstance(texts, Refusal)
        right, wrong = FAULTS[spelling.idiom]
        rate = re.compile(rf"(?<![\w.]){re.escape(right)}(?![\w.])")
        changed = {name: rate.sub(wrong, text) for name, text in texts.items()}
        if changed != texts:
            originals[spelling.key], faulty[spelling.key] = spelling.files, changed
    assert len(faulty) == len(IDIOMS)
    old = matrix.run_texts(tf1, originals, tmp_path / "old")
    new = matrix.run_texts(sys.executable, faulty, tmp_path / "new")
    for key in faulty:
        assert matrix.judge(old[key], new[key]).outcome == "different", key


@pytest.mark.rests_on(ledger.COMPILER, matrix.HERE)
def test_refusals_are_as_recorded() -> None:
    """A spelling that the tool begins to refuse, or refuses for another reason, fails."""
    recorded = read_recorded()
    for spelling in find_spellings():
        found, row = matrix.migrate_spelling(spelling), recorded[spelling.key]
        if isinstance(found, Refusal):
            today = (found.outcome, found.codes, found.reason)
            assert today == (row.outcome, row.codes, row.reason), (spelling.key, AGAIN)
        else:
            assert row.outcome != "refused", (spelling.key, AGAIN)


def test_each_idiom_has_six_spellings() -> None:
    found = [s.idiom for s in find_spellings()]
    assert all(found.count(idiom) >= 6 for idiom in IDIOMS)
    assert set(IDIOMS) == {p.name for p in matrix.PROGRAMS.iterdir() if p.is_dir()}


def test_modules_have_names_of_their_own() -> None:
    """All programs run in one process, where Python imports a module once."""
    helpers = [name for s in find_spellings() for name in list(s.files)[1:]]
    assert len(helpers) == len(set(helpers))


def test_the_page_is_new() -> None:
    assert page.DOCUMENT.read_text() == page.write_page(), AGAIN
