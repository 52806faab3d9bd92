"""Finds the model_fns that become Keras models, and why the others stay."""

from __future__ import annotations

import ast
import dataclasses
import os
from collections.abc import Mapping

from migrate.facts.scopes import Scopes
from migrate.facts.trees.joined import Joined
from migrate.frontends.model_fn.flow import Elsewhere, Flow
from migrate.frontends.model_fn.flows import Flows
from migrate.frontends.model_fn.helpers import check_helpers, check_objects
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.signature import name_class
from migrate.frontends.model_fn.split import Split
from migrate.program.keras_files import SharedModels
from migrate.program.keras_model import KerasModel, Stays
from migrate.tables import estimator


@dataclasses.dataclass(frozen=True, eq=False)
class Found:
    """A model_fn that becomes a Keras model.

    Attributes:
      name: of the class.
      flow: how Estimators come by it.
    """

    model: KerasModel
    name: str
    flow: Flow


@dataclasses.dataclass(frozen=True, eq=False)
class Imported:
    """A model_fn of another file that becomes a Keras model there.

    Attributes:
      places: where it is named.
      name: of the class; "" where a function makes it, whose name stays.
    """

    flow: Flow
    places: tuple[Elsewhere, ...]
    name: str


def recognise(
    scopes: Scopes, shared: SharedModels
) -> tuple[list[Found], list[Imported], list[Stays]]:
    """Finds the program's model_fns that become Keras models.

    Args:
      shared: those that files of a tree have together, which become Keras models.
    """
    flows = Flows(scopes, shared.naming)
    kept = shared.files.kept if shared.files is not None else {}
    for name, given in shared.exported.items():
        flows.add_export(name, given)
    found: list[Found] = []
    imported: list[Imported] = []
    stays = [Stays(call, reason) for call, reason in flows.lost]
    for text, (flow, places) in flows.elsewhere.items():
        if text in shared.imported:
            imported.append(Imported(flow, tuple(places), shared.imported[text]))
            continue
        reason = "its model_fn is in another file"
        if text in shared.stay:
            reason += f", {shared.stay[text]}"
        stays += [Stays(call, reason) for call, _ in flow.estimators]
    for function, flow in flows.found.items():
        try:
            name = name_class(function.name)
            if scopes.find_scope(function).find_owner(name) is not None:
                raise NotSplit(function, f"the name {name} is taken")
            _check_program(function, scopes, shared.columns)
            flows.check(function)
            model = Split(function, scopes, flow.find_bound_parameters(function)).run()
            check_objects(model, scopes, shared.knowing)
        except NotSplit as reason:
            stays.append(_make_stays(reason, function, scopes))
            continue
        found.append(Found(model, name, flow))
    found = [_align_scopes(one, found, scopes) for one in found]
    while True:
        found, more = _check_functions(found, scopes, kept)
        stays += more
        alone = _check_several_models(found, flows)
        if not alone:
            return found, imported, stays
        stays += alone
        left = {stay.node for stay in alone}
        found = [one for one in found if one.model.function not in left]


def _check_several_models(found: list[Found], flows: Flows) -> list[Stays]:
    """Lists the model_fns that may share an Estimator with one that stays."""
    become = {one.model.function for one in found}
    return [
        Stays(
            function,
            "its Estimator may also have "
            f"{min(f.name for f in several - become)}, which stays a model_fn",
        )
        for function in become
        if (
            several := next(
                (t for t in flows.together if function in t and t - become), set()
            )
        )
    ]


def _align_scopes(one: Found, every: list[Found], scopes: Scopes) -> Found:
    """Gives a helper the same scope parameters in all models that call it."""
    told = {h.function for other in every for h in other.model.helpers if h.prefix}
    if all(h.prefix for h in one.model.helpers if h.function in told):
        return one
    function, bound = (
        one.model.function,
        one.flow.find_bound_parameters(one.model.function),
    )
    try:
        model = Split(function, scopes, bound, frozenset(told)).run()
    except NotSplit:
        return one
    return dataclasses.replace(one, model=model)


def _check_functions(
    found: list[Found], scopes: Scopes, kept: Mapping[tuple[str, str], str]
) -> tuple[list[Found], list[Stays]]:
    """Drops the models whose helper functions cannot change, with the reasons."""
    stays: list[Stays] = []
    while True:
        for one in found:
            others = [other.model for other in found if other is not one]
            try:
                check_helpers(one.model, scopes, kept, others)
            except NotSplit as reason:
                stays.append(_make_stays(reason, one.model.function, scopes))
                found = [other for other in found if other is not one]
                break
        else:
            return found, stays


def _make_stays(reason: NotSplit, function: ast.FunctionDef, scopes: Scopes) -> Stays:
    """Places the reason why a model_fn stays at a line of the file itself."""
    node = reason.node
    if not isinstance(scopes, Joined) or scopes.is_own(node) or not scopes.has(node):
        return Stays(reason.node, reason.reason)
    line = getattr(node, "lineno", 0)
    place = os.path.basename(scopes.find_place(node))
    return Stays(function, f"{reason.reason} ({place}, line {line})")


def _check_program(function: ast.AST, scopes: Scopes, columns: str) -> None:
    """Fails if the program uses an API that needs a model_fn, or that Keras lacks."""
    if columns:
        raise NotSplit(function, columns)
    for node, symbol in scopes.walk_uses():
        stops = symbol.rpartition(".")[2].startswith("stop_if_")
        if (
            symbol.startswith("tf.contrib.estimator.") and not stops
        ) or symbol.endswith(".add_metrics"):
            raise NotSplit(node, f"{symbol} needs a model_fn")
        if symbol in estimator.GRAPH_COLUMNS:
            raise NotSplit(node, f"a Keras layer cannot take {symbol}")
