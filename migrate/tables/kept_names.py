"""Private names of TensorFlow that TensorFlow 2.21 still has, and why not the others.

Generated: `reference/kept_names.py` compares the files of three TensorFlows, and says there
what each proof means. Read by graph mode, where a name may stay that has no public one.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib.resources

TABLE = "kept_names.tsv"
_UNKNOWN = "?"


class Known(enum.Enum):
    """One kind of what is known of a private name."""

    OP = "op"
    TEXT = "text"
    NEW = "new"
    GONE = "gone"
    ARGUMENTS = "arguments"
    CHANGED = "changed"

    @property
    def is_proof(self) -> bool:
        """Whether the name has the same meaning in TensorFlow 2.21 as before."""
        return self in (Known.OP, Known.TEXT, Known.NEW)


@dataclasses.dataclass(frozen=True)
class Row:
    """One name.

    Attributes:
      known: what is known of it.
      parameters: what a call of it may give; None where that is not known.
    """

    known: Known
    parameters: tuple[str, ...] | None = None


@functools.cache
def _read_lines() -> dict[str, tuple[str, str]]:
    """Module -> whether TensorFlow 2.21 has it (`+`, `-`), or Keras (`=`); its fields."""
    text = importlib.resources.files(__package__).joinpath(TABLE).read_text("utf-8")
    parts = (x.partition("\t") for x in text.splitlines() if not x.startswith("#"))
    return {module[1:]: (module[0], fields) for module, _, fields in parts}


@functools.cache
def _read_rows(module: str) -> dict[str, Row]:
    """Returns the rows of a module's names, by name."""
    found = {}
    mark, fields = _read_lines().get(module, ("", ""))
    for field in filter(None, fields.split("\t")) if mark != "=" else ():
        known, _, entries = field.partition(":")
        for entry in entries.split("|"):
            name, opened, parameters = entry.rstrip(")").partition("(")
            taken = tuple(parameters.split())
            found[name] = Row(
                Known(known),
                taken if opened and _UNKNOWN not in taken else None,
            )
    return found


def has_module(path: str) -> bool | None:
    """Whether TensorFlow 2.21 has a private module; None where it is no module's path."""
    mark = _read_lines().get(path, ("", ""))[0]
    return mark == "+" if mark in ("+", "-") else None


def find(path: str) -> Row | None:
    """The row of a private name, or of what it is an attribute of, without parameters."""
    module, _, name = path.rpartition(".")
    whole = True
    while module:
        if module in _read_lines():
            row = _read_rows(module).get(name)
            if row is None or whole:
                return row
            return dataclasses.replace(row, parameters=None)
        module, _, name = module.rpartition(".")
        whole = False
    return None


def find_module(path: str) -> str:
    """The longest module that a path begins with, "" where it begins with none."""
    while path and path not in _read_lines():
        path = path.rpartition(".")[0]
    return path


def find_public_of_keras(path: str) -> str | None:
    """The public symbol of a name in Keras's own files, "" where it has none.

    What follows the name follows the symbol. None where the path is of no such file, or is
    the file itself.
    """
    if path in _read_lines():
        return None
    module, _, name = path.rpartition(".")
    rest = ""
    while module:
        mark, fields = _read_lines().get(module, ("", ""))
        if mark == "=":
            entries = fields.removeprefix("public:").split("|")
            public = dict(e.split("=") for e in entries if e).get(name)
            return f"tf.{public}{rest}" if public else ""
        if mark:
            return None
        rest = f".{name}{rest}"
        module, _, name = module.rpartition(".")
    return None


def list_modules() -> frozenset[str]:
    """Every module that the table has, but for Keras's."""
    return frozenset(m for m, (mark, _) in _read_lines().items() if mark != "=")


def list_kept(module: str) -> dict[str, Row]:
    """The names of a module that stand as they are."""
    return {n: row for n, row in _read_rows(module).items() if row.known.is_proof}
