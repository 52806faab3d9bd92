"""Imports that a file in graph mode needs, and those that nothing reads any more."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterable, Iterator

from migrate import emitted
from migrate.facts.scopes import build_scopes
from migrate.facts.trees.homes import Home
from migrate.fallback.edits import Edit, apply_edits
from migrate.fallback.imports import is_elsewhere
from migrate.fallback.names import find_aliases_of_nothing
from migrate.plan import Plan
from migrate.rewriting.imports import find_import_place
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def import_homes(
    text: str, plan: Plan, alias: str, filename: str, home: Home | None
) -> str:
    """The text with imports of what it now names, after its first one of TensorFlow.

    Args:
      alias: the name to bind for tensorflow.compat.v1, "" if the file has one.
    """
    first = [f"import tensorflow.compat.v1 as {alias}"] if alias else []
    written: list[str] = []  # Of modules beside the file.
    in_package = os.path.isfile(os.path.join(os.path.dirname(filename), "__init__.py"))
    bound = find_kept_names(parse_source(text))
    for line in dict.fromkeys(sorted(plan.imports)):
        module = line.split()[-1]
        if module in bound:
            continue
        if not emitted.list_files(module):
            first.append(line)
        elif home is not None:
            written.append(home.write_import(module))
        elif in_package:
            written += [
                "try:",
                f"    {line}",
                "except ImportError:  # Run as a module of its package.",
                f"    from . import {module}",
            ]
        else:
            written.append(line)
    tree = parse_source(text)
    lines = text.split("\n")
    place = _find_place(tree)
    # A program may say by `sys.path` where the modules beside it are.
    below = find_import_place(tree, {line.split()[-1] for line in plan.imports})
    below = max(place, below) if written else place
    lines[below:below] = written
    lines[place:place] = first
    return "\n".join(lines)


def _find_place(tree: ast.Module) -> int:
    """The number of lines above which new imports do not belong."""
    leading = 0
    for node in tree.body:
        if any(is_tensorflow(name) for name in list_imported_modules(node)):
            return node.end_lineno or 0
    for index, node in enumerate(tree.body):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, (ast.Import, ast.ImportFrom)) and not (
            text and not index
        ):
            break
        leading = node.end_lineno or leading
    return leading


def list_imported_modules(node: ast.AST) -> Iterator[str]:
    """Modules that a statement imports when it runs; "." stands for a relative one."""
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, _DEFINITIONS):
            continue
        if isinstance(current, ast.Import):
            yield from (alias.name for alias in current.names)
        elif isinstance(current, ast.ImportFrom):
            yield "." if current.level else current.module or ""
        stack.extend(ast.iter_child_nodes(current))


def is_tensorflow(module: str) -> bool:
    return module.partition(".")[0] == "tensorflow"


def find_kept_names(tree: ast.Module) -> set[str]:
    """Names of a module that are not only for what TensorFlow 2.21 does not have.

    What a handler imports may never be there.
    """
    handled = {
        node
        for handler in walk_breadth_first(tree)
        if isinstance(handler, ast.ExceptHandler)
        for node in ast.walk(handler)
    }
    return {
        name
        for name, nodes in build_scopes(tree).module.bindings.items()
        for node in nodes
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        or node not in handled
        and any(
            (alias.asname or alias.name.partition(".")[0]) == name
            and not _is_gone(node, alias, ())
            for alias in node.names
        )
    }


def drop_unread(text: str, modules: Collection[str] = ()) -> str:
    """The text without names for what TensorFlow 2.21 does not have, where none is read.

    Args:
      modules: names that are read as those of modules written beside the file.
    """
    tree = parse_source(text)
    scopes = build_scopes(tree)
    text = _remove_statements(text, tree, list(find_aliases_of_nothing(scopes)), [])
    tree = parse_source(text)
    read = find_plain_names(tree, ast.Load)
    read -= set(modules)
    dropped: list[ast.stmt] = []
    shortened: list[Edit] = []
    for node in walk_breadth_first(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        kept = [alias for alias in node.names if not _is_gone(node, alias, read)]
        if not kept:
            dropped.append(node)
        elif len(kept) < len(node.names):
            shortened.append(
                Edit.replace_node(node, _spell_import_of_names(node, kept))
            )
    return _remove_statements(text, tree, dropped, shortened)


def _is_gone(
    node: ast.Import | ast.ImportFrom, alias: ast.alias, read: Collection[str]
) -> bool:
    """Whether an import is of what TensorFlow 2.21 does not have, and nothing reads it."""
    if isinstance(node, ast.ImportFrom):
        if node.level or alias.name == "*":
            return False
        path = f"{node.module}.{alias.name}"
    else:
        path = alias.name
        if alias.asname is None:
            return False  # It binds `tensorflow`, as others do.
    path = path.replace("tensorflow.compat.v1.", "tensorflow.")
    if not is_tensorflow(path) or not is_elsewhere(path):
        return False
    if path.startswith("tensorflow.core."):
        return False
    return (alias.asname or alias.name) not in read


def _spell_import_of_names(
    node: ast.Import | ast.ImportFrom, names: Iterable[ast.alias]
) -> str:
    shown = ", ".join(ast.unparse(alias) for alias in names)
    if isinstance(node, ast.Import):
        return f"import {shown}"
    return f"from {node.module} import {shown}"


def _remove_statements(
    text: str,
    tree: ast.Module,
    dropped: Collection[ast.stmt],
    edits: Iterable[Edit],
) -> str:
    """The text without statements, whole lines where nothing else stands on them."""
    if not dropped and not edits:
        return text
    lines = text.encode().split(b"\n")
    alone = {
        id(suite[0])
        for node in walk_breadth_first(tree)
        for field in ("body", "orelse", "finalbody")
        if isinstance(suite := getattr(node, field, None), list)
        and suite
        and all(any(item is one for one in dropped) for item in suite)
        and node is not tree
    }
    found = list(edits)
    for node in dropped:
        assert node.end_lineno is not None and node.end_col_offset is not None
        before = lines[node.lineno - 1][: node.col_offset].strip()
        after = lines[node.end_lineno - 1][node.end_col_offset :].strip()
        if before or (after and not after.startswith(b"#")) or id(node) in alone:
            found.append(Edit.replace_node(node, "pass"))
        else:
            found.append(Edit(node.lineno, 0, node.end_lineno + 1, 0, ""))
    return apply_edits(text if text.endswith("\n") else text + "\n", found)
