"""Decides after the gate of effects: a migration stays, gets a finding, or is refused."""

from __future__ import annotations

from collections.abc import Callable

from migrate.findings import Finding, Outcome
from migrate.gates.effects import Difference, Wrong, find_differences
from migrate.migration import Migration

_TO = (
    "before the first statement of the graph, and before the cluster if there is one; "
    "or move it after the session."
)
_REPORT = "If you cannot do that, please report it."
_MOVE = f"Move the statement {_TO} {_REPORT}"
_MOVE_TEST = f"Move the test or loop, with its body, {_TO} {_REPORT}"
_WITHOUT_GRAPH = (
    f"Move the statement {_TO} If it needs what only the graph has, such as the name of "
    f"a tensor, write it without that, or remove it. {_REPORT}"
)
_ONCE = (
    "Let the statement run once: move it out of the function that builds the graph, "
    "before the first statement of the graph or after the session."
)
_NAME = (
    "Assign the new value to a name of its own. No value that the graph uses "
    "may change after the graph is built."
)
_RECIPES = {
    Wrong.LOST: _WITHOUT_GRAPH,
    Wrong.CONDITION: _MOVE_TEST,
    Wrong.TWICE: _ONCE,
    Wrong.CHANGED: _NAME,
}
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
            _RECIPES.get(d.wrong, _MOVE),
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
