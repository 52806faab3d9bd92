"""Sizes that a replica's sum of losses is divided by: of the whole batch, or of its part.

total / SIZE_PER_REPLICA            # GLOBAL = SIZE_PER_REPLICA * num_replicas_in_sync
total / images.shape[0]             # of what the step is given
total / tf.cast(tf.shape(images)[0], tf.float32)
total / 4                           # two replicas, batches of 8
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import (
    find_binding,
    find_method,
    find_name,
    list_calls,
)
from migrate.source.nodes import walk_breadth_first

SUMS = frozenset({"tf.reduce_sum", "tf.math.reduce_sum"})
# Functions that return the number in their argument.
_SAME = frozenset({"tf.cast", "tf.to_float", "tf.convert_to_tensor"})
_SAME_OF_PYTHON = frozenset({"float", "int"})
_FROM_FUNCTIONS = "datasets_from_function"


def find_divisor(scopes: Scopes, loss: ast.expr) -> ast.expr | None:
    """Returns the divisor of a sum over a replica's examples.

    `total / SIZE`, `total * (1. / SIZE)` and
    `tf.nn.compute_average_loss(each, global_batch_size=SIZE)`.
    """
    size: ast.expr | None = None
    if isinstance(loss, ast.BinOp) and adds_up(scopes, loss.left):
        right = loss.right
        if isinstance(loss.op, ast.Div):
            size = right
        elif (
            isinstance(loss.op, ast.Mult)
            and isinstance(right, ast.BinOp)
            and isinstance(right.op, ast.Div)
            and names.read_literal(right.left) == 1
        ):
            size = right.right
    elif (
        isinstance(loss, ast.Call)
        and find_name(scopes, loss.func) == "tf.nn.compute_average_loss"
    ):
        size = names.find_argument(loss, "global_batch_size", 2)
    return size


def adds_up(scopes: Scopes, added: ast.expr) -> bool:
    """Whether an expression is `tf.reduce_sum(...)`, or a loss object that takes the sum."""
    if not isinstance(added, ast.Call):
        return False
    made = values.find_single(scopes, added.func)
    if find_name(scopes, added.func) in SUMS or not isinstance(made, ast.Call):
        return find_name(scopes, added.func) in SUMS
    reduction = names.find_argument(made, "reduction")
    return find_name(scopes, made.func).startswith("tf.keras.losses.") and (
        (isinstance(reduction, ast.Attribute) and reduction.attr == "SUM")
        or names.read_literal(reduction) == "sum"
    )


def find_whole_batch(scopes: Scopes, part: ast.expr | None) -> ast.Name | None:
    """Returns the name of the whole batch's size, from that of a replica's part.

    `GLOBAL = PER_REPLICA * strategy.num_replicas_in_sync` shows which is which, unless a
    dataset that is distributed as a whole has batches of the smaller size.
    """
    if not isinstance(part, ast.Name) or _is_batched_by(scopes, part.id):
        return None
    for node in scopes.walk():
        if not (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.BinOp)
            and isinstance(node.value.op, ast.Mult)
        ):
            continue
        sides = (node.value.left, node.value.right)
        if any(names.find_key(s) == part.id for s in sides) and any(
            isinstance(s, ast.Attribute) and s.attr == "num_replicas_in_sync"
            for s in sides
        ):
            return node.targets[0]
    return None


def _is_batched_by(scopes: Scopes, size: str) -> bool:
    calls = [n for n in scopes.walk() if isinstance(n, ast.Call)]
    if any(find_method(c).endswith("datasets_from_function") for c in calls):
        return False  # The dataset may belong to each replica or worker.
    return any(
        find_method(c) == "batch" and bool(c.args) and names.find_key(c.args[0]) == size
        for c in calls
    )


def is_of_part(
    scopes: Scopes, step: ast.FunctionDef, home: ast.FunctionDef, size: ast.expr
) -> bool:
    """Whether a size is the number of examples that a replica gets.

    Args:
      step: the function that every replica runs.
      home: the function that contains the size: the step, or one that it calls.
    """
    of = find_counted(scopes, size)
    while isinstance(of, ast.Subscript) and isinstance(of.slice, ast.Constant):
        of = of.value
    if not isinstance(of, ast.Name):
        return False
    owner = scopes.find_scope(of).find_owner(of.id)
    if owner is None or not _is_one(scopes, owner.bindings[of.id], of.id):
        return False
    if owner.node is step:
        return of.id in _find_data(scopes, step, _find_parameters(step))
    if owner.node is not home:
        return False
    given = _find_given(scopes, step, home)
    return of.id in _find_data(scopes, home, given)


def _is_one(scopes: Scopes, bound: list[ast.AST], name: str) -> bool:
    """Whether a name is bound once; `x = tf.cast(x, tf.float32)` does not count."""
    others = [
        b
        for b in bound
        if not (
            isinstance(b, ast.Assign)
            and isinstance(b.value, ast.Call)
            and find_name(scopes, b.value.func) in _SAME
            and b.value.args
            and names.find_key(b.value.args[0]) == name
        )
    ]
    return len(others) == 1


def find_counted(scopes: Scopes, size: ast.expr) -> ast.expr | None:
    """Returns the array whose first dimension a size is: `images` of `images.shape[0]`."""
    for _ in range(6):
        if isinstance(size, ast.Name):
            made = find_binding(scopes, size)
            if made is None:
                return None
            size = made
            continue
        if isinstance(size, ast.Call):
            if names.find_key(size.func) == "len" and len(size.args) == 1:
                return size.args[0]
            same = find_name(scopes, size.func) in _SAME
            same = same or names.find_key(size.func) in _SAME_OF_PYTHON
            if not same or not size.args:
                return None
            size = size.args[0]
            continue
        break
    if not isinstance(size, ast.Subscript) or names.read_literal(size.slice) != 0:
        return None
    shape = size.value
    if isinstance(shape, ast.Call) and find_method(shape) == "as_list":
        assert isinstance(shape.func, ast.Attribute)
        shape = shape.func.value
    if isinstance(shape, ast.Attribute) and shape.attr == "shape":
        return shape.value
    if isinstance(shape, ast.Call):
        if find_name(scopes, shape.func) == "tf.shape" and shape.args:
            return shape.args[0]
        if find_method(shape) == "get_shape" and isinstance(shape.func, ast.Attribute):
            return shape.func.value
    return None


def _find_parameters(function: ast.FunctionDef) -> set[str]:
    return {a.arg for a in function.args.args} - {"self"}


def _find_data(scopes: Scopes, function: ast.FunctionDef, given: set[str]) -> set[str]:
    """Returns the names in a function that have a row for each example of its data.

    They are parts of the data, and results of a model or a loss for the data.
    """
    found = set(given)
    while True:
        more = {
            name
            for statement in walk_breadth_first(function)
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1
            for name in _find_rows(scopes, statement, found)
        } - found
        if not more:
            return found
        found |= more


def _find_rows(scopes: Scopes, statement: ast.Assign, data: set[str]) -> set[str]:
    """Returns the names that a statement binds to values with the rows of the data."""
    target, value = statement.targets[0], statement.value
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        value = value.value
    of = [value]
    if isinstance(value, ast.Call) and not find_name(scopes, value.func):
        of = value.args
    if not any(isinstance(v, ast.Name) and v.id in data for v in of):
        return set()
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return {p.id for p in parts if isinstance(p, ast.Name)}


def _find_given(
    scopes: Scopes, step: ast.FunctionDef, helper: ast.FunctionDef
) -> set[str]:
    """Returns the parameters of a function for which the step gives a replica's data."""
    found: set[str] = set()
    data = _find_data(scopes, step, _find_parameters(step))
    inside = set(walk_breadth_first(step))
    called = values.find_calls(scopes, helper) or []
    parameters = [a.arg for a in helper.args.args if a.arg != "self"]
    for at, parameter in enumerate(parameters):
        passed = [names.find_argument(c, parameter, at) for c in called]
        if passed and all(
            isinstance(p, ast.Name) and p.id in data and p in inside for p in passed
        ):
            found.add(parameter)
    return found


def is_number_of_part(scopes: Scopes, size: ast.expr, strategy: ast.expr) -> bool:
    """Whether a number is the size of a replica's part of the batches.

    This is certain if every dataset of the module has batches of one size, and the number
    of replicas that share one is known. A plain 2 may be the 2 of half a square.
    """
    part = _find_number(scopes, size)
    if part is None or (part <= 2 and not isinstance(size, ast.Name)):
        return False
    made = [c for c, _ in list_calls(scopes)]
    batches = {
        _find_number(scopes, names.find_argument(c, "batch_size", 0))
        for c in made
        if find_method(c) in ("batch", "padded_batch")
    }
    batch = batches.pop() if len(batches) == 1 else None
    if batch is None:
        return False
    whole = any(find_method(c) == "experimental_distribute_dataset" for c in made)
    if any(find_method(c).endswith(_FROM_FUNCTIONS) for c in made):
        return not whole and part == batch  # A batch belongs to one replica.
    count = _count_replicas(scopes, strategy)
    return whole and count is not None and part * count == batch


def _find_number(scopes: Scopes, node: ast.expr | None) -> float | None:
    if node is None:
        return None
    number = names.read_literal(values.find_single(scopes, node) or node)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return None
    return number


def _count_replicas(scopes: Scopes, strategy: ast.expr) -> int | None:
    """Counts the devices of a MirroredStrategy, if they are written out."""
    made = values.find_single(scopes, strategy)
    if not isinstance(made, ast.Call):
        return None
    if find_name(scopes, made.func) != "tf.distribute.MirroredStrategy":
        return None
    devices = names.find_argument(made, "devices", 0)
    devices = values.find_single(scopes, devices) if devices is not None else None
    if not isinstance(devices, (ast.List, ast.Tuple)) or len(devices.elts) < 2:
        return None
    if any(isinstance(d, ast.Starred) for d in devices.elts):
        return None
    return len(devices.elts)


def rates_divided(scopes: Scopes, *by: type[ast.operator]) -> bool:
    """Whether an optimizer is made with a quotient, such as a rate by a batch's size."""
    return any(
        isinstance(part, ast.BinOp) and isinstance(part.op, by or (ast.Div, ast.Mult))
        for call, symbol in list_calls(scopes)
        if symbol.startswith("tf.keras.optimizers.")
        for given in (*call.args, *(k.value for k in call.keywords))
        for part in walk_breadth_first(values.find_single(scopes, given) or given)
    )
