"""Looks up the names and parameters of TensorFlow 2.21 and Keras in `signatures.tsv`.

`reference/signatures.py` writes the data from TensorFlow itself.
"""

from __future__ import annotations

import ast
import functools
import importlib.resources
from collections.abc import Mapping

TABLE = "signatures.tsv"
_UNKNOWN = "?"
# Modules whose names are not in the table.
_ROOTS = frozenset(
    {"tf.compat.v1.compat", "tf.compat.v1.compat.v1", "tf.compat.v1.compat.v2"}
    | {"tf.compat.v2"}
)
# `tf.compat.v1.flags` wraps these of absl's functions, which take older names, too:
# `_RENAMED_ARGUMENTS` of tensorflow/python/platform/flags.py.
DEFINES_FLAGS = frozenset(
    {"DEFINE_bool", "DEFINE_boolean", "DEFINE_float", "DEFINE_integer", "DEFINE_string"}
)
RENAMED_OF_FLAGS = {
    "flag_name": "name",
    "default_value": "default",
    "docstring": "help",
}
_AS_GIVEN: Mapping[str, str] = {}


@functools.cache
def _read_rows() -> dict[str, str]:
    text = importlib.resources.files(__package__).joinpath(TABLE).read_text("utf-8")
    parts = (x.partition("\t") for x in text.splitlines() if not x.startswith("#"))
    return {name: parameters for name, _, parameters in parts}


@functools.cache
def _list_modules() -> frozenset[str]:
    found: set[str] = set()
    for name in _read_rows():
        prefix = name.rpartition(".")[0]
        while prefix and prefix not in found:
            found.add(prefix)
            prefix = prefix.rpartition(".")[0]
    return frozenset(found - set(_read_rows()))


def has_name(name: str) -> bool:
    """Whether a table of real names has a name, a module, or the class it is below."""
    name = find_public(name)
    while "." in name:
        if name in _read_rows() or name in _list_modules():
            return True
        name = name.rpartition(".")[0]
        if name in _list_modules():
            return False
    return name == "tf"


def find_public(name: str) -> str:
    """One spelling of a name that TensorFlow has under several."""
    for alias in ("tf.compat.v2.", "tf.compat.v1.compat.v2."):
        if name.startswith(alias):
            name = "tf." + name[len(alias) :]
    name = name.replace("tf.compat.v1.compat.v1.", "tf.compat.v1.")
    shared = ("tf.compat.v1.raw_ops.", "tf.compat.v1.keras.")
    return name.replace("tf.compat.v1.", "tf.", 1) if name.startswith(shared) else name


def exists(name: str) -> bool:
    """Whether TensorFlow 2.21, as it is installed, has a dotted name."""
    parts = name.split(".")
    hidden = next((i for i, part in enumerate(parts) if part.startswith("__")), 0)
    if hidden:  # `tf.keras.__version__`: every module has such names.
        name = ".".join(parts[:hidden])
    return name in _ROOTS or has_name(name)


def find_parameters(name: str) -> tuple[str, ...] | None:
    """Returns the parameters that a name can be called with; None if they are not known."""
    name = find_public(name)
    found = _read_rows().get(name, "")
    if found == "=":
        found = _read_rows()[name.replace("tf.compat.v1.", "tf.", 1)]
    if not found or found == _UNKNOWN:
        return None
    return () if found == "()" else tuple(found.split())


def find_misfit(call: ast.Call, name: str) -> str:
    """Returns the reason why a call does not fit the function of a name, "" if it fits."""
    known = find_parameters(name)
    if known is None:
        return ""
    renamed = RENAMED_OF_FLAGS if name.rpartition(".")[2] in DEFINES_FLAGS else {}
    return compare_with_parameters(call, known, renamed)


def compare_with_parameters(
    call: ast.Call, known: tuple[str, ...], renamed: Mapping[str, str] = _AS_GIVEN
) -> str:
    """Returns the reason why a call does not fit some parameters, "" if it fits.

    Args:
      renamed: older names of parameters that the function takes, too.
    """
    keywords = [renamed.get(k.arg or "", k.arg) for k in call.keywords]
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    spread = any(k.arg is None for k in call.keywords)
    stars = [i for i, p in enumerate(known) if p.startswith("*")]
    by_place = known[: stars[0]] if stars else known
    takes_more = bool(stars) and known[stars[0]] not in ("*", "**")
    names = {p.removesuffix("=") for p in known if not p.startswith("*")}
    if len(call.args) > len(by_place) and not takes_more and not starred:
        return f"it takes {len(by_place)} arguments by place, and is given {len(call.args)}"
    for keyword in keywords:
        if keyword is not None and keyword not in names and "**" not in known:
            return f"it takes no argument `{keyword}`"
    if not starred:
        given = {p.removesuffix("=") for p in by_place[: len(call.args)]}
        twice = given & {k for k in keywords if k is not None}
        if twice:
            return f"`{min(twice)}` is given by place and by name"
        wanted = [p for p in by_place if not p.endswith("=")]
        missing = [p for p in wanted if p not in given]
        missing = [p for p in missing if p not in keywords]
        if missing and not spread:
            return f"it needs `{missing[0]}`, which is not given"
    return ""
