"""Migrates a file of several programs, which a process runs in turn or of which it runs one."""

from __future__ import annotations

from collections.abc import Callable

from migrate.backends.direct_steps import call_directly
from migrate.facts.scopes import Scopes
from migrate.findings import Finding
from migrate.migration import Migration
from migrate.rewriting import gates
from migrate.several import apart, branches, graphs_in_turn

Migrate = Callable[[str], Migration]


def migrate_in_turn(
    text: str, scopes: Scopes, path: str, migrate: Migrate, refusals: list[Finding]
) -> Migration | None:
    """The migration of a file of several graphs, each by itself; None if it is none.

    Args:
      migrate: what migrates the text of one program.
      refusals: where it adds why a graph is refused.
    """

    def migrate_directly(one: str) -> Migration:
        return call_directly(one, migrate(one), path, alone=False)

    for taken_apart in (apart.migrate_apart, graphs_in_turn.migrate_graphs_in_turn):
        several = taken_apart(text, scopes, migrate, refusals)
        if several is None or gates.check(several.text, path, text, set()):
            continue
        if call_directly(text, several, path) is not several:
            return several
        # Names that stand for something else in each graph: each is read by itself.
        direct = taken_apart(text, scopes, migrate_directly, [])
        if direct is None or gates.check(direct.text, path, text, set()):
            return several
        return direct
    return None


def migrate_one_of_several(text: str, path: str, migrate: Migrate) -> Migration | None:
    """The migration of a file of which a process runs one program; None if it is none.

    Args:
      migrate: what migrates the text of one program, and judges it.
    """
    if "Session" not in text and "Supervisor" not in text:
        return None
    several = branches.migrate_branches(text, migrate)
    if several is None or several.text == text:
        return several
    failed = gates.check(several.text, path, text, set())
    return None if failed else several
