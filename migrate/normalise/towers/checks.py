"""Refuses what towers do and replicas would do otherwise, or not at all."""

from __future__ import annotations

import ast

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.normalise.towers.view import Unclear, View
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables.layers import LAYER_FUNCTIONS

_NOT_SHARED = frozenset({"tf.Variable", "tf.contrib.eager.Variable"})
# Function that names variables -> the position of its name.
_NAMES = {
    "tf.get_variable": ("name", 0),
    "tf.variable_scope": ("name_or_scope", 0),
    "tf.variable_op_scope": ("name_or_scope", 1),
    "tf.make_template": ("name_", 0),
}
_LAYERS = ("tf.layers.", "tf.contrib.layers.", "tf.keras.layers.")
_OWN = "every tower makes its own variable"
_NOT_READ = frozenset(
    {"tf.layers.BatchNormalization"}
    | {"tf.keras.layers.BatchNormalization", "tf.contrib.layers.batch_norm"}
    | {"tf.nn.fused_batch_norm"}
)


def check(view: View) -> None:
    """Checks the loop and all that it calls.

    Raises:
      Unclear: its towers make variables of their own, move averages, or apply their
        gradients.
    """
    loop = view.loop
    if loop.orelse or isinstance(loop.target, ast.Starred):
        raise Unclear
    for root in [loop, *reach.find_reached(view.scopes, [loop])]:
        for node in walk_breadth_first(root):
            if isinstance(node, (ast.Break, ast.Continue)) and root is loop:
                raise Unclear
            if isinstance(node, ast.Call):
                _check_call(view, node)
    numbered = find_plain_names(loop.target)
    _check_names(view.scopes, loop, numbered, frozenset())


def _check_names(
    scopes: Scopes, root: ast.AST, numbered: set[str], seen: frozenset[ast.AST]
) -> None:
    """Checks that no variable is named by the tower: `get_variable("scale_%d" % i)`.

    Args:
      numbered: names that hold the tower's number, or what is made of it.
    """
    numbered = set(numbered)
    for statement in walk_breadth_first(root):
        if isinstance(statement, ast.Assign) and not any(
            isinstance(n, (ast.Call, ast.Subscript)) and not _formats(n)
            for n in walk_breadth_first(statement.value)
        ):
            if names.find_reads(statement.value) & numbered:
                numbered |= names.find_binds(statement)
    for call in walk_breadth_first(root):
        if not isinstance(call, ast.Call):
            continue
        symbol = scopes.resolve(call.func) or ""
        given = None
        if symbol in _NAMES:
            given = names.find_argument(call, *_NAMES[symbol])
        elif symbol.startswith(_LAYERS):
            given = names.find_argument(call, "name") or names.find_argument(
                call, "scope"
            )
        if given is not None and names.find_reads(given) & numbered:
            raise Unclear(_OWN)
        function = find_called_function(scopes, call)
        if function is None or function in seen:
            continue
        parameters = [a.arg for a in function.args.args]
        passed = {
            parameter
            for parameter, value in (
                *zip(parameters, call.args),
                *((k.arg, k.value) for k in call.keywords if k.arg),
            )
            if names.find_reads(value) & numbered and _is_plain(value)
        }
        if passed:
            _check_names(scopes, function, passed, seen | {function})


def _formats(node: ast.AST) -> bool:
    """Whether it is `"scale_{}".format(i)`, or `str(i)`."""
    return isinstance(node, ast.Call) and (
        (isinstance(node.func, ast.Attribute) and node.func.attr == "format")
        or names.find_key(node.func) in ("str", "int")
    )


def _is_plain(value: ast.expr) -> bool:
    """Whether it is a number or a text, and no element of a list of tensors."""
    return not any(
        (isinstance(n, ast.Call) and not _formats(n)) or isinstance(n, ast.Subscript)
        for n in walk_breadth_first(value)
    )


def find_called_function(scopes: Scopes, call: ast.Call) -> ast.FunctionDef | None:
    """The function of the text that is called."""
    if not isinstance(call.func, ast.Name):
        return None
    owner = scopes.find_scope(call.func).find_owner(call.func.id)
    bound = owner.bindings.get(call.func.id, []) if owner is not None else []
    if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
        return bound[0]
    return None


def _check_call(view: View, node: ast.Call) -> None:
    symbol = view.scopes.resolve(node.func) or ""
    if symbol in _NOT_SHARED:
        raise Unclear(_OWN)
    layer = LAYER_FUNCTIONS.get(symbol)
    if layer is not None and layer.has_weights and "reuse" not in view.text.source:
        raise Unclear("every tower makes its own layer, because nothing is reused")
    if symbol in _NOT_READ:
        raise Unclear("towers normalise batches, each only by its own part")
    if not isinstance(node.func, ast.Attribute) or symbol:
        return
    if node.func.attr == "apply_gradients":
        raise Unclear("every tower applies its own gradients")
