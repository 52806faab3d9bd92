"""Drops imports of TensorFlow that a result does not need any more."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Iterator

from migrate.facts.scopes import Scopes, build_scopes
from migrate.rewriting.removal import add_emptied, remove_statements
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import symbols

Import = ast.Import | ast.ImportFrom


@dataclasses.dataclass(frozen=True)
class Imported:
    """A name that a file imports from TensorFlow; not TensorFlow itself.

    Attributes:
      node: the import.
      path: what is imported: "tensorflow.contrib.slim".
      bound: the name that it has here; "" if it is only reached by its path.
    """

    node: Import
    path: str
    bound: str


def list_imported(tree: ast.AST) -> Iterator[Imported]:
    """The names that a file imports from TensorFlow, without stars."""
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.ImportFrom) and not node.level:
            if (node.module or "").partition(".")[0] == "tensorflow":
                for alias in node.names:
                    if alias.name != "*":
                        path = f"{node.module}.{alias.name}"
                        yield Imported(node, path, alias.asname or alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("tensorflow."):
                    yield Imported(node, alias.name, alias.asname or "")


def find_unread(scopes: Scopes) -> Iterator[Imported]:
    """The names that a file imports from TensorFlow and that nothing in it reads."""
    imported = list(list_imported(scopes.tree))
    if not imported:
        return
    own, anywhere = read_of_module(scopes.tree), find_plain_names(scopes.tree, ast.Load)
    paths = {
        ast.unparse(node)
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Attribute) and not all(one.bound for one in imported)
    }
    listed = _list_public_names(scopes.tree)
    for one in imported:
        of_module = scopes.parents.get(one.node) is scopes.tree
        read = own if of_module else anywhere
        if one.bound not in read | listed and one.path not in paths:
            yield one


def _list_public_names(tree: ast.Module) -> set[str]:
    """Lists the names in the module's `__all__`."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        else:
            continue
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
            parts = ast.walk(node.value)
            found |= {str(p.value) for p in parts if isinstance(p, ast.Constant)}
    return found


def read_of_module(tree: ast.Module) -> set[str]:
    """The names that are read as the module's own, not as a function's of that name."""
    scopes = build_scopes(tree)
    return {
        n.id
        for n in walk_breadth_first(tree)
        if isinstance(n, ast.Name)
        and isinstance(n.ctx, ast.Load)
        and scopes.find_scope(n).find_owner(n.id) in (None, scopes.module)
    }


def is_unused(node: ast.stmt, read: set[str]) -> bool:
    """Whether a statement only imports TensorFlow's submodules, under unread names."""
    if not isinstance(node, Import) or (
        isinstance(node, ast.ImportFrom) and node.level
    ):
        return False
    paths = _list_paths(node)
    if not all(p == "tensorflow" or p.startswith("tensorflow.") for p in paths):
        return False
    if isinstance(node, ast.Import) and paths == ["tensorflow"]:
        return False
    bound = {a.asname or a.name.split(".")[0] for a in node.names}
    if isinstance(node, ast.Import) and all(p.count(".") for p in paths):
        # `import tensorflow.contrib.slim` binds what another import binds as well.
        bound -= {"tensorflow"} if not any(map(exists, paths)) else set()
    return "*" not in bound and not bound & read


def _list_paths(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [a.name for a in node.names]


def exists(path: str) -> bool:
    """Whether TF2 can import a dotted path below `tensorflow`, as a public name."""
    return symbols.exists_in_target("tf" + path.removeprefix("tensorflow"))


def remove_unused_imports(
    text: str,
    emitted: Collection[str] = (),
    taken: Collection[str] = (),
    lacking_only: bool = False,
) -> str:
    """The text without the module's own unread imports of TensorFlow's submodules.

    In functions and under conditions only those go that TF2 could not import.

    Args:
      emitted: modules that the result imports: what is read of them is not TensorFlow's,
        though `from tensorflow.contrib import layers as contrib_layers` stand there.
      taken: names that other files take from here.
      lacking_only: whether imports stay that TF2 could do.
    """
    scopes = build_scopes(parse_source(text))
    tree = scopes.tree
    read = find_plain_names(tree, ast.Load).difference(emitted) | set(taken)
    own = read_of_module(tree).difference(emitted) | set(taken)
    found = [
        node
        for node in tree.body
        if is_unused(node, own) and not (lacking_only and _exists_in_part(node))
    ]
    found += [node for node in _walk_inner_imports(tree) if is_unused(node, read)]
    needed = {*taken, *_list_public_names(tree)}.difference(emitted)
    gone = add_emptied(scopes, found, needed)
    return _drop_names(remove_statements(text, tree, gone), own, read)


def _exists_in_part(node: ast.stmt) -> bool:
    """Whether TF2 has a name of an import."""
    return any(exists(one.path) for one in list_imported(node))


def _drop_names(text: str, own: Collection[str], read: Collection[str]) -> str:
    """The text without unread names that TF2 lacks, of imports that are needed else."""
    lines = text.encode().split(b"\n")
    tree = parse_source(text)
    imports = [
        node for node in walk_breadth_first(tree) if isinstance(node, ast.ImportFrom)
    ]
    for node in sorted(imports, key=lambda node: -node.lineno):
        gone = find_gone_names(node, own if node in tree.body else read)
        if len(gone) < len(node.names):
            for alias in reversed(gone):
                _cut(lines, node.names, alias, gone)
    return b"\n".join(lines).decode()


def find_gone_names(node: ast.ImportFrom, read: Collection[str]) -> list[ast.alias]:
    """The names of an import that TF2 lacks, and nothing reads."""
    if node.level or (node.module or "").partition(".")[0] != "tensorflow":
        return []
    return [
        alias
        for alias in node.names
        if (alias.asname or alias.name) not in read
        and alias.name != "*"
        and not exists(f"{node.module}.{alias.name}")
    ]


def _cut(
    lines: list[bytes], names: list[ast.alias], alias: ast.alias, gone: list[ast.alias]
) -> None:
    """Takes one of the names that go out of an import, with the comma on its one side."""
    index = names.index(alias)
    first, start = alias.lineno - 1, alias.col_offset
    last, stop = (alias.end_lineno or alias.lineno) - 1, alias.end_col_offset or 0
    if any(later not in gone for later in names[index + 1 :]):
        last, stop = names[index + 1].lineno - 1, names[index + 1].col_offset
    else:
        before = names[index - 1]
        first = (before.end_lineno or before.lineno) - 1
        start = before.end_col_offset or 0
    lines[first : last + 1] = [lines[first][:start] + lines[last][stop:]]


def _walk_inner_imports(tree: ast.Module) -> Iterator[ast.stmt]:
    """Imports below the module's own statements that TF2 could not do."""
    for outer in walk_breadth_first(tree):
        if outer is tree:
            continue
        for field in ("body", "orelse", "finalbody"):
            suite = getattr(outer, field, None)
            if not isinstance(suite, list):
                continue
            for node in suite:
                if isinstance(node, ast.ImportFrom):
                    names = [f"{node.module}.{a.name}" for a in node.names]
                elif isinstance(node, ast.Import):
                    names = [a.name for a in node.names]
                else:
                    continue
                if not any(map(exists, names)):
                    yield node
