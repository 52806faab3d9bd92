"""S114: layers that no step applies, and so make no variables.

    z = tf.layers.dense(x, 2, name="unused")
    saver = tf.train.Saver()

TensorFlow 1 made a layer's variables with its graph, and saved and listed them. A Keras layer
makes them in the first step that applies it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS

_SEES = (
    *("tf.train.Saver", "tf.train.MonitoredTrainingSession", "tf.train.Supervisor"),
    *sorted(roles.GLOBAL | roles.TRAINABLE),
)
_REASON = (
    "no run call needs this layer, so it makes no variables. TensorFlow 1 made them, and "
    "had them in its checkpoints and lists"
)
_RECIPE = "Remove the layer. Or fetch its result in a run call."


def find_unmade_layers(
    program: ir.TrainingProgram, scopes: Scopes
) -> Iterator[Finding]:
    """Warns of layers that no step applies, if the program may see their variables."""
    if not scopes.list_calls(*_SEES):
        return
    applied = {
        lift.name
        for step in program.steps
        for flow in list_every_flow(step.flows)
        for lift in flow.lifts
    }
    for flow in list_every_flow(program.flows):
        for lift in flow.lifts:
            if lift.name in applied or not isinstance(lift.node, ast.Call):
                continue
            symbol = scopes.resolve(lift.node.func) or ""
            row = LAYER_FUNCTIONS.get(symbol) or LAYER_CLASSES.get(symbol)
            if row is not None and row.has_weights:
                yield Finding(
                    lift.node.lineno,
                    lift.node.col_offset + 1,
                    "S114",
                    Outcome.WARNED,
                    symbol,
                    _REASON,
                    _RECIPE,
                )
