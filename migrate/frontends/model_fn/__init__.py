"""Which model_fns of a program become Keras models, and why the others stay."""

from __future__ import annotations

import ast
import dataclasses
import os

from migrate.facts.joined import Joined
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.flows import Elsewhere, Flow, Flows
from migrate.frontends.model_fn.helpers import check_helpers, check_objects
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.signature import class_name
from migrate.frontends.model_fn.split import Split
from migrate.program.keras_model import KerasModel, SharedModels, Stays


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
    """The program's model_fns.

    Args:
      shared: those that files of a tree have together, which become Keras models.
    """
    flows = Flows(scopes)
    kept = shared.files.kept if shared.files is not None else {}
    for name in shared.exported:
        flows.export(name)
    found: list[Found] = []
    imported: list[Imported] = []
    stays = [Stays(call, reason) for call, reason in flows.lost]
    for text, (flow, places) in flows.elsewhere.items():
        if text in shared.imported:
            imported.append(Imported(flow, tuple(places), shared.imported[text]))
            continue
        reason = "its model_fn is of another file"
        if text in shared.stay:
            reason += f", {shared.stay[text]}"
        stays += [Stays(call, reason) for call, _ in flow.estimators]
    for function, flow in flows.found.items():
        try:
            name = class_name(function.name)
            if scopes.scope_of(function).owner(name) is not None:
                raise NotSplit(function, f"the name {name} is taken")
            _check_program(scopes)
            flows.check(function)
            model = Split(function, scopes, flow.bound(function)).run()
            check_helpers(model, scopes, kept)
            check_objects(model, scopes, shared.knowing)
        except NotSplit as reason:
            stays.append(_stays(reason, function, scopes))
            continue
        found.append(Found(model, name, flow))
    return found, imported, stays


def _stays(reason: NotSplit, function: ast.FunctionDef, scopes: Scopes) -> Stays:
    """Why a model_fn stays one, at a line of its own file."""
    node = reason.node
    if not isinstance(scopes, Joined) or scopes.is_own(node) or not scopes.has(node):
        return Stays(reason.node, reason.reason)
    line = getattr(node, "lineno", 0)
    place = os.path.basename(scopes.place(node))
    return Stays(function, f"{reason.reason} ({place}, line {line})")


def _check_program(scopes: Scopes) -> None:
    """Fails where something of the program works on an Estimator's model_fn."""
    for node, symbol in scopes.walk_uses():
        stops = symbol.rpartition(".")[2].startswith("stop_if_")
        if (
            symbol.startswith("tf.contrib.estimator.") and not stops
        ) or symbol.endswith(".add_metrics"):
            raise NotSplit(node, f"{symbol} works on a model_fn")
