"""Reads all files of a run before any is migrated, and notes what they share."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence

from migrate.facts.trees.described_clusters import find_described_clusters
from migrate.facts.trees.graph_imports import (
    find_graph_imports,
    find_imports_of_session_programs,
    find_modules,
)
from migrate.facts.trees.hidden_names import find_hidden_names
from migrate.facts.trees.homes import find_homes
from migrate.facts.trees.imports import find_graph_modules, find_updating_modules
from migrate.facts.trees.known_classes import (
    find_texts_that_know_classes,
    find_texts_that_name_files,
)
from migrate.facts.trees.module_state import find_module_state
from migrate.facts.trees.named_functions import find_named_elsewhere
from migrate.facts.trees.reexports import find_reexports, find_star_names
from migrate.facts.trees.taken_imports import find_taken_imports
from migrate.parts.files import find_programs_of_parts
from migrate.shared.columns import find_columns_of_graphs
from migrate.shared.files import TreeFiles
from migrate.shared.hooks import find_shared_hooks
from migrate.shared.of_tf1 import find_modules_of_tf1
from migrate.tree import Tree


def read_tree(files: Sequence[pathlib.Path], paths: Sequence[pathlib.Path]) -> Tree:
    """Reads the tree, without the migration of programs and models that files share.

    Args:
      files: those of the run.
      paths: what the user gave: emitted modules go below them.
    """
    followed, imported = find_reexports(files), find_graph_imports(files)
    of_sessions = find_modules(imported, files)
    stars = find_star_names(files, followed)
    read = TreeFiles(files, Tree(reexports=followed, own_stars=stars))
    return Tree(
        files=frozenset(map(os.path.realpath, files)),
        graph_modules=find_graph_modules(files, followed) | of_sessions,
        updating_modules=find_updating_modules(files, followed) | of_sessions,
        graph_imports=imported,
        module_state=find_module_state(files),
        of_session_programs=find_imports_of_session_programs(files),
        reexports=followed,
        own_stars=stars,
        hidden=find_hidden_names(files, followed),
        homes=find_homes(files, paths),
        parts=find_programs_of_parts(files),
        knowing=find_texts_that_know_classes(files),
        of_tf1=find_modules_of_tf1(read),
        columns=find_columns_of_graphs(read),
        naming=find_texts_that_name_files(files),
        shared_hooks=find_shared_hooks(files),
        clusters=find_described_clusters(files),
        named_elsewhere=find_named_elsewhere(files),
        taken_imports=find_taken_imports(files, followed),
    )
