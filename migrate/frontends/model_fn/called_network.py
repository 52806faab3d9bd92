"""The layers of a subclassed model's `call`."""

from __future__ import annotations

import ast
from typing import Any

from migrate.frontends.model_fn.layer_objects import Applied
from migrate.frontends.model_fn.modes import ModeValues, NotSplit
from migrate.frontends.model_fn.network import Network
from migrate.source.nodes import walk_breadth_first


class CalledNetwork(Network):
    """Collects the layers that `call` applies; what else it holds, a step may hold."""

    _counts = False

    def check(
        self, statement: ast.stmt, env: dict[str, ModeValues], plain: bool = False
    ) -> None:
        """Accepts every statement, because `Subclassed` checks them."""

    def _apply(self, applied: Applied, *rest: Any) -> None:
        if applied.kept:
            raise NotSplit(
                applied.call, "it has a layer object beside variables of its own"
            )
        super()._apply(applied, *rest)

    def _take_scopes(self, statement: ast.stmt) -> None:
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.With):
                raise NotSplit(
                    node, "it opens a variable scope in a loop, or under a condition"
                )

    def _read_call(self, call: ast.Call, function: ast.FunctionDef, *_: object) -> None:
        if any(self.makes_layers(s) for s in function.body):
            raise NotSplit(
                call,
                f"{function.name}() makes layers, and the model_fn makes "
                "variables of its own",
            )
