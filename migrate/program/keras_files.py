"""Models of a tree: what files know of each other's model functions and networks."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from migrate.program.callbacks import SharedCallbacks

# How the finding for each function of another file's model begins.
MAKES_LAYERS = "makes layers of "


@dataclasses.dataclass(frozen=True)
class Source:
    """A file of a tree as it was read.

    Attributes:
      path: its real path.
      imports: names at its top that are of others of the tree -> (real path, the name
        there; "" for the file itself).
    """

    path: str
    text: str
    imports: Mapping[str, tuple[str, str]]


@dataclasses.dataclass(frozen=True)
class Files:
    """A file with model functions, and the files whose functions these call.

    Attributes:
      exported: model functions that Estimators of other files have, or call for one ->
        parameters that these give them beforehand.
      kept: functions, as (real path, name), that cannot change with a network -> why;
        the name "" is that of all.
      left: lines of calls of functions whose updates, or metrics, are not written where
        they are called; where others are, the text of `model` has these.
    """

    model: Source
    others: tuple[Source, ...]
    exported: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    kept: Mapping[tuple[str, str], str] = dataclasses.field(default_factory=dict)
    left: frozenset[int] = frozenset()


@dataclasses.dataclass(frozen=True)
class SharedModels:
    """Model functions that files of a tree have together, and that become Keras models.

    Attributes:
      exported: of this file, functions that Estimators of others have, or call for one ->
        parameters that these give them beforehand.
      imported: what names one of another file -> the class's name; "" for a function that
        makes it.
      stay: what names one of another file -> why that stays a model_fn.
      gone: of a file that is refused, the line that names a model_fn of another one, which
        is a Keras model now -> what stands there, and what is said.
      files: where its networks' functions may stand; None where only here.
      networks: of other files, whose networks have functions of this one.
      knowing: texts of other files that name classes of this one.
      naming: texts of other files that name this one.
      columns: why its model_fns stay, where its program has columns of another file.
      hooks: classes of this file that others name.
      callbacks: those among them that become callbacks, and this file's of others.
    """

    exported: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    imported: Mapping[str, str] = dataclasses.field(default_factory=dict)
    stay: Mapping[str, str] = dataclasses.field(default_factory=dict)
    gone: Mapping[int, tuple[str, str]] = dataclasses.field(default_factory=dict)
    files: Files | None = None
    networks: tuple[Files, ...] = ()
    knowing: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()
    columns: str = ""
    hooks: frozenset[str] = frozenset()
    callbacks: SharedCallbacks = dataclasses.field(default_factory=SharedCallbacks)
