"""Private names of TensorFlow in graph mode: which stay, and what is said of each."""

from __future__ import annotations

import ast
import dataclasses

from migrate.fallback.homes import Lost
from migrate.tables import (
    kept_names,
    messages,
    not_public,
    private_names,
    reviewed_names,
    signatures,
)
from migrate.tables.kept_names import Known

KEPT = "T117"
_LATER = "but a later TensorFlow may drop it"
_TOLD = {
    Known.OP: (
        "a private name that TensorFlow 1.15.5, 2.15.1 and 2.21 have, each generated from "
        f"the same operation, {_LATER}"
    ),
    Known.TEXT: (
        "a private name that TensorFlow 1.15.5, 2.15.1 and 2.21 have with the same code, "
        f"{_LATER}"
    ),
    Known.NEW: (
        "a private name that TensorFlow 2.15.1 and 2.21 have with the same code (1.15.5 "
        f"does not have it), {_LATER}"
    ),
}
_ASSUMED = (
    "a private name that TensorFlow 2.21 has with the same parameters as 1.15.5, but with "
    "other code: the tool assumes that it computes the same. A later TensorFlow may drop it"
)
_REVIEWED = (
    "a private name whose code changed after TensorFlow 1.15.5; it does the same in "
    "TensorFlow 2.21, but a later TensorFlow may drop it"
)
_GONE = "a private name that TensorFlow 2.21 does not have any more"
_LOST = {
    Known.GONE: _GONE,
    Known.ARGUMENTS: (
        "a private name that takes other arguments in TensorFlow 2.21 than in 1.15.5"
    ),
    Known.CHANGED: (
        "a private name whose code changed after TensorFlow 1.15.5: whether it still means "
        "the same is not known"
    ),
}
_OF_KERAS = Lost(
    "a private name of Keras: what TensorFlow 2.21 has in `tensorflow.python.keras` is "
    "another Keras than `tf.keras`",
    "Use a public name of tf.keras, or import it from the package tf_keras.",
)
_WHOLE = Lost(
    "the program passes a private module itself to other code, so the tool "
    "cannot tell which of its names are used",
    "Import the names that you use from the module, in the file that uses them.",
)


@dataclasses.dataclass(frozen=True)
class Kept:
    """A private name that stays, with the reason and recipe of a warning, if any."""

    reason: str = ""
    recipe: str = ""


def judge(path: str, symbol: str, call: ast.Call | None) -> Kept | Lost | None:
    """Decides whether an imported private name stays; None if other rules decide.

    Args:
      path: by which TensorFlow has it.
      symbol: its canonical name, a public one if there is one.
      call: the call of it, if it is called.
    """
    if messages.is_still_there("tf" + path.removeprefix("tensorflow")):
        return Kept()
    if not symbol.startswith("tf.python."):
        return None
    recipe = not_public.explain_absence(symbol)[1]
    row = kept_names.find(path)
    if row is not None and row.known.is_proof:
        if call is not None and row.parameters is not None:
            misfit = signatures.compare_with_parameters(call, row.parameters)
            if misfit:
                return Lost(
                    f"TensorFlow 2.21's private function does not accept this: {misfit}",
                    recipe,
                )
        return Kept(_TOLD[row.known], recipe)
    reviewed = reviewed_names.REVIEWED.get(path)
    if reviewed is not None:
        misfit = _find_misfit(call, reviewed) if call is not None else ""
        if misfit:
            return Lost(
                f"TensorFlow 2.21's private function does not accept this: {misfit}",
                recipe,
            )
        return Kept("; ".join(filter(None, (_REVIEWED, reviewed.told))), recipe)
    if private_names.is_still_there(path):
        return Kept(_ASSUMED, recipe)
    return None


def _find_misfit(call: ast.Call, row: reviewed_names.Reviewed) -> str:
    """What of a call the function of TensorFlow 2.21 takes otherwise, "" for nothing."""
    if len(call.args) > row.positional:
        return f"argument {row.positional + 1} by its position"
    parameter, value = row.excluded
    for keyword in call.keywords:
        if keyword.arg not in row.keywords:
            return f"the argument `{keyword.arg or '**'}`"
        if keyword.arg == parameter and _is_text(keyword.value, value):
            return f'{parameter}="{value}"'
    place = row.keywords.index(parameter) if parameter else len(call.args)
    if place < len(call.args) and _is_text(call.args[place], value):
        return f'{parameter}="{value}"'
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return "arguments that this line does not show"
    return ""


def _is_text(node: ast.expr, value: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == value


def explain_loss(symbol: str) -> Lost:
    """Explains why a private name without a public counterpart cannot stay."""
    path = f"tensorflow{symbol.removeprefix('tf')}"
    reason, recipe = not_public.explain_absence(symbol)
    if path.startswith("tensorflow.python.keras"):
        return _OF_KERAS
    row = kept_names.find(path)
    if row is not None:
        if row.known.is_proof:
            spelled = ".".join(path.split(".")[:-1])
            return Lost(
                "a private name, which `tf.compat.v1` does not have as an attribute",
                f"Import it: from {spelled} import {path.rpartition('.')[2]}.",
            )
        return Lost(_LOST[row.known], recipe)
    module = kept_names.find_module(path)
    if kept_names.has_module(module) is False:
        return Lost(
            f"TensorFlow 2.21 does not have the private module `{module}`", recipe
        )
    if module == path:
        return _WHOLE
    return Lost(reason, recipe)
