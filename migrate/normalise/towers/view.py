"""A text's one loop over towers, with what the text binds where."""

from __future__ import annotations

import ast
import dataclasses
import functools

from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Text
from migrate.normalise.towers import loops
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first


class Unclear(Exception):
    """Something of the loop is not read; its message, if any, says what."""


@dataclasses.dataclass(frozen=True, eq=False)
class View:
    """A loop over towers where it stands.

    Attributes:
      text: the whole text.
      scopes: its scopes.
      loop: the one loop of it that computes gradients, or else lists losses.
      lists_losses: whether it lists losses alone, which are minimised after it.
    """

    text: Text
    scopes: Scopes
    loop: ast.For
    lists_losses: bool = False

    @functools.cached_property
    def inside(self) -> frozenset[ast.AST]:
        """Returns all nodes of the loop."""
        return frozenset(walk_breadth_first(self.loop))

    def flatten_expression(self, value: ast.expr) -> str:
        """An expression's text, in one line."""
        segment = self.text.find_segment(value)
        return segment if "\n" not in segment else ast.unparse(value)

    def choose_free_name(self, wish: str) -> str:
        """A name like that which the text does not have yet."""
        taken = find_plain_names(self.scopes.tree)
        name, number = wish, 2
        while name in taken:
            name, number = f"{wish}_{number}", number + 1
        return name

    def find_reads_after(self, name: str) -> list[ast.Name]:
        """Finds the reads of a name of the loop's scope outside of the loop."""
        scope = self.scopes.find_scope(self.loop)
        return [
            n
            for n in walk_breadth_first(self.scopes.tree)
            if isinstance(n, ast.Name)
            and n.id == name
            and isinstance(n.ctx, ast.Load)
            and n not in self.inside
            and self.scopes.find_scope(n).find_owner(name) is scope
        ]

    def is_only_fetched(self, name: str) -> bool:
        """Whether it is read by `sess.run(name)` and `sess.run([..., name])` only."""
        for node in self.find_reads_after(name):
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
        """Whether it is `opt.compute_gradients(...)`, or `tf.gradients(...)`."""
        return loops.takes_gradients(self.scopes, node)


def find_view(text: Text) -> View | None:
    """The loop over towers of a text; None if it has none, or several."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    found = [
        node
        for node in walk_breadth_first(tree)
        if isinstance(node, ast.For) and loops.has_gradients(scopes, node)
    ]
    listing = [] if found else loops.find_loss_loops(scopes)
    if len(found or listing) != 1:
        return None
    return View(text, scopes, (found or listing)[0], bool(listing))
