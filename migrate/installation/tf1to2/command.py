"""Starts the command with `migrate` and `reference` from here, whoever else has such names."""

from __future__ import annotations

import os
import sys
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))


def main(**options: Any) -> None:
    """Runs the command line.

    The directory that holds our packages comes first on the path of this process: of an
    installation this one, of a checkout its root. Programs that are verified run in
    processes of their own, which do not have it.
    """
    installed = os.path.isdir(os.path.join(_HERE, "migrate"))
    root = os.path.normpath(os.path.join(_HERE, "..", "..", ".."))
    sys.path.insert(0, _HERE if installed else root)
    try:
        from migrate.cli import main as command
    except KeyboardInterrupt:  # Ctrl-C while modules are imported.
        print("\nInterrupted.", file=sys.stderr)
        sys.exit(2)
    command(**options)
