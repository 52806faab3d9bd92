"""Refuses objects that step functions must not make, because build time makes them once."""

from __future__ import annotations

import ast

from migrate.backends.custom_loop.context import Context
from migrate.facts import effects, reach
from migrate.program.functions import FunctionTimes
from migrate.program.graph_functions import GraphFunctions
from migrate.program.ir import Flow
from migrate.rules.mistakes.servers import is_of_ring
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.layers import LAYER_FUNCTIONS
from migrate.tables.optimizers import OPTIMIZERS

_CREATORS = (
    roles.VARIABLES
    | frozenset(OPTIMIZERS)
    | {s for s, row in LAYER_FUNCTIONS.items() if row.has_weights}
)

_OF_SEVERAL = (
    "the update is not made in every case, or the tool cannot tell which optimizer "
    "makes it",
    "Give it a statement of its own: train_op = optimizer.minimize(loss).",
)
_OF_HOROVOD = (
    "Horovod averages the gradients of its own processes, and no strategy of "
    "tf.distribute does that",
    "Remove Horovod, and wrap the optimizer in a tf.train.SyncReplicasOptimizer "
    "over a tf.train.ClusterSpec. The tool writes a MultiWorkerMirroredStrategy "
    "for that, which also averages by an all-reduce.",
)


class Created:
    """Refuses statements of a step that make variables, layers or optimizers."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._methods = reach.find_methods(context.scopes)

    def check(self, flow: Flow) -> None:
        """Refuses calls of a statement that a step must not repeat."""
        lifted = {n for lift in flow.lifts for n in walk_breadth_first(lift.node)}
        for node in walk_breadth_first(flow.statement):
            if isinstance(node, ast.Call) and node not in lifted:
                self._check_call(node)
                if flow.host and effects.consumes(node):
                    self._context.diagnostics.refuse(
                        "N116",
                        node,
                        "TensorFlow 1 took this value once, when it built the "
                        "graph. Every step function would take the next one",
                        "Take all values into a list before the graph is built.",
                    )

    def _check_call(self, call: ast.Call) -> None:
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr in (
            "minimize",
            "compute_gradients",
            "apply_gradients",
        ):
            reason, recipe = _OF_SEVERAL
            if is_of_ring(self._context.scopes):
                reason, recipe = _OF_HOROVOD
            self._context.diagnostics.refuse("N107", call, reason, recipe)
        symbol = self._find_creator(call)
        if symbol:
            self._context.diagnostics.refuse(
                "N104",
                call,
                "this line makes a variable, layer or optimizer and computes with "
                "it, and the tool cannot separate the two",
                "Make it in a statement of its own: w = tf.get_variable(...).",
                symbol,
            )

    def _find_creator(self, call: ast.Call) -> str:
        """Returns the symbol that makes variables in a call, or in a function that it calls.

        Python's own functions call functions that they get: `reduce(dense, sizes, x)`.
        """
        symbol = self._context.scopes.resolve(call.func) or ""
        if symbol in _CREATORS:
            return symbol
        staged = (
            t for t in self._context.program.staged if isinstance(t, FunctionTimes)
        )
        seen: set[ast.AST] = {times.node for times in staged}
        seen.update(GraphFunctions(self._context.scopes).nodes)
        given = call.args if not symbol.startswith("tf.") else []
        work: list[ast.AST] = [call.func]
        for argument in given:
            if isinstance(argument, ast.Name):
                work.extend(reach.find_definitions(self._context.scopes, argument))
        while work:
            for node in walk_breadth_first(work.pop()):
                if node in seen:
                    continue
                new: set[ast.AST] = set()
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    new = set(reach.find_definitions(self._context.scopes, node))
                elif isinstance(node, ast.Attribute):
                    new = set(self._methods.get(node.attr, ()))
                work.extend(new - seen)
                seen |= new
                if isinstance(node, ast.Call):
                    symbol = self._context.scopes.resolve(node.func) or ""
                    if symbol in _CREATORS:
                        return symbol
        return ""
