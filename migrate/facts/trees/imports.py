"""Finds the modules of a tree that build graphs for Estimator programs."""

from __future__ import annotations

import ast
import functools
import os
import pathlib
import warnings
from collections.abc import Collection, Iterable, Iterator

from migrate.source.nodes import parse_or_none, walk_breadth_first

# Words that a program of Estimators contains.
_ESTIMATOR = (b"EstimatorSpec", b"Estimator(")
# Words that a program contains if it updates the averages of batch normalisation.
_UPDATES = (b"UPDATE_OPS", b"update_ops", b"create_train_op", b"optimize_loss")


def find_graph_modules(
    paths: Iterable[pathlib.Path], taking: Collection[str] = ()
) -> frozenset[str]:
    """Returns the real paths of the files that Estimator programs among `paths` import.

    Files that these import count too, and files that give a model_fn to a program that they
    import. Files that cannot be read or parsed are left to the code that migrates them.

    Args:
      taking: files that take TensorFlow from other files.
    """
    files = _map_modules(paths)
    imports = _Imports(files)
    programs = [r for r, path in files.items() if _is_program(path, r in taking)]
    givers = imports.find_givers(programs, taking)
    return frozenset({*imports.find_reached_files([*programs, *givers]), *givers})


def find_updating_modules(
    paths: Iterable[pathlib.Path], taking: Collection[str] = ()
) -> frozenset[str]:
    """Returns the real paths of the files whose programs run the UPDATE_OPS.

    If several programs import a file, all of them must run the updates. In a program, any of
    its files may do it.
    """
    files = _map_modules(paths)
    imports = _Imports(files)
    runs: dict[str, list[bool]] = {}
    programs = [r for r, path in files.items() if _is_program(path, r in taking)]
    for real in (*programs, *imports.find_givers(programs, taking)):
        parts = {real, *imports.find_reached_files([real])}
        updates = any(_has(files[part], _UPDATES) for part in parts)
        for part in parts:
            runs.setdefault(part, []).append(updates)
    return frozenset(real for real, updates in runs.items() if all(updates))


def _map_modules(paths: Iterable[pathlib.Path]) -> dict[str, pathlib.Path]:
    return {
        os.path.realpath(path): path
        for path in paths
        if path.suffix == ".py" and os.path.isfile(path)
    }


class _Imports:
    """The imports between files; each file is read once."""

    def __init__(self, files: dict[str, pathlib.Path]) -> None:
        self._files = files
        self._known: dict[str, tuple[str, ...]] = {}

    def find_reached_files(self, programs: list[str]) -> set[str]:
        """Returns the files that programs import, also indirectly."""
        found: set[str] = set()
        todo = list(programs)
        while todo:
            for imported in self._find_imports(todo.pop()):
                if imported not in found:
                    found.add(imported)
                    todo.append(imported)
        return found

    def find_givers(self, programs: list[str], taking: Collection[str]) -> list[str]:
        """Returns files that give a function, as a model_fn, to a program that they import.

        The official models have such run loops:
        `run_loop.resnet_main(flags_obj, cifar10_model_fn, input_fn)`.
        """
        return [
            real
            for real, path in self._files.items()
            if real not in programs
            and (real in taking or _has(path, (b"tensorflow",)))
            and _has(path, (b"mode",))
            and set(programs).intersection(self._find_imports(real))
            and _gives_model_fn(path)
        ]

    def _find_imports(self, real: str) -> tuple[str, ...]:
        if real not in self._known:
            found = find_imported_files(self._files[real], self._files)
            self._known[real] = tuple(found)
        return self._known[real]


def _is_program(path: pathlib.Path, takes: bool) -> bool:
    return (takes or _has(path, (b"tensorflow",))) and _has(path, _ESTIMATOR)


def _gives_model_fn(path: pathlib.Path) -> bool:
    """Whether a call gets a function of the file that takes features and a mode."""
    try:
        tree = parse_or_none(path.read_bytes())
    except OSError:
        return False
    if tree is None:
        return False
    own = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and {"features", "mode"} <= {a.arg for a in node.args.args}
    }
    return any(
        isinstance(value, ast.Name) and value.id in own
        for node in walk_breadth_first(tree)
        if isinstance(node, ast.Call)
        for value in (*node.args, *(keyword.value for keyword in node.keywords))
    )


def _has(path: pathlib.Path, words: tuple[bytes, ...]) -> bool:
    try:
        data = path.read_bytes()
    except OSError:
        return False
    return any(word in data for word in words)


def find_imported_files(
    path: pathlib.Path, files: dict[str, pathlib.Path]
) -> Iterator[str]:
    """Yields the files among `files` that one imports, from the nearest directory upwards."""
    for level, parts in _find_imports(path):
        module = resolve_module(path, level, (parts, parts[:-1]), files)
        if module is not None:
            yield module


def resolve_module(
    path: pathlib.Path,
    level: int,
    modules: Iterable[tuple[str, ...]],
    files: Collection[str],
) -> str | None:
    """Returns the real path of the first of some modules that is a file among `files`.

    Args:
      path: of the file that imports it.
      level: the number of dots before its name.
    """
    bases = _list_directories_above(path)
    # `a/b` for `a.b`. For `from . import b` without its last part nothing is left.
    places = [os.path.join(*named) for m in modules if (named := [*filter(None, m)])]
    for base in bases[level - 1 : level] if level else bases:
        for place in places:
            candidate = os.path.join(base, place)
            # A module, or the `__init__.py` of a package.
            for name in (f"{candidate}.py", os.path.join(candidate, "__init__.py")):
                module = _find_file(name)
                if module in files:
                    return module
    return None


@functools.lru_cache(maxsize=1024)
def _list_directories_above(path: pathlib.Path) -> tuple[str, ...]:
    return tuple(map(str, path.parents))


def find_imported_names(
    path: pathlib.Path, files: dict[str, pathlib.Path], *, everywhere: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Yields the imports of a file: (name in the file, name in the module, real path).

    The name in the module is "" if the file imports the module itself.

    Args:
      everywhere: also in functions and blocks, and of packages' own files.
    """
    for level, parts, bound in _find_bindings(path, everywhere):
        bases = [path.parent, *path.parent.parents]
        for base in bases[level - 1 : level] if level else bases:
            whole = _find_module(base.joinpath(*parts), files, everywhere)
            if whole:
                yield bound, "", whole
                break
            module = _find_module(base.joinpath(*parts[:-1]), files, everywhere)
            if module and (len(parts) > 1 or (level and everywhere)):
                yield bound, parts[-1], module
                break


def _find_module(
    place: pathlib.Path, files: Collection[str], in_packages: bool
) -> str | None:
    """Returns the real path of a module among `files`, from its path without a suffix."""
    named = [f"{place}.py", *([str(place / "__init__.py")] if in_packages else [])]
    return next((real for name in named if (real := _find_file(name)) in files), None)


def _find_file(name: str) -> str:
    """Returns a file's real path; "" if there is none, because that is cheaper to test."""
    return os.path.realpath(name) if os.path.exists(name) else ""


def _find_bindings(
    path: pathlib.Path, everywhere: bool
) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Yields imported names as in `_find_imports`, with the file's spelling of each."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in walk_breadth_first(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, tuple(alias.name.split(".")), alias.asname or alias.name
        elif isinstance(node, ast.ImportFrom):
            parts = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                yield node.level, (*parts, alias.name), alias.asname or alias.name


def _find_imports(path: pathlib.Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields imported names as (dots, parts): `from .a import b` is (1, ("a", "b"))."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            parts = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                yield node.level, (*parts, alias.name)
