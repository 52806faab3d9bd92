"""Finds the hooks that become callbacks of Keras, and why the others stay hooks."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts.scopes import Scopes
from migrate.frontends.callbacks.elsewhere import find_objects_made_here
from migrate.frontends.callbacks.given import Given
from migrate.frontends.callbacks.hook import HookReader, ends_early, is_early, is_quiet
from migrate.frontends.callbacks.reasons import NoCallback
from migrate.frontends.sessions.derived_hooks import find_hook_classes
from migrate.program.callbacks import Callback, Made, StaysHook
from migrate.program.keras_files import SharedModels
from migrate.program.keras_model import KerasModel
from migrate.tables import callbacks as table
from migrate.tables.estimator import find_public


def recognise(
    scopes: Scopes,
    models: Iterable[KerasModel],
    estimators: Iterable[ast.Call],
    stays: bool,
    shared: SharedModels,
) -> tuple[list[Callback], list[Made], list[StaysHook]]:
    """Reads the program's own hooks, and finds its objects of other files' hooks.

    Args:
      models: its model_fns that become Keras models.
      estimators: calls of Estimator that train such models, of other files too.
      stays: whether a model_fn of the program stays one.
      shared: what it has together with other files.
    """
    models, estimators = list(models), set(estimators)
    classes = [
        c
        for c in find_hook_classes(scopes)
        if any(find_public(scopes.resolve(b) or "") in table.HOOKS for b in c.bases)
    ]
    files = shared.callbacks
    given, several = Given(models), files.several or _may_use_several_devices(scopes)
    others = _explain_missing_model(scopes, estimators, models, stays)
    created = any(
        isinstance(item, ast.FunctionDef) and item.name == "after_create_session"
        for c in find_hook_classes(scopes)
        for item in c.body
    )
    found: list[Callback] = []
    made, kept = find_objects_made_here(scopes, files.imported, given, others)
    for class_ in classes:
        use = files.own.get(class_.name)
        reader = HookReader(class_, scopes, given, several, use, not estimators)
        try:
            if class_.name in files.stay:
                raise NoCallback(class_, files.stay[class_.name])
            if others and (use is None or reader.makes):
                raise NoCallback(class_, others)
            if class_.name in shared.hooks and use is None:
                raise NoCallback(class_, "another file has it too")
            callback = reader.run()
            _check_begin(callback, created or use is not None and use.created)
        except NoCallback as reason:
            kept.append(StaysHook(class_.name, class_, reason.node, reason.reason))
            continue
        found.append(callback)
    return found, made, kept


def _explain_missing_model(
    scopes: Scopes,
    estimators: set[ast.Call],
    models: list[KerasModel],
    stays: bool,
) -> str:
    """Explains why hooks here may have no Keras model; "" if they have one."""
    if stays:
        return "the model of an Estimator here stays a model_fn"
    if _makes_other_estimators(scopes, estimators):
        return "an Estimator here has no Keras model"
    return "" if estimators or models else "no Estimator is made in this file"


def _check_begin(callback: Callback, created: bool) -> None:
    """Refuses a hook whose `begin` cannot run as late as a callback's beginning.

    Args:
      created: whether a hook of the program is told that there is a session.
    """
    begin = callback.methods.get("begin")
    if begin is not None and not is_early(begin):
        raise NoCallback(
            begin,
            "its `begin` does more than set attributes, and TensorFlow 1 "
            "called it before it restored variables",
        )
    if begin is None or not created:
        return
    if not is_quiet(begin):
        raise NoCallback(
            begin,
            "its `begin` does something that would come after the effects of "
            "other hooks",
        )
    if ends_early(begin):
        raise NoCallback(begin, "its `begin` returns early")


def _may_use_several_devices(scopes: Scopes) -> bool:
    """Whether a strategy of one process may train on several devices."""
    return any(
        isinstance(node, ast.keyword) and node.arg == "train_distribute"
        for node in scopes.walk()
    ) or any(symbol.endswith("MirroredStrategy") for _, symbol in scopes.walk_uses())


def _makes_other_estimators(scopes: Scopes, known: set[ast.Call]) -> bool:
    """Whether anything but the known calls makes an Estimator."""
    for node, symbol in scopes.walk_uses():
        last = symbol.rpartition(".")[2]
        if last.endswith(("Estimator", "Classifier", "Regressor", "Experiment")):
            if not symbol.startswith(("tf.estimator.", "tf.contrib.")):
                continue
            call = scopes.parents[node]
            is_type = isinstance(call, (ast.arg, ast.FunctionDef))
            if call not in known and not is_type:
                return True
    return False
