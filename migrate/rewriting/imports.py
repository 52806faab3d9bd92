"""The imports of a result: what it needs, in the place of what it does not."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Sequence

from migrate import emitted
from migrate.facts.names import is_docstring
from migrate.facts.scopes import build_scopes
from migrate.facts.trees.homes import Home
from migrate.plan import Plan
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import estimator as table

V1 = "tensorflow.compat.v1"
_LINE = 88  # Characters of a joined import, at most.


def add_imports(text: str, plan: Plan, filename: str, home: Home | None) -> str:
    """Adds the imports the new text needs, after TensorFlow's own or the last import.

    A file of a package may be run as a script or by `python -m package.file`: then what
    is written beside it is imported in either way.

    Args:
      home: where emitted modules are, if not beside the file; those that it needs there
        are added to the plan's.
    """
    in_package = os.path.isfile(os.path.join(os.path.dirname(filename), "__init__.py"))
    beside = {emitted.find_module(name) for name in plan.support}
    tree = parse_source(text)
    wanted: list[str] = []
    scopes = build_scopes(tree)
    names_read = find_plain_names(tree)
    if "tf" in names_read and "tf" not in scopes.module.bindings:
        wanted.append("import tensorflow as tf")
    for line in dict.fromkeys(sorted(plan.imports)):
        module = line.split()[-1]  # The name that it binds.
        if module in names_read and module not in scopes.module.bindings:
            wanted.append(line)
            if home is not None and emitted.list_files(module):
                wanted[-1] = home.write_import(module)
                plan.support.update(table.list_needed_files(module))
            elif in_package and module in beside:
                wanted[-1:] = [
                    "try:",
                    f"    {line}",
                    "except ImportError:  # Run as a module of its package.",
                    f"    from . import {module}",
                ]
    lines = text.split("\n")
    for node in () if plan.keeps_compat else tree.body:
        if isinstance(node, ast.Import) and [
            (a.name, a.asname) for a in node.names
        ] == [(V1, "tf")]:
            _respell_import(lines, node)
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module == "tensorflow.compat"
            and [(a.name, a.asname) for a in node.names] == [("v1", "tf")]
        ):
            _respell_import(lines, node)
    place = find_import_place(tree, {line.split()[-1] for line in wanted})
    first = [] if filename.endswith(".ipynb") else _find_first_imports(tree)
    own = [line for line in wanted if first and _is_standard(line.split()[-1])]
    lines[place:place] = _join_imports([line for line in wanted if line not in own])
    _sort_in(lines, own, first)
    return "\n".join(lines)


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _find_first_imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """The imports that a file begins with, one a line, less those of `__future__`."""
    found: list[ast.Import | ast.ImportFrom] = []
    for node in tree.body:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            if found or not is_docstring(node):
                break
        elif not isinstance(node, ast.ImportFrom) or node.module != "__future__":
            found.append(node)
    on = [node.lineno for node in found]
    return found if len({*on}) == len(on) else []


def _sort_in(
    lines: list[str], own: list[str], first: list[ast.Import | ast.ImportFrom]
) -> None:
    """Adds imports of the standard library where a file has these, or before the others."""
    standard: list[ast.Import | ast.ImportFrom] = []
    for node in first:
        name = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        if not _is_standard(name or ""):
            break
        standard.append(node)
    for line in sorted(own, reverse=True):
        before = [n for n in standard if ast.unparse(n) < line]
        if before:
            at = before[-1].end_lineno or 0
        else:
            at = first[0].lineno - 1
        lines.insert(at, line)
    if own and not standard:
        lines.insert(first[0].lineno - 1 + len(own), "")


def _join_imports(lines: Sequence[str]) -> list[str]:
    """Lines of imports; those from the installed package are one, where it is not long."""
    start = f"from {emitted.PACKAGE} import "
    names = sorted(line.removeprefix(start) for line in lines if line.startswith(start))
    joined = start + ", ".join(names)
    if len(names) < 2 or len(joined) > _LINE:
        return list(lines)
    place = next(i for i, line in enumerate(lines) if line.startswith(start))
    rest = [line for line in lines if not line.startswith(start)]
    return [*rest[:place], joined, *rest[place:]]


def find_taken_names(text: str, plan: Plan) -> list[str]:
    """Finds names of emitted modules that the result reads as something else.

    A function may have such a name for itself, if it reads nothing of the module.
    """
    scopes = build_scopes(parse_source(text))
    modules = {line.split()[-1] for line in plan.imports}
    modules = {module for module in modules if emitted.list_files(module)}
    found: set[str] = set()
    for node in scopes.walk():
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        name = node.value.id
        if name not in modules or node.attr not in emitted.list_attributes(name):
            continue
        owner = scopes.find_scope(node).find_owner(name)
        bindings = owner.bindings[name] if owner is not None else ()
        if any(
            emitted.find_imported_module(binding, name) != name for binding in bindings
        ):
            found.add(name)
    return sorted(found)


def means_compat(text: str, plan: Plan) -> bool:
    """Whether a result's `tf` is compat.v1, which lacks what the result takes of `tf`."""
    scopes = build_scopes(parse_source(text))
    return not plan.keeps_compat and (
        scopes.find_imported_path("tf") == V1 or scopes.imports_as("tf", V1)
    )


def find_import_place(tree: ast.Module, wanted: set[str]) -> int:
    """The line below which imports go: the first ones, or those after `sys.path` is set.

    Args:
      wanted: the names that they bind.
    """
    place, among_imports = 0, True
    for node in tree.body:
        is_import = isinstance(node, (ast.Import, ast.ImportFrom))
        if is_import or (place == 0 and among_imports and is_docstring(node)):
            if among_imports:
                place = node.end_lineno or place
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            among_imports = False
        elif any(
            isinstance(n, ast.Name) and n.id in wanted for n in walk_breadth_first(node)
        ):
            break
        else:
            among_imports = _sets_path(node)
            if among_imports:
                place = node.end_lineno or place
    return place


def _sets_path(statement: ast.stmt) -> bool:
    """Whether it changes where modules come from."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "path"
        and isinstance(node.value, ast.Name)
        and node.value.id == "sys"
        for node in walk_breadth_first(statement)
    )


def _respell_import(lines: list[str], node: ast.stmt) -> None:
    """Makes an import of compat.v1 one of TensorFlow; another may stand in its line."""
    line = lines[node.lineno - 1].encode()
    before, after = line[: node.col_offset], line[node.end_col_offset :]
    lines[node.lineno - 1] = (before + b"import tensorflow as tf" + after).decode()
