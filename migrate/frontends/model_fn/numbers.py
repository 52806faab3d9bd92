"""Numbers of layers without names: those that Keras draws, and those that a scope counts.

for units in params["hidden_units"]:
    net = tf.layers.dense(net, units)

Outside of variable scopes Keras counts as TF1 did. In one, `unique_name` counts where the
layer is made: so the order in which Python makes them has to be that of TF1, and no other
name may be one of those that are counted.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable, Sequence

from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.naming import Names
from migrate.program.keras_layers import Layer
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table


def drop_numbers_of_loops(
    layers: Sequence[Layer],
    kinds: set[str],
    is_maker: Callable[[ast.Call], bool],
) -> list[Layer]:
    """Leaves it to Keras to number layers of kinds that a loop makes.

    Args:
      is_maker: whether a call is one of a function that makes layers.

    Raises:
      NotSplit: Keras would number them in another order than TF1.
    """
    found = []
    for layer in layers:
        kind = layer.row.default_name
        if kind not in kinds or layer.scope or not layer.row.has_weights:
            found.append(layer)
            continue
        given = layer.name
        if isinstance(given, ast.Constant):
            if re.fullmatch(rf"{kind}(_\d+)?", str(given.value)):
                raise NotSplit(
                    layer.call,
                    "a layer has a name that TensorFlow 1 gives to layers "
                    f"without a name ({kind})",
                )
            found.append(layer)
            continue
        alike = {x.call for x in layers if x.row.default_name == kind}
        _check_order(layer, alike, is_maker)
        named = isinstance(given, str)
        found.append(dataclasses.replace(layer, name=None) if named else layer)
    return found


def number_layers_in_scopes(
    layers: Sequence[Layer],
    names_of: Callable[[Layer], Names],
    is_maker: Callable[[ast.Call], bool],
) -> list[Layer]:
    """Lets each scope count the layers of kinds that are counted in it.

    Args:
      names_of: what the scope of a layer has given.
      is_maker: whether a call is one of a function that makes layers.

    Raises:
      NotSplit: they would be numbered otherwise than by TF1.
    """
    found = []
    for layer in layers:
        kind, given = layer.row.default_name, names_of(layer)
        unnamed = isinstance(layer.name, str) and layer.several is None
        if not unnamed or not layer.row.has_weights:
            found.append(layer)
            continue
        counted = kind in given.counted
        for other in layers:
            _check_apart(layer, other, counted, names_of(other) is given)
        if counted:
            alike = {
                x.call
                for x in layers
                if x.row.default_name == kind and names_of(x) is given
            }
            _check_order(layer, alike, is_maker)
            layer = dataclasses.replace(layer, name=kind, counted=True)
        found.append(layer)
    return found


def _check_order(
    layer: Layer, alike: set[ast.Call], is_maker: Callable[[ast.Call], bool]
) -> None:
    """Refuses an unnamed layer that is made in the call of another layer."""
    for inner in walk_breadth_first(layer.inputs) if layer.inputs is not None else ():
        if isinstance(inner, ast.Call) and (inner in alike or is_maker(inner)):
            raise NotSplit(
                layer.call,
                "a layer without a name is made in the call of another layer",
            )


def _check_apart(layer: Layer, other: Layer, counted: bool, beside: bool) -> None:
    """Refuses a name or scope beside a layer that the layer itself may get.

    Args:
      counted: whether the kind is, so that any of its names may be given.
      beside: whether the other one is in the same scope.
    """
    kind, depth = layer.row.default_name, len(layer.scope)
    part: object = None
    if beside:
        named = isinstance(other.name, ast.expr) and other.row is not table.WEIGHT
        part = other.name if counted and named else None
    elif len(other.scope) > depth:
        same = list(map(ast.unparse, other.scope[:depth])) == list(
            map(ast.unparse, layer.scope)
        )
        part = other.scope[depth] if same else None
    if not isinstance(part, ast.expr):
        return
    if not counted and not isinstance(part, ast.Constant):
        return
    if _may_be(part, kind):
        raise NotSplit(
            other.call,
            "a layer has a name in a scope in which TensorFlow 1 numbers "
            f"layers ({kind})",
        )


def _may_be(name: ast.expr, kind: str) -> bool:
    """Whether a name may be the kind's with a number, or without."""
    if isinstance(name, ast.Constant):
        first = str(name.value).partition("/")[0]
        return re.fullmatch(rf"{re.escape(kind)}(_\d+)?", first) is not None
    begins = find_beginning(name)
    return kind.startswith(begins) or bool(
        re.fullmatch(rf"{re.escape(kind)}(_\d*)?", begins)
    )


def find_beginning(name: ast.expr) -> str:
    """The text that a name surely begins with."""
    if isinstance(name, ast.Constant):
        return str(name.value)
    if isinstance(name, ast.BinOp):
        return _take_text_before_format(find_beginning(name.left), name.op)
    if isinstance(name, ast.JoinedStr) and name.values:
        return find_beginning(name.values[0])
    if isinstance(name, ast.Call) and isinstance(name.func, ast.Attribute):
        if name.func.attr == "format":
            return find_beginning(name.func.value).partition("{")[0]
    return ""


def _take_text_before_format(text: str, op: ast.operator) -> str:
    return text.partition("%")[0] if isinstance(op, ast.Mod) else text
