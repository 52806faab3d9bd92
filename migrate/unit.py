"""One file of a run, as the compiler sees it: what is known of it besides its text."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Mapping

from migrate import emitted
from migrate.facts.imported_state import ImportedState
from migrate.facts.trees.hidden_names import Told
from migrate.facts.trees.homes import Home
from migrate.facts.trees.own_stars import Stars
from migrate.facts.trees.reexports import Lines
from migrate.options import Options
from migrate.program.callbacks import SharedCallbacks
from migrate.program.keras_files import SharedModels


@dataclasses.dataclass(frozen=True)
class Unit:
    """A compilation unit.

    Attributes:
      filename: as messages name it.
      path: the real one.
      in_graph: whether programs of other files build graphs in it.
      updates: whether its program runs tf.GraphKeys.UPDATE_OPS in one of its files.
      library: whether its callers may not be in sight.
      graph_calls: functions of other files that build graphs, as it spells them ->
        whether they name layers by default.
      reexports: line -> (what stands there, the import of TensorFlow that it means).
      own_stars: line -> (the star there, the import of those names that are used).
      hidden: line of an import -> (what stands there, why it is not followed).
      home: where its emitted modules are, if not simply beside it.
      shared: its part in the model functions that files have together.
      of_tf1: whether those that import it tell that it is TensorFlow 1's.
      own_modules: emitted modules that it has beside it; None where it is a text of no
        place, of which that is not known.
      module_state: names of other files, as it spells them -> what using them changes.
      named_elsewhere: its functions that other files may name.
      taken_imports: names that it imports from TensorFlow and other files take from it.
      methods: whether model_fns that are methods may become functions.
    """

    filename: str
    path: str
    options: Options
    in_graph: bool
    updates: bool
    library: bool
    graph_calls: Mapping[str, bool]
    reexports: Lines
    own_stars: Stars
    hidden: Told
    home: Home | None
    shared: SharedModels
    of_tf1: bool = False
    own_modules: frozenset[str] | None = None
    methods: bool = True
    module_state: Mapping[str, ImportedState] = dataclasses.field(default_factory=dict)
    named_elsewhere: frozenset[str] = frozenset()
    taken_imports: frozenset[str] = frozenset()

    @classmethod
    def look_up_file(cls, filename: str, options: Options, text: str = "") -> Unit:
        tree, path = options.tree, os.path.realpath(filename)
        shared = dataclasses.replace(
            tree.models.get(path, SharedModels()),
            knowing=tree.knowing.get(path, ()),
            columns=tree.columns.get(path, ""),
            naming=tree.naming.get(path, ()),
            hooks=tree.shared_hooks.get(path, frozenset()),
            callbacks=tree.callbacks.get(path, SharedCallbacks()),
        )
        return cls(
            filename,
            path,
            options,
            path in tree.graph_modules,
            path in tree.updating_modules,
            path not in tree.of_session_programs,
            tree.graph_imports.get(path, {}),
            tree.reexports.get(path, {}),
            tree.own_stars.get(path, {}),
            tree.hidden.get(path, {}),
            find_home(path, options),
            shared,
            path in tree.of_tf1,
            _find_own_modules(filename, text, options),
            module_state=tree.module_state.get(path, {}),
            named_elsewhere=tree.named_elsewhere.get(path, frozenset()),
            taken_imports=tree.taken_imports.get(path, frozenset()),
        )


def find_home(path: str, options: Options) -> Home | None:
    """Returns the home of a file's emitted modules; None if it is beside the file.

    Args:
      path: the real one.
    """
    if options.runtime == "package":
        return Home("", emitted.PACKAGE)
    return options.tree.homes.get(path)


def _find_own_modules(
    filename: str, text: str, options: Options
) -> frozenset[str] | None:
    """The emitted modules beside a file, or to be written there."""
    if options.written:
        return options.written
    installed = emitted.find_taken_from_package(text)
    path = pathlib.Path(filename)
    if not path.is_file():
        return installed or None
    return installed | emitted.find_emitted_in_reach(path, text)
