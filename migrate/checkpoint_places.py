"""Finds the checkpoint directories and paths that a program gives to calls."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.file_result import FileResult
from migrate.source import notebook, python
from migrate.source.syntax import parse_bytes

# Keywords of calls that say where checkpoints are.
_DIRECTORIES = ("checkpoint_dir", "model_dir", "logdir")
# Methods of a saver, and functions that look for a checkpoint: what they do, and the place
# and name of their argument.
_SAVER_METHODS = {
    "save": ("saves checkpoints as", 1, "save_path"),
    "restore": ("restores", 1, "save_path"),
}
_FUNCTIONS = {
    "latest_checkpoint": ("looks for checkpoints in", 0, "checkpoint_dir"),
    "get_checkpoint_state": ("looks for checkpoints in", 0, "checkpoint_dir"),
}
# What saves and restores beside `Model.fit`, of the module that stands beside the program.
_FIT_CALLBACK = ("fit_callbacks", "Training")


@dataclasses.dataclass(frozen=True)
class Place:
    """One place.

    Attributes:
      where: the line; of a notebook also the cell.
      does: what the program does there.
      value: what it gives to the call, as code.
    """

    where: str
    does: str
    value: str


def find_places(result: FileResult) -> Iterator[Place]:
    """The places of a file's new text, in its order."""
    tree = parse_bytes(result.path, result.new)
    if tree is None:
        return
    cells = None
    if result.path.suffix == ".ipynb":
        cells = notebook.read(python.decode(result.new).text)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    modules = set(_find_modules(tree))
    savers = set(_find_savers(tree, modules))
    found = [place for call in calls for place in _read_call(call, savers, modules)]
    found += _read_fits(tree, calls)
    for node, does, value in sorted(
        found, key=lambda f: (f[0].lineno, f[0].col_offset)
    ):
        where = f"line {node.lineno}"
        if cells is not None:
            cell, line = cells.locate(node.lineno)
            where = f"cell {cell + 1}, line {line}"
        yield Place(where, does, value)


def _read_call(
    call: ast.Call, savers: set[str], modules: set[str]
) -> Iterator[tuple[ast.expr, str, str]]:
    function = call.func
    known = None
    if isinstance(function, ast.Attribute):
        if ast.unparse(function.value) in savers:
            known = _SAVER_METHODS.get(function.attr)
        elif _find_root(function) in modules:
            known = _FUNCTIONS.get(function.attr)
    if known is not None:
        does, place, name = known
        value = next((k.value for k in call.keywords if k.arg == name), None)
        if value is None and len(call.args) > place:
            value = call.args[place]
        if value is not None:
            yield value, does, ast.unparse(value)
        return
    for keyword in call.keywords:
        is_none = (
            isinstance(keyword.value, ast.Constant) and keyword.value.value is None
        )
        if keyword.arg in _DIRECTORIES and not is_none:
            value = keyword.value
            yield value, "has its checkpoints in", f"{keyword.arg}={ast.unparse(value)}"


def _read_fits(
    tree: ast.Module, calls: list[ast.Call]
) -> Iterator[tuple[ast.expr, str, str]]:
    """The directories of models that `Model.fit` trains."""
    for call in calls:
        function = call.func
        if (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and (function.value.id, function.attr) == _FIT_CALLBACK
            and call.args
        ):
            value = call.args[0]
            given = ast.unparse(value)
            bound = [
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Assign)
                and any(ast.unparse(target) == given for target in node.targets)
            ]
            if len(bound) == 1:
                value = bound[0]
                given = f"{given}={ast.unparse(value)}"
            yield value, "has its checkpoints in", given


def _find_modules(tree: ast.Module) -> Iterator[str]:
    """The names that imports bind."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]


def _find_savers(tree: ast.Module, modules: set[str]) -> Iterator[str]:
    """Finds names of savers: TensorFlow's, or those of a module beside the program.

    A supervisor has one, too: `sv.saver`.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        function = node.value.func
        if not isinstance(function, ast.Attribute):
            continue
        if _find_root(function) not in modules:
            continue
        ends = {"Saver": "", "Supervisor": ".saver"}
        if function.attr in ends:
            for target in node.targets:
                yield ast.unparse(target) + ends[function.attr]


def _find_root(node: ast.expr) -> str:
    """The name that a dotted name begins with; "" where it is none."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
