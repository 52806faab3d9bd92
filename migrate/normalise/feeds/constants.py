"""TF1 to TF1: a constant that a run is fed another value for is a placeholder with a default.

    keep_prob = tf.constant(1.0)              keep_prob = tf.placeholder_with_default(1.0, [])
    sess.run(train_op, {keep_prob: 0.5})      sess.run(train_op, {keep_prob: 0.5})

TF1 could feed any tensor. Both give the value to what is computed from them, and their own
where they are not fed.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.feeds.view import feed_argument
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source, walk_breadth_first

_PARAMETERS = ("value", "dtype", "shape", "name", "verify_shape")


def write_defaults(text: Text) -> Text:
    """The text with such constants written so; the same text if there are none."""
    if "feed_dict" not in text.source and ".run(" not in text.source:
        return text
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    fed = {
        name
        for call in walk_breadth_first(tree)
        for key in _list_keys(call)
        if (name := names.find_key(key)) is not None
    }
    made: dict[str, list[ast.Assign]] = {}
    for node in walk_breadth_first(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.For, ast.With)):
            for name in names.find_binds(node) & fed:
                made.setdefault(name, []).append(node)  # type: ignore[arg-type]
    edits: list[Edit] = []
    for statements in made.values():
        (first, *more) = statements
        if more or not isinstance(first, ast.Assign) or len(first.targets) > 1:
            continue
        default = _spell_scalar(scopes, first.value)
        if default is not None:
            assert isinstance(first.value, ast.Call)
            func = text.find_segment(first.value.func).removesuffix("constant")
            new = f"{func}placeholder_with_default({default}, [])"
            edits.append(Edit(first.value, new))
    return text.apply_edits(edits)


def _list_keys(call: ast.AST) -> list[ast.expr]:
    """Lists the keys that a session's run call feeds."""
    argument = feed_argument(call)
    if not isinstance(argument, ast.Dict):
        return []
    return [key for key in argument.keys if key is not None]


def _spell_scalar(scopes: Scopes, value: ast.expr) -> str | None:
    """The default that stands for `tf.constant(1.0)`; None if it is another thing."""
    if not (
        isinstance(value, ast.Call)
        and scopes.resolve(value.func) == "tf.constant"
        and isinstance(value.func, ast.Attribute)
    ):
        return None
    bound = names.bind_arguments(value, _PARAMETERS)
    if bound is None or set(bound) - {"value", "dtype", "name"} or "value" not in bound:
        return None
    number = names.read_literal(bound["value"])
    if not isinstance(number, (bool, int, float)):
        return None
    shown = ast.unparse(bound["value"])
    if "dtype" not in bound:
        return shown
    func = ast.unparse(value.func)
    return f"{func}({shown}, dtype={ast.unparse(bound['dtype'])})"
