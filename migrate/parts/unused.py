"""Functions and classes of a program's modules that nothing in the program uses.

A module is written for several programs: its function for training on one device is none
of the program's that trains on several, and would be graph that no session runs. A class
that opens a session for its objects would be another session beside the program's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from migrate.facts import names
from migrate.parts.module import Imported, Module

# What finds a class without naming it.
_FINDS_CLASSES = frozenset(
    {"getattr", "globals", "vars", "eval", "exec", "__subclasses__", "__dict__"}
)


def find_definitions(
    program: str,
    modules: Mapping[str, Module],
    imports: Mapping[str, Sequence[Imported]],
    classes: bool,
) -> set[ast.stmt]:
    """Definitions at the top of modules that nothing that is needed names.

    Args:
      program: the program's real path.
      modules: the program and its modules, by real path.
      imports: what each of them imports of the tree.
      classes: whether classes are among them, and not functions alone.
    """
    named = classes and not any(_may_find_classes(m.tree) for m in modules.values())
    apart = {
        (path, statement.name): statement
        for path, module in modules.items()
        if path != program
        for statement in module.tree.body
        if isinstance(statement, ast.FunctionDef)
        or (
            named
            and isinstance(statement, ast.ClassDef)
            and _is_only_definitions(statement)
        )
    }
    if any(i.member == "*" for each in imports.values() for i in each):
        return set()
    gone = set(apart.values())
    work: list[tuple[str, ast.stmt]] = [
        (path, statement)
        for path, module in modules.items()
        for statement in module.tree.body
        if statement not in gone
    ]
    while work:
        path, statement = work.pop()
        for target in _list_named(path, statement, imports.get(path, ())):
            needed = apart.get(target)
            if needed in gone:
                assert needed is not None
                gone.remove(needed)
                work.append((target[0], needed))
    return set(gone)


def _may_find_classes(tree: ast.Module) -> bool:
    """Whether a module may use a class without its name."""
    return any(
        (isinstance(node, ast.Name) and node.id in _FINDS_CLASSES)
        or (isinstance(node, ast.Attribute) and node.attr in _FINDS_CLASSES)
        for node in ast.walk(tree)
    )


def _is_only_definitions(class_: ast.ClassDef) -> bool:
    """Whether a class does nothing where it is defined, and nobody else is told of it."""
    return not (class_.decorator_list or class_.keywords) and all(
        isinstance(statement, ast.Pass)
        or names.is_bare_constant(statement)
        or (isinstance(statement, ast.FunctionDef) and not statement.decorator_list)
        or (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
        )
        for statement in class_.body
    )


def _list_named(
    path: str, statement: ast.stmt, imports: Sequence[Imported]
) -> Iterator[tuple[str, str]]:
    """Yields each name that a statement uses, as (file, name in that file)."""
    whole = {i.name: i.target for i in imports if i.member is None}
    members = {i.name: (i.target, i.member) for i in imports if i.member is not None}
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield members.get(node.id, (path, node.id))
        elif isinstance(node, ast.Attribute):
            target = whole.get(names.find_key(node.value) or "")
            if target is not None:
                yield target, node.attr
