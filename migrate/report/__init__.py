"""Reports the findings of a run, for people and for machines: one module per format."""

from __future__ import annotations

import importlib
import pathlib
from collections.abc import Callable
from typing import cast

from migrate.report.paths import display_path
from migrate.report.summary import Run

__all__ = ["FORMATS", "check_suffix", "display_path", "save"]

# Each module has `render(run) -> str`; it is imported when a report is asked for.
FORMATS = {
    ".txt": "text",
    ".json": "json_report",
    ".sarif": "sarif",
    ".html": "page",
    ".md": "markdown",
}


def check_suffix(path: pathlib.Path) -> None:
    """Tells before the run that its report could not be written.

    Raises:
      ValueError: an unknown suffix, or no such directory.
    """
    if path.suffix not in FORMATS:
        raise ValueError(f"{path}: a report's name ends in one of {' '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: no such directory")


def save(path: pathlib.Path, run: Run) -> None:
    """Writes a report in the format that the file's suffix names.

    Raises:
      OSError: it cannot be written.
    """
    module = importlib.import_module(f"migrate.report.{FORMATS[path.suffix]}")
    render = cast("Callable[[Run], str]", module.render)
    path.write_text(render(run), "utf-8", newline="\n")
