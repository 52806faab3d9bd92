"""The files of a run, read when something that several of them share is looked for."""

from __future__ import annotations

import ast
import functools
import os
import pathlib
import warnings
from collections.abc import Iterable, Iterator, Mapping

from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.trees.imports import resolve_module
from migrate.facts.trees.joined import Imports, find_imports
from migrate.facts.trees.mentions import FINDING, name_module, names_it
from migrate.facts.trees.own_stars import write_names_for_stars
from migrate.facts.trees.reexports import write_out_imports
from migrate.program.keras_files import Source
from migrate.source import python
from migrate.tree import Tree

_ALONE = Tree()


class TreeFiles:
    """The files of a run, as the compiler reads them.

    Args:
      tree: what is known of them: imports that stand for others.

    Attributes:
      modules: those that others can import, by their real path.
    """

    def __init__(self, paths: Iterable[pathlib.Path], tree: Tree = _ALONE) -> None:
        self._tree = tree
        every = {os.path.realpath(p): p for p in paths if os.path.isfile(p)}
        self.modules: Mapping[str, pathlib.Path] = {
            real: path for real, path in every.items() if path.suffix == ".py"
        }
        self._every = every
        self._texts: dict[str, str] = {}
        self._raw: dict[str, str] = {}
        self._scopes: dict[str, Scopes | None] = {}
        self._imports: dict[str, Imports] = {}

    def read_raw(self, real: str) -> str:
        """Reads a file; "" if it cannot be read, which the file's migration reports."""
        if real not in self._raw:
            try:
                data = self._every[real].read_bytes()
                self._raw[real] = python.decode(data).text
            except (OSError, python.Unreadable):
                self._raw[real] = ""
        return self._raw[real]

    def read_text(self, real: str) -> str:
        """Reads a file, and writes out what its imports of other files mean."""
        if real not in self._texts:
            tree = self._tree
            text, _ = write_out_imports(
                self.read_raw(real), tree.reexports.get(real, {})
            )
            self._texts[real] = write_names_for_stars(
                text, tree.own_stars.get(real, {})
            )
        return self._texts[real]

    def read_scopes(self, real: str) -> Scopes | None:
        """Reads a file's scopes; None if it is no Python 3."""
        if real not in self._scopes:
            self._scopes[real] = self._read(real)
        return self._scopes[real]

    def _read(self, real: str) -> Scopes | None:
        if real not in self.modules:
            return None  # A notebook.
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return build_scopes(ast.parse(self.read_text(real)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def find_imports(self, real: str) -> Imports:
        """Finds a file's imports of other files of the run, at its top."""
        if real not in self._imports:
            scopes = self.read_scopes(real)
            self._imports[real] = (
                find_imports(scopes.tree, real, self.modules) if scopes else {}
            )
        return self._imports[real]

    def find_reached_files(self, real: str) -> Iterator[str]:
        """The files that a file imports, and those that these import."""
        seen = {real}
        work = [real]
        while work:
            for target, _ in self.find_imports(work.pop()).values():
                if target not in seen and self.read_scopes(target) is not None:
                    seen.add(target)
                    work.append(target)
                    yield target

    def make_source(self, real: str) -> Source:
        return Source(real, self.read_text(real), self.find_imports(real))

    def find_naming(self, function: str, files: Iterable[str]) -> Iterator[str]:
        """Finds other files that may name a function of these files.

        Args:
          files: the file that has it, and those that import it from there.
        """
        known = set(files)
        modules = {name_module(real) for real in known}
        # The packages themselves, which `import package` brings.
        above = {os.path.dirname(real) for real in known}
        packages = {d for d in above if os.path.join(d, "__init__.py") in self.modules}
        modules |= {os.path.basename(directory) for directory in packages}
        for real in self._every:
            text = self.read_text(real)
            if real not in known and any(w in text for w in (function, *FINDING)):
                scopes = self.read_scopes(real)
                others = functools.partial(self._is_of_another, real, known)
                if names_it(text, scopes, function, modules, others):
                    yield real

    def _is_of_another(
        self, real: str, known: set[str], node: ast.Import | ast.ImportFrom
    ) -> bool:
        """Whether an import brings nothing of some files, but of another of their names.

        As where each directory of a tree has a `model.py` and its own `train.py`. What a
        program imports by a plain name is what stands beside it, unless it says otherwise.
        """
        if "sys.path" in self.read_text(real):
            return False
        directory = os.path.dirname(real)
        parts: tuple[str, ...] = ()
        level = 0
        if isinstance(node, ast.ImportFrom):
            parts, level = tuple((node.module or "").split(".")), node.level
            parts = parts if node.module else ()
        if not level and os.path.join(directory, "__init__.py") in self.modules:
            return False
        for alias in node.names:
            names = tuple(alias.name.split("."))
            if isinstance(node, ast.Import) and len(names) > 1:
                return False  # What else its package has, it brings too.
            modules = ((*parts, *names), parts) if parts or level else (names,)
            target = resolve_module(self.modules[real], level, modules, self.modules)
            if target is None or target in known:
                return False
            if not level and not target.startswith(directory + os.sep):
                return False
            if self.read_scopes(target) is None or known & set(
                self.find_reached_files(target)
            ):
                return False
        return True
