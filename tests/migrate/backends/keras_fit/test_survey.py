"""The table of what `--estimators fit` takes is what the tool does."""

from __future__ import annotations

from migrate.findings import Finding, Outcome
from tests import ledger
from tests.migrate.backends.keras_fit import survey


def test_the_table_of_the_page() -> None:
    ledger.rests_on(
        ledger.COMPILER, ledger.ROOT / "reference", ledger.ROOT / "tests" / "programs"
    )
    assert survey.write_table(survey.survey()) == survey.read_table()


def test_programs_are_told_apart() -> None:
    def found(code: str, outcome: Outcome, reason: str = "") -> Finding:
        return Finding(1, 1, code, outcome, "", reason)

    stays = found("K131", Outcome.KEPT, "its Estimator stays: `net` is kept")
    taken = found("K190", Outcome.REWRITTEN)
    function = found("E101", Outcome.REWRITTEN)
    assert survey.judge([function, stays]) == "`...` is kept"
    assert survey.judge([function, taken]) == survey.TAKEN
    assert survey.judge([function]) == survey.FUNCTION
    assert survey.judge([found("E101", Outcome.REFUSED)]) == survey.judge([]) == ""
