"""Placeholders that only describe what a raw serving input receives.

    spec = {"x": tf.placeholder(tf.float32, [None, 3], name="x")}
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(spec)

TF1 read their type, shape and name, and made others in the graph of the export: a
tf.TensorSpec says the same without a graph. The dictionary may be written out, by a
comprehension too, or filled by keys, and a placeholder may have a name of its own first.
Without `name` TF1 numbered them; the receiver that is emitted does.
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
    """Calls of tf.placeholder that become specs, and these."""
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
    """Whether an expression is a value of dictionaries of receivers, and nothing else."""
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
    """Whether receivers are built of a dictionary, and nothing else has it."""
    use = scopes.parents.get(dictionary)
    if _builds_receiver(use, dictionary, scopes):
        return True
    if not isinstance(use, ast.Assign) or len(use.targets) != 1:
        return False
    (target,) = use.targets
    return isinstance(target, ast.Name) and _is_only_received(target, scopes)


def _is_only_received(name: ast.Name, scopes: Scopes) -> bool:
    """Whether a name's dictionary is filled by keys and given to receivers, no more."""
    given = False
    for read in _list_reads(name, scopes):
        use = scopes.parents.get(read)
        if _builds_receiver(use, read, scopes):
            given = True
        elif not (isinstance(use, ast.Subscript) and isinstance(use.ctx, ast.Store)):
            return False
    return given


def _list_reads(name: ast.Name, scopes: Scopes) -> list[ast.Name]:
    """What reads a name that is bound once; nothing where it is bound again."""
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
