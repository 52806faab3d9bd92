"""Chooses the directory of the modules that the tool writes for the files of a tree.

A script finds such modules beside itself. A module of a package is imported from another
place, and finds the modules that stand where the package stands. All of a tree's files
must find the same module, or `isinstance` would tell one file's classes from another's. So
the modules go to the directory that the imports of the file, or of files that import it,
show to be on Python's path.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

# `from module import a, b` and `import module, other`, at the beginning of a line. Only
# the first line of an import is needed to know its module.
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+([\w \t,]*)"
    rb"|import[ \t]+(\w[\w., \t]*))",
    re.MULTILINE,
)


@dataclasses.dataclass(frozen=True)
class Home:
    """The place of emitted modules, for one file.

    Attributes:
      directory: its real path.
      package: the name of the package that it is, "" if the modules are imported by their
        name alone.
    """

    directory: str
    package: str = ""

    def write_import(self, module: str) -> str:
        """Returns the statement that imports an emitted module."""
        return (
            f"from {self.package} import {module}"
            if self.package
            else f"import {module}"
        )


def find_homes(
    files: Iterable[pathlib.Path], given: Sequence[pathlib.Path]
) -> dict[str, Home]:
    """Maps the real path of a file to the home of its emitted modules, if not just beside it.

    Args:
      files: the files of the run; those that are not Python are ignored.
      given: the trees and files that the user named; nothing is written outside them.
    """
    real = {
        os.path.realpath(f) for f in files if f.suffix == ".py" and os.path.isfile(f)
    }
    tree = _Tree(real)
    own: dict[str, dict[str, set[str]]] = {}
    others: dict[str, set[str]] = {}
    tree.find_roots()
    for file in sorted(real):
        for root, target in tree.find_imports(file):
            own.setdefault(file, {}).setdefault(root, set()).add(target)
            if target != file:
                others.setdefault(target, set()).add(root)
    limits = sorted((os.path.realpath(g) for g in given), key=len)
    found: dict[str, Home] = {}
    for file in real:
        directory = os.path.dirname(file)
        # The paths of a file's own imports are on Python's path whenever the file runs.
        root = _find_root(own.get(file, {}), directory, others.get(file, set())) or max(
            (r for r in others.get(file, ()) if _is_below(directory, r)),
            key=len,
            default=directory,
        )
        if root != directory and _is_below(directory, root):
            home = _find_home_inside(root, directory, limits)
            if home != Home(directory):
                found[file] = home
    return found


def _find_root(own: dict[str, set[str]], directory: str, others: set[str]) -> str:
    """Returns the directory that a file's imports show to be on the path, "" if none.

    If a file has `try: from layers import a` and `except ImportError: from .layers import a`,
    one of them fails. The files that import it show which one.
    """
    root = min(own, key=len, default="")
    twice = own.get(root, set()) & own.get(directory, set())
    return directory if twice and root not in others else root


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _find_home_inside(root: str, directory: str, limits: Sequence[str]) -> Home:
    """Returns the home below `root` that is inside the trees and files of the user."""
    for limit in limits:
        top = limit if os.path.isdir(limit) else os.path.dirname(limit)
        if not _is_below(directory, top):
            continue
        if _is_below(root, top):
            return Home(root)
        return Home(top, os.path.relpath(top, root).replace(os.sep, "."))
    return Home(directory)


class _Tree:
    """The modules among the files of a run."""

    def __init__(self, files: Collection[str]) -> None:
        self._files = files
        # (directory of the file, module, names) -> the imported files.
        self._known: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, str]]] = {}
        self._roots: set[str] = set()
        self._read: dict[str, bytes] = {}

    def find_roots(self) -> None:
        """Finds the directories that absolute imports show to be on Python's path.

        A relative import only shows that its file is in a package, but not where the package
        begins: the top of a checkout may have an `__init__.py`, too, and be no package.
        """
        for file in sorted(self._files):
            for match in _IMPORT.finditer(self._read_data(file)):
                if match[3] or not match[1].startswith(b"."):
                    for root, _ in self._read_import(file, match):
                        self._roots.add(root)

    def find_imports(self, file: str) -> Iterator[tuple[str, str]]:
        """Yields (directory on Python's path, file) for each import of a file of the tree."""
        for match in _IMPORT.finditer(self._read_data(file)):
            yield from self._read_import(file, match)

    def _read_data(self, file: str) -> bytes:
        if file not in self._read:
            try:
                self._read[file] = pathlib.Path(file).read_bytes()
            except OSError:
                self._read[file] = b""
        return self._read[file]

    def _read_import(
        self, file: str, match: re.Match[bytes]
    ) -> Iterator[tuple[str, str]]:
        directory = os.path.dirname(file)
        if match[3]:
            for item in match[3].decode().split(","):
                module = (item.split() or [""])[0]
                yield from self._find_absolute(directory, module, ("",))
            return
        module = match[1].decode()
        items = match[2].decode().split(",")
        names = tuple(item.split()[0] for item in items if item.split()) or ("",)
        if module.startswith("."):
            yield from self._find_relative(directory, module, names)
        else:
            yield from self._find_absolute(directory, module, names)

    def _find_relative(
        self, directory: str, module: str, names: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        base = directory
        rest = module.lstrip(".")
        for _ in range(len(module) - len(rest) - 1):
            base = os.path.dirname(base)
        above = [r for r in self._roots if r != base and _is_below(base, r)]
        root = max(above, key=len) if above else self._find_package_root(directory)
        for name in names:
            target = self._find_module(base, rest, name)
            if target:
                yield root, target

    def _find_absolute(
        self, directory: str, module: str, names: tuple[str, ...]
    ) -> list[tuple[str, str]]:
        """Returns the imported files in the nearest directory upwards that has the module."""
        key = (directory, module, names)
        if key not in self._known:
            found = [
                (directory, self._find_module(directory, module, n)) for n in names
            ]
            found = [pair for pair in found if pair[1]]
            above = os.path.dirname(directory)
            if not found and above != directory:
                found = self._find_absolute(above, module, names)
            self._known[key] = found
        return self._known[key]

    def _find_module(self, base: str, module: str, name: str) -> str:
        """Returns the file of the tree that `from module import name` reads, "" if none."""
        place = os.path.join(base, *module.split(".")) if module else base
        whole = os.path.join(place, name)
        candidates = [f"{whole}.py", os.path.join(whole, "__init__.py")] if name else []
        candidates += [f"{place}.py"] if module else []
        candidates.append(os.path.join(place, "__init__.py"))
        return next((c for c in candidates if c in self._files), "")

    def _find_package_root(self, directory: str) -> str:
        """Returns the directory that contains the outermost package around `directory`."""
        above = directory
        while os.path.join(above, "__init__.py") in self._files:
            above = os.path.dirname(above)
        if above == directory:  # A package need not have an __init__.py.
            return os.path.dirname(directory)
        return above
