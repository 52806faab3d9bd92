"""Layers of contrib and slim in a network: with normalizers, and one after the other."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Mapping

from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.contrib_calls import ContribCalls, Stacked
from migrate.frontends.model_fn.making import Making
from migrate.frontends.model_fn.modes import ModeValues, NotSplit
from migrate.frontends.model_fn.places import Place
from migrate.program.keras_layers import Layer
from migrate.tables import keras_contrib
from migrate.tables.keras_contrib import ContribRow


class ContribMaking(Making):
    """Collects contrib's layers too."""

    def __init__(
        self, function: ast.FunctionDef, scopes: Scopes, training: dict[str, ModeValues]
    ) -> None:
        super().__init__(function, scopes, training)
        self._contrib = ContribCalls(scopes)

    @property
    def scoping(self) -> Iterable[ast.FunctionDef]:
        """Functions that return argument scopes, which were read."""
        return self._contrib.values.functions

    @property
    def replaced(self) -> Mapping[ast.Name, ast.expr]:
        """Names of their parameters -> what these are."""
        return self._contrib.values.replaced

    def _make_contrib_layer(
        self,
        call: ast.Call,
        row: ContribRow,
        given: dict[str, ast.expr],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """A function of contrib's layers, with what is said beside its call.

        Args:
          given: by TF1's names.
        """
        bound, normalizer = self._complete_arguments(call, row, given, scope, env)
        self._make_layer(call, row, bound, scope, env, place)
        if normalizer is not None:
            made = self.layers[-1]
            self.layers[-1] = dataclasses.replace(made, normalizer=normalizer)

    def _complete_arguments(
        self,
        call: ast.Call,
        row: ContribRow,
        given: dict[str, ast.expr],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
    ) -> tuple[dict[str, ast.expr], Layer | None]:
        """Arguments by Keras's names, and the normalizer."""
        scoped = self._contrib.gather_scope_arguments(row, call, scope)
        written = given | {n: v for n, v in scoped.items() if n not in given}
        normalizer = self._contrib.take_normalizer(written, call, scope)
        if not set(written) <= {"inputs", *row.parameters, "fused"}:
            raise NotSplit(call, f"{row.function} does not have these arguments")
        self._check_reuse(call, row, written, env)
        bound = row.map_keras_arguments(written)
        if bound is None:
            raise NotSplit(
                call,
                f"the Keras layer for {row.function} does not have these arguments",
            )
        if normalizer is None:
            return bound, None
        inner, params = normalizer
        self._check_reuse(call, inner, params, env)
        own = inner.map_keras_arguments(params)
        if own is None:
            raise NotSplit(
                call,
                f"the Keras layer for {inner.function} does not have these arguments",
            )
        name = own.pop("name", None)
        self._check_training(call, inner.call_parameters, own, env)
        return bound, self._build_layer(
            call, inner, own, inner.default_name if name is None else name, ()
        )

    def _make_stack(
        self,
        call: ast.Call,
        stacked: Stacked,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """Layers one after the other: <scope>/<scope>_1, ..._2."""
        row, given, several = stacked.row, dict(stacked.bound), stacked.several
        below = given.pop("scope", None)
        bound, normalizer = self._complete_arguments(call, row, given, scope, env)
        where = self._find_prefix(scope, env)
        if any(self.reuses(s) for s in scope) or self._is_in_loop(call):
            raise NotSplit(
                call, "slim.repeat or slim.stack is in a loop, or reuses variables"
            )
        taken = self._find_names(where, call)
        if below is None:
            python_name = keras_contrib.PYTHON_NAMES.get(row.kind, row.kind)
            unique = taken.make_unique(several.scope, call, place.conditional)
            name = f"{unique}/{python_name}"
        elif isinstance(below, ast.Constant) and isinstance(below.value, str):
            if below.value in taken.taken:
                raise NotSplit(call, f"two scopes are named {below.value!r}")
            taken.taken[below.value] = 1
            name = f"{below.value}/{below.value}"
        else:
            raise NotSplit(
                call,
                "the scope argument of slim.repeat or slim.stack is not written out",
            )
        if not all(isinstance(e, ast.Constant) for e in where):
            raise NotSplit(
                call,
                "the name of a scope around slim.repeat or slim.stack is not "
                "written out",
            )
        made = self._build_layer(call, row, bound, f"{name}_%d", where)
        texts = tuple(t for t in made.texts if t[0] not in several.parameters)
        self.layers.append(
            dataclasses.replace(
                made, texts=texts, normalizer=normalizer, several=several
            )
        )
