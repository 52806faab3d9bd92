"""Titles of code that was moved: `# From main:`."""

from __future__ import annotations

import re

# A body's title of which no code is left.
_ORPHAN = re.compile(r"^[ \t]*# From [\w.]+:\n(?=\s*(# From |@|$))", re.MULTILINE)


def drop_orphaned_titles(text: str) -> str:
    """Drops comments that were titles of code that is gone."""
    return _ORPHAN.sub("", text)
