"""Paths as text."""

from __future__ import annotations

import os
import pathlib


def display_path(path: pathlib.Path) -> str:
    """A path as text: bytes of a name that are not UTF-8 become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")
