"""A migrated text without what the migration made useless."""

from __future__ import annotations

from migrate.rewriting import gates
from migrate.tidying.alignment import align_lines
from migrate.tidying.blank_lines import add_blank_lines
from migrate.tidying.numbers import drop_numbers
from migrate.tidying.remains import remove_remains
from migrate.tidying.titles import drop_orphaned_titles

_ROUNDS = 5  # What is removed may leave something else unread.


def tidy_text(old: str, new: str, filename: str) -> str:
    """The result, tidied; as it is where the tidied one would not pass the gates.

    Args:
      old: the text that was migrated. What was useless in it is its author's, and stays.
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
    tidied = drop_numbers(old, tidied)
    tidied = add_blank_lines(old, align_lines(old, tidied))
    if tidied == new:
        return new
    if gates.compiles(tidied, filename):
        return new
    lost = gates.unbound(tidied, filename) - gates.unbound(new, filename)
    return new if lost else tidied
