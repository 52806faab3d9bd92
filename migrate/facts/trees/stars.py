"""Finds names for TensorFlow that a star import brings: `from model import *`, then `tf.app.run()`.

If the other file imports TensorFlow as `tf`, the star import brings `tf` into this file. The
tool then reads this file as if it imported TensorFlow itself. It does so only if the name can
mean nothing else: the other file binds it once and exports it, this file does not bind it,
and no other star import can bring another object of this name.
"""

from __future__ import annotations

import ast
import pathlib
import re
from collections.abc import Callable, Iterator, Mapping

from migrate.source.nodes import find_plain_names, parse_or_none, walk_breadth_first

# A star import at the top level of a file.
_STAR = re.compile(rb"^from (\.*[\w.]+) import[ \t]*\*[ \t]*(?:#.*)?\r?$", re.MULTILINE)
# Name -> the import statement that binds it, with `{}` in place of the name.
Exports = Mapping[str, str]
# A file, and a module's name in it -> the file of the run that has this module.
_File = Callable[[str, str], str | None]
# Line of a star import -> its text, and the imports that can replace it.
Brought = dict[int, tuple[str, list[str]]]


def find_star_names(
    texts: Mapping[str, bytes],
    exports: Mapping[str, Exports],
    file_of: Callable[[pathlib.Path, str], str | None],
) -> dict[str, Brought]:
    """For each file, the names for TensorFlow that its star imports bring and that it reads.

    Args:
      texts: the bytes of each file of the run, by real path.
      exports: the names of each file that imports TensorFlow, by real path.
    """
    stars = _Stars(texts, exports, lambda real, name: file_of(pathlib.Path(real), name))
    found = {}
    for real, data in texts.items():
        if _STAR.search(data) and (of_file := stars.find_brought_names(real)):
            found[real] = of_file
    return found


def write_import(how: str, name: str) -> str:
    """The import statement that binds a name to what it means in another file."""
    return re.sub(r"^(from \S+ import (\w+)) as \2$", r"\1", how.format(name))


def find_modules(data: bytes) -> Iterator[str]:
    """The modules in the star imports of a text."""
    for match in _STAR.finditer(data):
        yield match[1].decode()


def is_bound_once(data: bytes, name: str) -> bool:
    """Whether a module binds a name once."""
    tree = parse_or_none(data)
    return tree is not None and _count_bindings(tree, name) == 1


class _Stars:
    def __init__(
        self,
        texts: Mapping[str, bytes],
        exports: Mapping[str, Exports],
        file_of: _File,
    ) -> None:
        self._texts = texts
        self._exports = exports
        self._file_of = file_of
        self._handed: dict[str, dict[str, str]] = {}

    def find_brought_names(self, real: str) -> Brought:
        """The names for TensorFlow that a file reads, does not bind, and gets from star imports."""
        sources = list(self._find_sources(real))
        offered = [
            self._find_handed_out(source) if source else {} for *_, source in sources
        ]
        if not any(offered):
            return {}
        tree = parse_or_none(self._texts[real])
        if tree is None:
            return {}
        read = find_plain_names(tree)
        found: Brought = {}
        for (line, stands, _), names in zip(sources, offered, strict=True):
            for name in sorted(names.keys() & read):
                if _count_bindings(tree, name) or not self._is_unambiguous(
                    name, sources, names[name]
                ):
                    continue
                if any(name in _read_bound_names(known) for _, known in found.values()):
                    continue
                taken = write_import(names[name], name)
                found.setdefault(line, (stands, []))[1].append(taken)
        return found

    def _find_sources(self, real: str) -> Iterator[tuple[int, str, str | None]]:
        """Line, text and source file of each star import; None if the source is not in the run."""
        data = self._texts[real]
        for match in _STAR.finditer(data):
            source = self._file_of(real, match[1].decode())
            line = data.count(b"\n", 0, match.start()) + 1
            stands = match[0].decode("utf-8", "replace").strip()
            yield line, stands, source if source != real else None

    def _find_handed_out(self, real: str) -> dict[str, str]:
        """The names for TensorFlow that a star import of this file brings."""
        if real in self._handed:
            return self._handed[real]
        self._handed[
            real
        ] = {}  # If files import each other, the inner call finds nothing.
        data = self._texts[real]
        own = self._exports.get(real, {})
        through: dict[str, str] = {}
        for _, _, source in self._find_sources(real):
            if source is not None:
                through.update(self._find_handed_out(source))
        tree = parse_or_none(data) if own or through else None
        if tree is None:
            return {}
        listed = _read_all(tree)
        found = {n: how for n, how in own.items() if _count_bindings(tree, n) == 1}
        sources = list(self._find_sources(real))
        for name, how in through.items():
            if not _count_bindings(tree, name) and self._is_unambiguous(
                name, sources, how
            ):
                found[name] = how
        found = {
            name: how
            for name, how in found.items()
            if (name in listed if listed is not None else not name.startswith("_"))
        }
        self._handed[real] = found
        return found

    def _is_unambiguous(
        self, name: str, sources: list[tuple[int, str, str | None]], how: str
    ) -> bool:
        """Whether no star import of a file brings another object of this name.

        If a source is not in the run, this is known only for `import tensorflow as ...`.
        """
        for _, _, source in sources:
            if source is None:
                if not re.match(r"import tensorflow(\.compat\.v1)? as", how):
                    return False
                continue
            theirs = self._find_handed_out(source).get(name)
            if theirs is None:
                tree = parse_or_none(self._texts[source])
                if tree is None or _count_bindings(tree, name):
                    return False
            elif theirs != how:
                return False
        return True


def _count_bindings(tree: ast.Module, name: str) -> int:
    """Counts how often a module binds a name, at any level."""
    times = 0
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            times += sum((a.asname or a.name.split(".")[0]) == name for a in node.names)
        elif isinstance(node, ast.Name) and node.id == name:
            times += not isinstance(node.ctx, ast.Load)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            times += node.name == name
    return times


def _read_all(tree: ast.Module) -> set[str] | None:
    """The names in `__all__`. Empty if it cannot be read; None if the module has no `__all__`."""
    if not any(
        isinstance(n, ast.Name) and n.id == "__all__" for n in walk_breadth_first(tree)
    ):
        return None
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and target.id == "__all__":
                try:
                    return set(ast.literal_eval(statement.value))
                except (ValueError, TypeError):
                    return set()
    return set()


def _read_bound_names(statements: list[str]) -> set[str]:
    """The names that import statements bind."""
    return {statement.split()[-1] for statement in statements}
