"""Finds the units of the emitted modules that programs reach.

Names are followed exactly: `training_session.Saver` is one class. For an attribute such
as `.save` the class cannot be known. So a method of a kept class stays if any kept code,
or the program, mentions an attribute of its name. Methods that Python, Keras or
TensorFlow call by themselves stay: those with two underscores, and all methods of classes
with a foreign base.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from migrate import emitted
from migrate.beside import units
from migrate.beside.arguments import find_arguments_used, find_function
from migrate.beside.features import (
    FEATURES,
    Feature,
    is_elsewhere,
    list_mentioned,
    list_possible,
)
from migrate.beside.reserved import (
    Groups,
    Unit,
    describe_statement,
    find_attribute_set,
    find_attributes_set,
    list_other_than_none,
    list_statements_for,
)
from migrate.beside.units import Code, Definition, Import, References, read_file
from migrate.source.nodes import walk_breadth_first

# Bases of which nothing calls methods of a class that inherits from them.
_OWN_BASES = {
    *(("object",), ("threading", "local")),
    *(("Exception",), ("RuntimeError",), ("ValueError",)),
}


@dataclasses.dataclass(frozen=True)
class Reached:
    """The reached units of each file: names, and methods as (class, method), with
    arguments as in `Unit`; and attributes.
    """

    names: Mapping[str, Set[str]]
    methods: Mapping[str, Set[tuple[str, str]]]
    attributes: Set[str]

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(sorted(self.names))

    def has_needed(self, groups: Groups) -> bool:
        """Whether one unit of each group is reached."""
        return all(any(map(self._has, units)) for units in groups)

    def _has(self, unit: Unit) -> bool:
        file, name, method = unit
        if not file:
            return method in self.attributes
        if method:
            return (name, method) in self.methods.get(file, ())
        return name in self.names.get(file, ())


class Closure:
    """The set of reached units. It grows until nothing more is reached."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}
        self._methods: dict[str, set[tuple[str, str]]] = {}
        self._attributes: set[str] = set()
        self._definitions: list[tuple[str, str, Definition]] = []
        self._optional: list[tuple[Import, tuple[str, ...]]] = []
        # Actions that run as soon as one unit of each group is reached.
        self._waiting: list[tuple[Groups, Callable[[], None]]] = []
        # Attributes that follow the name of a module that another file may have imported.
        self._passed_on: list[tuple[str, tuple[str, ...]]] = []

    def add_program(self, text: str) -> None:
        """Adds what a file of a program mentions.

        Raises:
          SyntaxError: the text is no Python.
        """
        tree = ast.parse(text)
        self._add_features(list_possible(tree))
        found = units.find_references(tree)
        self._add_mentions(found.attributes)
        bound: dict[str, set[Import]] = {}
        others: set[str] = set()  # Modules that are not the program's own.
        for node in walk_breadth_first(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                if is_elsewhere(node):
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
        """Adds a file that Python loads together with users of emitted modules.

        Raises:
          SyntaxError: the text is no Python.
        """
        tree = ast.parse(text)
        self._add_features(list_possible(tree))
        found = units.find_references(tree)
        self._add_mentions(found.attributes)
        for path in found.paths:
            self._add_mentions(path[1:])
            self._passed_on += [
                (name, path[place + 1 :])
                for place, name in enumerate(path)
                if name in emitted.list_modules()
            ]

    def add_words(self, words: Iterable[str]) -> None:
        """Adds a text that cannot be parsed. Each of its words may be any name."""
        found = set(words)
        self._add_features(FEATURES)
        self._add_mentions(found | {f"{word}(*)" for word in found})
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
        tree = ast.parse(text)
        statements = {
            describe_statement(node, head)
            for node in ast.walk(tree)
            if isinstance(node, ast.stmt)
            for head in (False, True)
        }
        functions = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
        }
        for node in tree.body:
            for bound in list_bound_names(node, name):
                if known.binds(bound):
                    self._keep(name, bound)
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                continue
            if node.name not in known.definitions:
                continue
            for argument in _list_arguments_there(name, node, functions, statements):
                self._methods[name].add((node.name, argument))
            if isinstance(node, ast.ClassDef):
                self._add_mentions(_find_attributes_there(name, node))
                own = known.definitions[node.name].methods
                for item in node.body:
                    method = getattr(item, "name", "")
                    if method in own:
                        self._keep_method(name, node.name, method)

    def find_reached(self) -> Reached:
        """Returns all that is reached from what was added."""
        before = -1
        while before != (before := self._measure_size()):
            for file, name, definition in list(self._definitions):
                for method in definition.methods:
                    if method in self._attributes:
                        self._keep_method(file, name, method)
                for (method, argument), place in definition.arguments.items():
                    if self._is_given(method or name, argument, place):
                        self._methods[file].add((name, f"{method}({argument})"))
            self._add_other_than_none()
            for one, path in list(self._optional):
                if one.module in self._names:
                    self._follow(one, path)
            for module, path in list(self._passed_on):
                if (top := units.find_top(module)) in self._names:
                    self._follow(Import(top), path)
            waiting, self._waiting = self._waiting, []
            for wanted, action in waiting:
                self._apply_once_reached(wanted, action)
        return Reached(
            {file: frozenset(names) for file, names in self._names.items()},
            {file: frozenset(found) for file, found in self._methods.items()},
            frozenset(self._attributes),
        )

    def _add_other_than_none(self) -> None:
        """Adds the arguments for which some call may give another value than None."""
        for module in {emitted.find_module(file) for file in self._names}:
            for file, name, condition in list_other_than_none(module):
                if name not in self._names.get(file, ()):
                    continue
                method, _, rest = condition.partition("(")
                argument = rest.partition("!")[0]
                called = method or name
                if f"{called}(*)" in self._attributes or any(
                    argument not in mention[len(called) + 2 : -1].split(",")
                    for mention in self._attributes
                    if mention.startswith(f"{called}(!")
                ):
                    self._methods[file].add((name, condition))

    def _is_given(self, name: str, argument: str, place: int) -> bool:
        """Whether a call of something with this name may give the argument."""
        given = {f"{name}({argument})", f"{name}(*)"}
        more = range(place + 1, 100)
        return not self._attributes.isdisjoint(
            given | {f"{name}({number})" for number in more}
        )

    def _measure_size(self) -> int:
        return (
            sum(map(len, self._names.values()))
            + sum(map(len, self._methods.values()))
            + len(self._attributes)
            + len(self._names)
        )

    def _find_reached_so_far(self) -> Reached:
        """Returns the units that are reached so far."""
        return Reached(self._names, self._methods, self._attributes)

    def _apply_once_reached(self, groups: Groups, action: Callable[[], None]) -> None:
        """Runs an action now, or as soon as one unit of each group is reached."""
        if self._find_reached_so_far().has_needed(groups):
            action()
        else:
            self._waiting.append((groups, action))

    def _add_features(self, features: Iterable[Feature]) -> None:
        """Adds what the modules have for features that a program may use."""
        for one in features:
            keep = functools.partial(self._keep, one.file, one.name)
            self._apply_once_reached(one.groups, keep)

    def _add_mentions(self, attributes: Iterable[str]) -> None:
        self._attributes.update(attributes)

    def _keep_file(self, name: str) -> None:
        """Keeps a file, the first file of its package, and the effects of loading them."""
        if name in self._names:
            return
        self._names[name] = set()
        self._methods[name] = set()
        if emitted.find_module(name) != "training_session":
            self._add_features(
                one
                for one in list_mentioned(read_file(name).tree)
                if emitted.find_module(one.file) != emitted.find_module(name)
            )
        package, slash, _ = name.rpartition("/")
        top = f"{package}/__init__.py" if slash else name
        self._keep_file(top)
        if top == name:
            for file in find_files_with_effects(top):
                self._keep_file(file)
        for effect in read_file(name).effects:
            if not effect.owner:
                self._refer_code(name, effect.code)

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
        self._refer_code(file, definition.code)
        for effect in known.effects:
            if effect.owner == name:
                self._refer_code(file, effect.code)
        if definition.methods or definition.arguments:
            self._definitions.append((file, name, definition))
        if definition.methods:
            # `name = method`, in the class.
            named = {path[0] for path in definition.code.references.paths}
            for method in definition.methods:
                if method in named or (method[:2] == method[-2:] == "__"):
                    self._keep_method(file, name, method)
        if _is_foreign(file, name):
            self._keep_methods(file, name)

    def _keep_methods(self, file: str, name: str) -> None:
        """Keeps all methods of a class, and those that it inherits from our classes."""
        self._keep_file(file)
        definition = read_file(file).definitions[name]
        self._add_mentions({f"{name}(*)", *find_attributes_set(file).get(name, ())})
        for method in definition.methods:
            self._add_mentions({f"{method}(*)"})
            self._keep_method(file, name, method)
        for base in definition.bases:
            own = _find_class_at(file, base)
            if own is not None:
                self._keep(*own)
                self._keep_methods(*own)

    def _keep_submodule(self, file: str, name: str) -> None:
        """Keeps the whole package, because nobody can see how the submodule is loaded."""
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
            own = find_attributes_set(file).get(name, ())
            self._add_mentions({f"{name}(*)", *own})
            for method in definition.methods:
                self._add_mentions({f"{method}(*)"})
                self._keep_method(file, name, method)

    def _keep_method(self, file: str, name: str, method: str) -> None:
        if (name, method) in self._methods[file]:
            return
        code = read_file(file).definitions[name].methods[method]
        if not self._find_reached_so_far().has_needed(code.groups):
            again = functools.partial(self._keep_method, file, name, method)
            self._waiting.append((code.groups, again))
            return
        self._methods[file].add((name, method))
        self._refer_code(file, code)

    def _take(self, one: Import) -> None:
        self._keep_file(one.module)
        if one.name == "*":
            self._keep_all(one.module)
        elif one.name:
            self._keep(one.module, one.name)

    def _refer_code(self, file: str, code: Code) -> None:
        self._refer(file, code.references)
        for one in code.reserved:
            action = functools.partial(self._refer, file, one.references)
            self._apply_once_reached(one.groups, action)

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
        """Follows the attributes of an imported name from module to module."""
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


def _list_arguments_there(
    name: str,
    node: ast.ClassDef | ast.FunctionDef,
    functions: Set[str],
    statements: Set[str],
) -> Iterator[str]:
    """Yields the arguments that a definition of a file on the disk got from its programs.

    Args:
      functions: the names of all functions of the file.
      statements: descriptions of all statements of the file. A class has an argument of its own if one of
        the statements for this argument alone is there.

    Yields:
      The arguments as in `Unit`.
    """
    taken = units.list_optional_arguments(node)
    for method, argument in read_file(name).definitions[node.name].arguments:
        unit = name, node.name, f"{method}({argument})"
        own = [s for f, s in list_statements_for(name, unit) if f in functions]
        if (method, argument) not in taken:
            continue
        # Nothing but a program that gives it needs an argument that the body does not use.
        used = find_arguments_used(find_function(node, method), ())
        if not own or not statements.isdisjoint(own) or argument not in used:
            yield unit[2]
    for unit in list_other_than_none(emitted.find_module(name)):
        if unit[:2] == (name, node.name):
            own = [s for f, s in list_statements_for(name, unit) if f in functions]
            if not statements.isdisjoint(own):
                yield unit[2]


def _find_attributes_there(name: str, node: ast.ClassDef) -> Set[str]:
    """Returns the removable attributes that a class of a file on the disk has."""
    known = find_attributes_set(name).get(node.name, {})
    return {
        attribute
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name == "__init__"
        for statement in method.body
        if (attribute := find_attribute_set(statement)) in known
    }


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
    """Whether a class has a foreign base, or inherits from one of our classes that has."""
    for base in read_file(file).definitions[name].bases:
        own = _find_class_at(file, base)
        if own is None and base not in _OWN_BASES:
            return True
        if own is not None and _is_foreign(*own):
            return True
    return False


def _find_class_at(file: str, path: tuple[str, ...]) -> tuple[str, str] | None:
    """Returns the file and the name of our class that a dotted name means; None if none."""
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
    """Returns the files that are loaded with a module and that do something then."""
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
