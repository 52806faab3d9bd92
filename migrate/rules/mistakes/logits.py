"""D102: from_logits=True behind a softmax. D103: a loss of probabilities given logits.

A softmax of a softmax is nearly flat, so that the model learns slowly (Keras undoes it
where it sees the first one: an activation given by name; not one given as a function of
TensorFlow, in eager execution). Logits taken for probabilities are clipped to [0, 1], so
that the model hardly learns at all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.ir import Code, code, joined
from migrate.rules.mistakes.mistake import Mistake, binding, calls, method, name_of

_LOSSES = {
    "tf.keras.losses.SparseCategoricalCrossentropy": "softmax",
    "tf.keras.losses.CategoricalCrossentropy": "softmax",
    "tf.keras.losses.BinaryCrossentropy": "sigmoid",
}
_DENSE = "tf.keras.layers.Dense"


def find(scopes: Scopes) -> Iterator[Mistake]:
    losses = [(call, s) for call, s in calls(scopes) if s in _LOSSES]
    ends = list(_last_layers(scopes))
    if len(losses) != 1 or len(ends) != 1:
        return  # Which loss is of which model is not told.
    call, symbol = losses[0]
    activation = _activation(scopes, ends[0])
    given = names.argument(call, "from_logits", 0)
    if given is not None and not isinstance(given, ast.Constant):
        return
    logits = bool(given is not None and names.literal(given))
    if logits and activation == _LOSSES[symbol] and given is not None:
        yield Mistake(
            call,
            "D102",
            f"from_logits=True, but the model ends with a {activation}: the loss applies "
            "another",
            "from_logits=False, or no activation in the last layer",
            ((given, code("False")),),
            symbol,
        )
    elif not logits and activation == "" and not _squashes(scopes):
        edit: tuple[ast.expr, Code]
        if given is not None:
            edit = (given, code("True"))
        else:
            parts: list[Code] = [code(a) for a in call.args]
            parts += [code(f"{k.arg}=", k.value) for k in call.keywords if k.arg]
            if len(parts) != len(call.args) + len(call.keywords) or call.args:
                return
            fixed = joined(", ", [code("from_logits=True"), *parts])
            edit = (call, code(call.func, "(", fixed, ")"))
        yield Mistake(
            call,
            "D103",
            "the model ends without an activation: it gives logits, and the loss takes "
            "them for probabilities",
            "from_logits=True",
            (edit,),
            symbol,
        )


def _squashes(scopes: Scopes) -> bool:
    """Whether the module makes probabilities of something, by whatever name."""
    return any(
        isinstance(node, (ast.Attribute, ast.Name))
        and (node.attr if isinstance(node, ast.Attribute) else node.id).lower()
        in ("softmax", "sigmoid", "expit", "log_softmax")
        for node in scopes.walk()
    )


def _last_layers(scopes: Scopes) -> Iterator[ast.Call]:
    """The last layer of every model of the module."""
    added: dict[str, ast.Call] = {}
    for call, symbol in calls(scopes):
        if symbol in ("tf.keras.Sequential", "tf.keras.models.Sequential"):
            layers = names.argument(call, "layers", 0)
            if isinstance(layers, ast.List) and layers.elts:
                last = layers.elts[-1]
                if isinstance(last, ast.Call):
                    yield last
        elif symbol in ("tf.keras.Model", "tf.keras.models.Model"):
            outputs = names.argument(call, "outputs", 1)
            made = binding(scopes, outputs) if outputs is not None else None
            made = made if made is not None else outputs
            if isinstance(made, ast.Call) and isinstance(made.func, ast.Call):
                yield made.func
        elif method(call) == "add" and call.args and isinstance(call.args[0], ast.Call):
            assert isinstance(call.func, ast.Attribute)
            key = names.key(call.func.value)
            if key is not None and name_of(scopes, call.args[0].func).startswith(
                "tf.keras.layers."
            ):
                known = added.get(key)
                if known is None or known.lineno < call.lineno:
                    added[key] = call.args[0]
    yield from added.values()


def _activation(scopes: Scopes, layer: ast.Call) -> str | None:
    """How a layer ends: "softmax", "sigmoid", "" without; None where it is not told."""
    symbol = name_of(scopes, layer.func)
    if symbol == "tf.keras.layers.Softmax":
        return "softmax"
    if symbol == "tf.keras.layers.Activation":
        given = names.argument(layer, "activation", 0)
    elif symbol == _DENSE:
        given = names.argument(layer, "activation", 1)
        if given is None or (isinstance(given, ast.Constant) and given.value is None):
            return ""
    else:
        return None
    if given is None:
        return None
    text = names.literal(given)
    if isinstance(text, str):
        return text if text != "linear" else ""
    shown = name_of(scopes, given)
    return shown.rpartition(".")[2] if shown else None
