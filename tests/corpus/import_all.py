"""Imports modules one after the other and writes down which failed, and where.

    python import_all.py TREE[:TREE...] DEPENDENCIES OUTPUT MODULE...

The first tree's modules are imported; the others are trees that it may import from. A
module that has failed fails again wherever it is imported, without being run again.
"""

from __future__ import annotations

import importlib
import importlib.abc
import json
import os
import sys
import traceback


class _Failed(importlib.abc.MetaPathFinder):
    """Knows the modules that failed, and fails their imports as it did before."""

    def __init__(self) -> None:
        self.errors: dict[str, BaseException] = {}

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name in self.errors:
            raise self.errors[name]
        return None


def _own_frames(error: BaseException, trees: list[str]) -> list[traceback.FrameSummary]:
    """Where the error passed through files of the trees, outermost first."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f for f in frames if f.filename.startswith(tuple(trees))]


def _module(file: str, trees: list[str]) -> str:
    for tree in trees:
        if file.startswith(tree + os.sep):
            name = os.path.relpath(file, tree).removesuffix(".py").replace(os.sep, ".")
            return name.removesuffix(".__init__")
    return ""


def main() -> None:
    trees = sys.argv[1].split(os.pathsep)
    sys.path[0:1] = trees  # In place of this script's directory.
    sys.path.append(sys.argv[2])
    failed = _Failed()
    sys.meta_path.insert(0, failed)
    places: dict[int, tuple[str, int]] = {}  # Of an error -> where it was raised first.
    found: dict[str, dict[str, object]] = {}
    for name in sys.argv[4:]:
        try:
            importlib.import_module(name)
        except BaseException as error:  # Modules exit, too.
            frames = _own_frames(error, trees)
            if id(error) not in places and frames:
                last = frames[-1]
                places[id(error)] = (last.filename, last.lineno or 0)
                for frame in frames:
                    if frame.name == "<module>":
                        module = _module(frame.filename, trees)
                        failed.errors.setdefault(module, error)
            failed.errors.setdefault(name, error)
            file, line = places.get(id(error), ("", 0))
            found[name] = {
                "kind": type(error).__name__,
                "message": str(error),
                "file": file,
                "line": line,
                "missing": getattr(error, "name", None) or "",
            }
    with open(sys.argv[3], "w", encoding="utf-8") as output:
        json.dump(found, output)
    os._exit(0)  # Whatever threads and handlers the modules have left.


if __name__ == "__main__":
    main()
