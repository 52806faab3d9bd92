"""A text's one loop over towers, with what the text binds where."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.normalise.text import Text


class Unclear(Exception):
    """Something of the loop is not read; its message, if any, says what."""


@dataclasses.dataclass(frozen=True, eq=False)
class View:
    """A loop over towers where it stands.

    Attributes:
      text: the whole text.
      scopes: its scopes.
      loop: the one loop of it that computes gradients.
    """

    text: Text
    scopes: Scopes
    loop: ast.For

    @functools.cached_property
    def inside(self) -> frozenset[ast.AST]:
        """All nodes of the loop."""
        return frozenset(ast.walk(self.loop))

    def flat(self, value: ast.expr) -> str:
        """An expression's text, in one line."""
        segment = self.text.segment(value)
        return segment if "\n" not in segment else ast.unparse(value)

    def fresh(self, wish: str) -> str:
        """A name like that which the text does not have yet."""
        taken = {n.id for n in ast.walk(self.scopes.tree) if isinstance(n, ast.Name)}
        name, number = wish, 2
        while name in taken:
            name, number = f"{wish}_{number}", number + 1
        return name

    def reads_after(self, name: str) -> list[ast.Name]:
        """Where a name of the loop's scope is read outside of the loop."""
        scope = self.scopes.scope_of(self.loop)
        return [
            n
            for n in ast.walk(self.scopes.tree)
            if isinstance(n, ast.Name)
            and n.id == name
            and isinstance(n.ctx, ast.Load)
            and n not in self.inside
            and self.scopes.scope_of(n).owner(name) is scope
        ]

    def only_fetched(self, name: str) -> bool:
        """Whether it is read by `sess.run(name)` and `sess.run([..., name])` only."""
        for node in self.reads_after(name):
            parent = self.scopes.parents[node]
            if isinstance(parent, (ast.List, ast.Tuple)):
                parent = self.scopes.parents[parent]
            if not (
                isinstance(parent, ast.Call)
                and isinstance(parent.func, ast.Attribute)
                and parent.func.attr == "run"
            ):
                return False
        return True

    def computes(self, node: ast.AST) -> bool:
        """Whether it is `opt.compute_gradients(...)`."""
        return computes(self.scopes, node)


def look(text: Text) -> View | None:
    """The loop over towers of a text; None where it has none, or several."""
    tree = ast.parse(text.source)
    scopes = Scopes(tree)
    loops = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.For)
        and any(computes(scopes, n) for n in _own(node.body))
    ]
    return View(text, scopes, loops[0]) if len(loops) == 1 else None


def computes(scopes: Scopes, node: ast.AST) -> bool:
    """Whether it is `opt.compute_gradients(...)` of an optimizer of the program's."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "compute_gradients"
        and scopes.resolve(node.func) is None
    )


def _own(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from names.walk_scope(statement)
