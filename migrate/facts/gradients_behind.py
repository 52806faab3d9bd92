"""Gradients that TF1 computed behind an update of the same variables.

    with tf.control_dependencies([train_d]):
        train_g = tf.train.AdamOptimizer(rate).minimize(loss_g, var_list=variables_g)

In one process a variable of TF1 was read once in a run, and what was read was the
variable's own buffer. So these gradients were computed from the variables after
`train_d`, and from the values of the forward pass before it (measured with TF 1.15.5). A
tape computes both from before. Resource variables, and those of a server, are read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names, resource_variables
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

CODE = "S136"
RECIPE = "Run the two updates one after the other, each in a run of its own."
_WAITS = "tf.control_dependencies"
_UPDATES = frozenset({"minimize", "apply_gradients"})
_DIFFERENTIATES = frozenset({"minimize", "compute_gradients"})
# What two losses may share although they have no variable in common.
_NO_VARIABLES = frozenset(
    {"tf.constant", "tf.placeholder", "tf.placeholder_with_default", "tf.one_hot"}
)
_ELSEWHERE = frozenset({"tf.train.Server", "tf.train.replica_device_setter"})
# A strategy's variables, and Keras's, are resources.
_STRATEGIES = frozenset({"train_distribute"})
_MAKERS = (
    "tf.layers.",
    "tf.contrib.",
    "tf.Variable",
    "tf.get_variable",
    "tf.nn.rnn_cell",
)


def explain(update: str) -> str:
    return (
        f"in TensorFlow 1 these gradients were computed after `{update}`, so they "
        "mixed the changed variables with values of the forward pass from before. "
        "TensorFlow 2 computes them from the variables as they were before"
    )


def find(scopes: Scopes) -> Iterator[tuple[ast.Call, str]]:
    """Yields calls that compute such gradients, each with the update before it."""
    if _reads_again(scopes):
        return
    for node in scopes.walk():
        if isinstance(node, ast.Call) and scopes.resolve(node.func) == _WAITS:
            block = scopes.parents.get(scopes.parents[node])
            if isinstance(block, ast.With) and node.args:
                yield from _find_in_block(scopes, block, node.args[0])


def _reads_again(scopes: Scopes) -> bool:
    """Whether all variables are resources, or belong to a server."""
    symbols = {symbol for _, symbol in scopes.walk_uses()}
    if resource_variables.uses_resource_variables(scopes) or symbols & _ELSEWHERE:
        return True
    if any(isinstance(n, ast.keyword) and n.arg in _STRATEGIES for n in scopes.walk()):
        return True
    keras = any(symbol.startswith("tf.keras.") for symbol in symbols)
    return keras and not any(symbol.startswith(_MAKERS) for symbol in symbols)


def _find_in_block(
    scopes: Scopes, block: ast.With, waited: ast.expr
) -> Iterator[tuple[ast.Call, str]]:
    before = list(_list_updates(scopes, waited, set()))
    inside = [n for s in block.body for n in walk_breadth_first(s)]
    for call in inside if before else ():
        loss = _find_loss(scopes, call)
        if loss is None:
            continue
        assert isinstance(call, ast.Call)
        for update in before:
            first = _find_loss_of_update(scopes, update)
            if first is None or _may_share_variables(scopes, loss, first):
                yield call, ast.unparse(_find_name(scopes, update))
                break


def _may_share_variables(scopes: Scopes, loss: ast.expr, other: ast.expr) -> bool:
    if any(_is_given(scopes, node) for node in (loss, other)):
        return True  # What a caller gives may have anything in common.
    return not _list_needed(scopes, loss).isdisjoint(_list_needed(scopes, other))


def _find_name(scopes: Scopes, update: ast.Call) -> ast.AST:
    """The name that an update has, or the function that makes it."""
    parent = scopes.parents.get(update)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        return parent.targets[0]
    return update.func


def _list_updates(
    scopes: Scopes, node: ast.expr, seen: set[ast.AST]
) -> Iterator[ast.Call]:
    """Lists the updates by optimizers that an expression stands for."""
    for part in walk_breadth_first(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            if part.func.attr in _UPDATES and not scopes.resolve(part.func):
                yield part
        for value in _list_values(scopes, part):
            if value not in seen:
                seen.add(value)
                yield from _list_updates(scopes, value, seen)


def _list_values(scopes: Scopes, node: ast.AST) -> Iterator[ast.expr]:
    """What a name, or an attribute of `self`, is assigned anywhere."""
    key = names.find_key(node)
    if key is None or not isinstance(getattr(node, "ctx", None), ast.Load):
        return
    if isinstance(node, ast.Name):
        owner = scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
    else:
        bound = [
            n
            for n in scopes.walk()
            if isinstance(n, ast.Assign) and key in map(names.find_key, n.targets)
        ]
    for statement in bound:
        if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            if statement.value is not None:
                yield statement.value


def _find_loss(scopes: Scopes, node: ast.AST) -> ast.expr | None:
    """What a call differentiates."""
    if not isinstance(node, ast.Call):
        return None
    if scopes.resolve(node.func) == "tf.gradients":
        return names.find_argument(node, "ys", 0)
    if isinstance(node.func, ast.Attribute) and node.func.attr in _DIFFERENTIATES:
        return names.find_argument(node, "loss", 0)
    return None


def _find_loss_of_update(scopes: Scopes, update: ast.Call) -> ast.expr | None:
    """What the gradients of an update are of; None if they are not found."""
    assert isinstance(update.func, ast.Attribute)
    if update.func.attr == "minimize":
        return _find_loss(scopes, update)
    found = [
        loss
        for part in _walk_values(scopes, update)
        if (loss := _find_loss(scopes, part)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _walk_values(scopes: Scopes, node: ast.AST) -> Iterator[ast.AST]:
    """Walks an expression, and the values of all names that it needs."""
    seen: set[ast.AST] = set()
    left: list[ast.AST] = [node]
    while left:
        for part in walk_breadth_first(left.pop()):
            yield part
            for value in _list_values(scopes, part):
                if value not in seen:
                    seen.add(value)
                    left.append(value)


def _list_needed(scopes: Scopes, loss: ast.expr) -> set[tuple[int, str]]:
    """Names of what a loss is computed from, if it may have variables."""
    found: set[tuple[int, str]] = set()
    for part in _walk_values(scopes, loss):
        key = names.find_key(part)
        if key is None or not isinstance(getattr(part, "ctx", None), ast.Load):
            continue
        if scopes.import_path(part) or _has_no_variables(scopes, part):
            continue
        if isinstance(part, ast.Attribute):
            found.add((0, key))
        elif isinstance(part, ast.Name) and not _is_given(scopes, part):
            owner = scopes.find_scope(part).find_owner(part.id)
            if owner is not None:
                found.add((id(owner), key))
    return found


def _is_given(scopes: Scopes, node: ast.AST) -> bool:
    """Whether a name is a parameter."""
    if not isinstance(node, ast.Name):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings[node.id] if owner is not None else []
    return bool(bound) and all(isinstance(b, ast.arg) for b in bound)


def _has_no_variables(scopes: Scopes, node: ast.AST) -> bool:
    """Whether a name stands for a feed, a constant, data or an initializer."""
    values = list(_list_values(scopes, node))
    return bool(values) and all(
        isinstance(value, (ast.Constant, ast.List, ast.Tuple, ast.Dict))
        or (
            isinstance(value, ast.Call)
            and (
                scopes.resolve(value.func) in _NO_VARIABLES
                or roles.is_initializer(scopes.resolve(value.func) or "")
                or getattr(value.func, "attr", "") == "get_next"
            )
        )
        for value in values
    )
