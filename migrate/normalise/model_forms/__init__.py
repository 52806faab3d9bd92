"""TF1 to TF1: what a model_fn holds, in the forms of which Keras models are known.

Each step leaves a program that computes the same. A model_fn of which no Keras model comes
for all that keeps its own form.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable, Collection, Sequence

from migrate.facts import normalised_branches
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.model_forms import (
    branches,
    changed_gradients,
    functions,
    lookups,
    losses,
    methods,
    optimize_loss,
    rates,
    variables,
)
from migrate.normalise.model_forms.parts import find_model_fns
from migrate.normalise.text import Text, repeat_step
from migrate.program.keras_files import Source
from migrate.source.nodes import parse_source


@dataclasses.dataclass(frozen=True)
class Formed:
    """The text with its model_fns in new forms.

    Attributes:
      functions: original lines of the model_fns that are in another form.
    """

    text: Text
    functions: frozenset[int]

    def find_remaining(self, tree: ast.Module, became: Collection[int]) -> set[int]:
        """Returns the lines of `functions` that became no Keras model.

        Args:
          tree: of the text.
          became: lines of model_fns that became Keras models.
        """
        return {
            origin
            for function, origin in _map_origins(tree, self.text).items()
            if origin in self.functions and not set(_find_lines(function)) & set(became)
        }

    def map_reasons(
        self, tree: ast.Module, stays: list[tuple[int, str]]
    ) -> dict[int, tuple[int, str]]:
        """Maps a function's original line to (line, reason) for which it stays.

        Args:
          stays: lines in the text, and what is said there.
        """
        found: dict[int, tuple[int, str]] = {}
        for function, origin in _map_origins(tree, self.text).items():
            for line, reason in stays:
                if origin in self.functions and line in _find_lines(function):
                    at = self.text.origins[line - 1] or origin
                    found.setdefault(origin, (at, reason))
        return found


def form_models(
    text: Text,
    left: Collection[int] = (),
    here: Source | None = None,
    others: Sequence[Source] = (),
) -> Formed:
    """The text with its model_fns in these forms.

    Args:
      left: original lines of model_fns that stay as they are.
      here: the file as it was read, with its imports.
      others: other files whose functions it may call.
    """
    quiet = normalised_branches.find_quiet_names(here, others)
    steps: tuple[Callable[[Text, Scopes, ast.FunctionDef], Text | None], ...] = (
        methods.name_outer_values,
        functions.lift_function,
        losses.name_loss,
        lookups.name_table,
        optimize_loss.write_out_call,
        functools.partial(branches.unite_branches, quiet=quiet),
        changed_gradients.unite_updates,
        rates.name_rate,
        variables.get_variables,
    )
    changed: set[int] = set()

    def form_once(text: Text) -> Text | None:
        scopes = build_scopes(parse_source(text.source))
        for function in find_model_fns(scopes):
            origin = text.origins[function.lineno - 1]
            for step in steps if origin not in left else ():
                new = step(text, scopes, function)
                if new is not None:
                    changed.add(origin)
                    return new
        return None

    return Formed(repeat_step(text, form_once), frozenset(changed))


def _map_origins(tree: ast.Module, text: Text) -> dict[ast.FunctionDef, int]:
    return {
        function: text.origins[function.lineno - 1]
        for function in find_model_fns(build_scopes(tree))
    }


def _find_lines(function: ast.FunctionDef) -> range:
    return range(function.lineno, (function.end_lineno or function.lineno) + 1)
