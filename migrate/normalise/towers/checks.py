"""Refuses what towers do and replicas would do otherwise, or not at all."""

from __future__ import annotations

import ast

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.normalise.towers.view import Unclear, View
from migrate.rules.mistakes.mistake import find_binding
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
# Methods by which lists, dicts and sets change.
_CHANGES = frozenset(
    {"append", "extend", "insert", "update", "setdefault", "add", "pop", "remove"}
    | {"clear", "discard", "popitem", "appendleft", "extendleft", "reverse", "sort"}
)
_CHANGED = "a tower changes a list, dict or object in a way that the tool does not read"
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
            if root is not loop and isinstance(node, ast.expr):
                _check_shared_objects(view.scopes, node)
            if isinstance(node, ast.Call):
                _check_call(view, node)
    numbered = find_plain_names(loop.target)
    _check_names(view.scopes, loop, numbered, frozenset())


def check_changes(view: View, statement: ast.stmt) -> None:
    """Checks that a tower's statement changes no object that all towers fill together.

    A replica would fill it with what is its own.

    Raises:
      Unclear: it changes one.
    """
    own = names.find_binds(view.loop)
    for node in walk_breadth_first(statement):
        if not isinstance(node, ast.expr):
            continue
        if any(name not in own for name in _find_changed(view.scopes, node)):
            raise Unclear(_CHANGED)


def _check_shared_objects(scopes: Scopes, node: ast.expr) -> None:
    """Checks that a function of the towers changes no object of the module.

    Raises:
      Unclear: it changes one.
    """
    for name in _find_changed(scopes, node):
        owner = scopes.find_scope(node).find_owner(name)
        if owner is scopes.module:
            raise Unclear(_CHANGED)


def _find_changed(
    scopes: Scopes, node: ast.expr, seen: frozenset[ast.AST] = frozenset()
) -> set[str]:
    """Names whose objects an expression changes: by a store, a method, or a function."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        # `self.loss` is as a name.
        bound = isinstance(node.ctx, ast.Load) or names.find_key(node) is not None
        return set() if bound else _find_root(node.value)
    if not isinstance(node, ast.Call):
        return set()
    if isinstance(node.func, ast.Attribute) and scopes.resolve(node.func) is None:
        if node.func.attr in _CHANGES:
            return _find_root(node.func.value)
    if isinstance(node.func, ast.Name):
        made = find_binding(scopes, node.func)
        if isinstance(made, ast.Attribute) and made.attr in _CHANGES:
            return _find_root(made.value)  # `add = losses.append`, called.
    function = find_called_function(scopes, node)
    found: set[str] = set()
    if function is not None:
        changed = _find_changed_parameters(scopes, function, seen)
        parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        given = [
            *zip(parameters, node.args),
            *((k.arg, k.value) for k in node.keywords),
        ]
        for parameter, value in given:
            if parameter in changed:
                found |= _find_root(value)
    return found


def _find_changed_parameters(
    scopes: Scopes, function: ast.FunctionDef, seen: frozenset[ast.AST]
) -> set[str]:
    """Parameters whose objects a function changes, itself or by a function of the text."""
    if function in seen:
        return set()
    parameters = {
        a.arg for a in walk_breadth_first(function.args) if isinstance(a, ast.arg)
    }
    rebound = set().union(*[names.find_binds(s) for s in function.body])
    return {
        name
        for statement in function.body
        for node in walk_breadth_first(statement)
        if isinstance(node, ast.expr)
        for name in _find_changed(scopes, node, seen | {function})
    } & (parameters - rebound)


def _find_root(node: ast.expr) -> set[str]:
    """Returns the name at whose end an object hangs: `found` of `found[i].items`."""
    while True:
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value  # `found.setdefault(v, []).append(g)`.
        else:
            return {node.id} if isinstance(node, ast.Name) else set()


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
