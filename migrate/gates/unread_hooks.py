"""Refuses migrated programs with hooks whose class the tool has not read.

    from otherlib.hooks import SpeedHook

    with tf.train.MonitoredTrainingSession(hooks=[SpeedHook(loss)]) as sess: ...

The migrated training calls TensorFlow's hooks, which the tool writes anew, and the
program's hooks, which the tool rewrites. A hook of a library knows only TensorFlow 1's
session.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import build_scopes
from migrate.findings import Finding, Outcome
from migrate.gates.hook_values import HookValues, Unread
from migrate.migration import Migration
from migrate.source.nodes import parse_source
from migrate.tables import callbacks
from migrate.unit import Unit

# A tensor that only a step has.
_LOST = "S112"
# Emitted modules that call hooks.
_CALLING = (
    "training_session",
    "estimator_loop",
    "keras_estimator",
    "canned_estimators",
)
_KEYWORDS = frozenset(
    {"chief_only_hooks", "hooks", *(name for _, name in callbacks.GIVEN)}
)
# Symbol -> the positions of hooks among its arguments, in TF 1.15.5.
_SPECIFICATION = (6, 7, 9, 10)
_POSITIONS = {
    "tf.train.MonitoredTrainingSession": (4, 5),
    "tf.train.MonitoredSession": (1,),
    "tf.train.SingularMonitoredSession": (0,),
    "tf.estimator.EstimatorSpec": _SPECIFICATION,
}
_ESTIMATORS = ("tf.estimator.", "tf.contrib.")
_RECIPE = "Copy the hook's class into a file of this program, or leave the hook out."


def find_unread_hooks(text: str, done: Migration, unit: Unit) -> tuple[Finding, ...]:
    """Returns the refusals of a file that gives its training such hooks; () for others.

    Args:
      text: the file's own text.
      done: the migration of the file. If that is refused because a hook gets a tensor that
        only a step has, the hook is the reason.
    """
    lost = [
        f for f in done.findings if f.code == _LOST and f.outcome is Outcome.REFUSED
    ]
    if not (lost or _calls_hooks(done)):
        return ()
    scopes = build_scopes(parse_source(text))
    values = HookValues(scopes, unit.path, unit.options.tree.shared_hooks)
    found: dict[ast.AST, Unread] = {}
    named: set[str] = set()
    for node in scopes.walk():
        if isinstance(node, ast.Call):
            for given in _find_given(node, values):
                for unread in values.find_unread(given):
                    found.setdefault(unread.node, unread)
                    named |= names.find_reads(given) | names.find_reads(unread.node)
    if not found:
        return ()
    others = [
        f
        for f in done.findings
        if f.outcome is Outcome.REFUSED
        and f.code != "N100"
        and not (f in lost and named.intersection(f.reason.split("`")[1:2]))
    ]
    return tuple(sorted([*others, *(_make_refusal(u) for u in found.values())]))


def _calls_hooks(done: Migration) -> bool:
    return any(name.startswith(_CALLING) for name in done.support)


def _find_given(call: ast.Call, values: HookValues) -> list[ast.expr]:
    """Returns the hooks that a call is given, unless the call is one of the library itself."""
    symbol = values.scopes.resolve(call.func) or ""
    positions = _POSITIONS.get(symbol, ())
    if symbol or _is_of_estimator(call.func, values):
        last = names.get_last_part(call.func)
        positions += tuple(at for name, at in callbacks.POSITIONS if name == last)
    given = [k.value for k in call.keywords if k.arg in _KEYWORDS]
    given += [call.args[place] for place in positions if place < len(call.args)]
    if not symbol and given and values.is_of_library(call.func):
        return []
    return given


def _is_of_estimator(func: ast.expr, values: HookValues) -> bool:
    """Whether a call is a method of an object that a call of tf.estimator makes."""
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return False
    owner = values.scopes.find_scope(func.value).find_owner(func.value.id)
    return owner is not None and any(
        isinstance(binding, ast.Assign)
        and isinstance(binding.value, ast.Call)
        and (values.scopes.resolve(binding.value.func) or "").startswith(_ESTIMATORS)
        for binding in owner.bindings[func.value.id]
    )


def _make_refusal(unread: Unread) -> Finding:
    return Finding(
        unread.node.lineno,
        unread.node.col_offset + 1,
        "H122",
        Outcome.REFUSED,
        "",
        f"this hook comes from `{unread.module}`, which the tool has not read. The "
        "hook works in a session of TensorFlow 1, and the migrated program has none",
        _RECIPE,
    )
