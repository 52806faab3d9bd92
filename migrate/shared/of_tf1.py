"""Files that do not say themselves that they are TensorFlow 1's, but that its programs import.

    # common.py                                 # train.py
    def uniform(seed):                          from common import uniform
        return tf.random_uniform_initializer(   ...
            seed=seed)                          net = tf.layers.dense(x, 8, ...)

TensorFlow 2 has the initializer's name too, for one of another range. So what the name
means is told by who imports it: a file that uses a name that only TensorFlow 1 has.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.facts.trees.imports import find_imported_files
from migrate.facts.trees.mentions import name_module
from migrate.shared.files import TreeFiles
from migrate.tables import semantics, symbols


def find_modules_of_tf1(tree: TreeFiles) -> frozenset[str]:
    """Real paths of files with names that mean something else in TensorFlow 2.

    Only files that do not show their version, and that a file of TensorFlow 1 imports.
    """
    return (
        frozenset(_Search(tree).find_modules())
        if len(tree.modules) > 1
        else frozenset()
    )


@functools.cache
def _find_other_names() -> re.Pattern[str]:
    """Makes the pattern of names that mean something else in TensorFlow 2."""
    last = {symbol.rpartition(".")[2] for symbol in semantics.SEMANTICS}
    return re.compile(rf"\.(?:{'|'.join(sorted(last))})\b|\bkeras\b")


# How most files import TensorFlow, what they spell of it then, and comments.
_PLAIN = "import tensorflow as tf"
_NAME = re.compile(r"\btf(?:\.[A-Za-z]\w*)+")
_COMMENT = re.compile(r"#.*")
_KERAS = "tf.keras."


class _Search:
    def __init__(self, tree: TreeFiles) -> None:
        self._tree = tree
        self._tf1: dict[str, bool] = {}
        self._imports: dict[str, frozenset[str]] = {}

    def find_modules(self) -> Iterator[str]:
        for real in self._tree.modules:
            text = self._tree.read_text(real)
            if "tensorflow" not in text or not _find_other_names().search(text):
                continue
            if _spells_tf1(text):
                continue  # It tells by itself.
            scopes = self._tree.read_scopes(real)
            if scopes is None or scopes.imports_compat() or self._is_tf1(real):
                continue
            if _means_other(scopes) and self._is_imported(real):
                yield real

    def _is_imported(self, real: str) -> bool:
        """Whether a file of TensorFlow 1 imports one, or what imports it."""
        todo, seen = [real], {real}
        while todo:
            target = todo.pop()
            name = name_module(target)
            for other in self._tree.modules:
                if other in seen or name not in self._tree.read_text(other):
                    continue
                if target in self._find_imported_files(other):
                    if self._is_tf1(other):
                        return True
                    seen.add(other)
                    todo.append(other)
        return False

    def _is_tf1(self, real: str) -> bool:
        """Whether a file uses a name that only TensorFlow 1 has."""
        if real not in self._tf1:
            text = self._tree.read_text(real)
            named = "tensorflow" in text and (_spells_tf1(text) or _PLAIN not in text)
            scopes = self._tree.read_scopes(real) if named else None
            says = scopes is not None and scopes.is_tf1(symbols.exists_in_tf2)
            self._tf1[real] = says
        return self._tf1[real]

    def _find_imported_files(self, real: str) -> frozenset[str]:
        if real not in self._imports:
            modules = dict(self._tree.modules)
            self._imports[real] = frozenset(find_imported_files(modules[real], modules))
        return self._imports[real]


def _spells_tf1(text: str) -> bool:
    """Whether a text has a name that only TensorFlow 1 has; cheaper than its tree."""
    code = _COMMENT.sub("", text)
    return any(not symbols.exists_in_tf2(name) for name in set(_NAME.findall(code)))


def _means_other(scopes: Scopes) -> bool:
    for _, symbol in scopes.walk_uses():
        if symbol.startswith(_KERAS):
            return True  # Keras 3's, which TF1's graphs do not take.
        if semantics.has_other_meaning(symbol):
            return True
    return False
