"""Handles of iterators: a fed string says which iterator a run draws from.

iterator = tf.data.Iterator.from_string_handle(handle, types, shapes)
train_handle = sess.run(train_iterator.string_handle())
sess.run(train_op, {handle: train_handle})       # train_step(*train_iterator.get_next())
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.runs.loop import Loop
from migrate.frontends.sessions.iterators import Iterators, find_bindings
from migrate.program.binding_time import Diagnostics
from migrate.program.ir import Flow
from migrate.source.nodes import walk_breadth_first

_UNKNOWN = "the tool cannot tell from which iterator this run takes its element"
_RECIPE = (
    "Bind the handle to a name by one run of one iterator's handle, and feed that name."
)


class Handles:
    """Finds the iterators that handles stand for.

    Attributes:
      calls: runs that ask for handles; nothing is left of their statements.
    """

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        flows: list[Flow],
        inputs: Iterators,
        loop: Loop,
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._flows = flows
        self._inputs = inputs
        self._loop = loop
        self._named: dict[str, str] = {}
        self._fed: set[ast.AST] = set()
        self.calls: set[ast.AST] = set()

    def find(self, calls: Iterable[ast.Call]) -> list[ast.Call]:
        """Returns the runs that ask for no handles, and notes the others' handles."""
        others = []
        for call in calls:
            named = self._find_named(call) if self._inputs.handles else {}
            if not named:
                others.append(call)
                continue
            self._named.update(named)
            self.calls.add(call)
        return others

    def _find_named(self, call: ast.Call) -> dict[str, str]:
        """The names that a run gives to handles, and their iterators."""
        statement = self._loop.find_statement(call)
        fetched = names.find_argument(call, "fetches", 0)
        if not (
            isinstance(statement, ast.Assign)
            and statement.value is call
            and len(statement.targets) == 1
            and fetched is not None
        ):
            return {}
        target = statement.targets[0]
        targets, handles = [target], [fetched]
        if isinstance(target, ast.Tuple) and isinstance(fetched, (ast.List, ast.Tuple)):
            targets, handles = target.elts, fetched.elts
        found = [self._find_iterator(handle) for handle in handles]
        keys = [names.find_key(each) for each in targets]
        if len(keys) != len(found) or None in found or None in keys:
            return {}
        named = {key or "": iterator or "" for key, iterator in zip(keys, found)}
        return named if all(map(self._is_bound_once, named)) else {}

    def _find_iterator(self, handle: ast.expr) -> str | None:
        """The iterator of `iterator.string_handle()`, or of a name of that."""
        name = names.find_key(handle)
        if name is not None:
            bound = find_bindings(self._flows, name)
            value = getattr(bound[0].statement, "value", None) if bound else None
            return self._find_iterator(value) if len(bound) == 1 and value else None
        if not (
            isinstance(handle, ast.Call)
            and isinstance(handle.func, ast.Attribute)
            and handle.func.attr == "string_handle"
        ):
            return None
        iterator = names.find_key(handle.func.value)
        return iterator if iterator in self._inputs.iterators else None

    def _is_bound_once(self, name: str) -> bool:
        stores = [
            node
            for node in walk_breadth_first(self._scopes.tree)
            if isinstance(node, (ast.Name, ast.Attribute))
            and isinstance(node.ctx, ast.Store)
            and names.find_key(node) == name
        ]
        return len(stores) == 1

    def find_source(
        self, call: ast.Call, iterator: str, feed: dict[str, ast.expr]
    ) -> str | None:
        """The iterator that a run draws from; None, with a refusal, if it is not known.

        Args:
          iterator: the one that the handle decides.
          feed: what the run is fed.
        """
        value = feed.get(self._inputs.handles[iterator])
        name = names.find_key(value) if value is not None else None
        if name in self._named and name not in self._loop.find_own_names(call):
            return self._named[name or ""]
        self._diagnostics.refuse("I101", call, _UNKNOWN, _RECIPE)
        return None

    def note_handles(self, feed: dict[str, ast.expr]) -> None:
        """Notes the handles that a run is fed."""
        for placeholder in self._inputs.handles.values():
            if (value := feed.get(placeholder)) is not None:
                self._fed.add(value)

    def list_statements(self) -> set[ast.stmt]:
        """The statements that ask for handles."""
        return {
            self._loop.find_statement(c) for c in self.calls if isinstance(c, ast.Call)
        }

    def check(self) -> None:
        """Refuses handles that are used otherwise than fed."""
        asked = {n for s in self.list_statements() for n in walk_breadth_first(s)}
        for node in walk_breadth_first(self._scopes.tree):
            if (
                isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and names.find_key(node) in self._named
                and node not in self._fed
                and node not in asked
            ):
                self._diagnostics.refuse(
                    "I101",
                    node,
                    f"the program uses `{ast.unparse(node)}`, an iterator's handle, "
                    "for more than to feed it in a run",
                    _RECIPE,
                )
                return
