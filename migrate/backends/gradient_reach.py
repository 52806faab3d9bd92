"""Which statements of a graph an update's gradients may reach.

    target = tf.stop_gradient(reward + tf.reduce_max(target_net))
    loss = tf.reduce_mean(tf.square(target - net))

A gradient of `loss` reaches what makes `net`. It does not reach what makes `target_net`: an
optimizer has no slots for the variables there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.source.nodes import list_children, walk_breadth_first

_STOPS = frozenset({"tf.stop_gradient"})
# Beginnings of names of functions that give lists of variables, or losses by no name.
_ASKS = (
    *("tf.trainable_variables", "tf.all_variables", "tf.get_collection"),
    *("tf.global_variables", "tf.model_variables", "tf.losses.get_"),
    *("tf.contrib.losses.get_", "tf.contrib.framework.get_", "tf.contrib.slim.get_"),
    *("tf.contrib.slim.losses.get_", "tf.contrib.layers.apply_regularization"),
)


def find_reached(
    scopes: Scopes, program: ir.TrainingProgram, update: ir.Flow
) -> set[ir.Flow] | None:
    """The statements that compute what the loss of an update may learn by.

    None if the update has no loss of its own, as `apply_gradients` of given gradients, or
    if the loss depends on what the graph keeps: a list of variables, or of penalties.
    """
    loss = update.update.loss if update.update is not None else None
    if loss is None:
        return None
    flows = [
        (flow, once) for flow, once in list_in_order(program.flows) if not flow.suites
    ]
    places = {flow: place for place, (flow, _) in enumerate(flows)}
    if _asks_graph(scopes, loss):
        return None
    work = [(key, places[update]) for key in _read(scopes, loss)]
    found: set[ir.Flow] = set()
    while work:
        key, before = work.pop()
        for flow, once in reversed(flows[:before]):
            if key not in flow.binds:
                continue
            if flow not in found:
                if _asks_graph(scopes, flow.statement):
                    return None
                found.add(flow)
                work += [(k, places[flow]) for k in _read_statement(scopes, flow)]
            if once:
                break  # What had the name before is hidden.
    return found


def list_in_order(flows: Iterable[ir.Flow]) -> Iterator[tuple[ir.Flow, bool]]:
    """Every statement, and whether it runs exactly once."""
    for flow in flows:
        yield flow, True
        once = isinstance(flow.statement, ast.With)
        for suite in flow.suites.values():
            for inner, own in list_in_order(suite):
                yield inner, once and own


def _asks_graph(scopes: Scopes, node: ast.AST) -> bool:
    """Whether code, or a function that it calls, asks the graph for what it keeps."""
    return any(
        isinstance(inner, ast.Call)
        and (scopes.resolve(inner.func) or "").startswith(_ASKS)
        for part in (node, *reach.find_reached(scopes, [node]))
        for inner in walk_breadth_first(part)
    )


def _read_statement(scopes: Scopes, flow: ir.Flow) -> set[str]:
    """What a statement's value depends on in a way that a gradient goes back through."""
    statement = flow.statement
    if isinstance(statement, ast.Assign) and not names.list_suites(statement):
        return set(_read(scopes, statement.value))
    return set(flow.reads)


def _read(scopes: Scopes, value: ast.expr) -> Iterator[str]:
    """Names in an expression, but for those that only stopped gradients depend on."""
    stack: list[ast.AST] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Call) and scopes.resolve(node.func) in _STOPS:
            continue
        if isinstance(node, (ast.Name, ast.Attribute)):
            key = names.find_key(node)
            if key is not None:
                yield key
        stack.extend(list_children(node))
