"""Groups the files of a run into programs, by their imports of each other.

A program is all that Python loads when somebody starts a file: the file, its imports, and
their imports. Two programs that share a file that has to change are one unit, because the
file cannot be TensorFlow 1's for one of them and TensorFlow 2's for the other. A file that
never changes (a helper without TensorFlow) does not join programs.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import os
import pathlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from migrate.facts.trees.imports import resolve_module
from migrate.source.nodes import parse_or_none, walk_breadth_first

# Imports of a file that is not Python 3, read line by line.
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[\w \t,.*]*)"
    r"|import[ \t]+(\w[\w., \t]*))",
    re.MULTILINE,
)
# The test of a file that can be started, also if it is not Python 3.
_GUARD = re.compile(
    r"""^if[ \t(]+__name__[ \t]*==[ \t]*['"]__main__['"]""", re.MULTILINE
)
# Calls that libraries make when they are loaded.
_PREPARES = frozenset(
    {
        "set_verbosity",
        "basicConfig",
        "append",  # sys.path.append.
        "insert",
        "filterwarnings",
        "simplefilter",
        "register",
        "update",
        "use",  # matplotlib.use.
        "extend",
        "disable_v2_behavior",
        "disable_eager_execution",
        "enable_eager_execution",
    }
)
# Functions that import a module by its name.
_IMPORTING = frozenset({"import_module", "__import__"})
# (dots before it, parts of the name): `from .a import b` is (1, ("a", "b")).
_Name = tuple[int, tuple[str, ...]]
# The dots of a name that only a run knows: `import_module("models." + name)`.
_CHOSEN = -1


@dataclasses.dataclass(frozen=True)
class Unit:
    """Files that are migrated together: a program, or several that share files.

    Attributes:
      files: the files that change or are refused; those that no file imports stand first.
      loads: the entry points, each with the files of the unit that it loads. An entry
        point is a file that somebody starts: no file imports it, and it does something; or
        it tests `__name__`. It may be outside of the unit, if it only imports some.
    """

    files: tuple[pathlib.Path, ...]
    loads: Mapping[pathlib.Path, frozenset[pathlib.Path]]


def find_programs(
    files: Iterable[pathlib.Path], concerned: Collection[pathlib.Path]
) -> list[Unit]:
    """Groups the files that change, or that must not change, into programs.

    Args:
      files: all files of the run.
      concerned: the files that a migration changes or refuses.

    Returns:
      The programs in the order of their first file.
    """
    paths = {os.path.realpath(path): path for path in files}
    marked = {os.path.realpath(path) for path in concerned}
    groups = _Groups(sorted(marked & set(paths), key=list(paths).index))
    imports = Imports(paths)
    roots = imports.find_roots() if len(paths) > 1 and marked else set(paths)
    reached = {root: set(imports.reach(root)) & marked for root in roots}
    for files_ in reached.values():
        groups.join([p for p in paths if p in files_])
    order = {real: place for place, real in enumerate(paths)}
    for real in sorted(marked):
        if real not in roots and imports.starts(real, imported=True):
            reached[real] = set(imports.reach(real)) & marked
    starters = [
        r for r in paths if reached.get(r) and imports.starts(r, r not in roots)
    ]
    return [
        Unit(
            tuple(
                paths[p] for p in sorted(g, key=lambda p: (p not in roots, order[p]))
            ),
            {
                paths[r]: frozenset(paths[p] for p in reached[r])
                for r in starters
                if not reached[r].isdisjoint(g)
            },
        )
        for g in groups.list_groups()
    ]


class _Groups:
    """Disjoint sets of files."""

    def __init__(self, files: Sequence[str]) -> None:
        self._group = {file: [file] for file in files}

    def join(self, files: Sequence[str]) -> None:
        """Joins the groups that contain some files."""
        for file in files[1:]:
            one, other = self._group[files[0]], self._group[file]
            if one is not other:
                one += other
                for moved in other:
                    self._group[moved] = one

    def list_groups(self) -> Iterator[list[str]]:
        seen: set[int] = set()
        for group in self._group.values():
            if id(group) not in seen:
                seen.add(id(group))
                yield group


class Imports:
    """The imports between the files of a run; each file is read once.

    Args:
      paths: the files by their real paths.
      read: gives a file's bytes.
    """

    def __init__(
        self,
        paths: Mapping[str, pathlib.Path],
        read: Callable[[pathlib.Path], bytes] = pathlib.Path.read_bytes,
    ) -> None:
        self._paths = paths
        self._modules = [real for real in paths if real.endswith(".py")]
        self._read = read
        self._written: dict[str, tuple[str, ...]] = {}
        self._starts: dict[str, tuple[bool, bool]] = {}
        self._choosing: set[str] = set()

    def find_imports(self, real: str) -> tuple[str, ...]:
        """Returns the files that one imports, with the packages on the way to them.

        If it chooses a module when it runs, it may import each library beside or below it
        that no file imports by a written name.
        """
        written = self._find_written_imports(real)
        if real not in self._choosing:
            return written
        beside = os.path.dirname(real) + os.sep
        chosen = (p for p in self._libraries if p.startswith(beside) and p != real)
        return tuple(dict.fromkeys([*written, *chosen]))

    def _find_written_imports(self, real: str) -> tuple[str, ...]:
        if real not in self._written:
            found = dict.fromkeys(self._find_targets(real))
            found.pop(real, None)
            self._written[real] = tuple(found)
        return self._written[real]

    @functools.cached_property
    def _libraries(self) -> list[str]:
        """Modules that nobody starts and that no file imports by a written name."""
        written = {p for real in self._paths for p in self._find_written_imports(real)}
        return [
            real
            for real in self._modules
            if real not in written and not self.starts(real, imported=False)
        ]

    def reach(self, real: str) -> Iterator[str]:
        """Yields a file and all files that it imports, also indirectly."""
        seen, work = {real}, [real]
        while work:
            current = work.pop()
            yield current
            for target in self.find_imports(current):
                if target not in seen:
                    seen.add(target)
                    work.append(target)

    def find_roots(self) -> set[str]:
        """Returns the files that no other file imports, and one of each such circle."""
        imported = {
            target for real in self._paths for target in self.find_imports(real)
        }
        roots = [real for real in self._paths if real not in imported]
        seen = {p for root in roots for p in self.reach(root)}
        for real in self._paths:
            if real not in seen:
                roots.append(real)
                seen.update(self.reach(real))
        return set(roots)

    def starts(self, real: str, imported: bool) -> bool:
        """Whether a file is one that somebody starts.

        Args:
          imported: whether another file imports it. Then only a test of `__name__` makes it
            one.
        """
        if not real.endswith(".py"):
            return True  # A notebook, or a script without a suffix.
        self._find_written_imports(real)
        guarded, acts = self._starts[real]
        return guarded or (acts and not imported)

    def _find_targets(self, real: str) -> Iterator[str]:
        path = pathlib.Path(real)
        text = self._read_text(path)
        names, acts = _read_module(text)
        self._starts[real] = (_is_guarded(text), acts)
        for level, parts in names:
            if level == _CHOSEN:
                self._choosing.add(real)
                continue
            target = resolve_module(path, level, (parts, parts[:-1]), self._paths)
            if target is None and not level and "sys.path" in text:
                target = self._find_only_match(parts)
            if target is not None:
                yield target
                yield from self._find_packages(target)

    def _find_packages(self, module: str) -> Iterator[str]:
        """Yields the package files that importing `a.b.c` runs: `a/__init__.py` and so on."""
        directory = os.path.dirname(module)
        while (package := os.path.join(directory, "__init__.py")) in self._paths:
            yield package
            directory = os.path.dirname(directory)

    def _find_only_match(self, parts: Sequence[str]) -> str | None:
        """Returns a module that a file finds by a path it adds, if only one file matches."""
        for names in (parts, parts[:-1]):
            if names:
                end = os.sep + os.path.join(*names) + ".py"
                found = [p for p in self._modules if p.endswith(end)]
                if found:
                    return found[0] if len(found) == 1 else None
        return None

    def _read_text(self, path: pathlib.Path) -> str:
        from migrate.source import notebook, python  # A cached run needs neither.

        try:
            text = python.decode(self._read(path)).text
            return notebook.read(text).module if path.suffix == ".ipynb" else text
        except (OSError, ValueError, python.Unreadable):
            return ""


@functools.lru_cache(maxsize=1024)
def _read_module(text: str) -> tuple[tuple[_Name, ...], bool]:
    """Returns the imports of a text, and whether it does more than bind names.

    Several stages of a run ask this of the same files.
    """
    tree = parse_or_none(text)
    return tuple(_find_names(text, tree)), tree is None or _acts(tree)


def _is_guarded(text: str) -> bool:
    return _GUARD.search(text) is not None


def _acts(module: ast.Module) -> bool:
    """Whether a module does more than bind names when it is loaded."""
    return any(
        isinstance(statement, ast.For | ast.While | ast.With)
        or (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and not _prepares(statement.value)
        )
        for statement in module.body
    )


def _prepares(call: ast.Call) -> bool:
    """Whether a call at a module's top only prepares other modules."""
    name = ast.unparse(call.func).rpartition(".")[2]
    return name.startswith("DEFINE_") or name in _PREPARES


def _find_names(text: str, tree: ast.Module | None) -> Iterator[_Name]:
    """Yields the names that a text imports, anywhere in it."""
    if tree is None:
        yield from _find_names_by_line(text)
        return
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            parts = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                yield node.level, (*parts, alias.name)
        elif isinstance(node, ast.Call) and node.args:
            if ast.unparse(node.func).rpartition(".")[2] in _IMPORTING:
                yield _read_imported_name(node.args[0])


def _read_imported_name(name: ast.expr) -> _Name:
    """What `import_module` and `__import__` import."""
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        dotted = name.value.lstrip(".")
        return len(name.value) - len(dotted), tuple(dotted.split("."))
    return _CHOSEN, ()


def _find_names_by_line(text: str) -> Iterator[_Name]:
    for match in _IMPORT.finditer(text):
        dots, module, members, modules = match.groups()
        if modules:
            for item in modules.split(","):
                if item.split():
                    yield 0, tuple(item.split()[0].split("."))
            continue
        parts = tuple(p for p in module.split(".") if p)
        for item in members.strip("()").split(","):
            if item.split():
                yield len(dots), (*parts, item.split()[0])
