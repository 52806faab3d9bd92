"""Graph code that stays: layers of contrib, and the functions that make them."""

from __future__ import annotations

import ast

from migrate.backends.expressions.state import State
from migrate.program.code import make_code
from migrate.program.graph_functions import GIVES_COLLECTED, LAYERS
from migrate.rules.contrib_graph import ContribGraph
from migrate.source.nodes import walk_breadth_first
from migrate.tables import (
    contrib_graph,
    estimator,
    keras_models,
    legacy_keras,
    roles,
)


class GraphCode(State):
    """Spells what step functions call as it stood."""

    def _rewrite_graph_functions(self, apart: set[ast.AST]) -> None:
        """Every use in graph functions, and contrib's in the driver."""
        if not self.graph.used:
            return
        if self.program.towers is not None:
            self.diagnostics.refuse(
                "N123",
                self.program.session,
                "the towers use layers of contrib",
                "Use tf.layers, or only one tower.",
            )
        contrib = ContribGraph(self.scopes, self.plan, self.claimed, "L150")
        outside = {n for d in apart for n in walk_breadth_first(d)}
        in_steps = {
            node
            for step in self.program.steps
            for flow in step.flows
            for node in walk_breadth_first(flow.statement)
        }
        for node, symbol in self.scopes.walk_uses():
            if node in self.claimed or node in outside:
                continue
            home = contrib_graph.GRAPH.get(symbol, "")
            if home.startswith(f"{contrib_graph.TRAINING_MODULE}."):
                continue  # What of it is an update was written out.
            if symbol in contrib_graph.METRICS:
                continue  # What they count would begin anew in every step function.
            if symbol.startswith("tf.contrib"):
                if node not in in_steps and node not in self.graph.inside:
                    self._refuse_list(node, symbol)
                contrib.plan_use(node, symbol, in_graph=True)
            elif node in self.graph.inside:
                self._spell_in_graph(node, symbol)
            elif symbol in {*GIVES_COLLECTED, "tf.losses.add_loss"}:
                self._keep_in_compat(node, symbol)

    def _refuse_list(self, node: ast.expr, symbol: str) -> None:
        """Refuses a list of variables outside of the steps: it would be empty."""
        if symbol in keras_models.LISTS:
            self.diagnostics.refuse(
                "N105",
                node,
                "this asks the graph for variables. TensorFlow 2 has a graph only while "
                "it traces a step, so outside of the steps the list would be empty",
                "Use tf.trainable_variables() or tf.global_variables(), and choose by "
                "the names of the variables.",
                symbol,
            )

    def _spell_in_graph(self, node: ast.expr, symbol: str) -> None:
        if symbol in roles.SUMMARIES:
            self.claimed[node] = ("M110", "collected while the step is traced")
            name = symbol.rpartition(".")[2]
            self.plan.replace(node, make_code(f"training_session.summary.{name}"))
        elif symbol in LAYERS:
            home = legacy_keras.find_home(symbol)
            assert home is not None
            self.plan.imports.append(home[0])
            self.claimed[node] = ("L150", "tf.layers' own function, from Keras 2")
            self.plan.replace(node, make_code(home[1]))
        elif estimator.find_prefix(symbol, estimator.IN_GRAPH):
            self._keep_in_compat(node, symbol)

    def _keep_in_compat(self, node: ast.expr, symbol: str) -> None:
        self.claimed[node] = (
            "L150",
            "kept under tf.compat.v1: the step function is a graph of its own",
        )
        self.plan.replace(node, make_code(f"tf.compat.v1{symbol[2:]}"))
