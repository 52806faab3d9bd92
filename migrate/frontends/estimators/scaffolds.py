"""Scaffolds of Estimators: what of them says nothing any more, and what nothing does here.

Variables and tables are initialised when they are made, and all summaries are written. So
what asks for just that is left out:

    tf.train.Scaffold(
        saver=saver,
        local_init_op=tf.group(tf.local_variables_initializer(), tf.tables_initializer()))

Another operation there would be one that TensorFlow 1 ran once, before training.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import scaffolds as table


@dataclasses.dataclass(frozen=True, eq=False)
class Scaffold:
    """A call of tf.train.Scaffold.

    Attributes:
      kept: its arguments that mean something, by name.
      dropped: those that are left out.
      named: assignments that name these, or parts of them.
      refused: an argument that nothing does here, and its name; None if there is none.
    """

    call: ast.Call
    kept: dict[str, ast.expr]
    dropped: list[ast.expr] = dataclasses.field(default_factory=list)
    named: list[ast.Assign] = dataclasses.field(default_factory=list)
    refused: tuple[ast.AST, str] | None = None


def find_scaffolds(scopes: Scopes) -> list[Scaffold]:
    """Reads every Scaffold of a file."""
    return [
        read(call, scopes)
        for node, symbol in scopes.walk_uses()
        if symbol == table.SCAFFOLD
        and isinstance(call := scopes.parents.get(node), ast.Call)
        and call.func is node
    ]


def read(call: ast.Call, scopes: Scopes) -> Scaffold:
    """Reads the arguments of one Scaffold."""
    bound = names.bind_arguments(call, table.PARAMETERS)
    if bound is None:
        return Scaffold(call, {}, refused=(call, "arguments that are not written out"))
    found = Scaffold(call, {})
    for name, value in bound.items():
        if name in table.MEANT:
            found.kept[name] = value
        elif _is_quiet(value, table.QUIET.get(name, frozenset()), scopes, found):
            found.dropped.append(value)
        else:
            return Scaffold(call, {}, refused=(value, name))
    return found


def find_unneeded_assignments(
    every: list[Scaffold], scopes: Scopes
) -> list[ast.Assign]:
    """Assignments that only named what Scaffolds leave out."""
    gone = {
        n for one in every for value in one.dropped for n in walk_breadth_first(value)
    }
    found: list[ast.Assign] = []
    waiting = list({made: None for one in every for made in one.named})
    grown = True
    while grown:
        grown = False
        for made in waiting:
            if made not in found and not _is_read_elsewhere(made, gone, scopes):
                found.append(made)
                gone.update(walk_breadth_first(made.value))
                grown = True
    return found


def _is_quiet(
    node: ast.expr, known: frozenset[str], scopes: Scopes, found: Scaffold
) -> bool:
    """Whether a value asks for no more than is done anyway."""
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_is_quiet(one, known, scopes, found) for one in node.elts)
    if isinstance(node, ast.Call):
        symbol = scopes.resolve(node.func) or ""
        if symbol in table.GROUPS:
            return all(_is_quiet(one, known, scopes, found) for one in node.args)
        return symbol in known
    if not isinstance(node, ast.Name):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings[node.id] if owner is not None else []
    if len(bound) != 1 or not isinstance(bound[0], ast.Assign):
        return False
    if len(bound[0].targets) != 1 or not isinstance(bound[0].targets[0], ast.Name):
        return False
    if bound[0] not in found.named:
        found.named.append(bound[0])
    return _is_quiet(bound[0].value, known, scopes, found)


def _is_read_elsewhere(made: ast.Assign, gone: set[ast.AST], scopes: Scopes) -> bool:
    target = made.targets[0]
    assert isinstance(target, ast.Name)
    owner = scopes.find_scope(target).find_owner(target.id)
    return any(
        isinstance(node, ast.Name)
        and node.id == target.id
        and isinstance(node.ctx, ast.Load)
        and node not in gone
        and scopes.find_scope(node).find_owner(node.id) is owner
        for node in scopes.walk()
    )
