"""D102: from_logits=True behind a softmax, and a loss of probabilities given logits.

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
from migrate.program.code import Code, join_code, make_code
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import (
    Mistake,
    find_binding,
    find_method,
    find_name,
    list_calls,
)
from migrate.source.nodes import walk_breadth_first
from migrate.tables import symbols

_LOSSES = {
    "tf.keras.losses.SparseCategoricalCrossentropy": "softmax",
    "tf.keras.losses.CategoricalCrossentropy": "softmax",
    "tf.keras.losses.BinaryCrossentropy": "sigmoid",
    "tf.keras.losses.sparse_categorical_crossentropy": "softmax",
    "tf.keras.losses.categorical_crossentropy": "softmax",
    "tf.keras.losses.binary_crossentropy": "sigmoid",
}
# Names of losses that take probabilities.
_BY_NAME = {
    "sparse_categorical_crossentropy": "SparseCategoricalCrossentropy",
    "categorical_crossentropy": "CategoricalCrossentropy",
    "binary_crossentropy": "BinaryCrossentropy",
}
# Losses of a graph that apply a softmax -> the position of their logits.
_OF_GRAPHS = {
    "tf.nn.softmax_cross_entropy_with_logits": 2,
    "tf.nn.softmax_cross_entropy_with_logits_v2": 1,
    "tf.nn.sparse_softmax_cross_entropy_with_logits": 2,
    "tf.losses.softmax_cross_entropy": 1,
    "tf.losses.sparse_softmax_cross_entropy": 1,
    "tf.nn.sigmoid_cross_entropy_with_logits": 2,
    "tf.losses.sigmoid_cross_entropy": 1,
}
_SQUASHES = {
    "softmax": frozenset({"tf.nn.softmax", "tf.contrib.layers.softmax"}),
    "sigmoid": frozenset({"tf.sigmoid", "tf.nn.sigmoid", "tf.math.sigmoid"}),
}
_DENSE = "tf.keras.layers.Dense"


def find_in_graphs(scopes: Scopes) -> Iterator[Mistake]:
    """Reports losses of TensorFlow 1 whose logits have been through a softmax."""
    for call, symbol in list_calls(scopes):
        position = _OF_GRAPHS.get(symbol)
        if position is None:
            continue
        given = names.find_argument(call, "logits", position)
        made = values.find_single(scopes, given) if given is not None else None
        if not isinstance(made, ast.Call):
            continue
        squash = "sigmoid" if "sigmoid" in symbol else "softmax"
        function = scopes.resolve(made.func)
        if function in ("tf.layers.dense", "tf.contrib.layers.fully_connected"):
            name = "activation" if function == "tf.layers.dense" else "activation_fn"
            shown = names.find_argument(made, name, 2)
            function = scopes.resolve(shown) if shown is not None else None
        if function in _SQUASHES[squash]:
            yield Mistake(
                call,
                "D102",
                f"the loss applies a {squash}, but its logits have already been "
                "through one",
                f"Give the loss the value from before the {squash}.",
                symbol=symbol,
                kept=True,
            )


def _find_compiled_by_name(scopes: Scopes, ends: list[ast.Call]) -> Iterator[Mistake]:
    """Reports `compile(loss="categorical_crossentropy")` for a model that gives logits."""
    compiled = [
        c for c, s in list_calls(scopes) if find_method(c) == "compile" and not s
    ]
    if len(ends) != 1 or len(compiled) != 1:
        return
    given = names.find_argument(compiled[0], "loss", 1)
    name = _BY_NAME.get(str(names.read_literal(given))) if given is not None else None
    if given is not None and name is None:
        shown = find_name(scopes, given)  # The loss function itself.
        if shown.startswith("tf.keras.losses."):
            name = _BY_NAME.get(shown.rpartition(".")[2])
    if name is None or given is None:
        return
    if _find_activation(scopes, ends[0]) != "" or _squashes(scopes):
        return
    fix = make_code(f"tf.keras.losses.{name}(from_logits=True)")
    # A program of TensorFlow 1 gets another Keras when it is migrated.
    certain = scopes.find_imported_path("tf") == "tensorflow" and not (
        scopes.is_tf1(symbols.exists_in_tf2) or scopes.imports_compat()
    )
    yield Mistake(
        given,
        "D102",
        "the model ends without an activation, so it gives logits, but the loss of "
        "this name expects probabilities",
        f"tf.keras.losses.{name}(from_logits=True)",
        ((given, fix),) if certain else (),
        f"tf.keras.losses.{name}",
    )


def _is_loss(scopes: Scopes, call: ast.Call, symbol: str) -> bool:
    """Whether a call makes a loss object, or computes a loss in place."""
    if symbol not in _LOSSES:
        return False
    if symbol.rpartition(".")[2] not in _BY_NAME:
        return True
    given = names.find_argument(call, "y_pred", 1)
    made = values.find_single(scopes, given) if given is not None else None
    # The output of a model, without further computation.
    return isinstance(made, ast.Call) and not find_name(scopes, made.func)


def find(scopes: Scopes) -> Iterator[Mistake]:
    losses = [(call, s) for call, s in list_calls(scopes) if _is_loss(scopes, call, s)]
    ends = list(_list_last_layers(scopes))
    if not ends:
        # A class that ends without an activation may do more afterwards, unless the
        # only loss is compiled with it.
        ends = list(_find_last_layers(scopes))
        if not (len(losses) == 1 and _is_compiled_with(scopes, losses[0][0])):
            ends = [e for e in ends if _find_activation(scopes, e)]
    if not losses:
        yield from _find_compiled_by_name(scopes, ends)
    if len(losses) != 1 or len(ends) != 1:
        return  # Unknown which loss belongs to which model.
    call, symbol = losses[0]
    activation = _find_activation(scopes, ends[0])
    in_place = symbol.rpartition(".")[2] in _BY_NAME
    given = names.find_argument(call, "from_logits", 2 if in_place else 0)
    if given is not None and not isinstance(given, ast.Constant):
        return
    logits = bool(given is not None and names.read_literal(given))
    if logits and activation == _LOSSES[symbol] and given is not None:
        yield Mistake(
            call,
            "D102",
            f"the loss has from_logits=True and applies a {activation}, but the "
            "model already ends with one",
            "Write `from_logits=False`, or remove the activation of the last layer.",
            ((given, make_code("False")),),
            symbol,
        )
    elif not logits and activation == "" and not _squashes(scopes):
        edit: tuple[ast.expr, Code]
        if given is not None:
            edit = (given, make_code("True"))
        else:
            parts: list[Code] = [make_code(a) for a in call.args]
            parts += [make_code(f"{k.arg}=", k.value) for k in call.keywords if k.arg]
            if len(parts) != len(call.args) + len(call.keywords):
                return
            if call.args and not in_place:
                return
            told = make_code("from_logits=True")
            fixed = join_code(", ", [*parts, told] if in_place else [told, *parts])
            edit = (call, make_code(call.func, "(", fixed, ")"))
        yield Mistake(
            call,
            "D102",
            "the model ends without an activation, so it gives logits, but the "
            "loss expects probabilities",
            "from_logits=True",
            (edit,),
            symbol,
        )


def _is_compiled_with(scopes: Scopes, loss: ast.Call) -> bool:
    """Whether `model.compile` gets a loss, for a model of a class of the file."""
    call = scopes.parents[loss]
    call = scopes.parents[call] if isinstance(call, ast.keyword) else call
    if not isinstance(call, ast.Call) or find_method(call) != "compile":
        return False
    assert isinstance(call.func, ast.Attribute)
    made = find_binding(scopes, call.func.value)
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name):
        return False
    classes = {n.name for n in scopes.tree.body if isinstance(n, ast.ClassDef)}
    return made.func.id in classes


def _squashes(scopes: Scopes) -> bool:
    """Whether the module makes probabilities of anything, by any name."""
    return any(
        isinstance(node, (ast.Attribute, ast.Name))
        and (node.attr if isinstance(node, ast.Attribute) else node.id).lower()
        in ("softmax", "sigmoid", "expit", "log_softmax")
        for node in scopes.walk()
    )


def _list_last_layers(scopes: Scopes) -> Iterator[ast.Call]:
    """Yields the last layer of every model of the module."""
    added: dict[str, ast.Call] = {}
    for call, symbol in list_calls(scopes):
        if symbol in ("tf.keras.Sequential", "tf.keras.models.Sequential"):
            layers = names.find_argument(call, "layers", 0)
            if isinstance(layers, ast.List) and layers.elts:
                last = layers.elts[-1]
                if isinstance(last, ast.Call):
                    yield last
        elif symbol in ("tf.keras.Model", "tf.keras.models.Model"):
            outputs = names.find_argument(call, "outputs", 1)
            made = find_binding(scopes, outputs) if outputs is not None else None
            made = made if made is not None else outputs
            if isinstance(made, ast.Call) and isinstance(made.func, ast.Call):
                yield made.func
        elif (
            find_method(call) == "add"
            and call.args
            and isinstance(call.args[0], ast.Call)
        ):
            assert isinstance(call.func, ast.Attribute)
            key = names.find_key(call.func.value)
            if key is not None and find_name(scopes, call.args[0].func).startswith(
                "tf.keras.layers."
            ):
                known = added.get(key)
                if known is None or known.lineno < call.lineno:
                    added[key] = call.args[0]
    yield from added.values()


def _find_last_layers(scopes: Scopes) -> Iterator[ast.Call]:
    """Yields the last layer of models that are classes: `return self.last(x)`."""
    for owner in walk_breadth_first(scopes.tree):
        if not isinstance(owner, ast.ClassDef) or not any(
            find_name(scopes, base) in ("tf.keras.Model", "tf.keras.models.Model")
            for base in owner.bases
        ):
            continue
        layers = {
            names.find_key(node.targets[0]): node.value
            for node in walk_breadth_first(owner)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        }
        for function in owner.body:
            if isinstance(function, ast.FunctionDef) and function.name == "call":
                given = [
                    n.value
                    for n in walk_breadth_first(function)
                    if isinstance(n, ast.Return)
                ]
                last = given[0] if len(given) == 1 else None
                if isinstance(last, ast.Name):
                    last = values.find_latest_value(scopes, last) or last
                if isinstance(last, ast.Call) and find_name(scopes, last.func) in (
                    frozenset().union(*_SQUASHES.values())
                ):
                    yield last
                    continue
                made = (
                    layers.get(names.find_key(last.func))
                    if isinstance(last, ast.Call)
                    else None
                )
                if made is not None:
                    yield made


def _find_activation(scopes: Scopes, layer: ast.Call) -> str | None:
    """Returns how a layer ends: "softmax", "sigmoid", "" for nothing; None if unknown."""
    symbol = find_name(scopes, layer.func)
    if symbol == "tf.keras.layers.Softmax":
        return "softmax"
    for squash, functions in _SQUASHES.items():
        if symbol in functions:
            return squash
    if symbol == "tf.keras.layers.Activation":
        given = names.find_argument(layer, "activation", 0)
    elif symbol == _DENSE:
        given = names.find_argument(layer, "activation", 1)
        if given is None or (isinstance(given, ast.Constant) and given.value is None):
            return ""
    else:
        return None
    if given is None:
        return None
    text = names.read_literal(given)
    if isinstance(text, str):
        return text if text != "linear" else ""
    shown = find_name(scopes, given)
    return shown.rpartition(".")[2] if shown else None
