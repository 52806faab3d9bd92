"""Imports of TensorFlow that become imports of tensorflow.compat.v1.

Then `tf.Session`, `tf.layers`, `tf.train.Server` stand as they stood: compat.v1 has
TensorFlow 1's names under TensorFlow 1's paths.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.fallback.edits import Edit, apply_edits
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import graph_mode

V1 = "tensorflow.compat.v1"
_FROM = re.compile(rb"from(\s+)tensorflow")


def import_compat(text: str) -> str:
    """The text with its imports of TensorFlow 1's public modules from compat.v1."""
    tree = parse_source(text)
    lines = text.encode().split(b"\n")
    edits: list[Edit] = []
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Import):
            edits.extend(_edit_import(node))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            edits.extend(_edit_imported_names(node, lines[node.lineno - 1]))
    return apply_edits(text, edits)


def is_elsewhere(module: str) -> bool:
    """Whether a module of TensorFlow is not below compat.v1: its own files, contrib."""
    return module.partition(".")[2].split(".")[0] in graph_mode.NOT_IN_COMPAT


def _edit_import(node: ast.Import) -> Iterator[Edit]:
    for alias in node.names:
        top, _, rest = alias.name.partition(".")
        if top != "tensorflow" or rest.startswith("compat."):
            continue
        if alias.asname is None and not rest.startswith(("python", "core")):
            # `import tensorflow.contrib.slim` binds `tensorflow`, too.
            yield Edit.replace_node(alias, f"{V1} as tensorflow")
        elif alias.asname is not None and not is_elsewhere(alias.name):
            path = f"{V1}.{rest}" if rest else V1
            yield Edit.replace_node(alias, f"{path} as {alias.asname}")


def _edit_imported_names(node: ast.ImportFrom, line: bytes) -> Iterator[Edit]:
    module = node.module or ""
    if module.partition(".")[0] != "tensorflow" or is_elsewhere(module):
        return
    if module.startswith("tensorflow.compat"):
        return
    found = _FROM.match(line, node.col_offset)
    if found is None:
        return  # Over several lines by a backslash: it is told as not in compat.v1.
    whole = module in graph_mode.ATTRIBUTES
    # `tensorflow.app` is a module of compat.v1, `flags` in it only an attribute.
    end = found.end() + (len(module) - len("tensorflow") if whole else 0)
    start = found.end() - len("tensorflow")
    yield Edit(node.lineno, start, node.lineno, end, V1)
