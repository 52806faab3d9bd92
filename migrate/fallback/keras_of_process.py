"""Which Keras the process of a program has in graph mode.

`tf.layers`, `tf.nn.rnn_cell`, feature columns and ready-made Estimators need Keras 2, which a variable of the
environment asks for. TensorFlow Probability 0.25 cannot be imported with it on TensorFlow
2.16 and later: it looks for `tensorflow.compat.v2.keras`. So a program that imports it is
brought to graph mode without Keras 2, if it does not need Keras 2.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from migrate.facts.scopes import build_scopes
from migrate.fallback.names import CODE
from migrate.findings import Finding, Outcome
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first

_PROBABILITY = "tensorflow_probability"
_OF_KERAS_2 = (
    *("tf.layers", "tf.nn.rnn_cell", "tf.keras", "tf.feature_column"),
    *("tf.contrib.cudnn_rnn", "tf.contrib.estimator", "tf.contrib.keras"),
    *("tf.contrib.layers", "tf.contrib.learn", "tf.contrib.legacy_seq2seq"),
    *("tf.contrib.rnn", "tf.contrib.seq2seq", "tf.contrib.slim"),
)
# An Estimator with a model_fn does not.
_READY_MADE = re.compile(r"tf\.estimator\.\w+(Classifier|Regressor|Estimator)\b")
_REASON = (
    "TensorFlow Probability cannot be loaded on TensorFlow 2.21 in a process that has "
    "Keras 2, and in graph mode `{}` needs Keras 2"
)
_RECIPE = (
    "Write what the program takes from TensorFlow Probability with tf.distributions or "
    "other functions of TensorFlow, or make its layers with variables."
)


def imports_probability(texts: Iterable[str]) -> bool:
    """Whether one of a program's files imports TensorFlow Probability."""
    return any(
        True
        for text in texts
        if _PROBABILITY in text
        for _ in _find_imports(parse_source(text))
    )


def find_use_of_keras_2(texts: Iterable[str]) -> str:
    """Returns a symbol of a program that needs Keras 2 in graph mode; "" if it has none."""
    for text in texts:
        for _, symbol in build_scopes(parse_source(text)).walk_uses():
            if _READY_MADE.match(symbol) or any(
                symbol == of or symbol.startswith(of + ".") for of in _OF_KERAS_2
            ):
                return symbol
    return ""


def check_probability(tree: ast.Module, symbol: str) -> Iterator[Finding]:
    """Reports imports of TensorFlow Probability beside a symbol that needs Keras 2.

    It loads when it is used: a program that uses it only in functions starts, and may never
    call them.
    """
    imports = list(_find_imports(tree))
    bound = {
        alias.asname or alias.name.partition(".")[0]
        for node in imports
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    used = any(bound & find_plain_names(s, ast.Load) for s in _list_at_start(tree))
    for node in imports:
        yield Finding(
            node.lineno,
            node.col_offset + 1,
            CODE,
            Outcome.REFUSED
            if used or isinstance(node, ast.ImportFrom)
            else Outcome.WARNED,
            "",
            _REASON.format(symbol),
            _RECIPE,
        )


def _list_at_start(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported, as far as it matters here."""
    for statement in tree.body:
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement


def _find_imports(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        if any(name.partition(".")[0] == _PROBABILITY for name in names):
            assert isinstance(node, ast.stmt)
            yield node
