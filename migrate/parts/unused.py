"""Functions of a program's modules that nothing in the program calls.

A module is written for several programs: its function for training on one device is none
of the program's that trains on several, and would be graph that no session runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from migrate.facts import names
from migrate.parts.module import Imported, Module


def find_functions(
    program: str,
    modules: Mapping[str, Module],
    imports: Mapping[str, Sequence[Imported]],
) -> set[ast.stmt]:
    """Definitions at the top of modules that nothing that is needed names.

    Args:
      program: the program's real path.
      modules: the program and its modules, by real path.
      imports: what each of them imports of the tree.
    """
    apart = {
        (path, statement.name): statement
        for path, module in modules.items()
        if path != program
        for statement in module.tree.body
        if isinstance(statement, ast.FunctionDef)
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


def _list_named(
    path: str, statement: ast.stmt, imports: Sequence[Imported]
) -> Iterator[tuple[str, str]]:
    """What a statement names, as (file, name there), whether it is called or not."""
    whole = {i.name: i.target for i in imports if i.member is None}
    members = {i.name: (i.target, i.member) for i in imports if i.member is not None}
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield members.get(node.id, (path, node.id))
        elif isinstance(node, ast.Attribute):
            target = whole.get(names.find_key(node.value) or "")
            if target is not None:
                yield target, node.attr
