"""Which modules of a tree build graphs for the Estimator programs that import them."""

from __future__ import annotations

import ast
import os
import pathlib
import warnings
from collections.abc import Collection, Iterable, Iterator

# What a program of Estimators spells somewhere.
_ESTIMATOR = (b"EstimatorSpec", b"Estimator(")
# How a program that moves the averages of batch normalisation says so.
_UPDATES = (b"UPDATE_OPS", b"update_ops", b"create_train_op", b"optimize_loss")


def graph_modules(paths: Iterable[pathlib.Path]) -> frozenset[str]:
    """Real paths of the files that Estimator programs among `paths` import.

    Modules that these import count too. Files that cannot be read or parsed are left to
    whoever migrates them.
    """
    files = _modules(paths)
    programs = [real for real, path in files.items() if _is_program(path)]
    return frozenset(_reached(programs, files))


def updating_modules(paths: Iterable[pathlib.Path]) -> frozenset[str]:
    """Real paths of the files whose programs run what is in UPDATE_OPS.

    Of a file that several programs import all must; of them a file may do it that they
    import.
    """
    files = _modules(paths)
    runs: dict[str, list[bool]] = {}
    for real, path in files.items():
        if _is_program(path):
            parts = {real, *_reached([real], files)}
            updates = any(_has(files[part], _UPDATES) for part in parts)
            for part in parts:
                runs.setdefault(part, []).append(updates)
    return frozenset(real for real, updates in runs.items() if all(updates))


def _modules(paths: Iterable[pathlib.Path]) -> dict[str, pathlib.Path]:
    return {
        os.path.realpath(path): path
        for path in paths
        if path.suffix == ".py" and path.is_file()
    }


def _reached(programs: list[str], files: dict[str, pathlib.Path]) -> set[str]:
    """What programs import, and what that imports."""
    found: set[str] = set()
    todo = list(programs)
    while todo:
        real = todo.pop()
        for imported in _imported(files[real], files):
            if imported not in found:
                found.add(imported)
                todo.append(imported)
    return found


def _is_program(path: pathlib.Path) -> bool:
    return _has(path, (b"tensorflow",)) and _has(path, _ESTIMATOR)


def _has(path: pathlib.Path, words: tuple[bytes, ...]) -> bool:
    try:
        data = path.read_bytes()
    except OSError:
        return False
    return any(word in data for word in words)


def _imported(path: pathlib.Path, files: dict[str, pathlib.Path]) -> Iterator[str]:
    """The files among `files` that one imports, by the nearest directory that has them."""
    for level, parts in _imports(path):
        module = resolved(path, level, (parts, parts[:-1]), files)
        if module is not None:
            yield module


def resolved(
    path: pathlib.Path,
    level: int,
    modules: Iterable[tuple[str, ...]],
    files: Collection[str],
) -> str | None:
    """The real path of the first of some modules that is a file among `files`.

    Args:
      path: of the file that imports it.
      level: dots before its name.
    """
    bases = [path.parent, *path.parent.parents]
    for base in bases[level - 1 : level] if level else bases:
        for parts in modules:
            candidate = base.joinpath(*parts)
            if candidate == base:
                continue
            # A module, or a package's own.
            for name in (f"{candidate}.py", str(candidate / "__init__.py")):
                module = os.path.realpath(name)
                if module in files:
                    return module
    return None


def imported_files(
    path: pathlib.Path, files: dict[str, pathlib.Path]
) -> Iterator[tuple[str, str, str]]:
    """What a file imports of others: (name in the file, name in the module, real path).

    The name in the module is "" where the module itself is imported.
    """
    for level, parts, bound in _bindings(path):
        bases = [path.parent, *path.parent.parents]
        for base in bases[level - 1 : level] if level else bases:
            whole = os.path.realpath(f"{base.joinpath(*parts)}.py")
            if whole in files:
                yield bound, "", whole
                break
            module = os.path.realpath(f"{base.joinpath(*parts[:-1])}.py")
            if len(parts) > 1 and module in files:
                yield bound, parts[-1], module
                break


def _bindings(path: pathlib.Path) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Imported names as in `_imports`, with how the file spells each."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, tuple(alias.name.split(".")), alias.asname or alias.name
        elif isinstance(node, ast.ImportFrom):
            parts = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                yield node.level, (*parts, alias.name), alias.asname or alias.name


def _imports(path: pathlib.Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Imported names as (dots before, parts): `from .a import b` is (1, ("a", "b"))."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            parts = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                yield node.level, (*parts, alias.name)
