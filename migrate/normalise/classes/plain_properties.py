"""TF1 to TF1: a property that only gives an attribute is that attribute.

@property                         self.loss = ...
def loss(self):
    return self._loss
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source, walk_breadth_first


def replace_by_attributes(text: Text) -> Text:
    """The text in which attributes have the names of such properties."""
    if "@property" not in text.source:
        return text
    tree = parse_source(text.source)
    edits: list[Edit] = []
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef) and not (
            {ast.unparse(b) for b in owner.bases} - {"object"}
        ):
            edits += _make_edits(text, tree, owner)
    return text.apply_edits(edits)


def _make_edits(text: Text, tree: ast.Module, owner: ast.ClassDef) -> list[Edit]:
    own = set(walk_breadth_first(owner))
    used = [n for n in walk_breadth_first(tree) if isinstance(n, ast.Attribute)]
    edits: list[Edit] = []
    # A class of nothing but properties would have no body.
    methods = [m for m in owner.body if isinstance(m, ast.FunctionDef)]
    for method in methods if len(methods) > 1 else ():
        attribute = _read_given_attribute(method)
        if (
            attribute is None
            or [_read_given_attribute(m) for m in methods].count(attribute) > 1
        ):
            continue
        new = method.name
        inside = [n for n in used if n.attr == attribute]
        named = [m for m in methods if m.name in (new, attribute)]
        if len(named) > 1 or any(n not in own for n in inside):
            continue  # A setter; or others ask for what it hides.
        if any(n.attr == new and not isinstance(n.ctx, ast.Load) for n in used):
            continue
        for node in inside:
            if not any(node is n for n in walk_breadth_first(method)):
                base = text.find_segment(node.value)
                if "\n" in base:
                    return []
                edits.append(Edit(node, f"{base}.{new}"))
        edits.append(Edit(_find_whole_definition(method), ""))
    return edits


def _read_given_attribute(method: ast.FunctionDef) -> str | None:
    """The attribute that a property gives, and does nothing else."""
    if [ast.unparse(d) for d in method.decorator_list] != ["property"]:
        return None
    body = method.body[ast.get_docstring(method) is not None :]
    last = body[0] if len(body) == 1 else None
    if not (
        isinstance(last, ast.Return)
        and isinstance(last.value, ast.Attribute)
        and len(method.args.args) == 1
        and names.find_key(last.value.value) == method.args.args[0].arg
    ):
        return None
    return last.value.attr if last.value.attr != method.name else None


def _find_whole_definition(method: ast.FunctionDef) -> ast.AST:
    """Returns a node with the span of a method, decorators included."""
    span = ast.Constant(None)
    first = method.decorator_list[0]
    span.lineno, span.col_offset = first.lineno, first.col_offset - 1
    span.end_lineno, span.end_col_offset = method.end_lineno, method.end_col_offset
    return span
