"""TF1 to TF1: feeds written out where they are used, their values computed once.

A program may build its `feed_dict` before the call and use it several times, add to
it by `feed[x] = batch`, or have a function make it (`fill_feed_dict`, a trainer's
`_feed`). Here every value gets a name where it is computed, a function gives the
values and not a dict, and each call reads `feed_dict={x: x_feed, y: y_feed}`.
"""

from __future__ import annotations

import ast

from migrate.normalise.feeds import comprehended, conditions
from migrate.normalise.feeds.makers import Makers
from migrate.normalise.feeds.order import Order
from migrate.normalise.feeds.scattered import Scattered
from migrate.normalise.feeds.stores import Stores
from migrate.normalise.feeds.view import Unclear, View, feed_argument
from migrate.normalise.text import Text
from migrate.source.nodes import walk_breadth_first

_ROUNDS = 50


def write_out_feeds(text: Text) -> Text:
    """The text with such feeds written out; the same text where there are none."""
    text = comprehended.write_out_keys(conditions.fill_feeds(text))
    for _ in range(_ROUNDS):
        new = _Feeds(text).step()
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

    def step(self) -> Text | None:
        """One feed written out; None if none is left."""
        for call in walk_breadth_first(self._view.tree):
            argument = feed_argument(call)
            if argument is None:
                continue
            try:
                new = None
                if isinstance(argument, ast.Call):
                    new = self._order.hoist_call(argument)
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

    def _name_feed(self, use: ast.Name) -> Text | None:
        scope = self._view.scopes.scope_of(use)
        owner = scope.owner(use.id)
        if owner is None or owner is not scope:
            return None
        bindings = owner.bindings[use.id]
        for binding in bindings:
            if (
                isinstance(binding, ast.Assign)
                and isinstance(binding.value, ast.Call)
                and self._makers.maker(binding.value) is not None
            ):
                return self._makers.rewrite_maker(binding, use.id, owner)
        stores, uses = self._stores.follow_feed(use.id, owner)
        if self._stores.can_be_moved(stores, uses, owner):
            return None
        return self._scattered.rewrite(use.id, stores, uses, owner)
