"""Layers of a network, one by one: calls of tf.layers' functions, and layer objects."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import numbers, places
from migrate.frontends.model_fn.layer_objects import Applied
from migrate.frontends.model_fn.modes import ModeValues, NotSplit
from migrate.frontends.model_fn.naming import Names, Naming
from migrate.frontends.model_fn.places import Place
from migrate.program.keras_layers import Layer
from migrate.tables import estimator as estimator_table
from migrate.tables.keras_contrib import ContribRow
from migrate.tables.layers import LayerRow

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class Making(Naming):
    """Collects layers, in the order of their making.

    Args:
      modes: what is known in each mode.
    """

    def __init__(
        self, function: ast.FunctionDef, scopes: Scopes, training: dict[str, ModeValues]
    ) -> None:
        super().__init__(function, scopes)
        self._training = training
        self.layers: list[Layer] = []
        # Kinds of unnamed layers that a loop makes.
        self._dynamic: set[str] = set()
        # Layer objects that were made and not called yet.
        self._unapplied: dict[ast.Call, ast.Call] = {}
        # What is known of the modes in each function.
        self._known_in: dict[ast.AST, dict[str, ModeValues]] = {function: training}

    def _make_layer(
        self,
        call: ast.Call,
        row: LayerRow,
        bound: dict[str, ast.expr],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """Makes a layer.

        Args:
          bound: arguments by name, `inputs` and `training` too.
        """
        self._check_training(call, row.call_parameters, bound, env)
        where = self._find_prefix(scope, env)
        given = self._find_names(where, call)
        name: str | ast.expr | None = bound.get("name")
        if isinstance(name, ast.Constant):
            if name.value is None:
                name = None
            elif isinstance(name.value, str):
                if name.value not in given.taken or place.conditional:
                    given.taken[name.value] = 1
                elif row.has_weights:
                    raise NotSplit(
                        call, "two layers have the same name and share their variables"
                    )
                else:
                    name = None  # Keras's layers have names of their own.
        counted = False
        if name is None and row.has_weights:
            kind = row.default_name
            self._check_opened_once(call, kind, scope, place, given)
            # Keras counts layers outside of scopes, and those of its own kinds alone.
            keras = not where and not (isinstance(row, ContribRow) and not row.numbered)
            if keras and (place.repeated or kind in self._dynamic):
                self._dynamic.add(kind)
            elif place.rounds or kind in given.counted | given.ended:
                given.counted.add(kind)
                name, counted = kind, True
            else:
                name = given.make_unique(kind, call, place.conditional)
        made = self._build_layer(call, row, bound, name, where)
        self.layers.append(dataclasses.replace(made, counted=counted))

    def _check_opened_once(
        self,
        call: ast.Call,
        kind: str,
        scope: tuple[ast.With, ...],
        place: Place,
        given: Names,
    ) -> None:
        """Refuses unnamed layers in a variable scope that is opened several times."""
        if place.reopens:
            raise NotSplit(
                call,
                "a loop makes layers without names, each time in another "
                "variable scope",
            )
        opened = [s for s in scope if places.list_variable_scopes(s, self._scopes)]
        inner = opened[-1] if opened else None
        if given.opened.setdefault(kind, inner) is not inner:
            raise NotSplit(
                call,
                "it makes layers without names in a variable scope that is "
                "opened several times",
            )

    def _build_layer(
        self,
        call: ast.Call,
        row: LayerRow,
        bound: dict[str, ast.expr],
        name: str | ast.expr | None,
        where: tuple[ast.expr, ...],
    ) -> Layer:
        arguments = tuple(
            (name, value)
            for name, value in bound.items()
            if name not in ("inputs", "name", *row.call_parameters)
            and not (isinstance(value, ast.Constant) and value.value is None)
        )
        texts = row.list_texts(bound)
        told = tuple((n, bound[n]) for n in row.call_parameters if n in bound)
        inputs = bound.get("inputs")
        return Layer(call, row, inputs, arguments, name, where, texts, told=told)

    def _check_reuse(
        self,
        call: ast.Call,
        row: LayerRow,
        bound: dict[str, ast.expr],
        env: dict[str, ModeValues],
    ) -> None:
        """Takes `reuse` off a layer's arguments."""
        reuse = bound.pop("reuse", None)
        if reuse is None or self._is_not_reused(reuse, env):
            return
        # A layer with a name has what there is below it, and no name is given twice.
        named = "name" in bound or "scope" in bound
        shares = self._scopes.resolve(reuse) == "tf.AUTO_REUSE"
        if not named or not shares or self._is_in_loop(call):
            raise NotSplit(
                call,
                f"{row.function} has `reuse`, and shares the variables of "
                "another layer",
            )

    def _check_training(
        self,
        call: ast.Call,
        parameters: tuple[str, ...],
        bound: dict[str, ast.expr],
        env: dict[str, ModeValues],
    ) -> None:
        """Refuses a layer whose `training` is not true exactly in mode TRAIN."""
        if "training" not in parameters:
            return
        value = bound.get("training")
        if value is not None:
            env = self._known_in.get(self._scopes.find_scope(value).node, env)
        for mode, values in env.items():
            test = False if value is None else values.decide_test(value)
            if test is None or test != (mode == "TRAIN"):
                raise NotSplit(
                    call,
                    "the `training` argument of a layer is not true exactly in "
                    "mode TRAIN",
                )

    def _is_in_loop(self, node: ast.AST | None) -> bool:
        """Whether code runs more than once where its function runs once."""
        while node is not None and not isinstance(node, ast.FunctionDef):
            node = self._scopes.parents.get(node)
            if isinstance(
                node, (ast.For, ast.While, ast.comprehension, *_COMPREHENSIONS)
            ):
                return True
        return False

    # Layer objects.

    def _apply(
        self,
        applied: Applied,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """Reads a layer object's call: the first names variables, others share them."""
        maker, row = applied.maker, applied.row
        before = next((x for x in self.layers if x.call is maker), None)
        if before is not None:
            if row.function in estimator_table.BATCH_NORMALIZATION:
                raise NotSplit(
                    applied.call,
                    "one step would update the averages of batch normalisation "
                    "more than once",
                )
            self._check_training(
                applied.call, row.call_parameters, applied.arguments, env
            )
            again = dataclasses.replace(before, applied=(*before.applied, applied.call))
            self.layers[self.layers.index(before)] = again
            return
        self._unapplied.pop(maker, None)
        name = applied.arguments.get("name")
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            given = self._find_names(self._find_prefix(scope, env), applied.call)
            if name.value in given.taken:
                raise NotSplit(applied.call, f"two layers are named {name.value!r}")
        call = maker if applied.kept else applied.call
        self._check_apart(applied, scope, env, place)
        self._make_layer(call, row, dict(applied.arguments), scope, env, place)
        if applied.kept:
            self.layers[-1] = dataclasses.replace(
                self.layers[-1], inputs=None, applied=(applied.call,)
            )

    def _check_apart(
        self,
        applied: Applied,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """Refuses a layer object of another function whose name is not certain."""
        maker, call = applied.maker, applied.call
        if self._scopes.find_scope(maker) is self._scopes.find_scope(call):
            return
        if not all(isinstance(n, ast.Constant) for n in self._find_prefix(scope, env)):
            raise NotSplit(
                call, "it calls a layer object in a scope whose name is not written out"
            )
        if (
            place.repeated
            and applied.row.has_weights
            and "name" not in applied.arguments
        ):
            raise NotSplit(call, "a loop calls a layer object that has no name")

    def _is_maker(self, call: ast.Call) -> bool:
        """Whether a call is one of a function that makes layers."""
        return self.find_helper(call) is not None and self.makes_layers(call)

    def name_layers(self) -> list[Layer]:
        """The layers, with the names that they are given.

        Raises:
          NotSplit: the tool sees no call of a layer object.
        """
        for call in self._unapplied:
            raise NotSplit(
                call, "the tool does not see where the program calls a layer object"
            )
        made = numbers.drop_numbers_of_loops(self.layers, self._dynamic, self._is_maker)
        return numbers.number_layers_in_scopes(
            made, lambda x: self._find_names(x.scope, x.call), self._is_maker
        )
