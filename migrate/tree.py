"""Holds the facts of a run about all its files together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from migrate.parts.program import Parts

if TYPE_CHECKING:  # A run that is in the cache needs none of them.
    from migrate.facts.imported_state import ImportedState
    from migrate.facts.trees.described_clusters import Described
    from migrate.facts.trees.hidden_names import Told
    from migrate.facts.trees.homes import Home
    from migrate.facts.trees.own_stars import Stars
    from migrate.facts.trees.reexports import Lines
    from migrate.program.callbacks import SharedCallbacks
    from migrate.program.keras_files import SharedModels


@dataclasses.dataclass(frozen=True)
class Tree:
    """By the real paths of files.

    Attributes:
      files: those of the run; none if it has only one.
      graph_modules: files in which programs of other files build graphs.
      updating_modules: files whose programs run tf.GraphKeys.UPDATE_OPS in one of theirs.
      graph_imports: of session programs: functions of other files that build graphs, as
        the program spells them -> whether they name layers by default.
      module_state: of session programs of clusters: names of other files, as the program
        spells them -> what using them changes there.
      of_session_programs: files that programs with sessions import.
      reexports: of files that take TensorFlow from another one: line -> (what stands
        there, the import that it means).
      own_stars: of files that import all of another one: line -> (the star, the import
        of those names that are used).
      hidden: of files that take names of TensorFlow from others unseen: line of the
        import -> (what stands there, why it is not followed).
      homes: of files whose emitted modules do not go simply beside them.
      models: model functions that files have together.
      knowing: of files with classes that others name: the texts of these.
      naming: of files with Estimators: the texts of others that name them.
      columns: files of programs with feature columns that Keras does not take -> why
        their model_fns stay.
      shared_hooks: hooks that other files name too, by their own file.
      callbacks: hooks of one file that others use and that become callbacks.
      of_tf1: files of TensorFlow 1 that only those tell that import them.
      parts: programs whose graph is built by other files.
      named_elsewhere: of files with functions that other files may name: these.
      taken_imports: of files that import of TensorFlow what others take from them: these
        names.
      clusters: what files say of their cluster, for clients that say nothing of it.
    """

    files: frozenset[str] = frozenset()
    graph_modules: frozenset[str] = frozenset()
    updating_modules: frozenset[str] = frozenset()
    graph_imports: Mapping[str, Mapping[str, bool]] = dataclasses.field(
        default_factory=dict
    )
    module_state: Mapping[str, Mapping[str, ImportedState]] = dataclasses.field(
        default_factory=dict
    )
    of_session_programs: frozenset[str] = frozenset()
    reexports: Mapping[str, Lines] = dataclasses.field(default_factory=dict)
    own_stars: Mapping[str, Stars] = dataclasses.field(default_factory=dict)
    hidden: Mapping[str, Told] = dataclasses.field(default_factory=dict)
    homes: Mapping[str, Home] = dataclasses.field(default_factory=dict)
    models: Mapping[str, SharedModels] = dataclasses.field(default_factory=dict)
    knowing: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    naming: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    columns: Mapping[str, str] = dataclasses.field(default_factory=dict)
    shared_hooks: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    callbacks: Mapping[str, SharedCallbacks] = dataclasses.field(default_factory=dict)
    of_tf1: frozenset[str] = frozenset()
    parts: Parts = dataclasses.field(default_factory=Parts)
    clusters: tuple[Described, ...] = ()
    named_elsewhere: Mapping[str, frozenset[str]] = dataclasses.field(
        default_factory=dict
    )
    taken_imports: Mapping[str, frozenset[str]] = dataclasses.field(
        default_factory=dict
    )

    def narrow_to_file(self, path: str) -> Tree:
        """Without what is large and of no use to one file: for a process of its own.

        Args:
          path: the file's real path.
        """
        homes = {path: self.homes[path]} if path in self.homes else {}
        parts = self.parts.narrow_to_file(path) if self.parts.programs else self.parts
        return dataclasses.replace(self, homes=homes, parts=parts)

    def reaches(self, path: str) -> bool:
        """Whether a file has to do with TensorFlow by way of another one.

        Args:
          path: the file's real path.
        """
        parts = self.parts
        return any(
            path in known
            for known in (self.reexports, self.hidden, parts.programs, parts.users)
        )

    @property
    def takes_from_others(self) -> bool:
        """Whether any file has to do with TensorFlow by way of another one."""
        return bool(self.reexports or self.hidden or self.parts.programs)
