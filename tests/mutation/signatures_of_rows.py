"""Rows about arguments, compared with the parameters that both TensorFlows have.

Those of TensorFlow 1.15.5 are in `symbols.tsv`, and those of 2.21 and tf_keras in
`signatures.tsv`; other tests compare both with TensorFlow itself.
"""

from __future__ import annotations

import ast
import functools

from tests.mutation import genuine_names

# What a row calls the parameters of a base class, or `**kwargs`.
_OF_LAYERS = frozenset({"name", "trainable", "dtype", "activity_regularizer", "fused"})


def _parameters_before(symbol: str) -> tuple[str, ...]:
    from migrate.tables import symbols

    known = symbols.look_up(symbol)
    return known.signature_v1 if known is not None else ()


@functools.cache
def _definitions(module: str) -> dict[str, ast.stmt]:
    """Returns the definitions of a written module."""
    from migrate import emitted

    own = (f"{module}.py", f"{module}/")
    return {
        node.name: node
        for file in sorted(n for n in emitted.list_names() if n.startswith(own))
        for node in ast.parse(emitted.read_source(file)).body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef))
    }


def _parameters_of(module: str, name: str) -> tuple[str, ...] | None:
    """The parameters of a function or class that a written module defines."""
    from migrate.tables import signatures

    node = _definitions(module).get(name)
    if node is None:
        known = signatures.find_parameters(name)
        return known and tuple(p.removesuffix("=") for p in known)
    made: ast.stmt | None = node
    if isinstance(node, ast.ClassDef):
        made = next(
            (n for n in node.body if getattr(n, "name", "") == "__init__"), None
        )
        if made is None:
            of_bases = [
                _parameters_of(module, ast.unparse(b)) or () for b in node.bases
            ]
            return tuple(p for found in of_bases for p in found)
    assert isinstance(made, ast.FunctionDef)
    names = [a.arg for a in (*made.args.args, *made.args.kwonlyargs)]
    names = [n for n in names if n != "self"]
    if made.args.kwarg and isinstance(node, ast.ClassDef):
        for base in node.bases:
            names += _parameters_of(module, ast.unparse(base)) or ()
    elif made.args.kwarg:
        names.append("**")
    return tuple(names)


def _parameters_now(target: str) -> tuple[str, ...] | None:
    """Returns the parameters of a target; None if they are not known."""
    from migrate import emitted
    from migrate.tables import signatures

    target = target.removesuffix("()")
    module, _, name = target.partition(".")
    if module in emitted.list_modules():
        return _parameters_of(module, name)
    if target == "iter":
        return ("object",)
    if not signatures.exists(target):
        return ()
    known = signatures.find_parameters(target)
    return known and tuple(p.removesuffix("=") for p in known)


def _takes(parameters: tuple[str, ...], name: str) -> bool:
    return name in parameters or any(p.startswith("**") for p in parameters)


def find_wrong_calls() -> list[str]:
    """Rows of contrib's calls that do not fit one of both functions."""
    from migrate.tables import contrib

    found = []
    for row in contrib.CONTRIB_CALLS:
        before = _parameters_before(row.symbol)
        now = _parameters_now(row.target)
        renamed, added = dict(row.renamed), [n for n, _ in (*row.added, *row.defaults)]
        if now == ():
            found.append(f"{row.symbol}: no {row.target}")
        own = {*row.keywords, *renamed, *row.dropped, *row.required, *dict(row.only)}
        own |= {*dict(row.wrapped)}
        own |= {*before[: row.positional]}
        if not own <= {*before} or row.positional > len(before):
            found.append(f"{row.symbol} has no {own - {*before}}")
        if not genuine_names.is_public(row.symbol):
            found.append(f"no {row.symbol}")
        # What is dropped does not stand where the other function has it.
        twice = {*row.keywords, *renamed, *before[: row.positional]} & {*row.dropped}
        found += [f"{row.symbol}: {n} is dropped" for n in twice]
        if row.target.endswith("()") or row.target in ("iter", "tf.summary.record_if"):
            continue  # The object is called.
        given = [renamed.get(n, n) for n in row.keywords] + [*renamed.values(), *added]
        if now is not None:
            found += [f"{row.target} takes no {n}" for n in given if not _takes(now, n)]
            for old, new in zip(before[: row.positional], now):
                if renamed.get(old, old) != new:
                    found.append(f"{row.symbol}: {old} stands where {new} does")
    return found


def find_wrong_layers() -> list[str]:
    """Rows of contrib's layers that do not fit contrib's function, or Keras's layer."""
    from migrate.tables import keras_contrib

    found = []
    for row in keras_contrib.LAYERS.values():
        before = _parameters_before(row.function)
        if not before:  # A partial function: of `fully_connected`.
            before = _parameters_before("tf.contrib.layers.fully_connected")
        if row.parameters != before[1 : 1 + len(row.parameters)]:
            found.append(f"{row.function}: {row.parameters}, it has {before[1:]}")
        wrong = {*row.refused} - {*before}
        wrong |= {row.fixed} - {*before, ""}
        now = _parameters_now(row.target)
        if not now:
            found.append(f"no {row.target}")
            continue
        names = dict(row.renamed)
        for name in row.parameters:
            new = names.get(name, name)
            left = (*row.refused, *keras_contrib._LISTS, *keras_contrib.NORMALIZER)
            left = (*left, "reuse", *row.call_parameters)
            if name not in left and new not in left:
                if new not in now and new not in _OF_LAYERS:
                    wrong.add(new)
        wrong |= {n for n, _ in row.defaults if n not in now and n not in _OF_LAYERS}
        wrong |= {row.inverted} - {*now, ""}
        found += [f"{row.function} -> {row.target}: {n}" for n in sorted(wrong)]
    return found


def find_wrong_names_of_layers() -> list[str]:
    """Aliases of contrib's layers that 1.15.5 calls otherwise."""
    from migrate.tables import keras_contrib

    called = genuine_names.names_in_python()
    found = [
        f"{alias} is no {kind}"
        for alias, kind in keras_contrib._KINDS.items()
        if called.get(alias) is None or called[alias] != called.get(kind)
    ]
    found += [
        f"{kind} is not called {name}"
        for kind, name in keras_contrib.PYTHON_NAMES.items()
        if called.get(kind) != name
    ]
    known = {keras_contrib._find_name(row.function): row for row in keras_contrib._ROWS}
    for name, row in known.items():
        python = called[name]
        of_kind = keras_contrib.PYTHON_NAMES.get(row.kind, row.kind)
        if python != of_kind:
            found.append(f"{name} is called {python}, not {of_kind}")
    every = {p for row in keras_contrib._ROWS for p in _parameters_before(row.function)}
    used = {old for row in keras_contrib._ROWS for old, _ in row.renamed}
    found += [f"no layer has {n}" for n in {*keras_contrib._LISTS, *used} - every]
    found += [f"no layer has {n}" for n in {*keras_contrib.NORMALIZER} - every]
    return found


def find_wrong_hooks() -> list[str]:
    """Finds positions of hooks and parameters of methods unlike both versions'."""
    from migrate.tables import callbacks, keras_fit

    found = []
    of_specs = {
        name: _parameters_before(f"tf.estimator.{name}")
        for name in ("EstimatorSpec", "EvalSpec", "TrainSpec")
    }
    known = {**keras_fit.METHODS, **of_specs}
    for (name, at), argument in callbacks.POSITIONS.items():
        if known.get(name, ())[at : at + 1] != (argument,):
            found.append(f"{name} has no {argument} at {at}")
    places = {(name, argument) for (name, _), argument in callbacks.POSITIONS.items()}
    for name, argument in callbacks.GIVEN:
        if name != "EstimatorSpec" and argument not in known.get(name, ()):
            found.append(f"{name} has no {argument}")
        if name != "EstimatorSpec" and (name, argument) not in places:
            found.append(f"{name} has {argument} at no place")
    signatures = genuine_names.signatures_seen()
    for method, count in callbacks.PARAMETERS.items():
        given = signatures.get(f"tf.train.SessionRunHook.{method}", "")
        if given.count(",") != count:
            found.append(f"{method} takes {given}")
    of_moments = [m for methods, _ in callbacks.MOMENTS.values() for m in methods]
    if sorted(of_moments) != sorted(callbacks.PARAMETERS):
        found.append(f"moments of {of_moments}")
    for moment, (_, text) in callbacks.MOMENTS.items():
        for mode in (callbacks.TRAIN, callbacks.TEST, callbacks.PREDICT):
            name = f"tf_keras.callbacks.Callback.on_{mode}_{moment}"
            if signatures.get(name) != f"(self, {text})":
                found.append(f"{name}{signatures.get(name)}")
    return found


# Methods and classes of Estimators -> how the written modules call them.
_ESTIMATORS = {
    "keras_estimator.Estimator": "",
    "estimator_loop.train_and_evaluate": "tf.estimator.train_and_evaluate",
    "estimator_loop.TrainSpec": "tf.estimator.TrainSpec",
    "estimator_loop.EvalSpec": "tf.estimator.EvalSpec",
    "estimator_loop.RunConfig": "tf.estimator.RunConfig",
    "estimator_loop.LoggingTensorHook": "tf.train.LoggingTensorHook",
}


def find_wrong_estimators() -> list[str]:
    """Parameters of Estimators' functions and classes that TensorFlow 1.15.5 does not have."""
    from migrate.tables import keras_fit

    found = []
    for name, parameters in keras_fit.PARAMETERS.items():
        if name not in _ESTIMATORS:
            found.append(f"no {name}")
            continue
        symbol = _ESTIMATORS[name]
        before = _parameters_before(symbol)
        if not symbol:
            before = ("model", *_parameters_before("tf.estimator.Estimator")[1:])
        if parameters != before:
            found.append(f"{name}: {parameters}, it has {before}")
    found += [f"no {n}" for n in _ESTIMATORS if n not in keras_fit.PARAMETERS]
    for method, name in keras_fit.UNSAID:
        known = keras_fit.METHODS.get(method) or keras_fit.PARAMETERS.get(method, ())
        if name not in known:
            found.append(f"{method} has no {name}")
    config = keras_fit.PARAMETERS.get(keras_fit.RUN_CONFIG, ())
    found += [
        f"RunConfig has no {n}" for n in keras_fit.UNSAID_CONFIG if n not in config
    ]
    return found


def find_other_packages() -> list[str]:
    """The package of Estimators, where the written module asks for another one."""
    from migrate import emitted
    from migrate.tables import graph_estimators

    asked = f"pip install --no-deps {graph_estimators.PACKAGE}"
    text = emitted.read_source(f"{graph_estimators.MODULE}.py").decode()
    lines = [line.strip() for line in text.splitlines()]
    return [] if asked in lines else [f"it does not say: {asked}"]
