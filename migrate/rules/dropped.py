"""Uses of TensorFlow that were to get another name, and of which nothing is left.

A symbol's rule says what becomes of each use of it. A program keeps of its statements only
what its steps need: of a use that went with its statement no rule's promise holds.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
from collections.abc import Iterator

from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.source.nodes import parse_source
from migrate.tables.roles import has_prefix

CODE = "S114"
_PACKAGES = ("tf.", "tf_keras.")
_REASON = "dropped: no remaining code needs this"


def add_dropped(text: str, done: Migration) -> Migration:
    """A migration that says of each use what became of it."""
    if done.text == text:
        return done
    claims = collections.defaultdict(list)
    for finding in done.findings:
        if finding.target.startswith(_PACKAGES):
            claims[finding.target.partition("(")[0]].append(finding)  # Of `Flatten()`.
    if not claims:
        return done
    left = list(_list_spelled_uses(build_scopes(parse_source(done.text))))
    scopes = build_scopes(parse_source(text))
    calls = {
        (node.lineno, node.col_offset + 1): _spell_arguments(scopes, node)
        for node, _ in scopes.walk_uses()
    }
    # What a form of the program names, and the program does not, its user never wrote.
    own = {symbol for _, symbol in scopes.walk_uses()}
    gone: dict[int, Finding | None] = {
        id(f): None
        for f in done.findings
        if f.target and f.outcome is Outcome.KEPT and f.symbol not in own
    }
    for target, found in claims.items():
        findings = [f for f in found if f.symbol in own]
        there = [given for name, given in left if _is_named(name, target)]
        lacking = len(findings) - len(there)
        for finding in findings if lacking > 0 else ():
            given = calls.get((finding.line, finding.column), "")
            if given in there:
                there.remove(given)
            elif lacking:
                lacking -= 1
                gone[id(finding)] = _drop(finding)
    told = (gone.get(id(f), f) for f in done.findings)
    return dataclasses.replace(done, findings=tuple(sorted(filter(None, told))))


def _drop(finding: Finding) -> Finding:
    return dataclasses.replace(
        finding, code=CODE, outcome=Outcome.REWRITTEN, reason=_REASON, target=""
    )


def _list_spelled_uses(scopes: Scopes) -> Iterator[tuple[str, str]]:
    """Every use of TensorFlow as it is spelled, and what it is called with."""
    for node, _ in scopes.walk_uses():
        path = scopes.find_dotted_path(node) or ""
        if path.partition(".")[0] == "tensorflow":
            path = "tf" + path.removeprefix("tensorflow")
        yield path, _spell_arguments(scopes, node)


def _is_named(path: str, target: str) -> bool:
    return has_prefix(path, (target,)) or has_prefix(target, (path,))


def _spell_arguments(scopes: Scopes, node: ast.expr) -> str:
    call = scopes.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return ""
    return ", ".join(map(ast.unparse, (*call.args, *call.keywords)))
