"""Feeds that leave out what they are not given, and what is returned beside a feed.

    if labels is not None:                  feed[y] = labels
        feed[y] = labels
    feed, count = (feed, len(batch))        count = len(batch)

    if state is None:                       if state is None:
        feed = {x: batch}                       state = sess.run(last, {x: batch})
    else:                                   else:
        feed = {x: batch, first: state}         state = sess.run(
    state = sess.run(last, feed)                    last, {x: batch, first: state})

A run that needs a placeholder failed if the feed left it out, and fails if the feed is
None. A run that does not need the placeholder ignores it.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.feeds.view import feed_argument, flatten_expression
from migrate.normalise.text import (
    Edit,
    Text,
    find_lines_inside_strings,
    repeat_step,
)
from migrate.source.nodes import parse_source, walk_breadth_first


def fill_feeds(text: Text) -> Text:
    """The text that fills such feeds without a condition, and returns them alone."""
    if "run(" not in text.source:
        return text
    return repeat_step(repeat_step(text, _fill_one_feed), _split_one_run)


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


def _split_one_run(text: Text) -> Text | None:
    """The text with one run in each of the branches that feed it different tensors."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for call in walk_breadth_first(tree):
        argument = feed_argument(call)
        if not isinstance(argument, ast.Name):
            continue
        run = scopes.parents[call]
        if not (
            isinstance(run, (ast.Assign, ast.Expr))
            and run.value is call
            and text.is_alone(run)
            and not find_lines_inside_strings(run)
        ):
            continue
        suite = names.find_suite(scopes.parents[run], run) or []
        before = suite[suite.index(run) - 1] if suite.index(run) else None
        leaves = _list_feeds(before, argument.id) if before is not None else []
        if (
            len({_spell_keys(leaf.value) for leaf in leaves}) > 1
            and all(map(text.is_alone, leaves))
            and _is_only_fed(scopes, argument, leaves)
        ):
            return _copy_run(text, run, argument, leaves)
    return None


def _list_feeds(statement: ast.stmt, name: str) -> list[ast.Assign]:
    """The dicts that end the branches of a condition; none if a branch has no such."""
    if not isinstance(statement, ast.If):
        return []
    found: list[ast.Assign] = []
    for suite in (statement.body, statement.orelse):
        last = suite[-1] if suite else None
        match last:
            case ast.If():
                inner = _list_feeds(last, name)
                if not inner:
                    return []
                found += inner
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Dict()):
                if target != name:
                    return []
                found.append(last)
            case _:
                return []
    return found


def _spell_keys(feed: ast.expr) -> tuple[str, ...]:
    """The keys of a dict, in one order."""
    assert isinstance(feed, ast.Dict)
    return tuple(sorted(ast.dump(key) if key else "" for key in feed.keys))


def _is_only_fed(scopes: Scopes, use: ast.Name, leaves: list[ast.Assign]) -> bool:
    """Whether nothing else reads or binds the name of these feeds."""
    known = {use, *(leaf.targets[0] for leaf in leaves)}
    owner = scopes.find_scope(use).find_owner(use.id)
    return all(
        node in known
        for node in scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == use.id
        and scopes.find_scope(node).find_owner(node.id) is owner
    )


def _copy_run(
    text: Text, run: ast.stmt, use: ast.Name, leaves: list[ast.Assign]
) -> Text:
    """The text with the run, given its feed, in the place of each of the feeds."""
    first, last = run.lineno, run.end_lineno or run.lineno
    indent = text.lines[first - 1][: run.col_offset]
    new = text.splice(first, last, [], [])
    for leaf in reversed(leaves):
        given = text.apply_edits([Edit(use, flatten_expression(text, leaf.value))])
        own = text.lines[leaf.lineno - 1][: leaf.col_offset]
        lines = [own + line[len(indent) :] for line in given.lines[first - 1 : last]]
        origins = text.origins[first - 1 : last]
        new = new.splice(leaf.lineno, leaf.end_lineno or leaf.lineno, lines, origins)
    return new


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
