"""TensorFlow 1 where only IPython sees it: installing lines, other files' sources.

Nothing is silent there either. What installs TensorFlow 1 installs TensorFlow 2 once the
notebook's own code is migrated; what cannot be read gets a comment and a finding.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from migrate.source import installs, magics

_IMPORTS = re.compile(r"^\s*(?:import|from)\s+tensorflow\b")
_WRITES = re.compile(r"%%(?:writefile|file)\s+(\S+)\s*$")
_COMMENTED = re.compile(r"%%(?:bash|sh|script|!|writefile|file|python\w*)\b")
_RUNS_MAGIC = re.compile(r"\bget_ipython\(\)\.(?:system|run_line_magic)\(")
NOTE = "# TODO(tf1to2): E007 TensorFlow 1 in a magic, which is not migrated"


@dataclasses.dataclass(frozen=True)
class Place:
    """A place in a cell.

    Attributes:
      line, end: its first line (1-based) and the line after its last.
      new: what stands there in the migrated notebook; None if that is not known.
    """

    line: int
    end: int
    new: str | None


def find_written_file(source: str) -> str | None:
    """The name of the Python file that the whole cell writes, if it does."""
    found = _WRITES.match(source.split("\n", 1)[0])
    return found[1] if found and found[1].endswith(".py") else None


def add_note(source: str, code: str, reason: str) -> str:
    """Adds a note below the head of a cell of another program: why it is left."""
    head, *lines = source.split("\n")
    note = f"# TODO(tf1to2): {code} {reason}"
    return source if note in lines else "\n".join([head, note, *lines])


def replace_file(source: str, program: str) -> str:
    """The cell, writing another program to its file."""
    return source.split("\n", 1)[0] + "\n" + program.removesuffix("\n")


def find_places(source: str) -> Iterator[Place]:
    """Finds places of a cell that install TensorFlow 1, or run other code with it."""
    lines = source.split("\n")
    foreign = magics.is_foreign_cell(source)
    if find_written_file(source) is not None:
        return  # A program of its own, and read as one.
    seen = magics.mask_source(source).split("\n")
    number = 0
    while number < len(lines):
        end = number + 1
        magic = foreign or lines[number] != seen[number]
        while magic and lines[end - 1].endswith("\\") and end < len(lines):
            end += 1
        command = "\n".join(lines[number:end])
        if (magic or _RUNS_MAGIC.search(command)) and installs.asks_for_1(command):
            new = installs.replace_install(command) if magic else None
            yield Place(number + 1, end + 1, new)
        elif foreign and _IMPORTS.match(command):
            yield Place(number + 1, end + 1, None)
            return
        number = end


def apply_cell(source: str, migrated: bool, noted: bool = True) -> str:
    """The cell with what installs TensorFlow 1 replaced, and a note above the rest.

    Args:
      migrated: the notebook's own code has become TensorFlow 2's.
      noted: whether notes are wanted.
    """
    lines = source.split("\n")
    foreign = magics.is_foreign_cell(source)
    for place in reversed(list(find_places(source))):
        at = place.line - 1
        if place.new is not None and migrated:
            lines[at : place.end - 1] = place.new.split("\n")
        elif not noted:
            continue
        elif foreign:
            # The head stays first; not every language has comments like Python's.
            if _COMMENTED.match(lines[0]) and NOTE not in lines:
                lines.insert(1, NOTE)
        else:
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            if at == 0 or lines[at - 1].strip() != NOTE:
                lines.insert(at, indent + NOTE)
    return "\n".join(lines)
