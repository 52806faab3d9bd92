"""TF1 to TF1: feeds written out where they are used, their values computed once.

A program may build its `feed_dict` before the call and use it several times, add to
it by `feed[x] = batch`, or have a function make it (`fill_feed_dict`, a trainer's
`_feed`). Here every value gets a name where it is computed, a function gives the
values and not a dict, and each call reads `feed_dict={x: x_feed, y: y_feed}`.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scope
from migrate.normalise.feeds import comprehensions, conditions
from migrate.normalise.feeds.feed_changes import Scattered
from migrate.normalise.feeds.makers import Makers
from migrate.normalise.feeds.order import Order
from migrate.normalise.feeds.stores import Stores
from migrate.normalise.feeds.view import (
    Unclear,
    View,
    feed_argument,
    find_fetches,
    flatten_expression,
    is_key,
    list_pairs,
    walk_scope,
)
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first

_ROUNDS = 50


def write_out_feeds(text: Text) -> Text:
    """The text with such feeds written out; the same text if there are none."""
    text = comprehensions.write_out_keys(conditions.fill_feeds(text))
    for _ in range(_ROUNDS):
        new = _Feeds(text).rewrite_feed()
        if new is None:
            break
        text = new
    return text


class _Feeds:
    def __init__(self, text: Text) -> None:
        self._view = View(text)
        self._stores = Stores(self._view)
        self._scattered = Scattered(self._view, self._stores)
        self._makers = Makers(self._view, self._stores, self._scattered)
        self._order = Order(self._view, self._makers)
        self._fetched = Stores(self._view, find_fetches)

    def rewrite_feed(self) -> Text | None:
        """Writes out one feed; None if none is left."""
        for node in walk_breadth_first(self._view.tree):
            new = self._write_out_copy(node)
            if new is not None:
                return new
        for call in walk_breadth_first(self._view.tree):
            fetched = find_fetches(call)
            if isinstance(fetched, ast.Name):
                try:
                    new = self._write_out_fetches(fetched)
                except Unclear:
                    new = None
                if new is not None:
                    return new
            argument = feed_argument(call)
            if argument is None:
                continue
            try:
                new = None
                if isinstance(argument, ast.Call):
                    new = self._order.write_out_lambda(argument)
                    new = new or self._order.hoist_call(argument)
                elif isinstance(argument, ast.Name):
                    new = self._name_feed(argument) or self._order.order_values(
                        argument
                    )
                elif isinstance(argument, ast.Dict):
                    new = self._order.order_values(argument)
            except Unclear:
                continue
            if new is not None:
                return new
        return None

    def _write_out_copy(self, node: ast.AST) -> Text | None:
        """`dict(feed)` and `feed.copy()` as the dict that they copy."""
        match node:
            case ast.Call(
                func=ast.Name("dict"), args=[ast.Name() as name], keywords=[]
            ):
                pass
            case ast.Call(
                func=ast.Attribute(value=ast.Name() as name, attr="copy"),
                args=[],
                keywords=[],
            ):
                pass
            case _:
                return None
        scope = self._view.scopes.find_scope(name)
        owner = scope.find_owner(name.id)
        bindings = owner.bindings.get(name.id, []) if owner is scope else []
        if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
            return None
        display = bindings[0].value
        given = list_pairs(display) if isinstance(display, ast.Dict) else None
        if not given or not all(
            is_key(key) and self._stores.is_stable(value, scope) for key, value in given
        ):
            return None
        uses = self._list_uses(name.id, scope)
        if uses is None:
            return None
        text, old = self._view.text, bindings[0]
        new = text.apply_edits([Edit(node, flatten_expression(text, display))])
        gone = (
            uses == [name]
            and text.is_alone(old)
            and len(self._view.find_suite(old)) > 1
        )
        if gone and (old.end_lineno or old.lineno) < name.lineno:
            new = new.splice(old.lineno, old.end_lineno or old.lineno, [], [])
        return new

    def _list_uses(self, name: str, scope: Scope) -> list[ast.Name] | None:
        """The uses of a dict that is only fed and copied; None of another."""
        uses: list[ast.Name] = []
        for node in walk_scope(scope):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            parent = self._view.scopes.parents[node]
            copied = (
                isinstance(parent, ast.Attribute)
                and parent.attr == "copy"
                or isinstance(parent, ast.Call)
                and isinstance(parent.func, ast.Name)
                and parent.func.id == "dict"
            )
            if isinstance(node.ctx, ast.Load):
                if not (copied or self._stores.is_feed(node)):
                    return None
                uses.append(node)
        return uses

    def _write_out_fetches(self, use: ast.Name) -> Text | None:
        """Fetches that are added to, `fetches["op"] = train_op`, written out in the run."""
        scope = self._view.scopes.find_scope(use)
        owner = scope.find_owner(use.id)
        if owner is None or owner is not scope:
            return None
        stores, uses = self._fetched.follow_feed(use.id, owner)
        values = [value for store in stores for _, value in store.pairs]
        if len(stores) < 2 or not all(
            self._fetched.is_stable(v, owner) for v in values
        ):
            return None
        return Scattered(self._view, self._fetched).rewrite(stores, uses, owner)

    def _name_feed(self, use: ast.Name) -> Text | None:
        scope = self._view.scopes.find_scope(use)
        owner = scope.find_owner(use.id)
        if owner is None or owner is not scope:
            return None
        bindings = owner.bindings[use.id]
        for binding in bindings:
            if (
                isinstance(binding, ast.Assign)
                and isinstance(binding.value, ast.Call)
                and self._makers.find_maker(binding.value) is not None
            ):
                return self._makers.rewrite_maker(binding)
        stores, uses = self._stores.follow_feed(use.id, owner)
        if self._stores.can_be_moved(stores, uses, owner):
            return None
        return self._scattered.rewrite(stores, uses, owner)
