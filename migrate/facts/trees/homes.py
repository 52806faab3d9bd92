"""Where the modules go that are written for the files of a tree, and how they are imported.

A script finds them beside itself. A module of a package is imported from elsewhere: what
it finds is what stands where the package stands, and all of a tree's files must find the
same module, or `isinstance` would tell one file's classes from another's. So they go to
the directory that the file's own imports, or those of it, show to be on Python's path.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

# `from module import a, b` and `import module, other`, at the beginning of a line; the
# names of an import over several lines are not needed to see what is imported from.
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
      package: the package that it is, "" where the modules are imported by their name.
    """

    directory: str
    package: str = ""

    def write_import(self, module: str) -> str:
        """The statement that imports an emitted module."""
        return (
            f"from {self.package} import {module}"
            if self.package
            else f"import {module}"
        )


def find_homes(
    files: Iterable[pathlib.Path], given: Sequence[pathlib.Path]
) -> dict[str, Home]:
    """Real path of a file -> where its emitted modules go, if not simply beside it.

    Args:
      files: the Python files of the run, others are passed over.
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
        # What a file imports itself is on the path whenever it runs.
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
    """The directory that a file's imports show to be on the path, "" if they show none.

    `try: from layers import a` and `except ImportError: from .layers import a`: one of
    them fails, and which is told by those who import the file.
    """
    root = min(own, key=len, default="")
    twice = own.get(root, set()) & own.get(directory, set())
    return directory if twice and root not in others else root


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _find_home_inside(root: str, directory: str, limits: Sequence[str]) -> Home:
    """The home below `root` that lies in what the user gave."""
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
        # (directory of the file, module, names) -> what is imported.
        self._known: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, str]]] = {}
        self._roots: set[str] = set()
        self._read: dict[str, bytes] = {}

    def find_roots(self) -> None:
        """Finds the directories that absolute imports show to be on Python's path.

        A relative import only says that its file is in a package, not how far up that
        goes: the top of a checkout may have an `__init__.py`, too, and be no package.
        """
        for file in sorted(self._files):
            for match in _IMPORT.finditer(self._read_data(file)):
                if match[3] or not match[1].startswith(b"."):
                    for root, _ in self._read_import(file, match):
                        self._roots.add(root)

    def find_imports(self, file: str) -> Iterator[tuple[str, str]]:
        """(directory on Python's path, file) of what a file imports of the tree."""
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
        """From the nearest directory up that has the module."""
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
        """The file that `from module import name` reads, "" if it is none of the tree."""
        place = os.path.join(base, *module.split(".")) if module else base
        whole = os.path.join(place, name)
        candidates = [f"{whole}.py", os.path.join(whole, "__init__.py")] if name else []
        candidates += [f"{place}.py"] if module else []
        candidates.append(os.path.join(place, "__init__.py"))
        return next((c for c in candidates if c in self._files), "")

    def _find_package_root(self, directory: str) -> str:
        """The directory that holds the outermost package of a module in `directory`."""
        above = directory
        while os.path.join(above, "__init__.py") in self._files:
            above = os.path.dirname(above)
        if above == directory:  # A package need not have an __init__.py.
            return os.path.dirname(directory)
        return above
