"""TF1 to TF1: what a program does with each entry of a dict that it shows is written out.

inputs = {"x": x, "y": y}                        parts = {
parts = {k: tf.split(v, 2)                           "x": tf.split(x, 2),
         for k, v in inputs.items()}                 "y": tf.split(y, 2)}
loss = model(**{k: v[0]                          loss = model(
                for k, v in parts.items()})          x=parts["x"][0], y=parts["y"][0])
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.feeds.comprehensions import bind_target, replace_names
from migrate.normalise.feeds.view import Unclear, View
from migrate.normalise.names.displays import KEPT, has_long_lines, is_bound_once
from migrate.normalise.text import (
    Edit,
    Text,
    repeat_step,
)
from migrate.source.nodes import find_plain_names, walk_breadth_first

# Nobody could read a longer list.
_MOST = 16


def write_out_dicts(text: Text) -> Text:
    """The text in which loops over dicts with known keys, and `**`, are written out."""
    return repeat_step(text, _write_out_one_dict, "{")


def _write_out_one_dict(text: Text) -> Text | None:
    view = View(text)
    for node in view.scopes.walk():
        try:
            match node:
                case ast.Assign(targets=[ast.Name()], value=ast.Dict()):
                    new = _add_next_entry(view, node)
                case ast.DictComp() | ast.ListComp():
                    new = _write_out_comprehension(view, node)
                case ast.For():
                    new = _unroll_loop(view, node)
                case ast.Call():
                    new = _write_out_keywords(view, node)
                case ast.Subscript():
                    new = _read_entry(view, node)
                case _:
                    continue
        except Unclear:
            continue
        if new is not None:
            return new
    return None


def _add_next_entry(view: View, made: ast.Assign) -> Text | None:
    """`parts = {}`, directly followed by `parts["x"] = x`, as one display."""
    display, target = made.value, made.targets[0]
    assert isinstance(display, ast.Dict) and isinstance(target, ast.Name)
    suite = view.find_suite(made)
    following = suite[suite.index(made) + 1 :][:1]
    match following:
        case [
            ast.Assign(
                targets=[
                    ast.Subscript(
                        value=ast.Name(id=name), slice=ast.Constant(value=str(key))
                    )
                ],
                value=value,
            ) as statement
        ] if name == target.id:
            pass
        case _:
            return None
    known = [names.read_literal(k) for k in display.keys]
    if key in known or name in find_plain_names(value):
        return None
    if any(isinstance(n, KEPT) for n in walk_breadth_first(value)):
        return None
    both = (made, statement)
    if not all(map(view.text.is_alone, both)) or any(map(has_long_lines, both)):
        return None
    whole = ast.Dict([*display.keys, ast.Constant(key)], [*display.values, value])
    origin = view.text.origins[statement.lineno - 1]
    last = statement.end_lineno or statement.lineno
    line = f"{view.indent(made)}{name} = {ast.unparse(whole)}"
    text = view.text.splice(statement.lineno, last, [line], [origin])
    return text.splice(made.lineno, made.end_lineno or made.lineno, [], [])


def _find_entries(view: View, name: ast.expr) -> dict[str, ast.expr]:
    """The entries of a dict that is shown once, and never changes.

    Raises:
      Unclear: it is no such dict.
    """
    if not isinstance(name, ast.Name):
        raise Unclear
    owner = view.scopes.find_scope(name).find_owner(name.id)
    match owner.bindings[name.id] if owner is not None else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Dict() as display)]:
            pass
        case _:
            raise Unclear
    uses = [
        node
        for node in view.scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == name.id
        and isinstance(node.ctx, ast.Load)
        and view.scopes.find_scope(node).find_owner(name.id) is owner
    ]
    if not all(_reads_only(view, use) for use in uses):
        raise Unclear
    keys = [names.read_literal(key) for key in display.keys]
    if not all(isinstance(key, str) for key in keys) or len(set(keys)) != len(keys):
        raise Unclear
    if not 0 < len(keys) <= _MOST:
        raise Unclear
    return dict(zip(map(str, keys), display.values, strict=True))


def _reads_only(view: View, use: ast.Name) -> bool:
    around = view.scopes.parents[use]
    if isinstance(around, ast.Attribute):
        call = view.scopes.parents[around]
        called = isinstance(call, ast.Call) and call.func is around and not call.args
        return called and around.attr in ("items", "keys", "values")
    if isinstance(around, ast.Subscript):
        return around.value is use and isinstance(around.ctx, ast.Load)
    if isinstance(around, ast.ListComp | ast.DictComp):
        return any(generator.iter is use for generator in around.generators)
    return (isinstance(around, ast.keyword) and around.arg is None) or (
        isinstance(around, ast.For) and around.iter is use
    )


def _list_rounds(view: View, over: ast.expr) -> list[ast.expr]:
    """What a loop over a dict gives in each round.

    Raises:
      Unclear: it is no loop over a dict that is known.
    """
    how, listed = "keys", over
    match over:
        case ast.Call(func=ast.Attribute(value=value, attr=how), args=[], keywords=[]):
            listed = value
    entries = _find_entries(view, listed)
    rounds: list[ast.expr] = []
    for key in entries:
        part = ast.Subscript(listed, ast.Constant(key), ast.Load())
        if how == "items":
            rounds.append(ast.Tuple([ast.Constant(key), part], ast.Load()))
        elif how in ("keys", "values"):
            rounds.append(ast.Constant(key) if how == "keys" else part)
        else:
            raise Unclear
    return rounds


def _write_out_comprehension(
    view: View, node: ast.DictComp | ast.ListComp
) -> Text | None:
    match node.generators:
        case [ast.comprehension(target=target, iter=over, ifs=[], is_async=0)]:
            pass
        case _:
            return None
    if any(isinstance(n, KEPT) for n in walk_breadth_first(node)):
        return None
    rounds = [bind_target(target, item) for item in _list_rounds(view, over)]
    if isinstance(node, ast.ListComp):
        shown = ", ".join(ast.unparse(replace_names(node.elt, r)) for r in rounds)
        return view.text.apply_edits([Edit(node, f"[{shown}]")])
    shown = ", ".join(
        f"{ast.unparse(replace_names(node.key, r))}: "
        f"{ast.unparse(replace_names(node.value, r))}"
        for r in rounds
    )
    return view.text.apply_edits([Edit(node, f"{{{shown}}}")])


def _unroll_loop(view: View, loop: ast.For) -> Text | None:
    """A loop over a dict, of assignments alone, as these for each entry."""
    own = find_plain_names(loop.target)
    if loop.orelse or not all(isinstance(s, ast.Assign) for s in loop.body):
        return None
    if any(isinstance(n, KEPT) for n in walk_breadth_first(loop)):
        return None
    owner = view.scopes.find_scope(loop)
    inside = set(walk_breadth_first(loop))
    if any(
        isinstance(n, ast.Name)
        and n.id in own
        and (n not in inside or not isinstance(n.ctx, ast.Load))
        and view.scopes.find_scope(n).find_owner(n.id) is owner
        and n not in set(walk_breadth_first(loop.target))
        for n in view.scopes.walk()
    ):
        return None
    if not view.text.is_alone(loop) or has_long_lines(loop):
        return None
    lines, origins = [], []
    for item in _list_rounds(view, loop.iter):
        given = bind_target(loop.target, item)
        for statement in loop.body:
            assert isinstance(statement, ast.Assign)
            targets = [ast.unparse(replace_names(t, given)) for t in statement.targets]
            value = ast.unparse(replace_names(statement.value, given))
            lines.append(f"{view.indent(loop)}{' = '.join([*targets, value])}")
            origins.append(view.text.origins[statement.lineno - 1])
    last = loop.end_lineno or loop.lineno
    return view.text.splice(loop.lineno, last, lines, origins)


def _write_out_keywords(view: View, call: ast.Call) -> Text | None:
    """`model(**inputs)` as `model(x=inputs["x"])`."""
    for keyword in call.keywords:
        if keyword.arg is not None:
            continue
        value = keyword.value
        if isinstance(value, ast.Dict):
            keys = [names.read_literal(key) for key in value.keys]
            entries = dict(zip(keys, value.values, strict=True))
        else:
            entries = {
                key: ast.Subscript(value, ast.Constant(key), ast.Load())
                for key in _find_entries(view, value)
            }
        if len(entries) == 0 or not all(
            isinstance(key, str) and key.isidentifier() for key in entries
        ):
            return None
        shown = ", ".join(f"{key}={ast.unparse(v)}" for key, v in entries.items())
        return view.text.apply_edits([Edit(keyword, shown)])
    return None


def _read_entry(view: View, node: ast.Subscript) -> Text | None:
    """`inputs["x"]` as `x`, where that is all that the dict holds under this key."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key)), ctx=ast.Load()):
            value = _find_entries(view, node.value).get(key)
        case _:
            return None
    if not isinstance(value, ast.Name) or not is_bound_once(view.scopes, value):
        return None
    owner = view.scopes.find_scope(value).find_owner(value.id)
    if view.scopes.find_scope(node).find_owner(value.id) is not owner:
        return None
    return view.text.apply_edits([Edit(node, value.id)])
