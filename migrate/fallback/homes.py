"""Finds the name of a TensorFlow 1 symbol in graph mode on TensorFlow 2.21."""

from __future__ import annotations

import dataclasses

from migrate import emitted
from migrate.tables import (
    contrib,
    contrib_graph,
    graph_estimators,
    graph_mode,
    graph_slim,
    legacy_keras,
    modes,
    not_public,
    symbols,
)
from migrate.tables.calls import CallRow
from migrate.tables.optimizers import OPTIMIZERS
from migrate.tables.unsupported import MNIST_SYMBOLS

_V1 = "tf.compat.v1."
_V2 = "tf.compat.v2."


@dataclasses.dataclass(frozen=True)
class Lost:
    """A symbol without a counterpart in graph mode: the reason, and the way out."""

    reason: str
    recipe: str = ""


# A home is spelled as the tables do: `tf.compat.v1.X`, `tf.X` for TensorFlow 2's own,
# `module.X` for a module that is written beside the file; a row is one by call.
Home = str | CallRow | Lost

# Tables that have a home by the whole name.
_HOMES = (
    modes.MODES,
    MNIST_SYMBOLS,
    graph_mode.HOMES,
    graph_slim.HOMES,
    contrib_graph.GRAPH,
)


def find_home(symbol: str) -> Home:
    """Finds the name of a symbol in graph mode, if compat.v1 lacks its own name."""
    symbol = spell_public_module(symbol)
    home = _find_home_of_name(symbol)
    if not isinstance(home, Lost):
        return home
    for original in graph_slim.list_originals(symbol):
        of_original = _find_home_of_name(original)
        if not isinstance(of_original, Lost):
            return of_original
    return _find_home_of_attribute(symbol) or home


def _find_home_of_attribute(symbol: str) -> str | None:
    """The home of an attribute of what has a home by its own name."""
    name, _, attribute = symbol.rpartition(".")
    if not name or name in symbols.list_modules():
        return None
    owner = find_home(name)
    return f"{owner}.{attribute}" if isinstance(owner, str) else None


def _find_home_of_name(symbol: str) -> Home:
    for table in _HOMES:
        if symbol in table:
            return table[symbol]
    if symbol == modes.CLASS:
        return modes.NAMESPACE
    estimator = _find_in_package(symbol)
    if estimator is not None:
        return estimator
    by_call = next((row for row in contrib.CONTRIB_CALLS if row.symbol == symbol), None)
    lost = _find_broken(symbol)
    if lost is not None:
        return by_call or lost
    for rows in (contrib_graph.METRICS, graph_mode.METRICS):
        if symbol in rows:
            return rows[symbol]
    if symbol in contrib.SUPPORT:
        module, name = contrib.SUPPORT[symbol]
        return f"{module}.{name}"
    if by_call is not None:
        return by_call
    if symbol in OPTIMIZERS and OPTIMIZERS[symbol].target:
        target = OPTIMIZERS[symbol].target
        # A graph would run only a part of the update of an optimizer that is written beside.
        if not emitted.list_files(target.partition(".")[0]):
            return target
    if symbol in contrib.HOMES:
        return contrib.HOMES[symbol]
    if symbol in contrib.SLIM:
        return contrib.SLIM[symbol]
    found = symbols.look_up(symbol)
    if found is not None and found.target and "core" in found.flags:
        return found.target
    if symbol.startswith("tf.contrib."):
        return _explain_contrib(symbol)
    if found is not None and found.target:
        return found.target
    return Lost(*not_public.explain_absence(symbol))


def _explain_contrib(symbol: str) -> Lost:
    """Explains why a name of contrib has no home: by its own row, or its module's."""
    for one in (symbol, *graph_slim.list_originals(symbol)):
        name = one.removeprefix("tf.contrib.")
        if name.partition(".")[0] == "layers" and name in contrib.NO_HOME:
            return Lost(*contrib.NO_HOME[name])
        if one in graph_slim.REASONS:
            return Lost(*graph_slim.REASONS[one])
    for one in (*graph_slim.list_originals(symbol), symbol):
        row = _find_longest(one, graph_mode.NO_HOME)
        if row is not None and one in symbols.list_symbols():
            return Lost(*row)
    return Lost(
        *_find_longest(symbol, graph_mode.NO_HOME) or contrib.explain_no_home(symbol)
    )


def spell_public_module(symbol: str) -> str:
    """A symbol with the public name of a private module that has the same names."""
    return symbol.replace("tf.contrib.eager.python.tfe", "tf.contrib.eager")


def _find_in_package(symbol: str) -> str | None:
    """Finds a symbol, or the attribute of one, in tensorflow-estimator."""
    name = symbol
    while name:
        if name in graph_estimators.HOMES:
            return graph_estimators.HOMES[name] + symbol.removeprefix(name)
        name = name.rpartition(".")[0]
    return None


def find_home_of_module(symbol: str) -> str | None:
    """Finds the graph-mode name of a whole module that compat.v1 lacks."""
    return graph_estimators.MODULES.get(symbol)


def find_home_of_2(symbol: str) -> Home:
    """Finds the graph-mode name of a symbol that means TensorFlow 2's own."""
    if _find_in_package(symbol) is not None:
        row = symbols.find_known_prefix(symbol)
        if row is None or row.status_2_15 != symbols.SAME:
            return Lost(*graph_estimators.OF_TENSORFLOW_2)
    return find_home(symbol)


def is_in_compat(symbol: str) -> bool:
    """Whether `tensorflow.compat.v1` has a symbol of TensorFlow 1, and it works there."""
    return exists(_V1 + symbol.removeprefix("tf."))


def exists(name: str) -> bool:
    """Whether TensorFlow 2.21 has a name, and it works in graph mode with Keras 2."""
    while name.startswith(_V2):  # tf.compat.v2.compat.v1.X
        name = "tf." + name.removeprefix(_V2)
    symbol = "tf." + name.removeprefix(_V1).removeprefix("tf.")
    if _find_broken(symbol) is not None or symbol.startswith("tf.contrib."):
        return False
    if symbol.startswith("tf.__"):  # tf.__version__, and a string's methods.
        return True
    if symbol.startswith("tf.keras."):
        row = symbols.find_known_prefix(symbol)
        return row is None or bool(row.target)
    if name.startswith(_V1) and legacy_keras.find_home(symbol) is not None:
        return True
    return symbols.exists_in_target(name)


def _find_broken(symbol: str) -> Lost | None:
    row = _find_longest(symbol, graph_estimators.LOST)
    return Lost(*row) if row else None


def _find_longest(
    symbol: str, rows: dict[str, tuple[str, str]]
) -> tuple[str, str] | None:
    """The row of a symbol, or of the nearest module above it."""
    while symbol:
        if symbol in rows:
            return rows[symbol]
        symbol = symbol.rpartition(".")[0]
    return None
