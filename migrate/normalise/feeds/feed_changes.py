"""A feed that is added to: every value under a name, every use a display."""

from __future__ import annotations

import ast
import re

from migrate.facts.scopes import Scope
from migrate.normalise.feeds.stores import Store, Stores
from migrate.normalise.feeds.view import Unclear, View, flatten_expression
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first


class Scattered:
    """Writes such feeds out."""

    def __init__(self, view: View, stores: Stores) -> None:
        self._view = view
        self._stores = stores

    def rewrite(self, stores: list[Store], uses: list[ast.Name], scope: Scope) -> Text:
        """Writes each value under its own name, and each use as a display of names."""
        keys = self._map_keys(stores, uses)
        own: dict[str, str] = {}
        text = self._view.text
        edits: list[Edit] = []
        new_lines: dict[ast.stmt, list[str]] = {}
        overwritten = {
            ast.unparse(key)
            for store in stores
            for key, _ in store.pairs
            if sum(
                ast.unparse(key) == ast.unparse(other)
                for s in stores
                for other, _ in s.pairs
            )
            > 1
        }
        for store in stores:
            if not text.is_alone(store.statement):
                raise Unclear
            lines = []
            for key, value in store.pairs:
                spelled = ast.unparse(key)
                if spelled not in overwritten and self._stores.is_stable(value, scope):
                    own[spelled] = flatten_expression(text, value)
                    continue
                if spelled not in own:
                    wish = re.sub(r"\W+", "_", spelled.split(".")[-1]).strip("_")
                    own[spelled] = self._view.choose_free_name(
                        f"{wish}_feed", scope.node
                    )
                lines.append(f"{own[spelled]} = {flatten_expression(text, value)}")
            new_lines[store.statement] = lines
        for use in uses:
            shown = [f"{key}: {own[key]}" for key in keys[use]]
            edits.append(Edit(use, "{" + ", ".join(shown) + "}"))
        text = text.apply_edits(edits)
        for statement in sorted(new_lines, key=lambda s: s.lineno, reverse=True):
            indent = self._view.indent(statement)
            lines = [indent + line for line in new_lines[statement]]
            if not lines and len(self._view.find_suite(statement)) == 1:
                lines = [indent + "pass"]
            origin = text.origins[statement.lineno - 1]
            text = text.splice(
                statement.lineno,
                statement.end_lineno or statement.lineno,
                lines,
                [origin] * len(lines),
            )
        return text

    def _map_keys(
        self, stores: list[Store], uses: list[ast.Name]
    ) -> dict[ast.Name, list[str]]:
        """Maps each use of a feed to the keys that it has there.

        Raises:
          Unclear: that depends on the path taken.
        """
        if not stores or not stores[0].first:
            raise Unclear
        whole = [s for s in stores if s.first]
        if len(stores) == 1:  # Also after a loop that gives it.
            return {use: [ast.unparse(k) for k, _ in whole[0].pairs] for use in uses}
        if len(whole) > 1:
            sets = {tuple(sorted(ast.unparse(k) for k, _ in s.pairs)) for s in whole}
            more = {ast.unparse(k) for s in stores for k, _ in s.pairs}
            if len(sets) != 1 or more != set(next(iter(sets))):
                return {use: self._list_keys_at(stores, use) for use in uses}
            found = [ast.unparse(k) for k, _ in whole[0].pairs]
            return {use: found for use in uses}
        suite = self._view.find_suite(stores[0].statement)
        at: list[tuple[int, list[str]]] = []
        for store in stores:
            found = [ast.unparse(k) for k, _ in store.pairs]
            known = {k for _, ks in at for k in ks}
            if store.statement in suite:
                at.append((store.statement.lineno, found))
            elif not set(found) <= known:
                raise Unclear
        keys: dict[ast.Name, list[str]] = {}
        for use in uses:
            within = {
                id(s)
                for s in [
                    self._view.find_statement(use),
                    *self._view.scopes.walk_above(use),
                ]
            }
            if not any(id(s) in within for s in suite):
                raise Unclear
            before = [k for line, ks in at if line < use.lineno for k in ks]
            keys[use] = list(dict.fromkeys(before))
        return keys

    def _list_keys_at(self, stores: list[Store], use: ast.Name) -> list[str]:
        """Lists a feed's keys at one use, if several statements begin the feed.

        Raises:
          Unclear: that depends on the path taken.
        """
        known = {
            k: [ast.unparse(key) for key, _ in s.pairs] for k, s in enumerate(stores)
        }
        found: list[list[str]] = []
        inner: list[list[str]] = []  # Of blocks that may not be entered.
        node: ast.AST = self._view.find_statement(use)
        while True:
            suite = self._view.find_suite(node)  # type: ignore[arg-type]
            before = suite[: suite.index(node)]  # type: ignore[arg-type]
            begun = False
            for statement in reversed(before):
                inside = set(walk_breadth_first(statement))
                for k, store in reversed(list(enumerate(stores))):
                    if store.statement is statement:
                        found.insert(0, known[k])
                        begun = store.first
                    elif store.statement in inside:
                        inner.append(known[k])
                        if store.first:
                            raise Unclear
                if begun:
                    break
            if begun:
                break
            parent = self._view.scopes.parents[node]
            if isinstance(parent, (ast.For, ast.While)):
                # What stands below was done in the round before.
                if any(
                    s.statement in set(walk_breadth_first(parent))
                    and s.statement.lineno > use.lineno
                    for s in stores
                ):
                    raise Unclear
            if not isinstance(parent, ast.stmt) or isinstance(
                parent, (ast.FunctionDef, ast.ClassDef)
            ):
                raise Unclear
            node = parent
        keys = [key for those in found for key in those]
        if any(not set(those) <= set(keys) for those in inner):
            raise Unclear
        return list(dict.fromkeys(keys))
