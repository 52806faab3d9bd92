"""Finds the modules of a tree that build the graphs of programs."""

from __future__ import annotations

import ast
import dataclasses
import os
import pathlib
import warnings
from collections.abc import Callable, Iterable, Iterator

from migrate.facts.scopes import Scopes
from migrate.frontends.sessions import iterators
from migrate.normalise.text import Text
from migrate.parts.merging import Merging, NotMergeable
from migrate.parts.migrated import is_marked
from migrate.parts.module import Imported, Module
from migrate.parts.program import Parts, Together
from migrate.source import python
from migrate.tables import callbacks, estimator, queues, roles
from migrate.tables.layers import LAYER_FUNCTIONS
from migrate.tables.optimizers import OPTIMIZERS

# What a file spells that opens a session.
_OPENS = ("Session(", "Supervisor(")
_SESSIONS = roles.SESSIONS | {
    "tf.InteractiveSession",
    "tf.train.MonitoredSession",
    "tf.train.SingularMonitoredSession",
    "tf.train.Supervisor",
}
# What trains by itself: a session of the same file is refused with it, or only looks.
_ESTIMATORS = estimator.MAKERS | estimator.TPU_ESTIMATORS
# Symbols of which code outside of a program could not be migrated.
_GRAPH = (
    roles.PLACEHOLDERS
    | roles.VARIABLES
    | roles.SCOPES
    | roles.TRAINABLE
    | roles.GLOBAL
    | roles.GLOBAL_STEPS
    | frozenset(LAYER_FUNCTIONS)
    | frozenset(OPTIMIZERS)
    | frozenset(queues.INPUT)
    | iterators.ITERATORS
    | _SESSIONS
) - {"tf.name_scope"}
_METHODS = frozenset(
    {"minimize", "apply_gradients", "run", "eval", *iterators.MAKES_ITERATORS}
)


def find_programs_of_parts(paths: Iterable[pathlib.Path]) -> Parts:
    """Finds the programs among files whose graph is built by other files."""
    files = {
        os.path.realpath(path)
        for path in paths
        if path.suffix == ".py" and os.path.isfile(path)
    }
    tree = _Tree(files)
    imported = {i.target for file in sorted(files) for i in tree.list_imports(file)}
    programs: dict[str, Together] = {}
    users: dict[str, list[str]] = {}
    for file in sorted(files - imported):
        merged = tree.merge_modules(file)
        if merged is None:
            continue
        whole, modules = merged
        programs[file] = whole
        for module in modules:
            users.setdefault(module, []).append(file)
    # A module that something else imports, too, is migrated by itself as well as it goes.
    for module in list(users):
        if any(
            i.target == module
            for file in files - set(users) - set(programs)
            for i in tree.list_imports(file)
        ):
            del users[module]
    shown = {p: os.path.basename(p) for p in programs}
    return Parts(programs, {m: tuple(u) for m, u in users.items()}, shown)


class _Tree:
    """The files of a run, read when they are needed."""

    def __init__(self, files: set[str]) -> None:
        self._files = files
        self._modules: dict[str, Module | None] = {}
        self._imports: dict[str, tuple[Imported, ...]] = {}
        self._opening: dict[str, bool] = {}
        self._building: dict[str, bool] = {}

    def read_module(self, path: str) -> Module | None:
        """A file's text and names; None if it cannot be read, or is no Python 3."""
        if path not in self._modules:
            self._modules[path] = self._read(path)
        return self._modules[path]

    def _read(self, path: str) -> Module | None:
        try:
            text = python.decode(pathlib.Path(path).read_bytes()).text
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
                return Module(path, Text.read_source(text), tree, Scopes(tree))
        except (OSError, python.Unreadable, SyntaxError, ValueError):
            return None
        except (RecursionError, MemoryError):
            return None

    def list_imports(self, path: str) -> tuple[Imported, ...]:
        """Lists a file's imports from the tree, also those in functions."""
        if path not in self._imports:
            module = self.read_module(path)
            found = self._find_imports(module) if module is not None else ()
            self._imports[path] = tuple(found)
        return self._imports[path]

    def _find_imports(self, module: Module) -> Iterator[Imported]:
        directory = os.path.dirname(module.path)
        for node in module.walk():
            if isinstance(node, ast.Import):
                for alias in node.names:
                    target = self._find_absolute(directory, alias.name)
                    if target:
                        yield Imported(node, alias, target, None)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    target, member = self._resolve_import(directory, node, alias.name)
                    if target:
                        yield Imported(node, alias, target, member)

    def _resolve_import(
        self, directory: str, node: ast.ImportFrom, name: str
    ) -> tuple[str, str | None]:
        """Finds the file of `from module import name`, and the name if it is in it."""
        if node.level:
            base = directory
            for _ in range(node.level - 1):
                base = os.path.dirname(base)
            place = os.path.join(base, *(node.module or "").split(".")).rstrip(os.sep)
            return self._resolve_name(place, name)
        while True:
            place = os.path.join(directory, *(node.module or "").split("."))
            found = self._resolve_name(place, name)
            above = os.path.dirname(directory)
            if found[0] or above == directory:
                return found
            directory = above

    def _resolve_name(self, place: str, name: str) -> tuple[str, str | None]:
        whole = self._find_file(os.path.join(place, name)) if name != "*" else ""
        if whole:
            return whole, None
        return self._find_file(place), name

    def _find_absolute(self, directory: str, module: str) -> str:
        while True:
            found = self._find_file(os.path.join(directory, *module.split(".")))
            above = os.path.dirname(directory)
            if found or above == directory:
                return found
            directory = above

    def _find_file(self, place: str) -> str:
        for candidate in (f"{place}.py", os.path.join(place, "__init__.py")):
            if candidate in self._files:
                return candidate
        return ""

    # -- programs ------------------------------------------------------------------------

    def merge_modules(self, path: str) -> tuple[Together, tuple[str, ...]] | None:
        """A program with the modules that build its graph; None if it has none."""
        reached = self._find_reached_files(path)
        if len(reached) < 2:
            return None
        if not any(_ask_once(self._opening, p, self._opens) for p in reached):
            return None
        builds = {
            p for p in reached - {path} if _ask_once(self._building, p, self._builds)
        }
        more = True
        while more:  # What imports a module that is brought has to come with it.
            new = {
                p
                for p in reached - builds - {path}
                if any(i.target in builds for i in self.list_imports(p))
            }
            builds |= new
            more = bool(new)
        if not builds:
            return None
        modules = {
            p: m for p in (path, *builds) if (m := self.read_module(p)) is not None
        }
        imports = {p: self.list_imports(p) for p in modules}
        try:
            whole, merged = Merging(path, modules, imports).run()
            bare, _ = Merging(path, modules, imports, without_classes=True).run()
        except NotMergeable:
            return None
        if bare.text != whole.text:
            whole = dataclasses.replace(whole, bare=bare)
        return whole, merged

    def _find_reached_files(self, path: str) -> set[str]:
        seen: set[str] = set()
        work = [path]
        while work:
            current = work.pop()
            if current not in seen:
                seen.add(current)
                work += [i.target for i in self.list_imports(current)]
        return seen

    def _opens(self, path: str) -> bool:
        """Whether a module opens sessions that train: not beside an Estimator."""
        module = self.read_module(path)
        if module is None or not any(w in module.text.source for w in _OPENS):
            return False
        uses = {symbol for _, symbol in module.scopes.walk_uses()}
        return not uses.isdisjoint(_SESSIONS) and uses.isdisjoint(_ESTIMATORS)

    def _builds(self, path: str) -> bool:
        """Whether a module builds graph, runs a session, or has hooks of it."""
        module = self.read_module(path)
        if module is None or is_marked(module.text.source):
            return False
        uses = [symbol for _, symbol in module.scopes.walk_uses()]
        if any(
            s in _GRAPH or estimator.find_public(s) in callbacks.HOOKS for s in uses
        ):
            return True
        return any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _METHODS
            and module.scopes.resolve(node.func) is None
            for node in module.scopes.walk()
        )


def _ask_once(known: dict[str, bool], path: str, ask: Callable[[str], bool]) -> bool:
    """Returns the answer of `ask` for a file, and keeps it."""
    if path not in known:
        known[path] = ask(path)
    return known[path]
