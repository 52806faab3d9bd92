"""TF1's public names and what became of each in TF2; generated, see `symbols.tsv`.

`reference/symbols.py` writes the data from TensorFlow 1.15.5, 2.15.1 and 2.21.0.
Only the key of a line is read at start; the rest when the symbol is looked up.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
from collections.abc import Iterator, Mapping

from migrate.tables import graph_only as graph_only_table

TABLE = "symbols.tsv"
TARGETS = "target_names.tsv"

# Modules that are read as a dict of their names, the same in compat.v1:
# `tf.logging.__dict__["INFO"]`.
NAMESPACES = frozenset({"tf.logging.__dict__"})

SAME, CHANGED, COMPAT = "same", "changed", "compat"
MOVED, GONE, CONTRIB = "moved", "gone", "contrib"


@dataclasses.dataclass(frozen=True)
class Symbol:
    """One name of TensorFlow 1.15.5's API, judged for TF 2.21.

    Attributes:
      name: the TF1 symbol, "tf.log".
      status: what became of it:
        "same": `tf.X` is `tf.compat.v1.X`, and calls that fit 1.15.5 fit it.
        "changed": `tf.X` exists, but is another object or takes other arguments.
        "compat": only `tf.compat.v1.X` exists.
        "moved": the object of `tf.compat.v1.X` has another name in TF2.
        "gone": neither has it.
        "contrib": it was in tf.contrib.
      new_name: the TF2 name that keeps TF1's meaning, "" where there is none; for
        "changed" this is `tf.compat.v1.X` unless only a decorator differs.
      status_2_15: the status in TF 2.15.1.
      flags: "decorated" (the namesakes wrap one function), "signature" (the new
        name's parameters are not 1.15.5's), "legacy-keras" (importable on 2.21 only
        with TF_USE_LEGACY_KERAS=1), "core" (a contrib name of a core object),
        "no-compat" (`tf.X` exists, `tf.compat.v1.X` does not).
      parameters_v1: 1.15.5's parameters with their defaults, "axis=None"; empty
        where there are none or they cannot be known.
      parameters_v2: those of TF2's `tf.X`, or of the new name where it has no `tf.X`.
      suggestion: a native TF2 name of about the same meaning, other arguments.
      graph_only: whether `tf.compat.v1.X` fails or does nothing outside a graph.
    """

    name: str
    status: str
    new_name: str
    status_2_15: str
    flags: frozenset[str]
    parameters_v1: tuple[str, ...]
    parameters_v2: tuple[str, ...]
    suggestion: str
    graph_only: bool

    @property
    def target(self) -> str:
        """Returns the name that a program uses to keep TF1's meaning."""
        return self.new_name

    @property
    def signature_v1(self) -> tuple[str, ...]:
        """Names of 1.15.5's parameters: ("input", "axis", "*args", "*", "**kwargs")."""
        return _strip_defaults(self.parameters_v1)

    @property
    def signature_v2(self) -> tuple[str, ...]:
        """Names of TF2's parameters."""
        return _strip_defaults(self.parameters_v2)


def _strip_defaults(parameters: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(parameter.partition("=")[0] for parameter in parameters)


def _split_parameters(field: str) -> tuple[str, ...]:
    return () if field in ("()", "?") else tuple(field.split())


def _read_lines(name: str) -> Iterator[str]:
    text = importlib.resources.files(__package__).joinpath(name).read_text("utf-8")
    return (line for line in text.splitlines() if not line.startswith("#"))


@functools.cache
def _read_raw() -> dict[str, str]:
    parts = (line.partition("\t") for line in _read_lines(TABLE))
    return {name: rest for name, _, rest in parts}


@functools.cache
def _find_row(name: str) -> Symbol | None:
    rest = _read_raw().get(name)
    if rest is None:
        return None
    fields = [*rest.split("\t"), *[""] * 7][:7]
    status, new_name, older, flags, before, after, suggestion = fields
    return Symbol(
        name=name,
        status=status,
        new_name=name if new_name == "=" else new_name,
        status_2_15=status if older == "=" else older,
        flags=frozenset(flags.split(",")) - {""},
        parameters_v1=_split_parameters(before),
        parameters_v2=_split_parameters(before if after == "=" else after),
        suggestion=suggestion,
        graph_only=graph_only_table.find(name) is not None,
    )


class _Rows(Mapping[str, Symbol]):
    """Every row by name, parsed when asked for."""

    def __getitem__(self, name: str) -> Symbol:
        row = _find_row(name)
        if row is None:
            raise KeyError(name)
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(_read_raw())

    def __len__(self) -> int:
        return len(_read_raw())


def list_symbols() -> Mapping[str, Symbol]:
    """Rows by TF1 symbol."""
    return _Rows()


def _find_prefixes(names: Mapping[str, object]) -> frozenset[str]:
    """Every proper prefix of names that is not a name itself: the modules."""
    found: set[str] = set()
    for name in names:
        prefix = name.rpartition(".")[0]
        while prefix and prefix not in found and prefix not in names:
            found.add(prefix)
            prefix = prefix.rpartition(".")[0]
    return frozenset(found)


@functools.cache
def list_modules() -> frozenset[str]:
    """Every prefix of a TF1 symbol that is a module: "tf.app.flags", "tf"."""
    return _find_prefixes(_read_raw())


def find_known_prefix(symbol: str) -> Symbol | None:
    """The row of a symbol, or of the class that it is an attribute of."""
    name = symbol
    while name and name not in list_modules():
        row = _find_row(name)
        if row is not None:
            return row
        name = name.rpartition(".")[0]
    return None


def look_up(symbol: str) -> Symbol | None:
    """Returns the row of a symbol. An attribute of a class has the status of its class.

    The parameters of such an attribute are not known, so both are empty. Every
    name below tf.contrib has a fate, also those the table does not list. A module is
    no symbol: None.
    """
    row = find_known_prefix(symbol)
    if row is None:
        if symbol.startswith("tf.contrib.") and symbol not in list_modules():
            none: tuple[str, ...] = ()
            return Symbol(
                symbol, CONTRIB, "", CONTRIB, frozenset(), none, none, "", False
            )
        return None
    if row.name == symbol:
        return row
    rest = symbol[len(row.name) :]
    return dataclasses.replace(
        row,
        name=symbol,
        new_name=row.new_name and row.new_name + rest,
        parameters_v1=(),
        parameters_v2=(),
        suggestion="",
    )


# -- the target ------------------------------------------------------------------------


@functools.cache
def _read_target_versions() -> dict[str, str]:
    """Name -> the versions that have it, "" for all."""
    parts = (line.partition("\t") for line in _read_lines(TARGETS))
    return {name: versions for name, _, versions in parts}


@functools.cache
def list_target_names(version: str = "") -> frozenset[str]:
    """Public names of `tf`, `tf.compat.v1` and `tf_keras`.

    Args:
      version: "2.15.1" or "2.21.0"; "" for what both have.
    """
    return frozenset(
        name
        for name, versions in _read_target_versions().items()
        if not versions or (version and version in versions.split())
    )


@functools.cache
def _list_target_modules() -> frozenset[str]:
    return _find_prefixes(dict.fromkeys(list_target_names()))


# Attributes that every module has, and attributes that describe the build. No list of
# exports has them, but both versions have all of them, under compat.v1 too.
_OF_MODULE = frozenset(
    {"__compiler_version__", "__cxx11_abi_flag__", "__dict__", "__doc__", "__file__"}
    | {"__git_version__", "__monolithic_build__", "__name__", "__package__"}
    | {"__path__", "__spec__", "__version__"}
)


def is_of_module(name: str) -> bool:
    """Whether a name is an attribute of the module `tf` itself, as `tf.__version__` is."""
    parts = name.split(".")
    return parts[0] == "tf" and len(parts) > 1 and parts[1] in _OF_MODULE


def exists_in_target(name: str) -> bool:
    """Whether a dotted name exists in both TF 2.15.1 and 2.21.0 as they are installed.

    Modules exist, and so may every attribute of a class or function that does, but
    constants and class methods that the table lists for one version only do not.
    `tf.keras` itself is not judged: it is Keras 2 in one and Keras 3 in the other.
    """
    for alias in ("tf.compat.v2.", "tf.compat.v1.compat.v2."):
        if name.startswith(alias):
            name = "tf." + name[len(alias) :]
    name = name.replace("tf.compat.v1.compat.v1.", "tf.compat.v1.")
    modern = name.replace("tf.compat.v1.", "tf.", 1)
    if is_of_module(modern) or modern.startswith("tf.raw_ops."):
        name = modern  # Modules that compat.v1 shares with `tf`, under either name.
    if is_of_module(name):
        return True
    if modern == "tf.keras" or modern.startswith("tf.keras."):
        return True
    if name in ("tf", "tf_keras", "tf.compat.v2") or name in _list_target_modules():
        return True
    while "." in name and name not in _list_target_modules():
        if name in _read_target_versions():
            return name in list_target_names()
        name = name.rpartition(".")[0]
    return False


exists_in_tf2 = exists_in_target
