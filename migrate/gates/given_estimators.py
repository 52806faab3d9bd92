"""Estimators that a program gives to a library: the tool refuses the program.

    from otherlib import Experiment

    Experiment(tf.estimator.Estimator(model_fn), train_spec, eval_spec)

The migrated program's Estimators and specs are those of modules beside it. A library
knows TensorFlow 1's, which it trains by `tf.estimator`, and TensorFlow 2.21 has none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.gates.value_sources import ValueSources
from migrate.migration import Migration
from migrate.source.nodes import parse_source
from migrate.unit import Unit

# Emitted modules that have Estimators.
_MAKING = ("estimator_loop", "keras_estimator", "canned_estimators")
_PREFIXES = ("tf.estimator.", "tf.contrib.estimator.", "tf.contrib.tpu.TPU")
# Libraries that take any object, and only show or keep it.
_SHOWING = frozenset({"absl", "attr", "numpy", "six", "tqdm"})
_RECIPE = (
    "Train, evaluate and export by tf.estimator in this program, and leave the library "
    "out. Or copy the library's function into a file of this program."
)


def find_given_estimators(
    text: str, done: Migration, unit: Unit
) -> tuple[Finding, ...]:
    """Refusals of a file that gives Estimators to a library; () for every other file.

    Args:
      text: the file's own.
      done: what it becomes.
    """
    if not any(name.startswith(_MAKING) for name in done.support):
        return ()
    scopes = build_scopes(parse_source(text))
    values = ValueSources(scopes, unit.path, unit.options.tree)
    found = []
    for call in scopes.walk():
        if not isinstance(call, ast.Call):
            continue
        given = [*call.args, *(k.value for k in call.keywords)]
        kinds = [kind for v in given for kind in _find_kinds(v, scopes, set())]
        if kinds and _is_of_unread_library(call, values):
            found.append(_make_refusal(call, kinds[0]))
    return tuple(sorted(found))


def _is_of_unread_library(call: ast.Call, values: ValueSources) -> bool:
    path = values.scopes.import_path(call.func) or ""
    if not path or values.scopes.resolve(call.func):
        return False
    return path.partition(".")[0] not in _SHOWING and values.is_of_library(call.func)


def _find_kinds(value: ast.AST, scopes: Scopes, seen: set[ast.AST]) -> Iterator[str]:
    """Which classes of tf.estimator a value is an object of."""
    if value in seen:
        return
    seen.add(value)
    following: list[ast.AST] = []
    if isinstance(value, ast.Call):
        symbol = scopes.resolve(value.func) or ""
        kind = symbol.rpartition(".")[2]
        if symbol.startswith(_PREFIXES) and kind[:1].isupper():
            yield kind
        elif isinstance(value.func, ast.Name):
            for made in find_definitions(scopes, value.func):
                following += _list_results(made)
    elif isinstance(value, ast.Name):
        owner = scopes.find_scope(value).find_owner(value.id)
        bindings = owner.bindings[value.id] if owner is not None else []
        following += [b.value for b in bindings if isinstance(b, ast.Assign)]
    elif isinstance(value, (ast.List, ast.Tuple)):
        following += value.elts
    elif isinstance(value, ast.Dict):
        following += value.values
    elif isinstance(value, ast.IfExp):
        following += [value.body, value.orelse]
    for node in following:
        yield from _find_kinds(node, scopes, seen)


def _list_results(function: ast.AST) -> list[ast.AST]:
    if not isinstance(function, ast.FunctionDef):
        return []
    return [
        node.value
        for node in names.walk_scope_of_function(function)
        if isinstance(node, ast.Return) and node.value is not None
    ]


def _make_refusal(call: ast.Call, kind: str) -> Finding:
    called = ast.unparse(call.func)
    return Finding(
        call.lineno,
        call.col_offset + 1,
        "E117",
        Outcome.REFUSED,
        "",
        f"the program gives a `{kind}` to `{called}` of a library that the tool has not "
        f"read. The library expects TensorFlow 1's `{kind}`, and TensorFlow 2.21 has no "
        "tf.estimator",
        _RECIPE,
    )
