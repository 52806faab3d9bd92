"""What a program may use of TensorFlow 2, beside the emitted modules.

If a program uses none of it, and imports nothing that may use it, the emitted modules
need no code for it. A unit of the modules stands for each of these features: the unit is
reached if the program may use the feature.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
import sys
from collections.abc import Sequence

from migrate import emitted
from migrate.beside import units
from migrate.beside.reserved import Groups

# Modules that know nothing of the emitted ones.
_ELSEWHERE = frozenset({"numpy", "tensorflow", "tf_keras", *sys.stdlib_module_names})
# Packages that use none of the features.
_WITHOUT = frozenset({"absl", "matplotlib", "pandas", "PIL", "scipy", "six"})
_REPLICAS = "training_session/replicas.py"


@dataclasses.dataclass(frozen=True)
class Feature:
    """Something that few programs use.

    Attributes:
      words: a program that uses it has one of these.
      file, name: the function of the emitted modules that stands for it.
      groups: what must be reached, too; otherwise the modules have no code for it.
    """

    words: re.Pattern[str]
    file: str
    name: str
    groups: Groups


FEATURES = (
    Feature(  # Keras layers, and variables as those of batch normalisation.
        re.compile(
            "keras|layers|rnn|feature_column|contrib|slim|synchronization",
            re.IGNORECASE,
        ),
        "training_session/operations.py",
        "layers_take_dtype_of_input",
        # With this function the program's variables are recorded.
        (((_REPLICAS, "Replicas", "recording"),),),
    ),
    Feature(  # Sparse gradients. Without this function they raise a TypeError.
        re.compile(
            "gather|embed|sparse|slices|ragged|nce_loss|sampled|mask|lookup|custom_grad",
            re.IGNORECASE,
        ),
        _REPLICAS,
        "by_contributors",
        (((_REPLICAS, "Replicas", "average"),),),
    ),
    Feature(  # Local variables.
        re.compile("local_?variable|metric", re.IGNORECASE),
        "training_session/variables.py",
        "is_local",
        (((_REPLICAS, "Replicas", "recording"),),),
    ),
    Feature(  # Steps that take lists, tuples or dicts of tensors.
        re.compile(r"^step_function\(\)$"),
        "training_session/step_functions.py",
        "convert_structure",
        ((("training_session/step_functions.py", "StepFunction", ""),),),
    ),
    Feature(  # Several replicas in one process.
        re.compile("Strategy|[Tt]ower|^under$|^summaries$"),
        "plain_session.py",
        "is_among",
        ((("plain_session.py", "LocalReplicas", ""),),),
    ),
    Feature(  # Variables in several parts.
        re.compile("partition|shard", re.IGNORECASE),
        "training_session/variables.py",
        "shards_of",
        (
            (
                (_REPLICAS, "Replicas", ""),
                ("training_session/checkpoints.py", "Saver", ""),
            ),
        ),
    ),
)


@functools.cache
def list_mentioned(tree: ast.AST) -> tuple[Feature, ...]:
    """Returns the features of which code, without comments and docstrings, has a word."""
    words = {
        value
        for node in ast.walk(tree)
        for _, value in ast.iter_fields(node)
        if isinstance(value, str) and " " not in value
    }
    if _takes_structures(tree):
        words.add("step_function()")
    return tuple(one for one in FEATURES if any(map(one.words.search, words)))


def _takes_structures(tree: ast.AST) -> bool:
    """Whether a step function may have another argument than a single tensor."""
    specs = {
        id(call.func): call.args
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
    }
    return any(
        id(node) not in specs or not all(map(_is_single, specs[id(node)]))
        for node in ast.walk(tree)
        if "step_function" in (getattr(node, "attr", ""), getattr(node, "value", ""))
    )


def _is_single(node: ast.expr) -> bool:
    """Whether an expression is the tf.TensorSpec of one tensor."""
    return isinstance(node, ast.Call) and (
        isinstance(node.func, ast.Attribute) and node.func.attr == "TensorSpec"
    )


def list_possible(tree: ast.AST) -> tuple[Feature, ...]:
    """Returns the features that a file of a program may use, also by what it imports."""
    known = _ELSEWHERE | _WITHOUT | {emitted.PACKAGE}
    imports_others = any(
        not known.issuperset(name.partition(".")[0] for name in _list_imported(node))
        and not all(one.module for one in units.read_import(node, "").values())
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    )
    return FEATURES if imports_others else list_mentioned(tree)


def _list_imported(node: ast.Import | ast.ImportFrom) -> Sequence[str]:
    """Returns the modules that an import names, "" for one of the file's own package."""
    if isinstance(node, ast.ImportFrom):
        return ["" if node.level else node.module or ""]
    return [alias.name for alias in node.names]


def is_elsewhere(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import takes only modules that know nothing of the emitted ones."""
    return all(name.partition(".")[0] in _ELSEWHERE for name in _list_imported(node))
