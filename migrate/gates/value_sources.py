"""Follows values to where they come from, through all files that the tool can read.

A value is followed through names, attributes, calls, appends and parameters, and into the
files that a file imports. Of what comes from elsewhere the tool knows no class. A file that
is not part of the run stays as it is: a hook of TensorFlow 1 in it is not migrated.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import pathlib
import warnings
from collections.abc import Iterable, Iterator

from migrate.facts import names
from migrate.facts.reach import find_definitions, find_methods
from migrate.facts.scopes import Scope, Scopes, build_scopes
from migrate.gates.given_arguments import GivenArguments, has_init, is_partial
from migrate.gates.import_places import (
    find_alias,
    find_file,
    find_users,
    is_of_python,
    list_parts,
    name_module,
)
from migrate.gates.kept_values import FUNCTIONS, KeptValues, find_results, find_values
from migrate.gates.unread_values import Unread
from migrate.source.nodes import list_children
from migrate.tree import Tree

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_IMPORTER = "importlib.import_module"
_TUPLES = frozenset({"NamedTuple", "make_dataclass", "namedtuple"})


# What the gates ask about is made in few steps. What is made in more is something else.
_DEEPEST = 60


class ValueSources:
    """Follows values of one file.

    Args:
      path: the file's real path.
      tree: what is known of the files of the run.
      above: of the file that was asked about, if this is another one.
    """

    def __init__(
        self, scopes: Scopes, path: str, tree: Tree, above: ValueSources | None = None
    ) -> None:
        self.scopes = scopes
        self.kept = KeptValues(scopes)
        self._arguments = GivenArguments(scopes, self.kept)
        self._path, self._tree = path, tree
        self._files: dict[str, ValueSources | None] = above._files if above else {}
        self._files[path] = self
        # Names of TensorFlow whose calls were met.
        self._symbols: set[str] = above._symbols if above else set()
        self._seen: set[ast.AST | str] = set()
        # How many values are followed one through another, in all files.
        self._depth: list[int] = above._depth if above else [0]
        self._is_first = above is None
        self._is_outside = above is not None and path not in tree.files

    def find_unread(self, value: ast.AST) -> list[Unread]:
        """What of a value comes from files that nobody has read."""
        for other in self._files.values():
            if other is not None:
                other._seen = set()
        return list(self._follow_value(value))

    def find_symbols(self, value: ast.AST) -> frozenset[str]:
        """The names of TensorFlow whose calls or classes make a value."""
        self._symbols.clear()
        self.find_unread(value)
        return frozenset(self._symbols)

    def is_of_library(self, func: ast.expr) -> bool:
        """Whether the called name comes from a file that the tool has not read."""
        imported = bool(self.scopes.import_path(func))
        return imported and any(self.find_unread(func))

    def find_made(self, name: ast.expr) -> ast.AST | None:
        """The one value that a name or attribute is bound to; None for others."""
        made: list[ast.AST | None] = []
        if isinstance(name, ast.Attribute):
            made += self.kept.find_stored(name)
        elif isinstance(name, ast.Name):
            owner = self.scopes.find_scope(name).find_owner(name.id)
            for binding in owner.bindings[name.id] if owner is not None else ():
                made += find_values(binding, name.id)
        return made[0] if len(made) == 1 else None

    def _follow_value(self, node: ast.AST | None) -> Iterator[Unread]:
        if node is None or node in self._seen or self._depth[0] > _DEEPEST:
            return
        self._seen.add(node)
        self._depth[0] += 1
        found = list(self._follow_parts(node))
        self._depth[0] -= 1
        yield from found

    def _follow_parts(self, node: ast.AST) -> Iterator[Unread]:
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield from self._follow_name(node)
        elif isinstance(node, ast.Call):
            yield from self._follow_call(node)
        elif isinstance(node, ast.ClassDef):
            yield from self._follow_class(node)
        elif isinstance(node, FUNCTIONS):
            yield from self._follow_all(find_results(node))
        elif isinstance(node, ast.Lambda):
            yield from self._follow_value(node.body)
        elif isinstance(node, ast.IfExp):
            yield from self._follow_all([node.body, node.orelse])
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            yield from self._follow_value(node.values[-1])
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            lists = [n for n in (node.left, node.right) if isinstance(n, ast.List)]
            yield from self._follow_all(lists or [node.left, node.right])
        elif isinstance(node, ast.Dict):
            yield from self._follow_all(node.values)
        elif isinstance(node, ast.Subscript) and self._is_name_table(node.value):
            yield from self._follow_name_table(node)
        elif isinstance(node, (ast.DictComp, ast.Subscript)):
            yield from self._follow_value(node.value)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            yield from self._follow_value(node.elt)
        elif isinstance(node, ast.expr) and not isinstance(
            node, (ast.Compare, ast.UnaryOp)
        ):
            yield from self._follow_all(list_children(node))

    def _follow_all(self, nodes: Iterable[ast.AST | None]) -> Iterator[Unread]:
        for node in nodes:
            yield from self._follow_value(node)

    # Calls and classes.

    def _follow_call(self, call: ast.Call) -> Iterator[Unread]:
        func = call.func
        if self._is_tensorflow(func):
            yield from self._follow_tensorflow(func)
            return  # Other rules know what TensorFlow has.
        given = [*call.args, *(k.value for k in call.keywords)]
        path = self.scopes.import_path(func)
        if path == _IMPORTER:
            literal = names.read_literal(call.args[0]) if call.args else None
            parts = tuple(literal.split(".")) if isinstance(literal, str) else ()
            if not (parts and find_file(self._path, 0, parts)[0]):
                yield Unread(call, str(literal or ast.unparse(call)))
        elif is_partial(self.scopes, call):
            yield from self._follow_value(given[0])
        elif path and is_of_python(path):
            yield from self._follow_all(given)
        elif isinstance(func, ast.Name) and self._is_builtin(func):
            if func.id == "super":
                yield from self._follow_value(self._find_class(call))
            yield from self._follow_all(given)
        else:
            yield from self._follow_called(call)

    def _follow_called(self, call: ast.Call) -> Iterator[Unread]:
        func = call.func
        if isinstance(func, ast.Attribute) and not self.scopes.import_path(func):
            methods = find_methods(self.scopes).get(func.attr, ())
            own = [m for m in methods if self._find_made_class(func.value, m)]
            yield from self._follow_all(own or methods or self.kept.find_stored(func))
            if not methods:
                yield from self._place_at_call(self._follow_value(func.value), call)
            elif not own:
                yield from self._follow_owner(func.value)
            return
        yield from self._place_at_call(self._follow_value(func), call)
        made = find_definitions(self.scopes, func) if isinstance(func, ast.Name) else []
        if not made and not self.scopes.import_path(func):
            yield from self._follow_all(find_methods(self.scopes).get("__call__", ()))
        if any(map(self._keeps_all, made or self._find_bound_calls(func))):
            yield from self._follow_all(call.args)
            yield from self._follow_all(k.value for k in call.keywords)

    def _find_bound_calls(self, name: ast.expr) -> list[ast.AST]:
        """The calls that a name is bound to."""
        if not isinstance(name, ast.Name):
            return []
        scope = self.scopes.find_scope(name).find_owner(name.id)
        bound = scope.bindings[name.id] if scope is not None else []
        values = [b.value for b in bound if isinstance(b, ast.Assign)]
        return [v for v in values if isinstance(v, ast.Call) and len(bound) == 1]

    def _find_made_class(self, owner: ast.expr, method: ast.AST) -> bool:
        """Whether an object is for certain of the class that a method stands in."""
        for made in [owner, *self._find_bound_calls(owner)][-1:]:
            if isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
                classes = find_definitions(self.scopes, made.func)
                return classes == [self.scopes.parents.get(method)]
        return False

    def _follow_owner(self, owner: ast.expr) -> Iterator[Unread]:
        """An object of a library, some method of which has the name of an own one."""
        kept = {v: set(v._seen) for v in self._files.values() if v is not None}
        found = list(self._follow_value(owner))
        for values in self._files.values():
            if values is not None:
                values._seen = kept.get(values, set())
        yield from (unread for unread in found if not unread.derived)

    def _keeps_all(self, made: ast.AST) -> bool:
        """Whether a class, as a dataclass, keeps what its objects are made of."""
        if isinstance(made, ast.Call):
            return names.get_last_part(made.func) in _TUPLES
        return (
            isinstance(made, ast.ClassDef)
            and not has_init(made)
            and all(self._is_plain(base) for base in made.bases)
        )

    def _is_plain(self, base: ast.expr) -> bool:
        path = self.scopes.import_path(base)
        if path:
            return is_of_python(path)
        return isinstance(base, ast.Name) and self._is_builtin(base)

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
                if self._is_tensorflow(part):
                    yield from self._follow_tensorflow(part)
                    return
                found += list(self._follow_value(part))
        yield from (dataclasses.replace(unread, derived=True) for unread in found)

    def _is_name_table(self, node: ast.expr) -> bool:
        func = node.func if isinstance(node, ast.Call) else None
        named = isinstance(func, ast.Name) and func.id in ("globals", "locals", "vars")
        return named and isinstance(func, ast.Name) and self._is_builtin(func)

    def _follow_name_table(self, node: ast.Subscript) -> Iterator[Unread]:
        """`globals()["name"]`."""
        name = names.read_literal(node.slice)
        if isinstance(name, str):
            yield from self._follow_bound(self.scopes.module, name, node)
        else:
            yield Unread(node, ast.unparse(node))

    def _find_class(self, node: ast.AST) -> ast.AST | None:
        above = self.scopes.parents.get(node)
        while above is not None and not isinstance(above, ast.ClassDef):
            above = self.scopes.parents.get(above)
        return above

    # Names.

    def _is_tensorflow(self, node: ast.AST) -> bool:
        return (self.scopes.resolve(node) or "").startswith("tf.")

    def _follow_tensorflow(self, node: ast.AST) -> Iterator[Unread]:
        """A name of TensorFlow: it stays as it is in a file that is not migrated."""
        self._symbols.add(self.scopes.resolve(node) or "")
        if self._is_outside:
            assert isinstance(node, ast.expr)
            yield Unread(node, name_module(self._path), self._path)

    def _follow_name(self, node: ast.Name | ast.Attribute) -> Iterator[Unread]:
        if self._is_tensorflow(node):
            yield from self._follow_tensorflow(node)
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
        stored: list[ast.AST] = [*self.kept.find_stored(node)]
        if path:
            level = self.find_level(node) if path.startswith(".") else 0
            yield from self._follow_path(node, level, tuple(path.strip(".").split(".")))
            yield from self._follow_all(stored)
            return
        stored += find_methods(self.scopes).get(node.attr, ())  # Properties.
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
                yield from self._follow_parameter(owner.node, binding)
            elif isinstance(binding, (ast.Import, ast.ImportFrom)):
                level = getattr(binding, "level", 0)
                yield from self._follow_path(at, level, find_alias(binding, name))
            elif not isinstance(binding, ast.Global):
                yield from self._follow_all(find_values(binding, name))
        yield from self._follow_all(self.kept.find_bound_elsewhere(owner, name))
        yield from self._follow_all(self.kept.find_added(owner, name))

    def _follow_parameter(
        self, function: ast.AST, parameter: ast.arg
    ) -> Iterator[Unread]:
        """What calls give for it: of its own file, and of those that were opened."""
        above = self.scopes.parents.get(function)
        is_first = (
            isinstance(function, FUNCTIONS)
            and parameter in ([*function.args.posonlyargs, *function.args.args][:1])
        )
        if is_first and isinstance(above, ast.ClassDef):
            yield from self._follow_value(above)  # `self`.
        given = self._arguments.find_arguments(function, parameter)
        yield from self._follow_all(given)
        for file in find_users(self._path, self._tree.files):
            self._open_file(file)
        for other in list(self._files.values()):
            if other is not None and other is not self:
                values = other._arguments.find_imported(function, above, parameter)
                for unread in other._follow_all(values):
                    at = unread.node if other._is_first else parameter
                    yield dataclasses.replace(unread, node=at)

    def _is_builtin(self, name: ast.Name) -> bool:
        owner = self.scopes.find_scope(name).find_owner(name.id)
        return owner is None and hasattr(builtins, name.id)

    # Imports.

    def find_level(self, node: ast.expr) -> int:
        """The number of dots of the import that binds a name."""
        root = _walk_chain(node)[-1]
        assert isinstance(root, ast.Name)
        owner = self.scopes.find_scope(root).find_owner(root.id)
        bound = owner.bindings[root.id] if owner is not None else []
        return next((b.level for b in bound if isinstance(b, ast.ImportFrom)), 1)

    def _follow_path(
        self, at: ast.expr, level: int, parts: tuple[str, ...]
    ) -> Iterator[Unread]:
        """A name of another file: what it is there."""
        if not level and parts[0] == "tensorflow":
            if self._is_outside:
                yield Unread(at, name_module(self._path), self._path)
            return
        if not level and is_of_python(parts[0]):
            return
        file, rest = find_file(self._path, level, parts)
        if not file:
            if not self._is_shared(parts):
                yield Unread(at, "." * level + (".".join(parts[:-1]) or parts[0]))
            return
        other = self._open_file(file)
        if other is None:
            if file not in self._tree.files:
                yield Unread(at, name_module(file), file)
        elif rest and rest[0] not in other._seen:
            other._seen.add(rest[0])
            yield from other._follow_rest(at, rest[0])

    def _follow_rest(self, at: ast.expr, name: str) -> Iterator[Unread]:
        """A name of this file that another one reads."""
        if name in self.scopes.module.bindings:
            found = self._follow_bound(self.scopes.module, name, at)
        elif any(self._find_stars()):
            found = self._follow_star(ast.Name(name, ast.Load()))
        else:
            path = self._path if self._is_outside else ""
            found = iter([Unread(at, name_module(self._path), path)])
        for unread in found:
            yield dataclasses.replace(unread, node=at)

    def _find_stars(self) -> Iterator[ast.ImportFrom]:
        for node in self.scopes.walk():
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                yield node

    def _follow_star(self, node: ast.Name) -> Iterator[Unread]:
        """Yields the unread values of a name that a star import may bring."""
        unread = ""
        for star in self._find_stars():
            parts = tuple((star.module or "").split("."))
            if parts[0] == "tensorflow" or is_of_python(parts[0]):
                continue
            file, _ = find_file(self._path, star.level, parts)
            other = self._open_file(file) if file else None
            if other is not None and other._has_name(node.id, frozenset()):
                yield from self._follow_path(node, star.level, (*parts, node.id))
                return
            if not file:
                unread = unread or "." * star.level + ".".join(parts)
        if unread:
            yield Unread(node, unread)

    def _has_name(self, name: str, users: frozenset[str]) -> bool:
        """Whether a star brings a name of this file, or of one that a star brings here.

        Args:
          users: files that this is asked for.
        """
        if name in self.scopes.module.bindings or self._path in users:
            return self._path not in users
        for star in self._find_stars():
            parts = tuple((star.module or "").split("."))
            file, _ = find_file(self._path, star.level, parts)
            other = self._open_file(file) if file else None
            if other is not None and other._has_name(name, users | {self._path}):
                return True
            if not file and parts[0] != "tensorflow" and not is_of_python(parts[0]):
                return True
        return False

    def list_imported(self) -> list[ValueSources]:
        """The files that this one imports and that can be read."""
        found: dict[str, ValueSources] = {}
        for statement in self.scopes.walk():
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                continue
            for alias in statement.names:
                level = getattr(statement, "level", 0)
                parts = list_parts(statement, alias)
                if not level and (parts[0] == "tensorflow" or is_of_python(parts[0])):
                    continue
                file, _ = find_file(self._path, level, parts)
                other = self._open_file(file) if file else None
                if other is not None and other is not self:
                    found[file] = other
        return list(found.values())

    def _open_file(self, file: str) -> ValueSources | None:
        if file not in self._files:
            self._files[file] = None
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(pathlib.Path(file).read_bytes())
                scopes = build_scopes(tree)
            except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            type(self)(scopes, file, self._tree, self)
        return self._files[file]

    def _is_shared(self, parts: tuple[str, ...]) -> bool:
        """Whether a file of the run, in any directory, has such a class."""
        return any(
            parts[-1] in classes and pathlib.Path(file).stem in parts[:-1]
            for file, classes in self._tree.shared_hooks.items()
        )


def _walk_chain(node: ast.AST) -> list[ast.AST]:
    """Returns `a.b.c`, `a.b` and `a`."""
    found = [node]
    while isinstance(found[-1], ast.Attribute):
        found.append(found[-1].value)
    return found
