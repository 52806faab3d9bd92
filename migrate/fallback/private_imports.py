"""Imports of TensorFlow's own files that fail on TensorFlow 2.21.

They fail when the file is loaded, whether anything uses what they bring or not.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from migrate.facts.scopes import Scopes
from migrate.fallback.untaken import find_untaken, is_guarded
from migrate.source.nodes import walk_breadth_first
from migrate.tables import graph_estimators, kept_names
from migrate.tables.kept_names import Known

_OWN_FILES = "tensorflow.python"
_ESTIMATORS = "tensorflow_estimator"


def find_failing_imports(
    tree: ast.Module, scopes: Scopes, own: Collection[str]
) -> Iterator[tuple[ast.stmt, str, str]]:
    """Statements with what they lack, and what to do.

    Args:
      own: first names by which the program's files import each other.
    """
    untaken = find_untaken(scopes, tree)
    ready = False
    for node in walk_breadth_first(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        for module, name in _list_imports(node):
            ready |= module == graph_estimators.MODULE
            why = _explain_failure(module, name)
            recipe = "Use a public name that does the same."
            root = module.partition(".")[0]
            if not why and root == _ESTIMATORS and not ready and root not in own:
                why = (
                    "tensorflow-estimator imports private modules that TensorFlow 2.16 and "
                    "later do not have, so its own files cannot be loaded by themselves"
                )
                recipe = "Use the public names of tf.estimator."
            if why and node not in untaken and not is_guarded(node, scopes):
                yield node, why, recipe


def _list_imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """Modules with the names that are taken from them, "" for the module itself."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names)
    elif not node.level:
        yield from ((node.module or "", alias.name) for alias in node.names)


def _explain_failure(module: str, name: str) -> str:
    """Explains why TensorFlow 2.21 cannot import a name; "" if it can."""
    if not f"{module}.{name}".startswith(f"{_OWN_FILES}."):
        return ""
    whole = f"{module}.{name}" if name else module
    for path in (module, whole):
        if kept_names.has_module(path) is False:
            return f"TensorFlow 2.21 does not have the private module `{path}`"
    row = kept_names.find(whole) if name else None
    if row is not None and row.known is Known.GONE:
        return f"TensorFlow 2.21 does not have the private name `{whole}`"
    return ""
