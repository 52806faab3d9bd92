"""The copies that programs run in: nothing of the user's is written."""

from __future__ import annotations

import ast
import os
import pathlib
import shutil
from collections.abc import Iterable

from migrate import emitted
from reference import parsing
from reference.verify.problems import CannotRun

_LEFT = shutil.ignore_patterns(
    ".git", ".hg", "__pycache__", "*.pyc", "node_modules", ".venv", "venv"
)


def size_of(directory: pathlib.Path, limit: int) -> int:
    """Bytes of all files below, counted until they are more than the limit."""
    total = 0
    for current, directories, files in os.walk(directory):
        directories[:] = [d for d in directories if d not in (".git", "__pycache__")]
        for name in files:
            path = os.path.join(current, name)
            if not os.path.islink(path):
                total += os.path.getsize(path)
        if total > limit:
            break
    return total


def copy_tree(
    source: pathlib.Path,
    target: pathlib.Path,
    limit: int,
    data: Iterable[pathlib.Path] = (),
) -> None:
    """Copies a program's directory; of `data` only links, which are to be read alone.

    Raises:
      CannotRun: it is larger than the limit.
    """
    linked = {path.resolve() for path in data}
    total = size_of(source, limit + sum(size_of(p, limit) for p in linked))
    if total > limit + sum(size_of(p, limit) for p in linked):
        raise CannotRun(
            f"{source} holds more than {limit / 1e6:.0f} MB, and every run gets a copy. "
            "Name what the program only reads with --data, or raise --size-limit."
        )

    inside = target.resolve()  # A copy is not copied, where it lies in the tree.

    def leave(directory: str, names: list[str]) -> set[str]:
        paths = {n: (pathlib.Path(directory) / n).resolve() for n in names}
        own = {n for n, p in paths.items() if p in linked or inside.is_relative_to(p)}
        return own | set(_LEFT(directory, names))

    shutil.copytree(source, target, ignore=leave, symlinks=False)
    for path in linked:
        if path.is_relative_to(source.resolve()):
            place = target / path.relative_to(source.resolve())
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(path)


def local_files(program: pathlib.Path, root: pathlib.Path) -> list[pathlib.Path]:
    """The program and the files below its root that it imports, however far away."""
    found: list[pathlib.Path] = []
    work = [program]
    while work:
        path = work.pop()
        if path in found or not path.is_file():
            continue
        found.append(path)
        if path.suffix != ".py":
            continue
        try:
            tree = parsing.parse(path.read_bytes())
        except SyntaxError:
            continue
        for name, level in _imported(tree):
            bases = [program.parent, root]
            if level:
                bases = [path.parents[level - 1]]
            for base in bases:
                parts = base.joinpath(*name.split(".")) if name else base
                work += [parts.with_suffix(".py"), parts / "__init__.py"]
    return found


def _imported(tree: ast.AST) -> Iterable[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, 0
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield module, node.level
            for alias in node.names:
                yield (f"{module}.{alias.name}" if module else alias.name), node.level


def complete(program: pathlib.Path) -> list[str]:
    """Writes beside a migrated program the modules of the tool that it imports and lacks.

    Returns:
      their names.
    """
    known = {emitted.find_module(name) for name in emitted.list_names()}
    work = [program.read_text(errors="replace")]
    written: set[str] = set()
    lacking: list[str] = []
    while work:
        text = work.pop()
        try:
            names = {
                name.partition(".")[0] for name, _ in _imported(parsing.parse(text))
            }
        except SyntaxError:
            continue
        for module in sorted(names & known - written):
            written.add(module)
            if (program.parent / module).exists() or (
                program.parent / f"{module}.py"
            ).exists():
                continue
            lacking.append(module)
            files = emitted.list_files(module)
            emitted.write(files, program.parent)
            work += [emitted.read_source(file).decode() for file in files]
    return lacking


def support_modules() -> list[str]:
    """Names of modules that are written beside programs, which are no program's own."""
    return sorted({emitted.find_module(name) for name in emitted.list_names()})
