"""TF1 to TF1: an object that is made and used in one statement has a name.

    Trainer(FLAGS).train()

is `trainer = Trainer(FLAGS)` and `trainer.train()`; so is what a statement assigns.
"""

from __future__ import annotations

import ast
import re

from migrate.normalise.text import Text
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first


def name_objects(text: Text) -> Text:
    """The text with such objects of classes of the module named."""
    tree = parse_source(text.source)
    classes = {s.name for s in tree.body if isinstance(s, ast.ClassDef)}
    taken = find_plain_names(tree)
    taken |= {n.arg for n in walk_breadth_first(tree) if isinstance(n, ast.arg)}
    changes: list[tuple[ast.Expr | ast.Assign, ast.Call, str]] = []
    for node in walk_breadth_first(tree):
        made = _find_construction(node, classes)
        if made is None:
            continue
        assert isinstance(node, (ast.Expr, ast.Assign))
        if not text.is_alone(node):
            continue
        assert isinstance(made.func, ast.Name)
        wish = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", made.func.id).lower()
        name, number = wish, 2
        while name in taken | classes:
            name, number = f"{wish}_{number}", number + 1
        taken.add(name)
        changes.append((node, made, name))
    for node, made, name in sorted(changes, key=lambda c: c[0].lineno, reverse=True):
        at = text.lines[node.lineno - 1]
        indent = at[: len(at) - len(at.lstrip())]
        shown = text.find_segment(made)
        before, _, rest = text.find_segment(node).partition(shown)
        lines = f"{indent}{name} = {shown}\n{indent}{before}{name}{rest}".split("\n")
        first = made.end_lineno or made.lineno
        last = node.end_lineno or node.lineno
        origins = [
            *text.origins[node.lineno - 1 : first],
            *text.origins[first - 1 : last],
        ]
        text = text.splice(node.lineno, last, lines, origins)
    return text


def _find_construction(node: ast.AST, classes: set[str]) -> ast.Call | None:
    """The object's making, in a statement that is a call of its method."""
    if not (
        isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Call)
    ):
        return None
    method = node.value.func
    made = method.value if isinstance(method, ast.Attribute) else None
    if (
        isinstance(made, ast.Call)
        and isinstance(made.func, ast.Name)
        and made.func.id in classes
    ):
        return made
    return None
