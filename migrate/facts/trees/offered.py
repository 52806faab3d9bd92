"""Finds the names that `from file import *` certainly brings, for files of a run."""

from __future__ import annotations

import ast
import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.source.nodes import parse_or_none, walk_breadth_first

# Code that may bind or read names that are not written.
_BY_TEXT = frozenset({"eval", "exec", "globals", "__import__"})
_OF_SCOPE = frozenset({"dir", "locals", "vars"})


@dataclasses.dataclass(frozen=True)
class Offered:
    """The names that a star import brings from a file.

    Attributes:
      certain: names that are bound whenever the file has been imported -> the import that
        gives another file the same object, "" if the object is the file's own.
      unsure: names that may be bound.
    """

    certain: Mapping[str, str]
    unsure: frozenset[str]


class Offers:
    """The names that the files of a run offer; each file is read once.

    Args:
      texts: by real path.
      file_of: the file that a module's name means in another.
    """

    def __init__(
        self, texts: Mapping[str, bytes], file_of: Callable[[str, str], str | None]
    ) -> None:
        self._texts = texts
        self._file_of = file_of
        self._trees: dict[str, ast.Module | None] = {}
        self._known: dict[str, Offered | None] = {}
        self._imports: dict[str, frozenset[str]] = {}

    def read_star(self, real: str, star: ast.ImportFrom) -> Offered | None:
        """Returns the names that a star import brings; None if they are not certain."""
        source = self._find_source(real, star)
        if source is None or source == real or self._reaches(source, real):
            return None  # A module that is not complete yet offers fewer names.
        return self._get_offered(source)

    def follow_stars(self, real: str) -> Iterator[str]:
        """Yields the files that star imports of a file lead to."""
        seen, todo = {real}, [real]
        while todo:
            here = todo.pop()
            tree = self._parse_tree(here)
            for node in tree.body if tree is not None else ():
                source = self._find_source(here, node) if is_star(node) else None
                if source is not None and source not in seen:
                    seen.add(source)
                    todo.append(source)
                    yield source

    def find_names(self, real: str) -> set[str]:
        """Returns all names that star imports may bring to a file."""
        tree = self._parse_tree(real)
        found: set[str] = set()
        for node in tree.body if tree is not None else ():
            if is_star(node) and (offered := self.read_star(real, node)) is not None:
                found |= {*offered.certain, *offered.unsure}
        return found

    @staticmethod
    def find_origin(node: ast.AST, name: str) -> str:
        """Returns the import that gives another file the object of an imported name."""
        if not isinstance(node, ast.Import | ast.ImportFrom):
            return ""
        if isinstance(node, ast.ImportFrom) and node.level:
            return ""
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                start = "import"
                if isinstance(node, ast.ImportFrom):
                    start = f"from {node.module} import"
                return f"{start} {alias.name} as {name}"
        return ""

    def _parse_tree(self, real: str) -> ast.Module | None:
        if real not in self._trees:
            self._trees[real] = parse_or_none(self._texts[real])
        return self._trees[real]

    def _find_source(self, real: str, star: ast.ImportFrom) -> str | None:
        return self._file_of(real, "." * star.level + (star.module or ""))

    def _get_offered(self, real: str) -> Offered | None:
        if real not in self._known:
            self._known[real] = None  # Files that import all of each other.
            self._known[real] = self._find_offered(real)
        return self._known[real]

    def _find_offered(self, real: str) -> Offered | None:
        tree = self._parse_tree(real)
        if tree is None or binds_by_text(tree, build_scopes(tree)):
            return None
        certain: dict[str, str] = {}
        unsure: set[str] = set()
        for node in tree.body:
            if is_star(node):
                theirs = self.read_star(real, node)
                if theirs is None:
                    return None
                certain.update(theirs.certain)
                unsure |= theirs.unsure
                continue
            if any(is_star(child) for child in names.walk_scope(node)):
                return None
            bound = _find_bound_names(node)
            if bound is None:
                return None
            always, ever = bound
            for name in always:
                origin = self.find_origin(node, name)
                same = certain.get(name, origin) == origin  # As a star brought.
                certain[name] = origin if same else ""
            unsure |= ever - always
        for child in walk_breadth_first(tree):
            if isinstance(child, ast.Global):
                unsure.update(child.names)
            elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Del):
                unsure.add(child.id)
                certain.pop(child.id, None)
        for name in unsure & set(certain):
            certain[name] = ""  # Bound, either to this or to another object.
        return self._select_offered(real, tree, certain, unsure)

    def _select_offered(
        self, real: str, tree: ast.Module, certain: dict[str, str], unsure: set[str]
    ) -> Offered | None:
        modules = self._list_submodules(real)
        listed = _read_listed_names(tree)
        if listed is None:
            # A submodule is an attribute of its package once some code has imported it.
            maybe = (unsure | modules) - set(certain)
            return Offered(
                {n: how for n, how in certain.items() if not n.startswith("_")},
                frozenset(n for n in maybe if not n.startswith("_")),
            )
        if not listed <= set(certain) | modules:
            return None
        return Offered({n: certain.get(n, "") for n in sorted(listed)}, frozenset())

    def _list_submodules(self, real: str) -> set[str]:
        """Returns the modules of a package; of a module, none."""
        directory, name = os.path.split(real)
        if name != "__init__.py":
            return set()
        start = directory + os.sep
        return {
            other[len(start) :].split(os.sep)[0].removesuffix(".py")
            for other in self._texts
            if other.startswith(start) and other != real
        }

    def _reaches(self, real: str, target: str) -> bool:
        """Whether importing a file imports another."""
        seen, todo = {real}, [real]
        while todo:
            for source in self._find_imported_files(todo.pop()):
                if source == target:
                    return True
                if source not in seen:
                    seen.add(source)
                    todo.append(source)
        return False

    def _find_imported_files(self, real: str) -> frozenset[str]:
        """The files that a file imports when it is imported."""
        if real not in self._imports:
            tree = self._parse_tree(real)
            found: set[str | None] = set()
            for node in names.walk_scope(tree) if tree is not None else ():
                if isinstance(node, ast.Import):
                    found |= {self._file_of(real, alias.name) for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    module = "." * node.level + (node.module or "")
                    found.add(self._file_of(real, module))
                    dot = "" if module.endswith(".") else "."
                    for alias in node.names:
                        if alias.name != "*":
                            inner = f"{module}{dot}{alias.name}"
                            found.add(self._file_of(real, inner))
            self._imports[real] = frozenset(one for one in found if one and one != real)
        return self._imports[real]


def is_star(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    """Whether a node is `from ... import *`."""
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def binds_by_text(tree: ast.Module, scopes: Scopes) -> bool:
    """Whether a module may bind or read names that its text does not show."""
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Name) and node.id in _BY_TEXT:
            return True
        if isinstance(node, ast.Attribute) and node.attr == "modules":
            if isinstance(node.value, ast.Name) and node.value.id == "sys":
                return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _OF_SCOPE and not node.args:
                if scopes.find_scope(node.func) is scopes.module:
                    return True
    return False


def _read_listed_names(tree: ast.Module) -> set[str] | None:
    """Returns the names of `__all__`; None without one, {""} if it is not certain."""
    mentions = [n for n in walk_breadth_first(tree) if _is_all(n)]
    if not mentions:
        return None
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and statement.targets == mentions:
            try:
                return set(ast.literal_eval(statement.value))
            except (ValueError, TypeError):
                break
    return {""}


def _is_all(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "__all__"


def _find_bound_names(node: ast.stmt) -> tuple[set[str], set[str]] | None:
    """Returns the names that a statement always binds, and all that it may bind."""
    if any(isinstance(child, ast.Match) for child in names.walk_scope(node)):
        return None
    ever = {name for name in names.find_binds(node) if "." not in name}
    if isinstance(node, ast.If):
        if is_main_test(node.test):
            return _find_bound_names_of_body(node.orelse)
        return _join_branches(node.body, node.orelse, ever)
    if isinstance(node, ast.With):
        inner = _find_bound_names_of_body(node.body)
        return None if inner is None else (inner[0], ever)
    if isinstance(node, ast.Try):
        return _read_try(node, ever)
    if isinstance(
        node, ast.For | ast.While | ast.AsyncFor | ast.AsyncWith | ast.Delete
    ):
        return set(), ever
    return ever, ever


def _find_bound_names_of_body(body: list[ast.stmt]) -> tuple[set[str], set[str]] | None:
    always: set[str] = set()
    ever: set[str] = set()
    for node in body:
        found = _find_bound_names(node)
        if found is None:
            return None
        always |= found[0]
        ever |= found[1]
    return always, ever


def _join_branches(
    first: list[ast.stmt], second: list[ast.stmt], ever: set[str]
) -> tuple[set[str], set[str]] | None:
    one, other = _find_bound_names_of_body(first), _find_bound_names_of_body(second)
    if one is None or other is None:
        return None
    return one[0] & other[0], ever


def _read_try(node: ast.Try, ever: set[str]) -> tuple[set[str], set[str]] | None:
    ways = [_find_bound_names_of_body([*node.body, *node.orelse])]
    ways += [_find_bound_names_of_body(handler.body) for handler in node.handlers]
    found = [way[0] for way in ways if way is not None]
    last = _find_bound_names_of_body(node.finalbody)
    if len(found) < len(ways) or last is None:
        return None
    return set.intersection(*found) | last[0], ever


def is_main_test(test: ast.expr) -> bool:
    """Whether a condition is `__name__ == "__main__"`, which is false on import."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )
