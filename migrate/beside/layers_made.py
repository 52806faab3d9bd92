"""Whether a file of a program may make Keras layers, itself or by what it imports.

If none may, the emitted modules need nothing that prepares for layers.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Sequence

from migrate import emitted
from migrate.beside import units

# Modules that know nothing of the emitted ones.
_ELSEWHERE = frozenset({"numpy", "tensorflow", "tf_keras", *sys.stdlib_module_names})
# Packages that make no Keras layers, and words of which a program has one if it may make some.
_WITHOUT_LAYERS = frozenset({"absl", "matplotlib", "pandas", "PIL", "scipy", "six"})
_LAYERS = re.compile(r"keras|layers|rnn|feature_column|contrib|slim", re.IGNORECASE)


@functools.cache
def mentions_layers(tree: ast.AST) -> bool:
    """Whether code, without comments and docstrings, has a word that Keras layers need."""
    return any(
        isinstance(value, str) and " " not in value and _LAYERS.search(value)
        for node in ast.walk(tree)
        for _, value in ast.iter_fields(node)
    )


def may_make_layers(tree: ast.AST) -> bool:
    """Whether a file of a program may make Keras layers, itself or by what it imports."""
    known = _ELSEWHERE | _WITHOUT_LAYERS | {emitted.PACKAGE}
    return mentions_layers(tree) or any(
        not known.issuperset(name.partition(".")[0] for name in _list_imported(node))
        and not all(one.module for one in units.read_import(node, "").values())
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    )


def _list_imported(node: ast.Import | ast.ImportFrom) -> Sequence[str]:
    """Returns the modules that an import names, "" for one of the file's own package."""
    if isinstance(node, ast.ImportFrom):
        return ["" if node.level else node.module or ""]
    return [alias.name for alias in node.names]


def is_elsewhere(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import takes only modules that know nothing of the emitted ones."""
    return all(name.partition(".")[0] in _ELSEWHERE for name in _list_imported(node))
