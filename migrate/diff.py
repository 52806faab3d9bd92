"""A unified diff of bytes, which `patch -p0` and `git apply -p0` take."""

from __future__ import annotations

import difflib
from collections.abc import Iterator


def _split_lines(data: bytes) -> list[bytes]:
    """Lines as diff means them: only "\\n" ends one, so no byte of another is lost."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + [lines[-1]] * bool(lines[-1])


def make_unified_diff(old: bytes | None, new: bytes, name: bytes) -> Iterator[bytes]:
    """The lines of the diff, each with its newline.

    Args:
      old: None for a file that is not there yet.
    """
    for line in difflib.diff_bytes(
        difflib.unified_diff,
        _split_lines(old or b""),
        _split_lines(new),
        b"/dev/null" if old is None else name,
        name,
    ):
        yield line
        if not line.endswith(b"\n"):
            yield b"\n\\ No newline at end of file\n"
