"""Which units of the emitted modules programs reach.

Names are followed exactly: `training_session.Saver` is one class. Whose attribute
`.save` is cannot be known, so a method of a class that is kept stays where any code
that is kept, or the program, mentions an attribute of its name. What Python, Keras or
TensorFlow call by themselves stays: methods with two underscores, and those of classes
with a base that is not ours.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import sys
from collections.abc import Iterable, Mapping

from migrate import emitted
from migrate.beside import units
from migrate.beside.units import Definition, Import, References, read_file
from migrate.source.nodes import walk_breadth_first

_ELSEWHERE = frozenset({"numpy", "tensorflow", "tf_keras", *sys.stdlib_module_names})
_OWN_BASES = {("object",), ("Exception",), ("RuntimeError",), ("ValueError",)}


@dataclasses.dataclass(frozen=True)
class Reached:
    """Units by file: names of the module, and (class, method)."""

    names: Mapping[str, frozenset[str]]
    methods: Mapping[str, frozenset[tuple[str, str]]]

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(sorted(self.names))


class Closure:
    """What is reached, growing until nothing more is."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}
        self._methods: dict[str, set[tuple[str, str]]] = {}
        self._attributes: set[str] = set()
        self._classes: list[tuple[str, str, Definition]] = []
        self._optional: list[tuple[Import, tuple[str, ...]]] = []
        # What follows the name of a module that another file may have imported.
        self._passed_on: list[tuple[str, tuple[str, ...]]] = []

    def add_program(self, text: str) -> None:
        """Adds what a file of a program mentions.

        Raises:
          SyntaxError: the text is no Python.
        """
        tree = ast.parse(text)
        found = units.find_references(tree)
        self._add_mentions(found.attributes)
        bound: dict[str, set[Import]] = {}
        others: set[str] = set()  # Modules that are none of the program's own.
        for node in walk_breadth_first(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                if _is_elsewhere(node):
                    others.update(units.read_import(node, ""))
                    continue
                for name, one in units.read_import(node, "").items():
                    if one.module:
                        bound.setdefault(name, set()).add(one)
        others -= units.find_bound_names(tree)
        for path in found.paths:
            if path[0] not in others:
                self._add_mentions(path[1:])
            for one in bound.get(path[0], ()):
                self._follow(one, path[1:])
            self._passed_on += [
                (name, path[place + 1 :])
                for place, name in enumerate(path)
                if name in emitted.list_modules()
            ]
        for several in bound.values():
            for one in several:
                self._take(one)

    def add_reader(self, text: str) -> None:
        """Adds a file that is loaded together with those that import emitted modules.

        Raises:
          SyntaxError: the text is no Python.
        """
        found = units.find_references(ast.parse(text))
        self._add_mentions(found.attributes)
        for path in found.paths:
            self._add_mentions(path[1:])
            self._passed_on += [
                (name, path[place + 1 :])
                for place, name in enumerate(path)
                if name in emitted.list_modules()
            ]

    def add_words(self, words: Iterable[str]) -> None:
        """Adds a text that cannot be parsed: every word may be any name."""
        found = set(words)
        self._add_mentions(found)
        for module in sorted(emitted.list_modules() & found):
            top = units.find_top(module)
            self._keep_file(top)
            for name in [*read_file(top).definitions, *read_file(top).imports]:
                if name in found:
                    self._keep(top, name)

    def add_file(self, name: str, text: str) -> None:
        """Adds what an emitted file on the disk has.

        Raises:
          SyntaxError: its user has made it no Python.
        """
        self._keep_file(name)
        known = read_file(name)
        for node in ast.parse(text).body:
            for bound in list_bound_names(node, name):
                if known.binds(bound):
                    self._keep(name, bound)
            if isinstance(node, ast.ClassDef) and node.name in known.definitions:
                own = known.definitions[node.name].methods
                for item in node.body:
                    method = getattr(item, "name", "")
                    if method in own:
                        self._keep_method(name, node.name, method)

    def find_reached(self) -> Reached:
        """All that is reached from what was added."""
        before = -1
        while before != (before := self._measure_size()):
            for file, name, definition in list(self._classes):
                for method in definition.methods:
                    if method in self._attributes:
                        self._keep_method(file, name, method)
            for one, path in list(self._optional):
                if one.module in self._names:
                    self._follow(one, path)
            for module, path in list(self._passed_on):
                if (top := units.find_top(module)) in self._names:
                    self._follow(Import(top), path)
        return Reached(
            {file: frozenset(names) for file, names in self._names.items()},
            {file: frozenset(found) for file, found in self._methods.items()},
        )

    def _measure_size(self) -> int:
        return (
            sum(map(len, self._names.values()))
            + sum(map(len, self._methods.values()))
            + len(self._attributes)
            + len(self._names)
        )

    def _add_mentions(self, attributes: Iterable[str]) -> None:
        self._attributes.update(attributes)

    def _keep_file(self, name: str) -> None:
        """Keeps a file, its package's own, and what these do when they are loaded."""
        if name in self._names:
            return
        self._names[name] = set()
        self._methods[name] = set()
        package, slash, _ = name.rpartition("/")
        top = f"{package}/__init__.py" if slash else name
        self._keep_file(top)
        if top == name:
            for file in find_files_with_effects(top):
                self._keep_file(file)
        for effect in read_file(name).effects:
            if not effect.owner:
                self._refer(name, effect.references)

    def _keep(self, file: str, name: str) -> None:
        self._keep_file(file)
        if name in self._names[file]:
            return
        known = read_file(file)
        if name in known.imports:
            self._names[file].add(name)
            one = known.imports[name]
            if one.instead is not None:
                if one.name:
                    self._optional.append((one, ()))
                self._refer(file, one.instead)
            elif one.module:
                self._take(one)
            return
        if name not in known.definitions:
            self._keep_submodule(file, name)
            return
        definition = known.definitions[name]
        self._names[file].update(
            other for other, d in known.definitions.items() if d is definition
        )
        self._refer(file, definition.references)
        for effect in known.effects:
            if effect.owner == name:
                self._refer(file, effect.references)
        if definition.methods:
            self._classes.append((file, name, definition))
            # `name = method`, in the class.
            named = {path[0] for path in definition.references.paths}
            for method in definition.methods:
                if method in named or (method[:2] == method[-2:] == "__"):
                    self._keep_method(file, name, method)
        if _is_foreign(file, name):
            self._keep_methods(file, name)

    def _keep_methods(self, file: str, name: str) -> None:
        """Keeps all methods of a class, and those that it has from classes of ours."""
        self._keep_file(file)
        definition = read_file(file).definitions[name]
        for method in definition.methods:
            self._keep_method(file, name, method)
        for base in definition.bases:
            own = _find_class_at(file, base)
            if own is not None:
                self._keep(*own)
                self._keep_methods(*own)

    def _keep_submodule(self, file: str, name: str) -> None:
        """Keeps all that there is: how the module comes to be loaded is not in sight."""
        inside = file.replace("__init__", name)
        if inside != file and inside in emitted.list_names():
            for other in emitted.list_files(emitted.find_module(file)):
                self._keep_all(other)

    def _keep_all(self, file: str) -> None:
        self._keep_file(file)
        known = read_file(file)
        for name in [*known.definitions, *known.imports]:
            self._keep(file, name)
        for name, definition in known.definitions.items():
            for method in definition.methods:
                self._keep_method(file, name, method)

    def _keep_method(self, file: str, name: str, method: str) -> None:
        if (name, method) not in self._methods[file]:
            self._methods[file].add((name, method))
            self._refer(file, read_file(file).definitions[name].methods[method])

    def _take(self, one: Import) -> None:
        self._keep_file(one.module)
        if one.name == "*":
            self._keep_all(one.module)
        elif one.name:
            self._keep(one.module, one.name)

    def _refer(self, file: str, found: References) -> None:
        known = read_file(file)
        self._add_mentions(found.attributes)
        for path in found.paths:
            if not known.binds(path[0]):
                self._add_mentions(path[1:])
                continue
            self._keep(file, path[0])
            one = known.imports.get(path[0])
            if one is None:
                self._add_mentions(path[1:])
            elif one.instead is not None:
                self._optional.append((one, path[1:]))
            elif one.module:
                self._follow(one, path[1:])

    def _follow(self, one: Import, path: tuple[str, ...]) -> None:
        """Follows the attributes of an imported name through modules."""
        if one.name:
            self._take(one)
            beyond = read_file(one.module).imports.get(one.name)
            if beyond is not None and beyond.module:
                self._follow(beyond, path)
            else:
                self._add_mentions(path)
            return
        self._keep_file(one.module)
        if not path:  # The module itself is handed on: anything of it may be used.
            self._keep_all(one.module)
            return
        self._keep(one.module, path[0])
        beyond = read_file(one.module).imports.get(path[0])
        if beyond is None:
            self._add_mentions(path[1:])
        elif beyond.module:
            self._follow(beyond, path[1:])


def _is_elsewhere(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import takes modules that know nothing of the emitted ones."""
    if isinstance(node, ast.ImportFrom):
        names = ["" if node.level else node.module or ""]
    else:
        names = [alias.name for alias in node.names]
    return all(name.partition(".")[0] in _ELSEWHERE for name in names)


def list_bound_names(node: ast.stmt, file: str) -> Iterable[str]:
    if isinstance(node, ast.Try):
        return [name for part in node.body for name in list_bound_names(part, file)]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return units.read_import(node, file)
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return [node.name]
    return units.list_assigned_names(node)


@functools.cache
def _is_foreign(file: str, name: str) -> bool:
    """Whether a class has a base that is none of ours, or one that has."""
    for base in read_file(file).definitions[name].bases:
        own = _find_class_at(file, base)
        if own is None and base not in _OWN_BASES:
            return True
        if own is not None and _is_foreign(*own):
            return True
    return False


def _find_class_at(file: str, path: tuple[str, ...]) -> tuple[str, str] | None:
    """The file and the name of the class of ours that a dotted name in a file means."""
    known = read_file(file)
    if not path:
        return None
    if path[0] in known.definitions:
        return (file, path[0]) if len(path) == 1 else None
    one = known.imports.get(path[0])
    if one is None or not one.module:
        return None
    return _find_class_at(one.module, (one.name, *path[1:]) if one.name else path[1:])


@functools.cache
def find_files_with_effects(top: str) -> tuple[str, ...]:
    """The files that loading a module loads, and that do something then."""
    found: list[str] = []
    work = [top]
    while work:
        name = work.pop()
        if name in found:
            continue
        found.append(name)
        work += [one.module for one in read_file(name).imports.values() if one.module]
    return tuple(
        name
        for name in found
        if emitted.find_module(name) == emitted.find_module(top)
        and any(not effect.owner for effect in read_file(name).effects)
    )
