"""Turns model_fns that are methods into functions, in a program of Estimators.

Methods are moved only if that makes Keras models of them. Otherwise the file stays as
it is, and its findings say why.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from migrate.facts.scopes import build_scopes
from migrate.findings import Finding, Outcome
from migrate.planning.choice import has_refusal, plan_of
from migrate.planning.forms import Form
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.unit import Unit

if TYPE_CHECKING:
    from migrate.normalise.model_methods import Moved
    from migrate.normalise.model_updates import Written
    from migrate.normalise.text import Text

_BECOMES, _STAYS, _MOVED, _WRITTEN = "K101", "K110", "K111", "K111"


def try_functions(
    text: Text, unit: Unit, findings: list[Finding]
) -> tuple[Form | None, list[Finding]]:
    """The program with such methods as functions, if that makes Keras models of them.

    And with the updates that functions make where a model_fn calls these.

    Args:
      text: the program's, or that of a form of it.
      findings: of the program as it stands.

    Returns:
      The form, or None; and the findings of the program as it stands, where it stays.
    """
    if not any(f.code == _STAYS for f in findings) or has_refusal(findings):
        return None, findings
    if not unit.methods:
        return None, findings
    from migrate.normalise.model_forms import form_models
    from migrate.normalise.model_methods import convert_to_functions
    from migrate.normalise.model_updates import write_out_updates

    elsewhere = unit.shared.knowing
    files = unit.shared.files
    known = () if files is None else files.others
    here = None if files is None else files.model
    left: dict[int, str] = {}
    kept: set[int] = set()
    decisive: dict[int, tuple[int, str]] = {}
    called = set(files.left) if files is not None else set()
    while True:
        moved = convert_to_functions(text, elsewhere, left)
        written = write_out_updates(moved.text, called, here, known)
        forms = form_models(written.text, kept, here, known)
        if not moved.functions and not written.updates and not forms.functions:
            told = [_add_reason(f, f.line, moved.stays) for f in findings]
            return None, _add_reasons(told, text.source, decisive)
        written = dataclasses.replace(written, text=forms.text)
        tree = parse_source(written.text.source)
        plan, found = plan_of(build_scopes(tree), unit)
        if has_refusal(found):
            return None, findings
        moved = dataclasses.replace(moved, text=written.text)
        more = _find_left_methods(moved, tree, found)
        calls = written.find_remaining({f.line for f in found if f.code == _STAYS})
        others = forms.find_remaining(
            tree, {f.line for f in found if f.code == _BECOMES}
        )
        if not more and not calls and not others:
            break
        stays = [(f.line, f.reason) for f in found if f.code == _STAYS]
        reasons = forms.map_reasons(tree, stays)
        decisive |= {line: reasons[line] for line in others if line in reasons}
        left |= more
        called |= calls
        kept |= others
    origins = written.text.origins
    found = [_add_reason(f, origins[f.line - 1], moved.stays) for f in found]
    found = _add_reasons(found, written.text.source, decisive, origins)
    found += _report_moves(moved, tree)
    found += _report_updates(written)
    return Form(written.text, tree, plan, found), findings


def _report_updates(written: Written) -> Iterator[Finding]:
    """The finding for each update that is part of the model now."""
    for line, name in written.updates.items():
        yield Finding(
            written.text.origins.index(line) + 1,
            1,
            _WRITTEN,
            Outcome.REWRITTEN,
            "",
            f"the model makes the update of {name}() itself, so this call is gone",
        )


def _find_left_methods(
    moved: Moved, tree: ast.Module, found: list[Finding]
) -> dict[int, str]:
    """Lines of Estimators whose moved model_fn stays one for all that -> why."""
    more: dict[int, str] = {}
    for finding in found:
        if finding.code != _STAYS:
            continue
        reason = finding.reason.partition(": ")[2]
        line = moved.text.origins[finding.line - 1]
        for function, at in moved.functions.items():
            if line == at or finding.line in _find_lines(tree, function):
                where = "" if line == at else f" (line {line})"
                more[at] = f"{reason}{where}"
    return more


def _find_lines(tree: ast.Module, name: str) -> range:
    """Lines of a function of the module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return range(0)


def _report_moves(moved: Moved, tree: ast.Module) -> Iterator[Finding]:
    """The finding for each method that is a function now."""
    for name, given in moved.given.items():
        taken = ", ".join(f"`{value}`" for value in given)
        reason = "now a function, because it reads nothing of its object"
        if given:
            reason = f"now a function, which gets {taken} from its caller"
        yield Finding(
            _find_lines(tree, name).start, 1, _MOVED, Outcome.REWRITTEN, "", reason
        )


def _add_reason(finding: Finding, line: int, stays: dict[int, str]) -> Finding:
    """With why a method stays one."""
    if finding.code != _STAYS or line not in stays:
        return finding
    return dataclasses.replace(finding, reason=f"it stays a model_fn: {stays[line]}")


def _add_reasons(
    findings: list[Finding],
    text: str,
    decisive: dict[int, tuple[int, str]],
    origins: Sequence[int] = (),
) -> list[Finding]:
    """With why a model_fn stays one in whatever form.

    Args:
      text: what the findings are of.
      decisive: original line of a model_fn -> (line, reason).
      origins: original lines of the text's; none where it is the original.
    """
    if not decisive:
        return findings
    at = {new: old for old, new in reversed(list(enumerate(origins, start=1)))}
    inside = {
        line: (at.get(where, where), reason)
        for node in walk_breadth_first(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        for place in [origins[node.lineno - 1] if origins else node.lineno]
        if place in decisive
        for where, reason in [decisive[place]]
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return [
        dataclasses.replace(
            f, line=inside[f.line][0], column=1, reason=inside[f.line][1]
        )
        if f.code == _STAYS and f.line in inside
        else f
        for f in findings
    ]
