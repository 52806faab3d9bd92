"""Migrates files that take TensorFlow, or all names, from another file."""

from __future__ import annotations

from migrate.facts.trees import own_stars
from migrate.facts.trees.reexports import split_imports
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.unit import Unit


def migrate_other_imports(
    text: str, lines: list[int], found: Migration, whole: str, unit: Unit
) -> Migration:
    """The migration of a file that takes TensorFlow, or all names, from another one."""
    if found.text == whole:
        return Migration(text, found.findings)  # It needs no TensorFlow of its own.
    imports = [
        Finding(
            line,
            1,
            "T118",
            Outcome.REWRITTEN,
            "tf",
            "TensorFlow itself, as the other file imports it",
        )
        for line in lines
    ]
    new, changed = own_stars.restore_stars(split_imports(found.text), unit.own_stars)
    if new == text:
        return Migration(text, found.findings)
    stars = [
        Finding(
            line,
            1,
            "T118",
            Outcome.REWRITTEN,
            "",
            "the names that are used: one of them is another now",
        )
        for line in changed
    ]
    findings = tuple(sorted([*imports, *stars, *found.findings]))
    return Migration(new, findings, found.support)
