"""A program of Estimators whose model_fns are methods, with them as functions.

Methods are only moved where a Keras model comes of it: else the file stays as it is, and
what is told of it says why.
"""

from __future__ import annotations

import ast
import dataclasses
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.forms import Form
from migrate.migration import Options
from migrate.planning import has_refusal, plan_of

if TYPE_CHECKING:
    from migrate.normalise.model_methods import Moved

_STAYS, _MOVED = "K110", "K111"


def with_functions(
    text: str, options: Options, findings: list[Finding], filename: str
) -> tuple[Form | None, list[Finding]]:
    """The program with such methods as functions, if that makes Keras models of them.

    Args:
      findings: of the program as it stands.

    Returns:
      The form, or None; and the findings of the program as it stands, where it stays.
    """
    if not any(f.code == _STAYS for f in findings) or has_refusal(findings):
        return None, findings
    if not options.methods:
        return None, findings
    from migrate.normalise.model_methods import as_functions
    from migrate.normalise.text import Text

    elsewhere = options.knowing.get(os.path.realpath(filename), ())
    left: dict[int, str] = {}
    while True:
        moved = as_functions(Text.of(text), elsewhere, left)
        if not moved.functions:
            return None, [_told(f, f.line, moved.stays) for f in findings]
        tree = ast.parse(moved.text.source)
        plan, found = plan_of(Scopes(tree), options)
        if has_refusal(found):
            return None, findings
        more = _left(moved, tree, found)
        if not more:
            break
        left |= more
    origins = moved.text.origins
    found = [_told(f, origins[f.line - 1], moved.stays) for f in found]
    found += _moves(moved, tree)
    return (
        Form(moved.text, (), (), (), (), None, (), (), tree, plan, found),
        findings,
    )


def _left(moved: Moved, tree: ast.Module, found: list[Finding]) -> dict[int, str]:
    """Lines of Estimators whose moved model_fn stays one for all that -> why."""
    more: dict[int, str] = {}
    for finding in found:
        if finding.code != _STAYS:
            continue
        reason = finding.reason.partition(": ")[2]
        line = moved.text.origins[finding.line - 1]
        for function, at in moved.functions.items():
            if line == at or finding.line in _lines(tree, function):
                where = "" if line == at else f" (line {line})"
                more[at] = f"{reason}{where}"
    return more


def _lines(tree: ast.Module, name: str) -> range:
    """Lines of a function of the module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return range(0)


def _moves(moved: Moved, tree: ast.Module) -> Iterator[Finding]:
    """What is told of each method that is a function now."""
    for name, given in moved.given.items():
        taken = ", ".join(f"`{value}`" for value in given)
        reason = "no method any more: it reads nothing of its object"
        if given:
            reason = f"no method any more: it is given {taken}, which its object had"
        yield Finding(
            _lines(tree, name).start, 1, _MOVED, Outcome.REWRITTEN, "", reason
        )


def _told(finding: Finding, line: int, stays: dict[int, str]) -> Finding:
    """With why a method stays one."""
    if finding.code != _STAYS or line not in stays:
        return finding
    return dataclasses.replace(finding, reason=f"it stays a model_fn: {stays[line]}")
