"""`tf1to2 verify` where TensorFlow 1.15.5 cannot be had: compat.v1 stands for it."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

from reference import environment
from reference.verify.runs import Limits
from reference.verify.verdict import Outcome
from reference.verify.verification import Request, verify
from tests import ledger
from tests.verify.support import ALONE, copied, migrated, unproven


def test_compat_v1_is_the_oracle_and_the_verdict_says_so(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.rests_on(ledger.COMPILER, ledger.ROOT / "reference")
    if environment.find(environment.TF215) is None:
        pytest.skip("no TensorFlow 2.15.1 on this machine")
    make = environment.make

    def without_tf1(
        release: environment.Release, say: Callable[[str], None]
    ) -> pathlib.Path:
        if release is environment.TF1:
            raise RuntimeError("no Python 3.7 was found")
        return make(release, say)

    old = copied(ALONE / "fed_steps.py", tmp_path / "old")
    new = migrated(old, tmp_path / "new")
    fault = "[0.1, 0.05, 0.01]", "[0.1, 0.051, 0.01]"
    wrong = migrated(old, tmp_path / "wrong", fault)
    monkeypatch.setattr(environment, "make", without_tf1)
    verdicts = []
    for program in (new, wrong):
        work = tmp_path / f"work-{len(verdicts)}"
        work.mkdir()
        limits = Limits(steps=20, seconds=120)
        given = [f"--out={tmp_path}"]
        request = Request(old, program, given, work, limits, preloaded=True)
        verdicts.append(verify(request))
    equal, different = verdicts
    assert equal.outcome is Outcome.EQUAL, unproven(equal)
    assert different.outcome is Outcome.DIFFERENT
    for verdict in verdicts:
        assert "oracle TensorFlow 2.15.1's compat.v1" in verdict.line
        assert "no Python 3.7 was found" in verdict.line
        assert any("could not be had" in text for text in verdict.reduced)
