"""TF1 to TF1: writes feeds that comprehensions or zip make as plain dicts.

    feed_dict=dict(zip([x, y], batch))            x_value, y_value, *_ = batch
                                                  feed_dict={x: x_value, y: y_value}
    feed_dict={p[i]: b[i] for i in range(2)}      feed_dict={x: b[0], y: b[1]}

The program must show the keys: in sequences and dicts that it writes once, and never changes.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

from migrate.facts import names
from migrate.normalise.feeds.view import (
    Unclear,
    View,
    feed_argument,
    flatten_expression,
    is_key,
)
from migrate.normalise.text import Edit, Text
from migrate.rules.mistakes.mistake import find_method
from migrate.source.nodes import walk_breadth_first

_MOST = 64  # Nobody could read a dict with more keys.
_CHANGES = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault"}
    | {"sort", "reverse", "popitem"}
)


def write_out_keys(text: Text) -> Text:
    """The text in which feeds are plain dicts, if their keys are known."""
    if "zip(" not in text.source and " for " not in text.source:
        if "dict(" not in text.source:
            return text
    left = _MOST
    while left:
        new = _rewrite_feed(View(text))
        if new is None:
            break
        text, left = new, left - 1
    return text


def _rewrite_feed(view: View) -> Text | None:
    fed = {
        names.find_key(argument)
        for call in view.scopes.walk()
        if (argument := feed_argument(call)) is not None
        and isinstance(argument, (ast.Name, ast.Attribute))
    }
    for node in view.scopes.walk():
        value: ast.expr | None = feed_argument(node)
        if isinstance(node, ast.Assign) and names.find_key(node.targets[0]) in fed:
            value = node.value
        if not isinstance(value, (ast.DictComp, ast.Call)):
            continue
        try:
            feed = _Feed(view, value)
            return _drop_unread_containers(feed.rewrite(), feed.used)
        except Unclear:
            continue
    return None


def _drop_unread_containers(text: Text, used: set[str]) -> Text:
    """The text without lists and dicts of tensors that the program no longer reads."""
    view = View(text)
    for node in view.scopes.walk():
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Name) or target.id not in used:
            continue
        read = any(
            isinstance(n, ast.Name)
            and n.id == target.id
            and isinstance(n.ctx, ast.Load)
            for n in view.scopes.walk()
        )
        dead = isinstance(node.value, (ast.List, ast.Tuple, ast.Dict))
        if dead and not read and text.is_alone(node) and len(view.find_suite(node)) > 1:
            end = node.end_lineno or node.lineno
            return _drop_unread_containers(text.splice(node.lineno, end, [], []), used)
    return text


class _Feed:
    """A feed that is not yet a plain dict.

    Attributes:
      used: the program's names of the sequences and dicts that the feed was made of.
    """

    def __init__(self, view: View, value: ast.DictComp | ast.Call) -> None:
        self._view = view
        self._value = value
        self._lines: list[str] = []
        self.used: set[str] = set()

    def rewrite(self) -> Text:
        """The text with a plain dict.

        Raises:
          Unclear: its keys are not known, or it is no feed.
        """
        statement = self._find_statement()
        pairs = self._list_pairs(self._value)
        if not pairs or len(pairs) > _MOST:
            raise Unclear
        keys = [self._find_element(key) for key, _ in pairs]
        if not all(is_key(key) for key in keys):
            raise Unclear
        if len({ast.dump(key) for key in keys}) != len(keys):
            raise Unclear
        values = [self._find_element(value) for _, value in pairs]
        taken: dict[str, ast.expr] = {}
        if self._lines:
            scope = self._view.find_function(statement)
            fresh = [
                self._view.choose_free_name(f"{_make_name(key)}_value", scope)
                for key in keys
            ]
            self._lines = [line.format(*fresh) for line in self._lines]
            taken = {f" {i}": ast.Name(n, ast.Load()) for i, n in enumerate(fresh)}
        text = ", ".join(
            f"{ast.unparse(k)}: {ast.unparse(replace_names(v, taken))}"
            for k, v in zip(keys, values, strict=True)
        )
        lines = self._lines
        new = self._view.text.apply_edits([Edit(self._value, f"{{{text}}}")])
        if not lines:
            return new
        at = statement.lineno
        indent = self._view.indent(statement)
        return new.splice(
            at,
            at - 1,
            [indent + line for line in lines],
            [new.origins[at - 1]] * len(lines),
        )

    def _find_statement(self) -> ast.stmt:
        """The feed's statement. New statements before it may compute the values.

        Raises:
          Unclear: the statement computes the feed several times, or after something else.
        """
        node: ast.AST = self._value
        while not isinstance(node, ast.stmt):
            node = self._view.scopes.parents[node]
            if isinstance(
                node,
                (ast.Lambda, ast.comprehension, ast.IfExp, ast.BoolOp, ast.ListComp),
            ):
                raise Unclear
        if not isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign, ast.Return)):
            raise Unclear
        if not self._view.text.is_alone(node):
            raise Unclear
        return node

    # -- what the keys and the values are -----------------------------------------------------

    def _list_pairs(
        self, value: ast.DictComp | ast.Call
    ) -> list[tuple[ast.expr, ast.expr]]:
        if isinstance(value, ast.DictComp):
            if len(value.generators) != 1:
                raise Unclear
            loop = value.generators[0]
            if loop.ifs or loop.is_async:
                raise Unclear
            found = []
            for item in self._list_items(loop.iter):
                given = bind_target(loop.target, item)
                found.append(
                    (
                        replace_names(value.key, given),
                        replace_names(value.value, given),
                    )
                )
            return found
        if not isinstance(value.func, ast.Name) or value.func.id != "dict":
            raise Unclear
        if len(value.args) != 1 or value.keywords:
            raise Unclear
        pairs = []
        for item in self._list_items(value.args[0]):
            if not isinstance(item, (ast.Tuple, ast.List)) or len(item.elts) != 2:
                raise Unclear
            pairs.append((item.elts[0], item.elts[1]))
        return pairs

    def _list_items(self, node: ast.expr) -> list[ast.expr]:
        """The items of a loop over an expression."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "zip" and not node.keywords:
                return self._zip_parts(node.args)
            if node.func.id == "enumerate" and len(node.args) == 1:
                return [
                    ast.Tuple([ast.Constant(i), item], ast.Load())
                    for i, item in enumerate(self._list_items(node.args[0]))
                ]
        if (
            isinstance(node, ast.Call)
            and find_method(node) == "items"
            and not node.args
        ):
            assert isinstance(node.func, ast.Attribute)
            known = self._read_container(node.func.value)
            if not isinstance(known, ast.Dict) or None in known.keys:
                raise Unclear
            return [
                ast.Tuple([k, v], ast.Load())
                for k, v in zip(known.keys, known.values, strict=True)
                if k is not None
            ]
        return self._list_sequence(node)

    def _zip_parts(self, parts: Sequence[ast.expr]) -> list[ast.expr]:
        known: list[list[ast.expr] | None] = []
        for part in parts:
            try:
                known.append(self._list_sequence(part))
            except Unclear:
                known.append(None)
        lengths = [len(k) for k in known if k is not None]
        if not lengths or known[0] is None:
            raise Unclear
        if len(set(lengths)) != 1:
            raise Unclear
        number = lengths[0]
        columns: list[list[ast.expr]] = []
        for part, found in zip(parts, known, strict=True):
            columns.append(
                found if found is not None else self._take_first_values(part, number)
            )
        return [ast.Tuple(list(row), ast.Load()) for row in zip(*columns, strict=True)]

    def _take_first_values(self, part: ast.expr, number: int) -> list[ast.expr]:
        """Binds each of the first values of an expression to a name.

        Raises:
          Unclear: the statement computes something else before or after it.
        """
        statement = self._find_statement()
        inside = set(walk_breadth_first(self._value))
        runs = [
            n
            for n in walk_breadth_first(statement)
            if isinstance(n, ast.Call)
            and n not in inside
            and not any(self._value is m for m in walk_breadth_first(n))
        ]
        if self._lines or (
            runs and any(isinstance(n, ast.Call) for n in walk_breadth_first(part))
        ):
            raise Unclear
        places = ", ".join(f"{{{i}}}" for i in range(number))
        self._lines.append(
            f"{places}, *_ = {flatten_expression(self._view.text, part)}"
        )
        return [ast.Name(f" {i}", ast.Load()) for i in range(number)]

    def _list_sequence(self, node: ast.expr) -> list[ast.expr]:
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and not node.keywords:
                if node.func.id == "range" and len(node.args) == 1:
                    return [
                        ast.Constant(i) for i in range(self._count_items(node.args[0]))
                    ]
                if node.func.id in ("list", "tuple") and len(node.args) == 1:
                    return self._list_sequence(node.args[0])
            if find_method(node) in ("keys", "values") and not node.args:
                assert isinstance(node.func, ast.Attribute)
                known = self._read_container(node.func.value)
                if isinstance(known, ast.Dict) and None not in known.keys:
                    side = known.keys if find_method(node) == "keys" else known.values
                    return [e for e in side if e is not None]
            raise Unclear
        known = self._read_container(node)
        if isinstance(known, ast.Dict) and None not in known.keys:
            return [k for k in known.keys if k is not None]
        if not isinstance(known, (ast.List, ast.Tuple)):
            raise Unclear
        if any(isinstance(e, ast.Starred) for e in known.elts):
            raise Unclear
        return list(known.elts)

    def _count_items(self, node: ast.expr) -> int:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "len"
            and len(node.args) == 1
        ):
            return len(self._list_sequence(node.args[0]))
        known = node if isinstance(node, ast.Constant) else self._read_container(node)
        value = names.read_literal(known)
        if not isinstance(value, int) or not 0 <= value <= _MOST:
            raise Unclear
        return value

    def _find_element(self, node: ast.expr) -> ast.expr:
        """`x` for `phs[0]` of `phs = [x, y]`; other expressions as they are."""
        if not isinstance(node, ast.Subscript) or not isinstance(
            node.slice, ast.Constant
        ):
            return node
        try:
            known = self._read_container(node.value)
        except Unclear:
            return node
        wanted = node.slice.value
        if isinstance(known, ast.Dict) and None not in known.keys:
            for key, value in zip(known.keys, known.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == wanted:
                    return value
        if isinstance(known, (ast.List, ast.Tuple)) and isinstance(wanted, int):
            if -len(known.elts) <= wanted < len(known.elts):
                return known.elts[wanted]
        return node

    def _read_container(self, node: ast.expr) -> ast.expr:
        """A list, tuple, dict or number: a literal, or the only value of a name."""
        if isinstance(node, (ast.List, ast.Tuple, ast.Dict, ast.Constant)):
            return node
        scopes = self._view.scopes
        shown = names.find_key(node)
        if shown is None:
            raise Unclear
        stores = [
            n
            for n in scopes.walk()
            if isinstance(n, (ast.Name, ast.Attribute))
            and not isinstance(n.ctx, ast.Load)
            and names.find_key(n) == shown
        ]
        bound = any(isinstance(n, ast.arg) and n.arg == shown for n in scopes.walk())
        if len(stores) != 1 or bound:
            raise Unclear
        statement = scopes.parents[stores[0]]
        if not isinstance(statement, ast.Assign) or statement.targets != [stores[0]]:
            raise Unclear
        for above in self._view.scopes.walk_above(statement):
            if isinstance(above, (ast.For, ast.While)):
                raise Unclear
        if self._is_changed(shown):
            raise Unclear
        if not all(self._is_stable(e) for e in _list_elements(statement.value)):
            raise Unclear
        self.used.add(shown)
        return statement.value

    def _is_changed(self, shown: str) -> bool:
        for node in self._view.scopes.walk():
            if isinstance(node, ast.Attribute) and node.attr in _CHANGES:
                if names.find_key(node.value) == shown:
                    return True
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                if names.find_key(node.value) == shown:
                    return True
            if isinstance(node, ast.AugAssign) and names.find_key(node.target) == shown:
                return True
        return False

    def _is_stable(self, node: ast.expr) -> bool:
        """Whether an element means the same at the place of the feed."""
        if isinstance(node, ast.Constant):
            return True
        scopes = self._view.scopes
        if isinstance(node, ast.Attribute):
            stored = [
                n
                for n in scopes.walk()
                if isinstance(n, ast.Attribute)
                and n.attr == node.attr
                and not isinstance(n.ctx, ast.Load)
            ]
            if len(stored) != 1 or not isinstance(node.value, ast.Name):
                return False
            return node.value.id == "self" or self._is_stable(node.value)
        if not isinstance(node, ast.Name):
            return False
        here = scopes.find_scope(self._value).find_owner(node.id)
        there = scopes.find_scope(node).find_owner(node.id)
        return here is there and here is not None and len(here.bindings[node.id]) == 1


def _list_elements(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, (ast.List, ast.Tuple)):
        return node.elts
    if isinstance(node, ast.Dict):
        return [*(k for k in node.keys if k is not None), *node.values]
    return [node]


def bind_target(target: ast.expr, item: ast.expr) -> dict[str, ast.expr]:
    """What each name of a loop's target stands for in the round of one item.

    Raises:
      Unclear: the target and the item have different parts.
    """
    if isinstance(target, ast.Name):
        return {target.id: item}
    if not isinstance(target, ast.Tuple) or not isinstance(item, (ast.Tuple, ast.List)):
        raise Unclear
    if len(target.elts) != len(item.elts):
        raise Unclear
    found: dict[str, ast.expr] = {}
    for one, part in zip(target.elts, item.elts, strict=True):
        found |= bind_target(one, part)
    return found


class _Names(ast.NodeTransformer):
    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)


def replace_names(node: ast.expr, given: Mapping[str, ast.expr]) -> ast.expr:
    """The expression with names replaced by other expressions.

    Raises:
      Unclear: it may bind such names itself.
    """
    if any(
        isinstance(n, (ast.Lambda, ast.comprehension)) for n in walk_breadth_first(node)
    ):
        raise Unclear
    found: ast.expr = _Names(given).visit(copy.deepcopy(node))
    return found


def _make_name(key: ast.expr) -> str:
    """A Python name made of the key's text."""
    text = ast.unparse(key)
    return (
        "".join(c if c.isalnum() else "_" for c in text)
        .strip("_")
        .removeprefix("self_")
    )
