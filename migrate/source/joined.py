"""Moves cell boundaries and cell magics with the code that moves across cells."""

from __future__ import annotations

import re
from collections.abc import Callable

from migrate.source import magics

# Magics that mean much the same above more code than the user had below them.
_MAY_GROW = frozenset({"%%time", "%%capture"})
_HEADER = re.compile(r"[ \t]*(?:def|class|with|if|for|while|try)\b.*")


class CannotJoin(ValueError):
    """A cell magic has no place in what the cells have become."""


def raise_marks(module: str, is_mark: Callable[[str], bool]) -> str:
    """The module with marks that begin a block put above the block's first line.

    What followed the mark in its cell is then still in that cell, beside the `def` or
    `with` that it has got.
    """
    lines = module.split("\n")
    for at in range(len(lines)):
        if not is_mark(lines[at]) or lines[at][:1] not in (" ", "\t"):
            continue
        top = at
        while top > 0 and lines[top][:1] in (" ", "\t"):
            above = top - 1
            if _indent(lines[above]) >= _indent(lines[at]) and not is_mark(
                lines[above]
            ):
                break
            if not is_mark(lines[above]) and not _HEADER.fullmatch(lines[above]):
                break
            top = above
        if _indent(lines[top]) or is_mark(lines[top]):
            continue
        while top > 0 and lines[top - 1].startswith("@"):
            top -= 1
        lines.insert(top, lines.pop(at).lstrip())
    return "\n".join(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def move_head_first(body: str, head: str, grown: bool) -> str:
    """The body of a cell with its cell magic as first line, wherever that has got.

    Args:
      body: masked.
      head: the cell magic's line, as the user wrote it.
      grown: the body is another cell's too.

    Raises:
      CannotJoin: another cell magic stands there, or this one runs its body elsewhere.
    """
    if grown and head.split()[0] not in _MAY_GROW:
        raise CannotJoin(f"{head} cannot stand above the code of two cells")
    masked = magics.mask_source(head)
    lines = body.split("\n")
    at = [i for i, line in enumerate(lines) if line.strip() == masked.strip()]
    if not at:
        raise CannotJoin(f"{head} has moved away from the code below it")
    del lines[at[0]]
    first = next((line for line in lines if line.strip()), "")
    present = magics.unmask(first)
    if present.startswith("%%"):
        if present.split()[0] == head.split()[0] == "%%time":
            return "\n".join(lines)
        raise CannotJoin(f"{head} and {present} cannot stand above one cell")
    return "\n".join([masked, *lines])


def spell_as_call(source: str) -> str:
    """Another interpreter's cell as a call, which any block can hold."""
    head, _, body = source.lstrip().partition("\n")
    name, _, argument = head.removeprefix("%%").partition(" ")
    return f"get_ipython().run_cell_magic({name!r}, {argument!r}, {body!r})"
