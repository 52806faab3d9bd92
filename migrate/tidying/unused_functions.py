"""Functions that the old form of a program called, and the new one does not.

`average_gradients` averaged over towers; a strategy does that. A function that another file may
name stays, and so does one that nothing called before.
"""

from __future__ import annotations

import ast
import collections
import io
import re
import tokenize
from collections.abc import Collection

from migrate.source.nodes import parse_source, walk_breadth_first

_WORD = re.compile(r"\w+")
# `app.run()` calls it without naming it.
_CALLED = frozenset({"main"})


def remove_unused_functions(
    old: str, new: str, named: Collection[str]
) -> tuple[str, list[str]]:
    """The new text without such functions, and their names.

    Args:
      named: functions of the file that other files name.
    """
    read = {
        n.id
        for n in walk_breadth_first(parse_source(old))
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }
    gone: list[str] = []
    while True:
        tree, words = parse_source(new), _count_words(new)
        unused = [
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            and not node.decorator_list
            and node.name in read
            and node.name not in {*named, *_CALLED}
            and words[node.name] == _count_words_within(node, new)[node.name]
        ]
        if not unused or len(unused) == len(tree.body):
            return new, gone
        lines = new.split("\n")
        for node in reversed(unused):
            _cut(lines, node)
            gone.append(node.name)
        new = "\n".join(lines)


def _cut(lines: list[str], node: ast.FunctionDef) -> None:
    """Takes a function out, with the comment right above it and one gap."""
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    while first and lines[first - 1].startswith("#"):
        first -= 1
    while last < len(lines) and not lines[last].strip():
        last += 1
    if last == len(lines):
        while first and not lines[first - 1].strip():
            first -= 1
        lines[first:last] = [""]
    else:
        del lines[first:last]


def _count_words(text: str) -> collections.Counter[str]:
    """Counts each word in the code and its strings, but not in comments."""
    found: collections.Counter[str] = collections.Counter()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            found[token.string] += 1
        elif token.type == tokenize.STRING:
            found.update(_WORD.findall(token.string))
    return found


def _count_words_within(node: ast.FunctionDef, text: str) -> collections.Counter[str]:
    lines = text.split("\n")[node.lineno - 1 : node.end_lineno]
    return _count_words("\n".join([*lines, ""]))
