"""Decides whether one process runs only one of a module's functions, or several in turn.

    if FLAGS.mode == "train":
        train()
    else:
        evaluate()

A process of such a program has one graph of one of the two, though both add to the
default graph. So has one that is started for a function: `Process(target=work)`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_RUNS = ("tf.app.run", "tf.compat.v1.app.run")
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.GeneratorExp)
# A function is not followed through more calls than this.
_DEPTH = 6


def is_at_most_one_run(scopes: Scopes, functions: Sequence[ast.FunctionDef]) -> bool:
    """Whether no process runs two of the functions, or one of them twice."""
    paths = [_find_paths(scopes, function, _DEPTH) for function in functions]
    if any(p is None or not p for p in paths):
        return False
    every = [(i, path) for i, p in enumerate(paths) for path in p or ()]
    for at, (one, path) in enumerate(every):
        if _repeats(scopes, path):
            return False
        for other, second in every[at + 1 :]:
            if not _is_exclusive(scopes, path, second) and (
                one != other or path != second
            ):
                return False
    return True


def runs_once(scopes: Scopes, statement: ast.stmt) -> bool:
    """Whether no process reaches a statement twice."""
    node: ast.AST = statement
    while not isinstance(node, (ast.FunctionDef, ast.Module)):
        node = scopes.parents[node]
        if isinstance(node, _LOOPS):
            return False
    return isinstance(node, ast.Module) or (
        scopes.parents[node] is scopes.tree and is_at_most_one_run(scopes, [node])
    )


def _find_paths(
    scopes: Scopes, function: ast.FunctionDef, depth: int
) -> list[tuple[ast.expr, ...]] | None:
    """Returns the paths from the module to a function: references, the outermost first.

    None if one of the paths cannot be followed.
    """
    if not depth:
        return None
    found: list[tuple[ast.expr, ...]] = []
    for node in walk_breadth_first(scopes.tree):
        if isinstance(node, ast.Call) and (
            function.name == "main" and _runs_main(scopes, node)
        ):
            found.append((node.func,))
            continue
        if not (
            isinstance(node, ast.Name)
            and node.id == function.name
            and isinstance(node.ctx, ast.Load)
        ):
            continue
        owner = scopes.find_scope(node).find_owner(node.id)
        if owner is not scopes.module or len(owner.bindings[node.id]) != 1:
            return None
        if not (_is_called(scopes, node) or _has_process(scopes, node)):
            if not _is_main(scopes, node):
                return None
        outer = _find_function_around(scopes, node)
        if outer is None:
            found.append((node,))
            continue
        if scopes.parents[outer] is not scopes.tree:
            return None
        above = _find_paths(scopes, outer, depth - 1)
        if above is None:
            return None
        found.extend((*path, node) for path in above)
    return found


def _is_called(scopes: Scopes, node: ast.Name) -> bool:
    call = scopes.parents[node]
    return isinstance(call, ast.Call) and call.func is node


def _is_main(scopes: Scopes, node: ast.Name) -> bool:
    """Whether a name is in `tf.app.run(main)`, which calls it once."""
    call = scopes.parents[node]
    while isinstance(call, ast.keyword):
        call = scopes.parents[call]
    return isinstance(call, ast.Call) and (
        scopes.resolve(call.func) in _RUNS
        or scopes.find_dotted_path(call.func) == "absl.app.run"
    )


def _runs_main(scopes: Scopes, call: ast.Call) -> bool:
    """Whether a call is `tf.app.run()`, which calls the program's `main` once."""
    return (
        scopes.resolve(call.func) in _RUNS
        and names.find_argument(call, "main", 0) is None
        and not any(isinstance(a, ast.Starred) for a in call.args)
        and all(keyword.arg for keyword in call.keywords)
    )


def _has_process(scopes: Scopes, node: ast.expr) -> bool:
    """Whether a name is in `multiprocessing.Process(target=node)`, which starts a process."""
    keyword = scopes.parents[node]
    call = scopes.parents.get(keyword)
    return (
        isinstance(keyword, ast.keyword)
        and keyword.arg == "target"
        and isinstance(call, ast.Call)
        and _is_process(scopes, call.func)
    )


def _is_process(scopes: Scopes, func: ast.expr) -> bool:
    """Whether a name is `mp.Process` or `Process`, imported and bound to nothing else."""
    root, wanted = func, "multiprocessing.Process"
    if isinstance(func, ast.Attribute) and func.attr == "Process":
        root, wanted = func.value, "multiprocessing"
    if not isinstance(root, ast.Name):
        return False
    owner = scopes.find_scope(root).find_owner(root.id)
    bound = owner.bindings[root.id] if owner is not None else []
    return bool(bound) and all(_find_import(b, root.id) == wanted for b in bound)


def _find_import(binding: ast.AST, name: str) -> str | None:
    """Returns the dotted name that an import binds to a name; None for other bindings."""
    if not isinstance(binding, (ast.Import, ast.ImportFrom)):
        return None
    alias = next(a for a in binding.names if (a.asname or a.name) == name)
    if isinstance(binding, ast.Import):
        return alias.name
    return f"{binding.module}.{alias.name}"


def _find_function_around(scopes: Scopes, node: ast.AST) -> ast.FunctionDef | None:
    parent = scopes.parents.get(node)
    while parent is not None and not isinstance(parent, ast.FunctionDef):
        parent = scopes.parents.get(parent)
    return parent


def _repeats(scopes: Scopes, path: Sequence[ast.expr]) -> bool:
    """Whether one process takes a path more than once."""
    for node in reversed(path):
        if _has_process(scopes, node):
            return False  # The code above runs in another process.
        parent = scopes.parents.get(node)
        while parent is not None and not isinstance(parent, ast.FunctionDef):
            if isinstance(parent, _LOOPS):
                return True
            parent = scopes.parents.get(parent)
    return False


def _is_exclusive(
    scopes: Scopes, one: Sequence[ast.expr], other: Sequence[ast.expr]
) -> bool:
    """Whether no process takes both paths."""
    for a, b in zip(one, other, strict=False):
        if a is not b:
            rest = [*one[one.index(a) :], *other[other.index(b) :]]
            return are_exclusive(scopes, a, b) or any(
                _has_process(scopes, node) for node in rest
            )
    return False


def are_exclusive(scopes: Scopes, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes stand in different branches of one `if`."""
    branches: dict[ast.AST, str] = {}
    node = one
    while node in scopes.parents:
        parent = scopes.parents[node]
        if isinstance(parent, ast.If):
            branches[parent] = _find_branch(parent, node)
        node = parent
    node = other
    while node in scopes.parents:
        parent = scopes.parents[node]
        if isinstance(parent, ast.If) and parent in branches:
            if branches[parent] != _find_branch(parent, node):
                return True
        node = parent
    return False


def _find_branch(parent: ast.If, node: ast.AST) -> str:
    return next((f for f, suite in names.list_suites(parent) if node in suite), "test")
