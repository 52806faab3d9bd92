"""Decides after the gate of effects: a migration stays, gets a finding, or is refused."""

from __future__ import annotations

from collections.abc import Callable

from migrate.findings import Finding, Outcome
from migrate.gates.effects import Difference, Wrong, find_differences
from migrate.migration import Migration

_MOVE = (
    "Move the statement before the cluster or after the session, so that no code "
    "that the tool moves stands between. If you cannot do that, please report it."
)
_NAME = (
    "Assign the new value to a name of its own. No value that the graph uses "
    "may change after the graph is built."
)
# Differences that are no faults, and are reported.
_CODES = {Wrong.SERVED: "C119", Wrong.TRACED: "D152"}
_OUTCOMES = {"C119": Outcome.REWRITTEN, "D152": Outcome.WARNED}


def judge(text: str, done: Migration, again: Callable[[], Migration]) -> Migration:
    """Returns a migration that keeps the effects of the original, or the reasons against it.

    Args:
      again: makes the migration that moves less code.

    Returns:
      The migration. If it would change an effect: the original text, with only those
      refusals.
    """
    if done.text == text or any(f.outcome is Outcome.FAILED for f in done.findings):
        return done
    found = find_differences(text, done.text, done.findings)
    if not found:
        return done
    if all(d.wrong in _CODES for d in found):
        codes = [(d, _CODES[d.wrong]) for d in found]
        told = [_make_finding(d, code, _OUTCOMES[code], text) for d, code in codes]
        return Migration(
            done.text, tuple(sorted([*done.findings, *told])), done.support
        )
    other = again()
    if other.text not in (text, done.text):
        if not find_differences(text, other.text, other.findings):
            return other
    return Migration(text, _make_refusals(found, text))


def find_refusals(original: str, result: str) -> tuple[Finding, ...]:
    """Returns the reasons why a result cannot replace the original; nothing if it can."""
    return _make_refusals(find_differences(original, result), original)


def _make_refusals(found: list[Difference], text: str) -> tuple[Finding, ...]:
    return tuple(
        _make_finding(
            d,
            "G007",
            Outcome.REFUSED,
            text,
            _NAME if d.wrong is Wrong.CHANGED else _MOVE,
        )
        for d in found
        if d.wrong not in _CODES
    )


def _make_finding(
    found: Difference, code: str, outcome: Outcome, text: str, recipe: str = ""
) -> Finding:
    line = text.split("\n")[found.line - 1]
    column = len(line) - len(line.lstrip()) + 1
    return Finding(found.line, column, code, outcome, "", found.reason, recipe)
