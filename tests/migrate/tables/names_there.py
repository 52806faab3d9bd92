"""Prints which private names the TensorFlow of this process lacks, of those it is given.

    python -I names_there.py < NAMES

A name is `module:name`, or `module:` for the module. With `-` before it, it is printed if it
is there. Runs under Python 3.7, too.
"""

from __future__ import annotations

import importlib
import sys


def has(module: str, name: str) -> bool:
    try:
        found = importlib.import_module(module)
    except ImportError:
        return False
    return not name or hasattr(found, name)


def main() -> None:
    import tensorflow  # noqa: F401  Its own files import each other in this order only.

    names = sys.stdin.read().split()
    sys.argv[1:] = []
    for entry in names:
        module, _, name = entry.lstrip("-").partition(":")
        if has(module, name) is entry.startswith("-"):
            print("wrong", entry)
    print("done", len(names))


if __name__ == "__main__":
    main()
