"""A notebook's diff, cell by cell: for the eye, for no one reads a notebook's JSON.

It is no patch. `--write` changes the file; a version control's own diff is one.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from migrate import diff
from migrate.source import notebook, python


def make_unified_diff(old: bytes | None, new: bytes, name: bytes) -> Iterator[bytes]:
    """The lines of the diff, each with its newline; a header names each changed cell.

    Args:
      old: None for a notebook that is not there yet, of which all is new.
    """
    if old is None:
        yield from diff.make_unified_diff(None, new, name)
        return
    pairs = zip(_list_cells(old), _list_cells(new), strict=True)
    for before, after in pairs:
        if before.source == after.source:
            continue
        title = name + b", cell %d" % (before.index + 1)
        yield from difflib.diff_bytes(
            difflib.unified_diff,
            _split_lines(before.source),
            _split_lines(after.source),
            title,
            title,
        )
        if before.has_output:
            yield b"(outputs cleared)\n"


def _list_cells(data: bytes) -> tuple[notebook.Cell, ...]:
    return notebook.read(python.decode(data).text).cells


def _split_lines(source: str) -> list[bytes]:
    lines = source.encode(errors="surrogatepass").split(b"\n")
    return [line + b"\n" for line in lines]
