"""Writes the findings of programs with Estimators: those that `fit` trains, and the others."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Sequence

from migrate.backends.keras.estimators import TRAINS
from migrate.backends.keras_fit.program import Stays
from migrate.findings import Finding, Outcome

_TIMELINE = (
    "trained by `Model.fit`: the process that trains also evaluates, after a checkpoint; "
    "with parameter servers, steps are in flight while callbacks run"
)
_MODEL = "its model is trained by `fit`"
_ARGUMENTS = "its arguments are those of `fit` and its callbacks"
_METHODS = ("estimator_loop.", "keras_estimator.Estimator")


def tell_fit(findings: Sequence[Finding], text: str) -> list[Finding]:
    """The findings of a program that `fit` trains.

    Args:
      text: the migrated text.
    """
    told: list[Finding] = []
    first = True
    for finding in findings:
        if _makes_estimator(finding):
            reason = _TIMELINE if first else _MODEL
            told.append(dataclasses.replace(finding, code="K190", reason=reason))
            first = False
            continue
        name = finding.reason.removeprefix("now ").partition(":")[0]
        if name.startswith(_METHODS) and name not in text:
            finding = dataclasses.replace(finding, reason=_ARGUMENTS)
        told.append(finding)
    return told


def tell_staying(
    findings: Iterable[Finding], reason: Stays, original: str, result: str
) -> list[Finding]:
    """The findings of a program whose Estimators stay, with the reason (K131)."""
    every = list(findings)
    made = [f for f in every if _makes_estimator(f)]
    line = getattr(reason.node, "lineno", 0)
    at = _find_original_line(line, original, result)
    column = 1
    if not at and made:
        at, column = made[0].line, made[0].column
    elif at:
        own = original.split("\n")[at - 1]
        column = len(own) - len(own.lstrip()) + 1
    told = f"its Estimator stays: {reason.reason}"
    stays = Finding(at or 1, column, "K131", Outcome.KEPT, "", told)
    return sorted([*every, stays])


def _makes_estimator(finding: Finding) -> bool:
    """Whether it is about the call that makes an Estimator of a Keras model."""
    return (finding.code, finding.reason) == TRAINS


def _find_original_line(line: int, original: str, result: str) -> int:
    """The line of the original that became a line of the result; 0 if there is none."""
    matcher = difflib.SequenceMatcher(
        None, original.split("\n"), result.split("\n"), autojunk=False
    )
    for one, other, size in matcher.get_matching_blocks():
        if other <= line - 1 < other + size:
            return one + line - 1 - other + 1
    return 0
