"""The emitted HParams is TensorFlow 1.15.5's, value for value and error for error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from migrate.support import contrib_hparams
from reference.environment import find_tf1
from tests.support import hparams_cases

RECORDED: dict[str, Any] = json.loads(hparams_cases.RECORDED.read_text("utf-8"))


@pytest.mark.parametrize("case", hparams_cases.CASES)
def test_as_in_tf1(case: str) -> None:
    assert hparams_cases.evaluate(contrib_hparams.HParams)[case] == RECORDED[case]


def test_the_comparison_sees_a_wrong_class() -> None:
    class Wrong(contrib_hparams.HParams):
        def set_hparam(self, name: str, value: Any) -> None:
            setattr(self, name, value)  # No type is checked.

    found = hparams_cases.evaluate(Wrong)
    assert sum(found[case] != RECORDED[case] for case in RECORDED) > 5


@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_tf1_still_gives_the_recorded_values() -> None:
    assert hparams_cases.record(str(find_tf1())) == RECORDED
