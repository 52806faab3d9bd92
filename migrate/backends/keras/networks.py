"""Layers of models' networks, in the file of a model and in the files of its functions."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterable

from migrate.backends.keras import layers
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends import model_fn
from migrate.frontends.model_fn.files import join_scopes_with
from migrate.frontends.model_fn.modes import is_device
from migrate.plan import Dropped, Plan
from migrate.program.code import Code, make_code
from migrate.program.keras_files import MAKES_LAYERS, SharedModels
from migrate.program.keras_layers import Layer
from migrate.program.keras_model import KerasModel
from migrate.rules import calls as rules_of_calls
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table

_LAYER = ("L104", "a Keras layer: the same variables under the same names")
_MODE = ("K101", "the model knows whether it is training")
_SCOPED = ("L104", "the variable scope is in the names of its layers")
_PLACED = ("C111", "the strategy places variables and steps")
_GIVEN = ("L104", "layers are given what the argument scope gave them")
Claimed = dict[ast.AST, tuple[str, str]]


def plan_layers(
    model: KerasModel,
    calls: Iterable[tuple[ast.Call, Code]],
    scopes: Scopes,
    plan: Plan,
    here: Collection[ast.AST],
) -> Claimed:
    """Plans a network's layers, and the functions that make some, of one file.

    Args:
      calls: of layers and of these functions, and what becomes of each.
      scopes: of the model's file, joined with others where it has functions of theirs.
      here: the file's nodes.
    """
    claimed: Claimed = {}
    for call, new in calls:
        if call not in here:
            continue
        plan.replace(call, new)
        made = call.func if isinstance(call.func, ast.Call) else call
        if scopes.resolve(made.func) is not None:
            claimed[made.func] = _LAYER
    for layer in model.layers:
        if layer.call in here:
            claimed |= _claim_arguments(layer, scopes, plan)
    for helper in model.helpers:
        if helper.function in here:
            plan.statements[helper.function] = layers.write_helper(
                helper, model.helpers
            )
    for name, value in model.replaced.items():
        if name in here:
            plan.replace(name, make_code(ast.unparse(value)))
    for function in model.scoping:
        if function in here:
            plan.statements[function] = [Dropped(function)]
    for scope in model.within:
        if scope in here:
            plan.statements[scope] = layers.unwrap_block(scope, model.within)
    return claimed


def _claim_arguments(layer: Layer, scopes: Scopes, plan: Plan) -> Claimed:
    """Uses in what a layer's call is given, which are not written again.

    slim's penalties and initial values are contrib.layers' own.
    """
    claimed: Claimed = {}
    carried = {node for value in layer.carried for node in walk_breadth_first(value)}
    for value in layer.given:
        for node in walk_breadth_first(value):
            if isinstance(node, (ast.Attribute, ast.Name)) and node not in carried:
                claimed[node] = _LAYER
    for node in carried:
        if not isinstance(node, ast.Call):
            continue
        module, _, name = (scopes.resolve(node.func) or "").rpartition(".")
        row = rules_of_calls.ROWS.get(f"tf.contrib.layers.{name}")
        if module == "tf.contrib.slim" and row is not None:
            new = rules_of_calls.rewrite_call(node, row, scopes)
            if new is not None:
                plan.replace(node, new)
                claimed[node.func] = ("L104", f"now {row.target}: {row.reason}")
    return claimed


def claim_removed_code(
    model: KerasModel, scopes: Scopes, here: Collection[ast.AST]
) -> Claimed:
    """Uses in functions of one file, and in variable scopes, of which nothing is left."""
    claimed: Claimed = {}
    opened = [statement for helper in model.helpers for statement in helper.opened]
    for statement in (*opened, *model.within):
        heads: list[ast.AST] = []
        if isinstance(statement, ast.If):
            heads.append(statement.test)
        else:
            heads += [item.context_expr for item in statement.items]
        why = _MODE if isinstance(statement, ast.If) else _SCOPED
        claimed.update(_claim_uses(heads, here, why))
        for head in heads:
            if head in here:
                claimed |= claim_devices(head, scopes)
    for helper in model.helpers:
        claimed.update(_claim_uses(helper.gone, here, _MODE))
    claimed.update(_claim_uses(model.scoping, here, _GIVEN))
    for layer in model.layers:  # What a scope gave it is written with it.
        for value in layer.carried:
            for node in walk_breadth_first(value):
                claimed.pop(node, None)
    return claimed


def claim_devices(node: ast.AST, scopes: Scopes) -> Claimed:
    """Uses of tf.device in what is gone."""
    return {
        call.func: _PLACED
        for call in walk_breadth_first(node)
        if isinstance(call, ast.Call) and is_device(call, scopes)
    }


def _claim_uses(
    nodes: Iterable[ast.AST], here: Collection[ast.AST], why: tuple[str, str]
) -> Claimed:
    return {
        inner: why
        for node in nodes
        if node in here
        for inner in walk_breadth_first(node)
        if isinstance(inner, (ast.Attribute, ast.Name))
    }


def plan_networks(
    scopes: Scopes, plan: Plan, shared: SharedModels
) -> tuple[Claimed, list[Finding]]:
    """Plans what a file has of the networks of other files' models.

    Returns:
      What is claimed, as node -> (code, reason); and a finding for each function.
    """
    claimed: Claimed = {}
    told: list[Finding] = []
    for files in shared.networks:
        whole, here = join_scopes_with(scopes, files)
        own = SharedModels(exported=files.exported, files=files)
        for one in model_fn.recognise(whole, own)[0]:
            model = one.model
            calls = layers.find_calls(model)
            claimed |= plan_layers(model, calls, whole, plan, here)
            claimed |= claim_removed_code(model, whole, here)
            program = os.path.basename(files.model.path)
            told += [
                Finding(
                    helper.function.lineno,
                    helper.function.col_offset + 1,
                    "K111",
                    Outcome.REWRITTEN,
                    "",
                    f"{MAKES_LAYERS}{one.name}, the Keras model in {program}",
                )
                for helper in model.helpers
                if helper.function in here
            ]
            first = [helper.calls[0][0] for helper in model.helpers if helper.shared]
            if any(call in here for call in first) or any(
                layer.counted
                or layers.find_target(layer).startswith(f"{table.MODULE}.")
                for layer in model.layers
                if layer.call in here
            ):
                plan.imports.append(f"import {table.MODULE}")
                plan.support.update(table.SUPPORT)
    if told:
        plan.imports.append("import tf_keras")
    return claimed, told
