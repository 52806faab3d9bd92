"""Replaces placeholders that only describe the inputs of a raw serving receiver.

    spec = {"x": tf.placeholder(tf.float32, [None, 3], name="x")}
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(spec)

TF1 read their type, shape and name, and made others in the graph of the export. A
tf.TensorSpec has the same information without a graph. The dictionary may be written out,
also as a comprehension, or filled by keys. A placeholder may have a name of its own first.
Without `name` TF1 numbered them. The emitted receiver does so, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, make_code
from migrate.source.nodes import walk_breadth_first

_PLACEHOLDER = "tf.placeholder"
_RECEIVERS = (
    "tf.estimator.export.build_raw_serving_input_receiver_fn",
    "tf.contrib.learn.build_raw_serving_input_receiver_fn",
)


def find_specs(scopes: Scopes) -> Iterator[tuple[ast.Call, Code]]:
    """Yields calls of tf.placeholder that become specs, with the specs."""
    for node, symbol in scopes.walk_uses():
        call = scopes.parents.get(node)
        if symbol == _PLACEHOLDER and isinstance(call, ast.Call) and call.func is node:
            bound = names.bind_arguments(call, ("dtype", "shape", "name"))
            if bound is None or "dtype" not in bound:
                continue
            if _describes(call, scopes):
                parts: list[str | ast.AST] = ["tf.TensorSpec(shape="]
                parts += [bound.get("shape", "None"), ", dtype=", bound["dtype"]]
                if "name" in bound:
                    parts += [", name=", bound["name"]]
                yield call, make_code(*parts, ")")


def _describes(given: ast.expr, scopes: Scopes) -> bool:
    """Whether an expression is only a value in dictionaries of receivers."""
    within = scopes.parents.get(given)
    if isinstance(within, ast.Dict):
        return any(given is v for v in within.values) and _is_received(within, scopes)
    if isinstance(within, ast.DictComp):
        return given is within.value and _is_received(within, scopes)
    if not isinstance(within, ast.Assign) or len(within.targets) != 1:
        return False
    (target,) = within.targets
    if isinstance(target, ast.Subscript):  # spec["x"] = tf.placeholder(...)
        return isinstance(target.value, ast.Name) and _is_only_received(
            target.value, scopes
        )
    if isinstance(target, ast.Name):  # x = tf.placeholder(...)
        reads = _list_reads(target, scopes)
        return bool(reads) and all(_describes(read, scopes) for read in reads)
    return False


def _is_received(dictionary: ast.expr, scopes: Scopes) -> bool:
    """Whether only receivers get a dictionary."""
    use = scopes.parents.get(dictionary)
    if _builds_receiver(use, dictionary, scopes):
        return True
    if not isinstance(use, ast.Assign) or len(use.targets) != 1:
        return False
    (target,) = use.targets
    return isinstance(target, ast.Name) and _is_only_received(target, scopes)


def _is_only_received(name: ast.Name, scopes: Scopes) -> bool:
    """Whether a name's dictionary is only filled by keys and given to receivers."""
    given = False
    for read in _list_reads(name, scopes):
        use = scopes.parents.get(read)
        if _builds_receiver(use, read, scopes):
            given = True
        elif not (isinstance(use, ast.Subscript) and isinstance(use.ctx, ast.Store)):
            return False
    return given


def _list_reads(name: ast.Name, scopes: Scopes) -> list[ast.Name]:
    """Returns the reads of a name that is bound once; nothing if it is bound again."""
    owner = scopes.find_scope(name).find_owner(name.id)
    if owner is None or len(owner.bindings[name.id]) != 1:
        return []
    return [
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Name)
        and node.id == name.id
        and isinstance(node.ctx, ast.Load)
        and scopes.find_scope(node).find_owner(node.id) is owner
    ]


def _builds_receiver(use: ast.AST | None, given: ast.expr, scopes: Scopes) -> bool:
    if isinstance(use, ast.keyword):
        use = scopes.parents.get(use)
    return (
        isinstance(use, ast.Call)
        and use.func is not given
        and scopes.resolve(use.func) in _RECEIVERS
    )
