"""A migrated text without what the migration made useless."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Iterator

from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.rewriting import gates
from migrate.source.nodes import parse_source
from migrate.tidying.alignment import align_lines
from migrate.tidying.blank_lines import add_blank_lines
from migrate.tidying.import_order import order_imports
from migrate.tidying.indentation import indent_blocks
from migrate.tidying.numbers import drop_numbers
from migrate.tidying.remains import remove_remains
from migrate.tidying.titles import drop_orphaned_titles
from migrate.tidying.unused_functions import remove_unused_functions
from migrate.unit import Unit

_ROUNDS = 5  # What is removed may leave something else unread.


def tidy(text: str, done: Migration, unit: Unit) -> Migration:
    """A migration whose result is tidied, and which names the functions that are gone."""
    if done.text == text or ast.dump(parse_source(text)) == ast.dump(
        parse_source(done.text)
    ):
        return done
    done = drop_unused_functions(text, done, unit)
    tidied = tidy_text(text, done.text, unit.filename)
    return dataclasses.replace(done, text=tidied)


def drop_unused_functions(text: str, done: Migration, unit: Unit) -> Migration:
    """A migration without the functions that only the old form called."""
    # In a notebook another cell may call what one defines.
    if done.text == text or unit.filename.endswith(".ipynb"):
        return done
    new, gone = remove_unused_functions(text, done.text, unit.named_elsewhere)
    findings = tuple(sorted([*done.findings, *_report_gone(text, gone)]))
    return dataclasses.replace(done, text=new, findings=findings)


def _report_gone(text: str, names: Collection[str]) -> Iterator[Finding]:
    for node in parse_source(text).body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            reason = f"`{node.name}` is dropped: nothing that is left calls it"
            line, column = node.lineno, node.col_offset + 1
            yield Finding(line, column, "S114", Outcome.REWRITTEN, "", reason)


def tidy_text(old: str, new: str, filename: str) -> str:
    """Tidies the result; returns it unchanged if the tidied text fails the gates.

    Args:
      old: the text that was migrated. Useless code that it had is the author's, and
        stays.
    """
    if new == old:
        return new
    tidied = new
    for _ in range(_ROUNDS):
        before, tidied = tidied, remove_remains(old, tidied)
        if tidied == before:
            break
    if tidied != new and "# From " not in old:
        tidied = drop_orphaned_titles(tidied)
    tidied = drop_numbers(old, order_imports(old, tidied))
    tidied = indent_blocks(old, tidied)
    tidied = add_blank_lines(old, align_lines(old, tidied))
    if tidied == new:
        return new
    if gates.check_compiles(tidied, filename):
        return new
    lost = gates.find_unbound(tidied, filename) - gates.find_unbound(new, filename)
    return new if lost else tidied
