"""Which model_fns of a program become Keras models, and why the others stay."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.flows import Elsewhere, Flow, Flows
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.signature import class_name
from migrate.frontends.model_fn.split import Split
from migrate.program.keras_model import Helper, KerasModel, SharedModels, Stays


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
    for name in shared.exported:
        flows.export(name)
    found: list[Found] = []
    imported: list[Imported] = []
    stays = [Stays(call, reason) for call, reason in flows.lost]
    for text, (flow, places) in flows.elsewhere.items():
        if text in shared.imported:
            imported.append(Imported(flow, tuple(places), shared.imported[text]))
            continue
        stays += [
            Stays(call, "its model_fn is of another file")
            for call, _ in flow.estimators
        ]
    for function, flow in flows.found.items():
        try:
            name = class_name(function.name)
            if scopes.scope_of(function).owner(name) is not None:
                raise NotSplit(function, f"the name {name} is taken")
            _check_program(scopes)
            flows.check(function)
            model = Split(function, scopes, flow.bound(function)).run()
            _check_helpers(model, scopes)
        except NotSplit as reason:
            stays.append(Stays(reason.node, reason.reason))
            continue
        found.append(Found(model, name, flow))
    return found, imported, stays


def _check_program(scopes: Scopes) -> None:
    """Fails where something of the program works on an Estimator's model_fn."""
    for node, symbol in scopes.walk_uses():
        stops = symbol.rpartition(".")[2].startswith("stop_if_")
        if (
            symbol.startswith("tf.contrib.estimator.") and not stops
        ) or symbol.endswith(".add_metrics"):
            raise NotSplit(node, f"{symbol} works on a model_fn")


def _check_helpers(model: KerasModel, scopes: Scopes) -> None:
    """A helper that the network calls is called by nothing else."""
    # No step holds layers; what calls it in another mode's branch is gone.
    inside = set(ast.walk(model.function))
    for helper in model.helpers:
        inside.update(ast.walk(helper.function))
    for helper in model.helpers:
        name = helper.function.name if helper.owner is None else helper.owner.name
        for node in ast.walk(scopes.tree):
            if isinstance(node, ast.Name) and node.id == name:
                if isinstance(node.ctx, ast.Load) and node not in inside:
                    raise NotSplit(
                        node, f"{node.id}() makes layers and is called elsewhere too"
                    )
        _check_kept(helper, model)


def _check_kept(helper: Helper, model: KerasModel) -> None:
    """What only said whether an object is training is read where layers are told."""
    known = {one.function for one in model.helpers}
    gone = {ast.unparse(s.targets[0]) for s in helper.kept if isinstance(s, ast.Assign)}
    words = {word.rpartition(".")[2] for word in gone}
    for method in helper.owner.body if helper.owner is not None else ():
        for node in ast.walk(method) if method not in known else ():
            if isinstance(node, ast.Attribute) and node.attr in words:
                raise NotSplit(
                    node, f"`{ast.unparse(node)}` is read by more than layers"
                )
