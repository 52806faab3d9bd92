"""Feeds that leave out what they are not given, and what is returned beside a feed.

    if labels is not None:                  feed[y] = labels
        feed[y] = labels
    feed, count = (feed, len(batch))        count = len(batch)

A run that needs a placeholder failed if the feed left it out, and fails if the feed is
None. A run that does not need the placeholder ignores it.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.feeds.view import feed_argument
from migrate.normalise.text import Text, find_lines_inside_strings, repeat_step
from migrate.source.nodes import parse_source, walk_breadth_first


def fill_feeds(text: Text) -> Text:
    """The text that fills such feeds without a condition, and returns them alone."""
    if "run(" not in text.source:
        return text
    return repeat_step(text, _fill_one_feed)


def _fill_one_feed(text: Text) -> Text | None:
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    fed = {
        argument.id
        for call in walk_breadth_first(tree)
        if isinstance(argument := feed_argument(call), ast.Name)
    }
    placeholders = _find_placeholders(tree, scopes)
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.If):
            inner = _read_condition(node, fed, placeholders)
            if (
                inner is None
                or not text.is_alone(node)
                or find_lines_inside_strings(node)
            ):
                continue
            line, old = text.lines[node.lineno - 1], text.lines[inner.lineno - 1]
            if not line.strip().startswith("if ") or inner.lineno == node.lineno:
                continue
            indent = line[: len(line) - len(line.lstrip())]
            count = (inner.end_lineno or inner.lineno) - inner.lineno + 1
            lines = text.lines[inner.lineno - 1 : inner.lineno - 1 + count]
            step = len(old) - len(old.lstrip()) - len(indent)
            return text.splice(
                node.lineno,
                node.end_lineno or node.lineno,
                [indent + shown[len(indent) + step :] for shown in lines],
                text.origins[inner.lineno - 1 : inner.lineno - 1 + count],
            )
        if isinstance(node, ast.Assign) and text.is_alone(node):
            new = _drop_length(text, node)
            if new is not None:
                return new
    return None


def _find_placeholders(tree: ast.Module, scopes: Scopes) -> set[str | None]:
    """Finds the names that are bound to placeholders and to nothing else."""
    found: set[str | None] = set()
    others: set[str | None] = set()
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Assign):
            made = isinstance(node.value, ast.Call) and (
                scopes.resolve(node.value.func) == "tf.placeholder"
            )
            for target in node.targets:
                parts = getattr(target, "elts", [target])
                (found if made else others).update(names.find_key(t) for t in parts)
    return found - others - {None}


def _read_condition(
    node: ast.If, fed: set[str], placeholders: set[str | None]
) -> ast.Assign | None:
    """`if value is not None: feed[key] = value`: the assignment."""
    test = node.test
    if not (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and isinstance(test.ops[0], ast.IsNot)
        and len(test.ops) == 1
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
        and not node.orelse
        and len(node.body) == 1
    ):
        return None
    inner = node.body[0]
    if not (isinstance(inner, ast.Assign) and len(inner.targets) == 1):
        return None
    target = inner.targets[0]
    if not (
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Name)
        and target.value.id in fed
        and names.find_key(target.slice) in placeholders
        and names.find_key(inner.value) == test.left.id
    ):
        return None
    return inner


def _drop_length(text: Text, node: ast.Assign) -> Text | None:
    """Shortens `feed, count = (feed, len(batch))` to `count = len(batch)`."""
    target, value = node.targets[0], node.value
    if (
        len(node.targets) != 1
        or not isinstance(target, ast.Tuple)
        or not isinstance(value, ast.Tuple)
        or len(target.elts) != len(value.elts)
        or find_lines_inside_strings(node)
    ):
        return None
    pairs = list(zip(target.elts, value.elts, strict=True))
    same = [
        (t, v)
        for t, v in pairs
        if isinstance(t, ast.Name) and names.find_key(v) == t.id
    ]
    if not same:
        return None
    rest = [pair for pair in pairs if pair not in same]
    line = text.lines[node.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    left = ", ".join(ast.unparse(t) for t, _ in rest)
    right = ", ".join(ast.unparse(v) for _, v in rest)
    shown = f"{indent}{left} = {right}" if rest else f"{indent}pass"
    origin = text.origins[node.lineno - 1]
    return text.splice(node.lineno, node.end_lineno or node.lineno, [shown], [origin])
