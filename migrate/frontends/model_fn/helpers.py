"""Functions that make a network's layers: they change, so nothing else may call them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from migrate.facts.scopes import Scopes
from migrate.facts.trees.joined import Joined
from migrate.facts.trees.mentions import find_calls_by_text, name_module
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_layers import Helper
from migrate.program.keras_model import KerasModel
from migrate.source.nodes import walk_breadth_first


def check_helpers(
    model: KerasModel,
    scopes: Scopes,
    kept: Mapping[tuple[str, str], str],
    others: Iterable[KerasModel] = (),
) -> None:
    """Fails if other code uses a function that the network calls.

    Args:
      others: Keras models of the same files, which may call it, too.
      kept: functions, as (real path, name), that cannot change -> why; the name "" is
        that of all.
    """
    # No step holds layers; what calls it in another mode's branch is gone.
    inside: set[ast.AST] = set()
    for one in (model, *others):
        inside.update(walk_breadth_first(one.function))
        for helper in one.helpers:
            inside.update(walk_breadth_first(helper.function))
    for other in others:
        for helper in model.helpers:
            there = _describe_written(helper, other)
            if there is not None and there != _describe_written(helper, model):
                raise NotSplit(
                    helper.function,
                    f"for another model_fn, {helper.function.name}() makes "
                    "other layers",
                )
    for function in model.scoping:
        _check_scoping(function, inside, scopes)
    for helper in model.helpers:
        function = helper.function
        if helper.owner is not None:
            _check_names(model, function)
            continue
        for node in _find_mentions(function, scopes):
            if node not in inside:
                raise NotSplit(
                    node,
                    f"{function.name}() makes layers, and other code calls it, too",
                )
        _check_names(model, function)
        if isinstance(scopes, Joined):
            place = scopes.find_place(function)
            reason = kept.get((place, function.name)) or kept.get((place, ""))
            if reason:
                raise NotSplit(
                    function, f"{function.name}() makes layers, and {reason}"
                )


def _check_scoping(
    function: ast.FunctionDef, inside: set[ast.AST], scopes: Scopes
) -> None:
    """Refuses other uses of a function that returns an argument scope."""
    for node in _find_mentions(function, scopes):
        if node not in inside:
            raise NotSplit(
                node, f"{function.name}() opens argument scopes for other code, too"
            )


def _describe_written(helper: Helper, model: KerasModel) -> object:
    """Describes all that a function's new text depends on, in one model."""
    function = helper.function
    known = next((h for h in model.helpers if h.function is function), None)
    if known is None:
        return None
    inside = set(walk_breadth_first(function))
    layers = [
        (
            part.call,
            part.row,
            part.inputs and ast.dump(part.inputs),
            [(name, ast.dump(value)) for name, value in part.arguments],
            part.name
            if isinstance(part.name, str)
            else part.name and ast.dump(part.name),
            [ast.dump(e) for e in part.scope],
            part.texts,
        )
        for layer in model.layers
        if layer.call in inside
        for part in layer.parts
    ]
    called = [
        (h.function, h.shared, h.scope, h.prefix, h.unneeded)
        for h in model.helpers
        if any(call in inside for call, _ in h.calls)
    ]
    return (
        (
            known.unneeded,
            known.opened,
            known.gone,
            known.scope,
            known.prefix,
            known.kept,
        ),
        layers,
        called,
    )


def check_objects(model: KerasModel, scopes: Scopes, knowing: Iterable[str]) -> None:
    """Fails if other code uses a class whose methods the network calls.

    Args:
      knowing: texts of other files that may.
    """
    inside = set(walk_breadth_first(model.function))
    for helper in model.helpers:
        inside.update(walk_breadth_first(helper.function))
    for helper in model.helpers:
        owner = helper.owner
        if owner is None:
            continue
        for node in walk_breadth_first(scopes.tree):
            if isinstance(node, ast.Name) and node.id == owner.name:
                if isinstance(node.ctx, ast.Load) and node not in inside:
                    raise NotSplit(
                        node,
                        f"{owner.name}() makes layers, and other code calls it, too",
                    )
        if any(re.search(rf"\b{owner.name}\b", text) for text in knowing):
            raise NotSplit(owner, f"{owner.name} makes layers, and other files use it")
        _check_kept(helper, model)


def _check_kept(helper: Helper, model: KerasModel) -> None:
    """Refuses reads of a removed training flag outside of the layers' functions."""
    known = {one.function for one in model.helpers}
    gone = {ast.unparse(s.targets[0]) for s in helper.kept if isinstance(s, ast.Assign)}
    words = {word.rpartition(".")[2] for word in gone}
    members = helper.owner.body if helper.owner is not None else []
    for code in (*members, model.function):
        for node in walk_breadth_first(code) if code not in known else ():
            if isinstance(node, ast.Attribute) and node.attr in words:
                raise NotSplit(
                    node, f"code other than the layers reads `{ast.unparse(node)}`"
                )


def _check_names(model: KerasModel, function: ast.FunctionDef) -> None:
    """Refuses a layer in a variable scope that another function names."""
    inside = set(walk_breadth_first(function))
    own = {helper.function: helper.scope for helper in model.helpers}
    for layer in model.layers:
        if layer.call in inside:
            for part in layer.scope:
                told = isinstance(part, ast.Name) and part.id == own.get(function)
                if part not in inside and not (told or isinstance(part, ast.Constant)):
                    raise NotSplit(
                        layer.call,
                        f"{function.name}() makes a layer in a variable scope "
                        "that another function names",
                    )


def _find_mentions(function: ast.FunctionDef, scopes: Scopes) -> Iterator[ast.AST]:
    """Finds the expressions that name a function, or may name it."""
    if not isinstance(scopes, Joined) or scopes.is_own(function):
        for node in walk_breadth_first(scopes.tree):
            if isinstance(node, ast.Name) and node.id == function.name:
                if isinstance(node.ctx, ast.Load):
                    yield node
    if isinstance(scopes, Joined):
        modules = {name_module(path) for path in scopes.list_paths()}
        for file in scopes.walk_files():
            yield from find_calls_by_text(file.tree, function.name, modules)
            for node in walk_breadth_first(file.tree):
                if isinstance(node, (ast.Name, ast.Attribute)):
                    if isinstance(node.ctx, ast.Load) and _is_named(
                        node, function, scopes
                    ):
                        yield node


def _is_named(
    node: ast.Name | ast.Attribute, function: ast.FunctionDef, scopes: Joined
) -> bool:
    """Whether an expression is a function, or may be."""
    named = scopes.find_named_function(node)
    if named is not None:
        return named[0] is function
    if isinstance(node, ast.Attribute):
        return node.attr == function.name and scopes.resolve(node) is None
    # `from module import *` binds it unseen.
    return (
        node.id == function.name and scopes.find_scope(node).find_owner(node.id) is None
    )
