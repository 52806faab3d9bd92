"""Numbers in names that nothing else has any more.

`train_step_2` got its number because the old text had an operation `train_step`. Where that is
gone, the name is free. Of several numbers, which tell one from the other, each stays.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import tokenize
from collections.abc import Iterator

from migrate.source.nodes import parse_source, walk_breadth_first

_NUMBERED = re.compile(r"([A-Za-z_]\w*?)_([2-9]|[1-9]\d+)")
_WORD = re.compile(r"\w+")


def drop_numbers(old: str, new: str) -> str:
    """The new text, whose own names have no number that they do not need."""
    found = list(_NUMBERED.finditer(new))
    if not found:
        return new
    tokens = list(tokenize.generate_tokens(io.StringIO(new).readline))
    before = set(_WORD.findall(old)) | _list_names_of_others(parse_source(new))
    own, taken = set(), set()
    for above, token in zip([None, *tokens], tokens):
        if token.type == tokenize.NAME:
            taken.add(token.string)
            if above is None or above.string != ".":
                own.add(token.string)
            else:
                before.add(token.string)  # An attribute is not only the text's own.
        elif token.type == tokenize.STRING:
            before.update(_WORD.findall(token.string))
    renamed: dict[str, str] = {}
    for name in sorted(own - before):
        match = _NUMBERED.fullmatch(name)
        if match is None:
            continue
        base = match[1]
        free = not (keyword.iskeyword(base) or hasattr(builtins, base))
        numbered = re.compile(rf"{base}_\d+")
        alone = sum(numbered.fullmatch(other) is not None for other in taken) == 1
        if free and alone and base not in taken and base not in renamed.values():
            renamed[name] = base
    return _rename(new, tokens, renamed) if renamed else new


def _list_names_of_others(tree: ast.Module) -> set[str]:
    """Names that stand for something outside: of imports, and of what calls pass by name."""
    found = set()
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found |= {node.name, node.asname or node.name}
    return found


def _rename(
    text: str, tokens: list[tokenize.TokenInfo], renamed: dict[str, str]
) -> str:
    lines = text.split("\n")
    for token in reversed(list(_find_names(tokens, renamed))):
        row, start = token.start
        line = lines[row - 1]
        lines[row - 1] = line[:start] + renamed[token.string] + line[token.end[1] :]
    return "\n".join(lines)


def _find_names(
    tokens: list[tokenize.TokenInfo], names: dict[str, str]
) -> Iterator[tokenize.TokenInfo]:
    for token in tokens:
        if token.type == tokenize.NAME and token.string in names:
            yield token
