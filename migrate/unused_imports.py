"""Imports of TensorFlow that nothing in a file uses: they go, and it is told.

It is decided when the file is done. In a refused file such an import stays, and is no second
reason. Only one that TensorFlow 2 lacks, and that another file takes from here, is a reason.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Collection, Iterator

from migrate.facts import modules
from migrate.facts.scopes import build_scopes
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.plan import Plan
from migrate.plan_writer import Source, write_plan
from migrate.planning.choice import leave_program_whole
from migrate.rewriting.unused import (
    Imported,
    exists,
    find_unread,
    list_imported,
    remove_unused_imports,
)
from migrate.source.nodes import parse_source
from migrate.tidying.remains import remove_remains
from migrate.unit import Unit

_IMPORT = re.compile(r"\b(?:from[ \t]+tensorflow\b|import\b.*\btensorflow\.)")
_TAKEN = "another file takes the name from here"
_NOT_ALONE = "its line imports other modules too"


def add_unused_imports(text: str, done: Migration, unit: Unit) -> Migration:
    """A file's migration without the imports that nothing uses, and what became of them."""
    if not _IMPORT.search(text) or any(
        f.outcome is Outcome.FAILED for f in done.findings
    ):
        return done
    taken = unit.taken_imports
    scopes = build_scopes(parse_source(text))
    imported = list(list_imported(scopes.tree))
    unread = list(find_unread(scopes))
    refused = any(f.blocks for f in done.findings)
    needed = [
        _refuse(one, _TAKEN)
        for one in (_list_unread_after(imported, done) if refused else imported)
        if one.bound in taken and not exists(one.path)
    ]
    if needed and not refused:
        return _leave(text, unit, [*needed, *_list_kept(unread, taken)])
    if refused:
        told = [*needed, *_list_kept(unread, taken)]
        return dataclasses.replace(
            done, findings=tuple(sorted([*done.findings, *told]))
        )
    lacking = [one for one in unread if not exists(one.path)]
    if lacking and done.text == text:
        new = remove_unused_imports(text, taken=taken, lacking_only=True)
        done = dataclasses.replace(done, text=remove_remains(text, new))
    left = {(one.path, one.bound) for one in list_imported(parse_source(done.text))}
    stays = [one for one in lacking if (one.path, one.bound) in left]
    if stays:
        return _leave(text, unit, [_refuse(one, _NOT_ALONE) for one in stays])
    gone = [one for one in imported if (one.path, one.bound) not in left]
    told = [
        _make_dropped(one)
        for one in gone
        # With the last use of one that is tried, what else happens goes, too.
        if one in unread or isinstance(scopes.parents.get(one.node), ast.Try)
    ]
    return dataclasses.replace(done, findings=tuple(sorted([*done.findings, *told])))


def _list_unread_after(imported: list[Imported], done: Migration) -> list[Imported]:
    """Lists imports that a refused file no longer reads, as its uses have new names."""
    unread = find_unread(build_scopes(parse_source(done.text)))
    left = {(one.path, one.bound) for one in unread}
    return [one for one in imported if (one.path, one.bound) in left]


def _list_kept(unread: list[Imported], taken: Collection[str]) -> Iterator[Finding]:
    """Unused imports of a refused file: they go with the rest, once that is mended."""
    for one in unread:
        if not exists(one.path) and one.bound not in taken:
            reason = f"TensorFlow 2 has no public {one.path}, and nothing here uses it"
            kept = _make_finding(one, Outcome.KEPT, reason)
            yield dataclasses.replace(kept, unused=True)


def _make_finding(one: Imported, outcome: Outcome, reason: str) -> Finding:
    symbol = modules.make_canonical(one.path) or ""
    line, column = one.node.lineno, one.node.col_offset + 1
    return Finding(line, column, "T111", outcome, symbol, reason)


def _refuse(one: Imported, why: str) -> Finding:
    reason = f"TensorFlow 2 has no public {one.path}, and {why}"
    recipe = "Delete the import."
    if why == _TAKEN:
        recipe = "Delete the import. In the file that takes the name, import its replacement."
    return dataclasses.replace(
        _make_finding(one, Outcome.REFUSED, reason), recipe=recipe
    )


def _make_dropped(one: Imported) -> Finding:
    """Makes the finding that reports a dropped import.

    It has no symbol: the program is not of the kind that uses it.
    """
    reason = f"dropped: nothing that runs uses {one.path}"
    if exists(one.path):
        found = _make_finding(one, Outcome.REWRITTEN, reason)
        return dataclasses.replace(found, code="S117", symbol="")
    reason += ", which is not public in TensorFlow 2"
    return dataclasses.replace(_make_finding(one, Outcome.REWRITTEN, reason), symbol="")


def _leave(text: str, unit: Unit, findings: list[Finding]) -> Migration:
    """The file as it was: with these imports its result would not run."""
    source = Source(text, parse_source(text))
    at = {(f.line, f.column) for f in findings}
    rest = [
        f
        for f in leave_program_whole(build_scopes(source.tree))
        if (f.line, f.column) not in at
    ]
    return write_plan(source, Plan(), [*findings, *rest], unit)
