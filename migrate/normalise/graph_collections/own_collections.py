"""TF1 to TF1: a program's own graph collections, written out where they are asked for.

`tf.add_to_collection("losses", decay)` in several places, and one
`tf.add_n(tf.get_collection("losses"))`: the list is that of what was added before, in
that order. In a loop over towers the list of one tower's scope is that of this tower.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.normalise.graph_collections.variable_collections import add_to_collections
from migrate.normalise.text import (
    Edit,
    ParsedText,
    Text,
    find_lines_inside_strings,
    repeat_step,
)
from migrate.source.nodes import find_plain_names, walk_breadth_first

_ADD, _GET = "tf.add_to_collection", "tf.get_collection"
_BRANCHES = (ast.For, ast.While, ast.If, ast.Try, ast.FunctionDef, ast.Lambda)


def list_collections(text: Text) -> Text:
    """The text with its own collections as lists, if their contents are known."""
    text = add_to_collections(text)
    return repeat_step(
        text, lambda t: _Collections(t).list_collection(), "add_to_collection"
    )


@dataclasses.dataclass(frozen=True)
class _Known:
    """A collection of TensorFlow's own."""

    symbol: str


class _Collections(ParsedText):
    def list_collection(self) -> Text | None:
        for key in dict.fromkeys(self._find_key(c) for c in self._list_calls(_ADD)):
            if isinstance(key, str):
                new = self._list_collection(key)
                if new is not None:
                    return new
        return None

    def _list_calls(self, symbol: str) -> list[ast.Call]:
        found = self._scopes.list_calls(symbol)
        return sorted(found, key=lambda c: (c.lineno, c.col_offset))

    def _find_key(self, call: ast.Call) -> object:
        position = {"name": 0, "key": 0}
        for name, at in position.items():
            value = names.find_argument(call, name, at)
            if value is not None:
                known = self._scopes.resolve(value) or ""
                if known.startswith("tf.GraphKeys."):
                    return _Known(known)
                return names.read_literal(value)
        return None

    def _list_collection(self, key: str) -> Text | None:
        adds = [c for c in self._list_calls(_ADD) if self._find_key(c) == key]
        gets = [c for c in self._list_calls(_GET) if self._find_key(c) == key]
        unknown = (None, _Known("tf.GraphKeys.LOSSES"))
        if any(self._find_key(c) in unknown for c in self._list_calls(_GET)):
            return None  # It may be this one.
        place = {self._find_place(c) for c in [*adds, *gets]}
        if len(place) != 1 or None in place:
            return None
        within = place.pop()
        edits: list[Edit] = []
        gone: list[ast.stmt] = []
        shown: list[tuple[int, str]] = []
        for call in adds:
            statement = self._scopes.parents[call]
            value = names.find_argument(call, "value", 1)
            if (
                not isinstance(statement, ast.Expr)
                or value is None
                or not self._text.is_alone(statement)
                or find_lines_inside_strings(statement)
            ):
                return None
            if isinstance(value, ast.Name) and self._is_bound_once(value):
                shown.append((call.lineno, value.id))
                gone.append(statement)
                continue
            name = self._choose_free_name(key, len(shown))
            segment = self._text.find_segment(value)
            shorter = segment if "\n" not in segment else ast.unparse(value)
            edits.append(Edit(call, f"{name} = {shorter}"))
            shown.append((call.lineno, name))
        for call in gets:
            scope = names.find_argument(call, "scope", 1)
            unread = self._find_unread(call)
            if unread is not None:
                gone.append(unread)
                continue
            if scope is None and isinstance(within, (ast.For, ast.While)):
                return None  # Of the towers before, too.
            if scope is not None and not self._is_scope_of_all(scope, adds):
                return None
            before = [name for line, name in shown if line < call.lineno]
            edits.append(Edit(call, f"[{', '.join(before)}]"))
        text = self._text.apply_edits(edits)
        for statement in sorted(gone, key=lambda s: -s.lineno):
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            alone = len(self._find_suite(statement)) == 1
            line = self._text.lines[first - 1]
            left = [line[: len(line) - len(line.lstrip())] + "pass"] if alone else []
            text = text.splice(
                first, last, left, self._text.origins[first - 1 : first] * len(left)
            )
        return text

    def _find_unread(self, call: ast.Call) -> ast.Assign | None:
        """Finds the assignment with a list in it, if nothing reads the assigned name.

        `_ = loss(logits, labels)`: a sum of all towers' losses that nobody fetches.
        """
        node = names.find_statement(self._scopes.parents, call)
        if not (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and len(node.targets) == 1
            and self._text.is_alone(node)
        ):
            return None
        name, owner = node.targets[0].id, self._scopes.find_scope(node)
        read = any(
            isinstance(n, ast.Name)
            and n.id == name
            and isinstance(n.ctx, ast.Load)
            and self._scopes.find_scope(n).find_owner(name) is owner
            for n in walk_breadth_first(self._tree)
        )
        return None if read else node

    def _find_place(self, node: ast.AST) -> ast.AST | None:
        """Finds the loop, function or module that runs a node's code in sequence."""
        child, parent = node, self._scopes.parents.get(node)
        while parent is not None:
            if isinstance(parent, _BRANCHES) and child in getattr(
                parent, "body", []
            ) + getattr(parent, "orelse", []):
                if not (isinstance(parent, ast.If) and self._holds_all(parent)):
                    return parent
            child, parent = parent, self._scopes.parents.get(parent)
        return child

    def _holds_all(self, branch: ast.If) -> bool:
        """`if job_name == "worker":` around every use there is."""
        inside = {n for s in branch.body for n in walk_breadth_first(s)} or set()
        after = {n for s in branch.orelse for n in walk_breadth_first(s)}
        calls = {*self._list_calls(_ADD), *self._list_calls(_GET)}
        return calls <= inside or calls <= after

    def _is_scope_of_all(self, scope: ast.expr, adds: list[ast.Call]) -> bool:
        """Whether it is the name of a name scope that holds everything that was added."""
        if not isinstance(scope, ast.Name):
            return names.read_literal(scope) is None and isinstance(scope, ast.Constant)
        for block in walk_breadth_first(self._tree):
            if isinstance(block, ast.With) and any(
                isinstance(i.optional_vars, ast.Name) and i.optional_vars.id == scope.id
                for i in block.items
            ):
                inside = set(walk_breadth_first(block))
                return all(call in inside for call in adds)
        return False

    def _choose_free_name(self, key: str, index: int) -> str:
        taken = find_plain_names(self._tree)
        base = key if key.isidentifier() else "collected"
        number = index + 1
        while f"{base}_{number}" in taken:
            number += 1
        return f"{base}_{number}"

    def _find_suite(self, statement: ast.stmt) -> list[ast.stmt]:
        return names.find_suite(self._scopes.parents[statement], statement) or [
            statement
        ]
