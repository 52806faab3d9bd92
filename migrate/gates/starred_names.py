"""Names that a program has by a star: `from helper import *`, where `helper` imports `os`.

The result may import such a name itself, and only the two texts together say that it means
the same in both.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import build_scopes
from migrate.facts.trees.offered import is_star
from migrate.source.nodes import find_plain_names, parse_source

_Import = ast.Import | ast.ImportFrom


def import_alike(original: str, result: str) -> str:
    """The original with the result's imports of names that it may have by a star.

    They stand in the line of its first import: lines keep their numbers.

    Args:
      original: the text of the program.
      result: its migration.
    """
    if "import *" not in original:
        return original
    tree = parse_source(original)
    stars = [s for s in tree.body if isinstance(s, ast.ImportFrom) and is_star(s)]
    if not stars:
        return original
    unbound = find_plain_names(tree, ast.Load) - set(build_scopes(tree).module.bindings)
    shown = []
    for statement in parse_source(result).body:
        if isinstance(statement, _Import):
            names = [a for a in statement.names if _find_bound_name(a) in unbound]
            if names:
                statement.names = names
                shown.append(ast.unparse(statement))
    place = _find_place(tree)
    if not shown or place is None:
        return original
    lines = original.split("\n")
    lines[place - 1] = "; ".join([*shown, lines[place - 1]])
    return "\n".join(lines)


def _find_bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _find_place(tree: ast.Module) -> int | None:
    """The line of the first import, if it begins the line and is not of the future."""
    for statement in tree.body:
        if isinstance(statement, _Import) and not (
            isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        ):
            return None if statement.col_offset else statement.lineno
    return None
