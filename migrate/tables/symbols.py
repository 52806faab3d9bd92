"""TF1's public names and where each lives in TF2; generated, see `symbols.tsv`."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources

TABLE = "symbols.tsv"


@dataclasses.dataclass(frozen=True)
class SymbolRow:
    """One name of TensorFlow 1's API.

    Attributes:
      name: the TF1 symbol.
      status: "same" (`tf.X` of TF2 is the same object), "moved" (the same object
        has another public name), "compat" (only `tf.compat.v1.X` is).
      target: how a migrated program spells it.
    """

    name: str
    status: str
    target: str


@functools.cache
def symbols() -> dict[str, SymbolRow]:
    """Rows by TF1 symbol."""
    text = importlib.resources.files(__package__).joinpath(TABLE).read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {name: SymbolRow(name, status, target) for name, status, target in rows}


@functools.cache
def modules() -> frozenset[str]:
    """Every prefix of a symbol that is a module or class: "tf.app.flags"."""
    return frozenset(name.rpartition(".")[0] for name in symbols())


@functools.cache
def target_names() -> frozenset[str]:
    """Public `tf.` names that exist in every supported TF2 version."""
    text = importlib.resources.files(__package__).joinpath("targets.txt").read_text("utf-8")
    return frozenset(line for line in text.splitlines() if not line.startswith("#"))


@functools.cache
def _target_prefixes() -> frozenset[str]:
    found: set[str] = set()
    for name in target_names():
        while "." in name:
            name = name.rpartition(".")[0]
            found.add(name)
    return frozenset(found)


def exists_in_tf2(name: str) -> bool:
    """Whether `tf.X` can be a name of TF2: a public one, its module, or its attribute."""
    if name in _target_prefixes():
        return True
    while "." in name:
        if name in target_names():
            return True
        name = name.rpartition(".")[0]
        if name in _target_prefixes():
            return False
    return name == "tf"


def lookup(symbol: str) -> SymbolRow | None:
    """The row of a symbol, or of the class it is an attribute of."""
    rows = symbols()
    rest: list[str] = []
    name = symbol
    while name and name != "tf":
        row = rows.get(name)
        if row is not None:
            return dataclasses.replace(
                row, name=symbol, target=".".join([row.target, *rest])
            )
        if name in modules():
            return None
        name, _, last = name.rpartition(".")
        rest.insert(0, last)
    return None
