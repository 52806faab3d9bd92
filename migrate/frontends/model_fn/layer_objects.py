"""Layers that are objects: `tf.layers.Dense(10)(net)`, and one that is kept and called.

TF1 names an object's variables where it is first called, by the scope that is open there.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.network_objects import NetworkObjects
from migrate.tables.layers import LAYER_CLASSES, LayerRow


@dataclasses.dataclass(frozen=True, eq=False)
class Applied:
    """A call of a layer object.

    Attributes:
      maker: the call that makes it.
      kept: whether it has a name, and may be called again.
      arguments: of both calls, by name, `inputs` and `training` too.
    """

    call: ast.Call
    maker: ast.Call
    row: LayerRow
    kept: bool
    arguments: dict[str, ast.expr]


class LayerObjects:
    """The layer objects of a module."""

    def __init__(self, scopes: Scopes, instances: NetworkObjects) -> None:
        self._scopes, self._instances = scopes, instances

    def find_row(self, node: ast.AST) -> LayerRow | None:
        """Returns the table row of the layer that a call makes; None for others."""
        if not isinstance(node, ast.Call):
            return None
        return LAYER_CLASSES.get(self._scopes.resolve(node.func) or "")

    def is_applied(self, call: ast.Call) -> bool:
        return self._find_maker(call) is not None

    def _find_maker(self, call: ast.Call) -> tuple[ast.Call, bool] | None:
        """Finds the call that made the called layer, and whether it has a name."""
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in ("apply", "__call__"):
            func = func.value
        if isinstance(func, ast.Call) and self.find_row(func) is not None:
            return func, False
        kept = self._instances.find_value(func)
        if isinstance(kept, ast.Call) and self.find_row(kept) is not None:
            return kept, True
        if not isinstance(func, ast.Name):
            return None
        owner = self._scopes.find_scope(func).find_owner(func.id)
        bound = owner.bindings[func.id] if owner is not None else []
        if len(bound) != 1 or not isinstance(bound[0], ast.Assign):
            return None
        value = bound[0].value
        if isinstance(value, ast.Call) and self.find_row(value) is not None:
            return value, True
        return None

    def read_application(self, call: ast.Call) -> Applied | None:
        """A call of a layer object.

        Raises:
          NotSplit: it takes arguments that its Keras layer has not.
        """
        made = self._find_maker(call)
        if made is None:
            return None
        maker, kept = made
        row = self.find_row(maker)
        assert row is not None
        gone = (*row.call_parameters, "reuse")
        parameters = tuple(p for p in row.parameters if p not in gone)
        own = names.bind_arguments(maker, (*parameters, "fused"))
        given = names.bind_arguments(call, ("inputs", "training"))
        takes = {"inputs", *row.call_parameters}
        if own is None or given is None or not {"inputs"} <= set(given) <= takes:
            raise NotSplit(
                call,
                f"the Keras layer for {row.function} does not have these arguments",
            )
        return Applied(call, maker, row, kept, own | given)
