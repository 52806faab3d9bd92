"""New source text that holds pieces of the user's own."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator, Sequence


@dataclasses.dataclass(frozen=True)
class Code:
    """New source text with the user's own expressions in its holes."""

    parts: tuple[str | ast.AST | Code, ...]

    def walk_nodes(self) -> Iterator[ast.AST]:
        for part in self.parts:
            if isinstance(part, Code):
                yield from part.walk_nodes()
            elif isinstance(part, ast.AST):
                yield part


class LaterCode(Code):
    """Code that is decided when the whole program has been read."""

    def __init__(self, decide: Callable[[], str]) -> None:
        object.__setattr__(self, "_decide", decide)

    @property
    def parts(self) -> tuple[str | ast.AST | Code, ...]:
        return (self._decide(),)  # type: ignore[attr-defined]


def make_code(*parts: str | ast.AST | Code) -> Code:
    return Code(parts)


def quote_text(text: str) -> str:
    """A string in double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def join_code(separator: str, parts: Sequence[str | ast.AST | Code]) -> Code:
    """`", ".join` for code."""
    woven: list[str | ast.AST | Code] = []
    for part in parts:
        if woven:
            woven.append(separator)
        woven.append(part)
    return Code(tuple(woven))
