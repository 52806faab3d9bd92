"""Finds model functions that session programs import from other files.

A module whose functions make variables through scopes (`tf.get_variable`, layers of
contrib), and that does nothing else with a graph, stays graph code where a session
program of the same run imports it; its functions are called in the step functions.
"""

from __future__ import annotations

import ast
import pathlib
import warnings
from collections.abc import Iterable, Mapping

from migrate.facts import names
from migrate.facts.scopes import build_scopes
from migrate.facts.trees.imports import find_imported_names
from migrate.program.graph_functions import GraphFunctions
from migrate.source.nodes import walk_breadth_first
from migrate.source.python import map_real_paths, read_or_nothing
from migrate.tables import estimator

_SESSION = (b"Session(", b"Supervisor(")
_OPENERS = ("Session", "Supervisor")
_MAKES = (b"get_variable", b"contrib")


def find_graph_imports(
    paths: Iterable[pathlib.Path],
) -> dict[str, dict[str, bool]]:
    """Maps session programs, by real path, to the graph functions that they import.

    Returns:
      Program -> function as the program spells it -> whether it names layers by default.
    """
    files = map_real_paths(paths)
    known: dict[str, Mapping[str, bool]] = {}
    found: dict[str, dict[str, bool]] = {}
    for real, path in files.items():
        if not _opens_session(path):
            continue
        for spelled, name, module in find_imported_names(path, files):
            if module == real:
                continue
            if module not in known:
                known[module] = _find_functions(files[module])
            for function, unnamed in known[module].items():
                if not name:
                    found.setdefault(real, {})[f"{spelled}.{function}"] = unnamed
                elif name == function:
                    found.setdefault(real, {})[spelled] = unnamed
    return found


def find_modules(
    found: Mapping[str, Mapping[str, bool]], paths: Iterable[pathlib.Path]
) -> frozenset[str]:
    """Returns the real paths of the modules whose functions such programs import."""
    files = map_real_paths(paths)
    known = {
        module
        for real in found
        for spelled, name, module in find_imported_names(files[real], files)
        if (spelled in found[real] if name else _prefixes(spelled, found[real]))
    }
    todo = list(known)
    while todo:  # Modules that these modules import.
        for _, _, module in find_imported_names(files[todo.pop()], files):
            if module not in known and _find_functions(files[module]):
                known.add(module)
                todo.append(module)
    return frozenset(known)


def find_imports_of_session_programs(paths: Iterable[pathlib.Path]) -> frozenset[str]:
    """Returns the real paths of all files that session files import, also indirectly."""
    files = map_real_paths(paths)
    todo = [real for real, path in files.items() if _opens_session(path)]
    found: set[str] = set()
    while todo:
        for _, _, module in find_imported_names(files[todo.pop()], files):
            if module not in found:
                found.add(module)
                todo.append(module)
    return frozenset(found)


def _opens_session(path: pathlib.Path) -> bool:
    """Whether a file calls something that opens a session, of whatever name.

    A comment or a text of an eager program may say `Session(...)`, too.
    """
    data = read_or_nothing(path)
    if b"tensorflow" not in data or not any(word in data for word in _SESSION):
        return False
    if path.suffix != ".py":
        return True  # A notebook.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # Python 2, perhaps.
    return any(
        isinstance(node, ast.Call) and names.get_last_part(node.func).endswith(_OPENERS)
        for node in walk_breadth_first(tree)
    )


def _prefixes(spelled: str, functions: Mapping[str, bool]) -> bool:
    return any(f.rpartition(".")[0] == spelled for f in functions)


def _find_functions(path: pathlib.Path) -> Mapping[str, bool]:
    """Returns the functions of a module that has only graph functions; empty for others."""
    data = read_or_nothing(path)
    if b"tensorflow" not in data or not any(word in data for word in _MAKES):
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scopes = build_scopes(ast.parse(data))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    graph = GraphFunctions(scopes, in_module=True)
    if not graph.alone:
        return {}
    if any(estimator.find_longest(s, estimator.EMITTED) for _, s in scopes.walk_uses()):
        return {}
    return {
        f.name: graph.opens_unnamed(f)
        for f in scopes.tree.body
        if isinstance(f, ast.FunctionDef) and f in graph.nodes
    }
