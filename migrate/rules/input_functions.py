"""Names the function with the input of an Estimator as the place of a refused symbol.

The general reason says that no training program uses the symbol. Here an Estimator's
program does, and the tool does not rewrite the symbol in its input.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome

_GENERAL = "no recognised training program uses this "
_METHODS = frozenset({"train", "evaluate", "predict"})


def name_input_functions(scopes: Scopes, findings: Sequence[Finding]) -> list[Finding]:
    """Returns the findings, with the reasons of those in functions with input."""
    if not any(_is_general(f) for f in findings):
        return list(findings)
    functions = [
        node
        for node in reach.find_reached(scopes, list(_find_given(scopes)))
        if isinstance(node, ast.FunctionDef)
    ]
    return [_name_function(f, functions) for f in findings]


def _is_general(finding: Finding) -> bool:
    return finding.outcome is Outcome.REFUSED and finding.reason.startswith(_GENERAL)


def _find_given(scopes: Scopes) -> Iterator[ast.expr]:
    """Yields what calls get as `input_fn`."""
    for node in scopes.walk():
        if not isinstance(node, ast.Call):
            continue
        place = 0 if names.get_last_part(node.func) in _METHODS else None
        given = names.find_argument(node, "input_fn", place)
        if given is not None:
            yield given


def _name_function(finding: Finding, functions: Sequence[ast.FunctionDef]) -> Finding:
    if not _is_general(finding):
        return finding
    for function in functions:
        if function.lineno <= finding.line <= (function.end_lineno or 0):
            what = finding.reason.removeprefix(_GENERAL)
            reason = (
                f"`{function.name}` gives an Estimator its input, and the tool does not "
                f"rewrite this {what} there"
            )
            return dataclasses.replace(finding, reason=reason)
    return finding
