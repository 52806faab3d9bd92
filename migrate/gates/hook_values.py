"""Follows the values in a list of hooks through all files that the tool can read.

It follows a value through names, attributes, calls, appends and parameters, and into the
files that a file imports. The tool does not know the class of values from other places.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import os
import pathlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping

from migrate.facts import names
from migrate.facts.reach import find_definitions, find_methods
from migrate.facts.scopes import Scope, Scopes, build_scopes
from migrate.facts.trees.imports import resolve_module
from migrate.source.nodes import list_children

_GROWS = frozenset({"add", "append", "appendleft", "extend", "insert"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_IMPORTER = "importlib.import_module"


@dataclasses.dataclass(frozen=True)
class Unread:
    """One value whose class the tool does not know.

    Attributes:
      node: the code that gives it, in the file in question.
      module: the module that it comes from.
    """

    node: ast.expr
    module: str


class _OnDisk:
    """A collection that contains every path. The disk decides whether the file exists."""

    def __contains__(self, real: object) -> bool:
        return bool(real)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class HookValues:
    """Follows values of one file.

    Args:
      path: the file's real path.
      shared: files of the run that have hooks -> classes there that others name.
    """

    def __init__(
        self,
        scopes: Scopes,
        path: str,
        shared: Mapping[str, frozenset[str]],
        files: dict[str, HookValues | None] | None = None,
    ) -> None:
        self.scopes = scopes
        self._path, self._shared = path, shared
        self._files = {} if files is None else files
        self._files[path] = self
        self._seen: set[ast.AST | str] = set()

    def find_unread(self, value: ast.expr) -> list[Unread]:
        """Returns the parts of a value that come from files that the tool has not read."""
        for other in self._files.values():
            if other is not None:
                other._seen = set()
        return list(self._follow_value(value))

    def is_of_library(self, func: ast.expr) -> bool:
        """Whether the called name comes from a file that the tool has not read."""
        imported = bool(self.scopes.import_path(func))
        return imported and any(self.find_unread(func))

    def _follow_value(self, node: ast.AST | None) -> Iterator[Unread]:
        if node is None or node in self._seen:
            return
        self._seen.add(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield from self._follow_name(node)
        elif isinstance(node, ast.Call):
            yield from self._follow_call(node)
        elif isinstance(node, ast.ClassDef):
            yield from self._follow_class(node)
        elif isinstance(node, _FUNCTIONS):
            yield from self._follow_all(_find_results(node))
        elif isinstance(node, ast.Lambda):
            yield from self._follow_value(node.body)
        elif isinstance(node, ast.IfExp):
            yield from self._follow_all([node.body, node.orelse])
        elif isinstance(node, ast.Dict):
            yield from self._follow_all(node.values)
        elif isinstance(node, (ast.DictComp, ast.Subscript)):
            yield from self._follow_value(node.value)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            yield from self._follow_value(node.elt)
        elif isinstance(node, ast.expr) and not isinstance(node, ast.Compare):
            yield from self._follow_all(list_children(node))

    def _follow_all(self, nodes: Iterable[ast.AST | None]) -> Iterator[Unread]:
        for node in nodes:
            yield from self._follow_value(node)

    # Calls and classes.

    def _follow_call(self, call: ast.Call) -> Iterator[Unread]:
        func = call.func
        if self.scopes.resolve(func) is not None:
            return  # Other rules know what TensorFlow has.
        given = [*call.args, *(k.value for k in call.keywords)]
        path = self.scopes.import_path(func)
        if path == _IMPORTER:
            literal = names.read_literal(call.args[0]) if call.args else None
            parts = tuple(literal.split(".")) if isinstance(literal, str) else ()
            if not (parts and self._find_file(0, parts)[0]):
                yield Unread(call, str(literal or ast.unparse(call)))
        elif path and _is_of_python(path):
            yield from self._follow_all(given)
        elif isinstance(func, ast.Name) and self._is_builtin(func):
            yield from self._follow_all(given)
        else:
            yield from self._follow_called(call)

    def _follow_called(self, call: ast.Call) -> Iterator[Unread]:
        func = call.func
        if isinstance(func, ast.Attribute) and not self.scopes.import_path(func):
            methods = find_methods(self.scopes).get(func.attr, ())
            yield from self._follow_all(methods or self._find_stored(func))
            if not methods:
                yield from self._place_at_call(self._follow_value(func.value), call)
            return
        yield from self._place_at_call(self._follow_value(func), call)

    def _place_at_call(
        self, found: Iterator[Unread], call: ast.Call
    ) -> Iterator[Unread]:
        """Yields the values with the call as their node, if they come from the called name."""
        for unread in found:
            at_call = any(unread.node is part for part in _walk_chain(call.func))
            yield dataclasses.replace(unread, node=call) if at_call else unread

    def _follow_class(self, class_: ast.ClassDef) -> Iterator[Unread]:
        """Yields the unread bases of a class, unless TensorFlow has one of its bases."""
        found = []
        for base in class_.bases:
            # `six.with_metaclass(abc.ABCMeta, tf.train.SessionRunHook)`.
            for part in base.args if isinstance(base, ast.Call) else [base]:
                if self.scopes.resolve(part) is not None:
                    return
                found += list(self._follow_value(part))
        yield from found

    # Names.

    def _follow_name(self, node: ast.Name | ast.Attribute) -> Iterator[Unread]:
        if self.scopes.resolve(node) is not None:
            return
        if isinstance(node, ast.Attribute):
            yield from self._follow_attribute(node)
            return
        owner = self.scopes.find_scope(node).find_owner(node.id)
        if owner is not None:
            yield from self._follow_bound(owner, node.id, node)
        elif not hasattr(builtins, node.id):
            yield from self._follow_star(node)

    def _follow_attribute(self, node: ast.Attribute) -> Iterator[Unread]:
        path = self.scopes.import_path(node)
        if path:
            level = self._find_level(node) if path.startswith(".") else 0
            yield from self._follow_path(node, level, tuple(path.strip(".").split(".")))
            return
        stored = [
            *self._find_stored(node),
            *find_methods(self.scopes).get(node.attr, ()),  # Properties.
        ]
        yield from self._follow_all(stored or [node.value])

    def _follow_bound(self, owner: Scope, name: str, at: ast.expr) -> Iterator[Unread]:
        """Yields the unread values that a name is bound to, and of what is added to it.

        Args:
          at: the place where the name is read.
        """
        if isinstance(owner.node, _COMPREHENSIONS):
            yield from self._follow_all(g.iter for g in owner.node.generators)
            return
        for binding in owner.bindings.get(name, ()):
            if isinstance(binding, ast.arg):
                yield from self._follow_all(self._find_arguments(owner.node, binding))
            elif isinstance(binding, (ast.Import, ast.ImportFrom)):
                level = getattr(binding, "level", 0)
                yield from self._follow_path(at, level, _find_alias(binding, name))
            elif isinstance(binding, ast.Global):
                for node in self.scopes.walk():
                    if _binds_one(node, name):
                        yield from self._follow_all(_find_values(node, name))
            else:
                yield from self._follow_all(_find_values(binding, name))
        for target, value in self._additions:
            if isinstance(target, ast.Name) and target.id == name:
                if self.scopes.find_scope(target).find_owner(name) is owner:
                    yield from self._follow_value(value)

    def _find_stored(self, node: ast.Attribute) -> list[ast.expr]:
        """Returns all values that the file assigns or adds to attributes with this name."""
        return self._stored.get(node.attr, [])

    @functools.cached_property
    def _stored(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        pairs = list(self._additions)
        for node in self.scopes.walk():
            if isinstance(node, ast.Assign):
                pairs += [(target, node.value) for target in node.targets]
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value:
                pairs.append((node.target, node.value))
        for target, value in pairs:
            if isinstance(target, ast.Attribute):
                found.setdefault(target.attr, []).append(value)
        return found

    @functools.cached_property
    def _calls_by_name(self) -> dict[str, list[ast.Call]]:
        found: dict[str, list[ast.Call]] = {}
        for node in self.scopes.walk():
            if isinstance(node, ast.Call):
                found.setdefault(names.get_last_part(node.func), []).append(node)
        return found

    @functools.cached_property
    def _additions(self) -> list[tuple[ast.expr, ast.expr]]:
        """The values that are added to lists, as pairs of the list and the value."""
        return [
            (node.func.value, node.args[-1])
            for node in self.scopes.walk()
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _GROWS
            and node.args
        ] + [
            (target.value, node.value)
            for node in self.scopes.walk()
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Subscript)
        ]

    def _find_arguments(
        self, function: ast.AST, parameter: ast.arg
    ) -> Iterator[ast.expr]:
        """Yields a parameter's default, and the values that the file's calls give for it."""
        if not isinstance(function, _FUNCTIONS):
            return
        arguments = function.args
        plain = [*arguments.posonlyargs, *arguments.args]
        known = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
        pairs = zip([*plain, *arguments.kwonlyargs], [*known, *arguments.kw_defaults])
        yield from (d for own, d in pairs if own is parameter and d is not None)
        above = self.scopes.parents.get(function)
        method = isinstance(above, ast.ClassDef)
        called = function.name
        if isinstance(above, ast.ClassDef) and called == "__init__":
            called = above.name
        for call in self._calls_by_name.get(called, ()):
            if not self._calls_function(call, function, above):
                continue
            for keyword in call.keywords:
                if keyword.arg == parameter.arg:
                    yield keyword.value
            if parameter is arguments.vararg:
                yield from call.args
            elif parameter in plain:
                place = plain.index(parameter) - method
                if 0 <= place < len(call.args):
                    yield call.args[place]

    def _calls_function(
        self, call: ast.Call, function: ast.AST, above: ast.AST | None
    ) -> bool:
        assert isinstance(function, _FUNCTIONS)
        func = call.func
        if isinstance(func, ast.Attribute):
            return isinstance(above, ast.ClassDef) and func.attr == function.name
        if not isinstance(func, ast.Name):
            return False
        wanted = above if function.name == "__init__" else function
        return wanted in find_definitions(self.scopes, func)

    def _is_builtin(self, name: ast.Name) -> bool:
        owner = self.scopes.find_scope(name).find_owner(name.id)
        return owner is None and hasattr(builtins, name.id)

    # Imports.

    def _find_level(self, node: ast.expr) -> int:
        root = _walk_chain(node)[-1]
        assert isinstance(root, ast.Name)
        owner = self.scopes.find_scope(root).find_owner(root.id)
        bound = owner.bindings[root.id] if owner is not None else []
        return next((b.level for b in bound if isinstance(b, ast.ImportFrom)), 1)

    def _follow_path(
        self, at: ast.expr, level: int, parts: tuple[str, ...]
    ) -> Iterator[Unread]:
        """Yields the unread values of a name of another file."""
        if not level and (parts[0] == "tensorflow" or _is_of_python(parts[0])):
            return
        file, rest = self._find_file(level, parts)
        if not file:
            if not level and not self._is_shared(parts):
                yield Unread(at, ".".join(parts[:-1]) or parts[0])
            return
        other = self._open_file(file)
        if other is not None and rest and rest[0] not in other._seen:
            other._seen.add(rest[0])
            for unread in other._follow_bound(other.scopes.module, rest[0], at):
                yield Unread(at, unread.module)

    def _follow_star(self, node: ast.Name) -> Iterator[Unread]:
        """Yields the unread values of a name that a star import may bring."""
        unread = ""
        for statement in self.scopes.walk():
            if not isinstance(statement, ast.ImportFrom):
                continue
            if not any(alias.name == "*" for alias in statement.names):
                continue
            parts = tuple((statement.module or "").split("."))
            if parts[0] == "tensorflow" or _is_of_python(parts[0]):
                continue
            file, _ = self._find_file(statement.level, parts)
            other = self._open_file(file) if file else None
            if other is not None and node.id in other.scopes.module.bindings:
                yield from self._follow_path(node, statement.level, (*parts, node.id))
                return
            if not file and not statement.level:
                unread = unread or ".".join(parts)
        if unread:
            yield Unread(node, unread)

    def _find_file(
        self, level: int, parts: tuple[str, ...]
    ) -> tuple[str, tuple[str, ...]]:
        """Returns the file of the longest part of a dotted name, and the rest of the name."""
        for count in range(len(parts), 0, -1):
            file = resolve_module(
                pathlib.Path(self._path), level, (parts[:count],), _OnDisk()
            )
            if file and os.path.isfile(file):
                return file, parts[count:]
        return "", parts

    def _open_file(self, file: str) -> HookValues | None:
        if file not in self._files:
            self._files[file] = None
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(pathlib.Path(file).read_bytes())
                scopes = build_scopes(tree)
            except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            HookValues(scopes, file, self._shared, self._files)
        return self._files[file]

    def _is_shared(self, parts: tuple[str, ...]) -> bool:
        """Whether a file of the run, in any directory, has such a class."""
        return any(
            parts[-1] in classes and pathlib.Path(file).stem in parts[:-1]
            for file, classes in self._shared.items()
        )


def _find_results(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[ast.expr | None]:
    for statement in function.body:
        if not isinstance(statement, (ast.ClassDef, *_FUNCTIONS)):
            for node in names.walk_scope(statement):
                if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)):
                    yield node.value


def _find_values(binding: ast.AST, name: str) -> Iterator[ast.AST | None]:
    """Yields the values that a statement binds to a name."""
    if isinstance(binding, (ast.ClassDef, *_FUNCTIONS)):
        yield binding
    elif isinstance(binding, (ast.For, ast.AsyncFor)):
        yield binding.iter
    elif isinstance(binding, (ast.With, ast.AsyncWith)):
        for item in binding.items:
            if name in names.find_item_binds(item):
                yield item.context_expr
    elif isinstance(binding, ast.Assign):
        yield from _find_parts(binding.targets, binding.value, name)
    elif isinstance(binding, (ast.AnnAssign, ast.AugAssign)):
        yield binding.value


def _find_parts(
    targets: list[ast.expr], value: ast.expr, name: str
) -> Iterator[ast.expr]:
    """Yields the values that one name gets from `a, b = x, y`."""
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            elements = getattr(value, "elts", [])
            if len(elements) == len(target.elts):
                for one, part in zip(target.elts, elements):
                    yield from _find_parts([one], part, name)
            elif any(isinstance(n, ast.Name) and n.id == name for n in target.elts):
                yield value
        elif isinstance(target, ast.Name) and target.id == name:
            yield value


def _binds_one(node: ast.AST, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AugAssign) else targets
    return any(isinstance(t, ast.Name) and t.id == name for t in targets)


def _find_alias(statement: ast.Import | ast.ImportFrom, name: str) -> tuple[str, ...]:
    """Returns the parts of the dotted name that an import binds to a name."""
    for alias in statement.names:
        if (alias.asname or alias.name.split(".")[0]) == name:
            if isinstance(statement, ast.ImportFrom):
                above = statement.module.split(".") if statement.module else []
                return (*above, alias.name)
            return tuple(alias.name.split("."))
    return ()


def _walk_chain(node: ast.AST) -> list[ast.AST]:
    """Returns `a.b.c`, `a.b` and `a`."""
    found = [node]
    while isinstance(found[-1], ast.Attribute):
        found.append(found[-1].value)
    return found


def _is_of_python(path: str) -> bool:
    return path.partition(".")[0] in sys.stdlib_module_names
