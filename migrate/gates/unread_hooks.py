"""Refuses migrated programs with hooks whose class the tool has not read.

    from otherlib.hooks import SpeedHook

    with tf.train.MonitoredTrainingSession(hooks=[SpeedHook(loss)]) as sess: ...

The migrated training calls TensorFlow's hooks, which it has anew, and those of the program,
which the tool has rewritten. A hook of a library knows only TensorFlow 1's session. So does
a hook in a file that is beside the program and not part of the run.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.reach import find_methods
from migrate.facts.scopes import build_scopes
from migrate.findings import Finding, Outcome
from migrate.gates.given_arguments import is_partial
from migrate.gates.unread_values import Unread
from migrate.gates.value_sources import ValueSources
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
_METHODS = frozenset(name for name, _ in callbacks.POSITIONS if name.islower())
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
_ESTIMATORS = ("tf.contrib.", "tf.estimator.", "tf.keras.estimator.")
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
    values = ValueSources(scopes, unit.path, unit.options.tree)
    found: dict[ast.AST, Unread] = {}
    named: set[str] = set()
    # A function of another file may give its training what it gets from this one.
    for file in (values, *values.list_imported()):
        for node in file.scopes.walk():
            if not isinstance(node, ast.Call):
                continue
            for given in _find_given(node, file):
                for unread in file.find_unread(given):
                    if file is values or unread.node in scopes.parents:
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
    return tuple(sorted([*others, *(_make_refusal(u, unit) for u in found.values())]))


def _calls_hooks(done: Migration) -> bool:
    return any(name.startswith(_CALLING) for name in done.support)


def _find_given(call: ast.Call, values: ValueSources) -> list[ast.expr]:
    """What a call gives as hooks, where it is no call of the library itself."""
    func, arguments = call.func, call.args
    if is_partial(values.scopes, call):
        func, *arguments = call.args
    symbol = values.scopes.resolve(func) or ""
    if symbol.startswith("tf."):
        last = symbol.rpartition(".")[2]
        last = "" if last in _METHODS else last  # `slim.learning.train` has others.
    else:
        symbol, last = "", _find_method(func, values)
    positions = _POSITIONS.get(symbol, ())
    positions += tuple(at for name, at in callbacks.POSITIONS if name == last)
    given = [k.value for k in call.keywords if k.arg in _KEYWORDS]
    given += [arguments[place] for place in positions if place < len(arguments)]
    if (symbol or last) and any(k.arg is None for k in call.keywords):
        # What `**settings` may have.
        given += [v for name in _KEYWORDS for v in values.kept.find_keyed(name)]
    if not symbol and given and values.is_of_library(func):
        return []
    return given


def _find_method(func: ast.expr, values: ValueSources) -> str:
    """The name of a method of what a call of tf.estimator makes; "" for others."""
    method = values.kept.find_bound_method(func)
    if method is None or method.attr not in _METHODS:
        return ""
    owner = method.value
    is_super = isinstance(owner, ast.Call) and names.find_key(owner.func) == "super"
    if find_methods(values.scopes).get(method.attr) and not is_super:
        return ""  # The file's own method, whose parameters are followed.
    made = values.find_symbols(owner)
    return method.attr if any(s.startswith(_ESTIMATORS) for s in made) else ""


def _make_refusal(unread: Unread, unit: Unit) -> Finding:
    return Finding(
        unread.node.lineno,
        unread.node.col_offset + 1,
        "H122",
        Outcome.REFUSED,
        "",
        f"this hook comes from {unread.describe_home(unit.path)}. The hook works in a "
        "session of TensorFlow 1, and the migrated program has none",
        unread.choose_recipe(_RECIPE),
    )
