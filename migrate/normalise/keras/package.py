"""TF1 to TF1: the package `keras`, in a program with a session, as `tf.keras`.

    import keras                               from tensorflow import keras
    from keras.layers import Dense             from tensorflow.keras.layers import Dense

With TensorFlow 1 it built the same graph. What is installed as `keras` now, Keras 3,
builds none that a session or a strategy of this kind would train.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import build_scopes
from migrate.findings import Finding, Outcome
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source, walk_breadth_first

# Modules of the package that stand elsewhere in TensorFlow.
_MOVED = {
    "backend.tensorflow_backend": "backend",
    "layers.core": "layers",
    "layers.convolutional": "layers",
    "layers.pooling": "layers",
    "layers.merge": "layers",
    "layers.embeddings": "layers",
    "layers.noise": "layers",
}


def import_keras_of_tensorflow(text: Text) -> tuple[Text, tuple[Finding, ...]]:
    """The text that imports TensorFlow's Keras, and what is said of it."""
    opens = any(word in text.source for word in ("Session", "Supervisor"))
    if "keras" not in text.source or not opens:
        return text, ()
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    if not any(
        scopes.find_imported_path(n) == "tensorflow" for n in scopes.module.bindings
    ):
        return text, ()
    found = [
        (node, new)
        for node in walk_breadth_first(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and text.is_alone(node)
        and (new := _write_import(node)) is not None
    ]
    for node, new in sorted(found, key=lambda pair: pair[0].lineno, reverse=True):
        indent = text.lines[node.lineno - 1][: node.col_offset]
        origins = [text.origins[node.lineno - 1]] * len(new)
        end = node.end_lineno or node.lineno
        text = text.splice(node.lineno, end, [indent + line for line in new], origins)
    told = tuple(
        Finding(
            node.lineno,
            node.col_offset + 1,
            "D158",
            Outcome.REWRITTEN,
            "keras",
            "Keras as TensorFlow had it: the same graph, but that names of unnamed layers "
            "begin at 1 in the package's checkpoints (dense_1), and at 0 here (dense)",
        )
        for node, _ in found
    )
    return text, told


def _write_import(node: ast.Import | ast.ImportFrom) -> list[str] | None:
    """The lines for an import; None if it is not of the package."""
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level or module.partition(".")[0] != "keras":
            return None
        taken = ", ".join(ast.unparse(alias) for alias in node.names)
        return [f"from {_find_home(module)} import {taken}"]
    if not any(alias.name.partition(".")[0] == "keras" for alias in node.names):
        return None
    lines = []
    for alias in node.names:
        package, _, rest = alias.name.partition(".")
        if package != "keras":
            lines.append(f"import {ast.unparse(alias)}")
        elif alias.asname and rest:
            outer, _, last = _find_home(alias.name).rpartition(".")
            lines.append(f"from {outer} import {last} as {alias.asname}")
        else:  # `import keras.layers` binds the package.
            name = f" as {alias.asname}" if alias.asname else ""
            lines.append(f"from tensorflow import keras{name}")
    return list(dict.fromkeys(lines))


def _find_home(module: str) -> str:
    """Returns the module of TensorFlow that has a module of the package."""
    _, _, rest = module.partition(".")
    rest = _MOVED.get(rest, rest)
    return f"tensorflow.keras.{rest}" if rest else "tensorflow.keras"
