"""Joins a file's scopes with those of files whose functions it calls.

    # train.py                              # network.py
    import network                          def inference(images, training): ...
    logits = network.inference(images, training)

Every node keeps the scope of its own file. In addition, an expression leads to a function
of another file, if imports at the top of files say so.
"""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Collection, Iterator, Mapping

from migrate.facts.scopes import Scope, Scopes
from migrate.facts.trees.imports import resolve_module

# (real path, name in the file). The name is "" for the file itself.
Place = tuple[str, str]
# A name in a file, dotted for `import a.b` -> the name of another file that it means.
Imports = Mapping[str, Place]


def find_imports(
    tree: ast.Module, path: str, files: Collection[str]
) -> dict[str, Place]:
    """Returns the imports of other files at the top of a file, by their name in the file.

    Args:
      path: the file's real path.
      files: the real paths of all files.
    """
    found: dict[str, Place] = {}
    own = pathlib.Path(path)
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = tuple(alias.name.split("."))
                target = resolve_module(own, 0, (parts,), files)
                if target is not None:
                    found[alias.asname or alias.name] = (target, "")
        elif isinstance(node, ast.ImportFrom):
            parts = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                module = resolve_module(own, node.level, ((*parts, alias.name),), files)
                if module is not None:
                    found[alias.asname or alias.name] = (module, "")
                    continue
                target = resolve_module(own, node.level, (parts,), files)
                if target is not None:
                    found[alias.asname or alias.name] = (target, alias.name)
    return found


class Joined(Scopes):
    """The scopes of a file that also know the scopes of other files.

    Args:
      own: the file's own scopes.
      path: the file's real path.
      others: the scopes of the other files, by real path.
      imports: for each of these files, its imports of the others.

    Attributes:
      led_to: real paths of the files that a name was followed into.
    """

    def __init__(
        self,
        own: Scopes,
        path: str,
        others: Mapping[str, Scopes],
        imports: Mapping[str, Imports],
    ) -> None:
        # Nodes of other files can be looked up, but walks go through the file's own nodes.
        self.__dict__.update(own.__dict__)
        self._scope_of = dict(own._scope_of)
        self.parents = dict(own.parents)
        self.scope_by_node = dict(own.scope_by_node)
        self._imported = dict(own._imported)
        for other in others.values():
            self._scope_of.update(other._scope_of)
            self.parents.update(other.parents)
            self.scope_by_node.update(other.scope_by_node)
            self._imported.update(other._imported)
        self.own, self.path, self.others = own, path, dict(others)
        self._imports = imports
        self._paths = {id(s.module): p for p, s in others.items()}
        self._paths[id(own.module)] = path
        self.led_to: set[str] = set()

    def walk_files(self) -> Iterator[Scopes]:
        """Yields every file's scopes, its own first."""
        yield self.own
        yield from self.others.values()

    def list_paths(self) -> Iterator[str]:
        """Yields the real paths of the files."""
        yield from self._paths.values()

    def find_place(self, node: ast.AST) -> str:
        """Returns the real path of a node's file."""
        scope: Scope | None = self.find_scope(node)
        while scope is not None and scope.parent is not None:
            scope = scope.parent
        return self._paths[id(scope)]

    def is_own(self, node: ast.AST) -> bool:
        """Whether a node is of the file itself."""
        return node in self.own.parents

    def has(self, node: ast.AST) -> bool:
        """Whether a node is of one of the files."""
        return node in self.parents

    def find_function(self, node: ast.expr) -> ast.FunctionDef | None:
        """Returns the function of one of the files that an expression names, or None."""
        found = self.find_named_function(node)
        if found is not None:
            function, files = found
            self.led_to |= files
            return function
        return None

    def find_named_function(
        self, node: ast.expr
    ) -> tuple[ast.FunctionDef, set[str]] | None:
        """Returns the function that an expression names, and the files on the way to it."""
        attributes: list[str] = []
        root = node
        while isinstance(root, ast.Attribute):
            attributes.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name):
            return None
        owner = self.find_scope(root).find_owner(root.id)
        path = self._paths.get(id(owner))
        if owner is None or path is None:
            return None
        if not attributes:
            return self._find_defined_function(path, root.id, set())
        if not self._is_module(owner, root.id):
            return None
        module = ".".join([root.id, *attributes[:-1]])
        target, member = self._imports.get(path, {}).get(module, ("", ""))
        if not target or member:
            return None
        return self._find_defined_function(target, attributes[-1], set())

    def _find_defined_function(
        self, path: str, name: str, seen: set[str]
    ) -> tuple[ast.FunctionDef, set[str]] | None:
        """Returns the function that a name at the top of a file stands for, and the files."""
        scopes = self.own if path == self.path else self.others.get(path)
        if scopes is None or path in seen:
            return None
        seen.add(path)
        bound = scopes.module.bindings.get(name, [])
        if len(bound) != 1:
            return None
        if isinstance(bound[0], ast.FunctionDef):
            return bound[0], seen
        target, member = self._imports.get(path, {}).get(name, ("", ""))
        if not isinstance(bound[0], ast.ImportFrom) or not member:
            return None
        return self._find_defined_function(target, member, seen)

    @staticmethod
    def _is_module(owner: Scope, name: str) -> bool:
        """Whether a name is one import, or a package of which several modules are imported."""
        bound = owner.bindings[name]
        imports = (ast.Import,) if len(bound) > 1 else (ast.Import, ast.ImportFrom)
        return all(isinstance(b, imports) for b in bound)
