"""TF1 to TF1: properties that keep what they built by hand, with a decorator that does so.

    @property                               @_built_once
    def prediction(self):                   def prediction(self):
        if self._prediction is None:            ...
            ...                                 return logits
            self._prediction = logits
        return self._prediction

What the constructor sets to None is gone with it. The decorator is one that
`lazy_properties` knows, and takes away again.
"""

from __future__ import annotations

import ast
import dataclasses
import re

from migrate.facts import names
from migrate.normalise.text import Text, find_lines_inside_strings
from migrate.source.nodes import parse_source, walk_breadth_first

NAME = "_built_once"
_DECORATOR = (
    f"def {NAME}(function):",
    '    attribute = "_" + function.__name__',
    "    @property",
    "    def decorator(self):",
    "        if not hasattr(self, attribute):",
    "            setattr(self, attribute, function(self))",
    "        return getattr(self, attribute)",
    "    return decorator",
)


@dataclasses.dataclass(frozen=True)
class _ByHand:
    """Such a property.

    Attributes:
      asks: the `if` that builds it.
      keeps: the statement that keeps it, the last of the `if`, or of a `with` in it.
      gives: the statement that returns it.
      emptied: what sets it to None in the constructor.
    """

    method: ast.FunctionDef
    asks: ast.If
    keeps: ast.Assign
    gives: ast.Return
    emptied: tuple[ast.stmt, ...]


def decorate_properties(text: Text) -> Text:
    """The text with such properties decorated; the same text if there are none."""
    if "@property" not in text.source or NAME in text.source:
        return text
    tree = parse_source(text.source)
    found = [
        (owner, property_)
        for owner in tree.body
        if isinstance(owner, ast.ClassDef)
        for method in owner.body
        if isinstance(method, ast.FunctionDef)
        and (property_ := _read_lazy_method(text, tree, owner, method)) is not None
    ]
    if not found:
        return text
    first = found[0][0]
    edits: list[tuple[int, int, list[str]]] = []
    for _, each in found:
        edits += _write_lines(text, each)
    start = min([first.lineno, *[d.lineno for d in first.decorator_list]])
    edits.append((start, start - 1, list(_DECORATOR)))
    for begin, end, lines in sorted(edits, key=lambda e: (-e[0], -e[1])):
        origin = text.origins[begin - 1]
        same = len(lines) == end - begin + 1
        origins = text.origins[begin - 1 : end] if same else [origin] * len(lines)
        text = text.splice(begin, end, lines, origins)
    return text


def _read_lazy_method(
    text: Text, tree: ast.Module, owner: ast.ClassDef, method: ast.FunctionDef
) -> _ByHand | None:
    """The method as a property that builds once; None if it is another one."""
    if [ast.unparse(d) for d in method.decorator_list] != ["property"]:
        return None
    body = method.body[1:] if ast.get_docstring(method) is not None else method.body
    if len(body) != 2 or len(method.args.args) != 1:
        return None
    asks, gives = body
    own = method.args.args[0].arg
    if not (
        isinstance(asks, ast.If) and not asks.orelse and isinstance(gives, ast.Return)
    ):
        return None
    kept = names.find_key(gives.value) if gives.value is not None else None
    if kept is None or re.fullmatch(rf"{own}\.\w+", kept) is None:
        return None
    attribute = kept.partition(".")[2]
    asked = ast.unparse(asks.test)
    if asked not in (
        f"{kept} is None",
        f"not hasattr({own}, '{attribute}')",
    ):
        return None
    keeps: ast.stmt = asks.body[-1]
    while isinstance(keeps, ast.With):
        keeps = keeps.body[-1]
    if not (
        isinstance(keeps, ast.Assign)
        and len(keeps.targets) == 1
        and names.find_key(keeps.targets[0]) == kept
        and text.is_alone(keeps)
        and not find_lines_inside_strings(asks)
        and asks.body[0].lineno > asks.lineno
    ):
        return None
    if any(isinstance(n, (ast.Return, ast.Yield)) for n in walk_breadth_first(asks)):
        return None
    emptied = _find_empty_attribute(text, owner, attribute)
    if emptied is None:
        return None
    uses = [
        n
        for n in walk_breadth_first(owner)
        if isinstance(n, ast.Attribute) and n.attr == attribute
    ]
    if any(
        isinstance(n, ast.Attribute)
        and n.attr == attribute
        and names.find_key(n.value) != own
        for n in walk_breadth_first(tree)
    ):
        return None  # Somebody else looks at it.
    # What asks, keeps and gives it; the constructor sets it where `is None` is asked.
    asking = asked.endswith("is None")
    if len(uses) != 2 + asking + len(emptied) or len(emptied) != asking:
        return None
    return _ByHand(method, asks, keeps, gives, emptied)


def _find_empty_attribute(
    text: Text, owner: ast.ClassDef, attribute: str
) -> tuple[ast.stmt, ...] | None:
    """`self._prediction = None` of the constructor, which has more than these."""
    found: list[ast.stmt] = []
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "__init__":
            continue
        found += [
            s
            for s in method.body
            if isinstance(s, ast.Assign)
            and len(s.targets) == 1
            and isinstance(s.targets[0], ast.Attribute)
            and s.targets[0].attr == attribute
            and isinstance(s.value, ast.Constant)
            and s.value.value is None
        ]
        if all(
            isinstance(getattr(s, "value", None), ast.Constant) for s in method.body
        ):
            return None
    return tuple(found) if all(text.is_alone(s) for s in found) else None


def _write_lines(text: Text, each: _ByHand) -> list[tuple[int, int, list[str]]]:
    """Lines of the text, and what stands for them."""
    decorator = each.method.decorator_list[0]
    asks, keeps = each.asks, each.keeps
    outer, inner = asks.col_offset, asks.body[0].col_offset
    last = asks.end_lineno or asks.lineno
    lines = [
        line[:outer] + line[inner:] if line.strip() else line
        for line in text.lines[asks.lineno : last]
    ]
    at = keeps.lineno - asks.lineno - 1
    old = text.lines[keeps.lineno - 1]
    start = keeps.col_offset - (inner - outer)
    lines[at] = old[:start] + "return " + old[keeps.value.col_offset :]
    indent = text.lines[decorator.lineno - 1][: decorator.col_offset - 1]
    found = [
        (decorator.lineno, decorator.lineno, [f"{indent}@{NAME}"]),
        (asks.lineno, each.gives.end_lineno or each.gives.lineno, lines),
    ]
    found += [(s.lineno, s.end_lineno or s.lineno, []) for s in each.emptied]
    return found
