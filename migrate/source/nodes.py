"""The nodes of a tree, in the order of `ast.walk` and in a third of its time.

Most of a migration is walking trees. `ast.walk` asks each node for every field it has,
and looks into each; here a class is asked once which of its fields hold nodes. Contexts
(`ast.Load`) are left out: they say nothing that their place does not.
"""

from __future__ import annotations

import ast
import collections
import functools
import warnings
from collections.abc import Iterator

# What holds a name, a number or a context, in every class or in those named beside it.
_PLAIN = frozenset({"attr", "conversion", "ctx", "id", "is_async", "kind", "level"})
_PLAIN |= {"lineno", "module", "simple", "tag", "type_comment", "asname", "rest"}
_PLAIN_IN: dict[str, frozenset[str]] = {
    "Constant": frozenset({"value"}),
    "Global": frozenset({"names"}),
    "Nonlocal": frozenset({"names"}),
    "MatchClass": frozenset({"kwd_attrs"}),
    "MatchSingleton": frozenset({"value"}),
    "arg": frozenset({"arg"}),
    "keyword": frozenset({"arg"}),
}
_NAMED = frozenset({"AsyncFunctionDef", "ClassDef", "ExceptHandler", "FunctionDef"})
_NAMED |= {"alias", "MatchAs", "MatchStar", "ParamSpec", "TypeVar", "TypeVarTuple"}


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each class of nodes that hold nodes or lists of them."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        plain = _PLAIN | _PLAIN_IN.get(kind.__name__, frozenset())
        if kind.__name__ in _NAMED:
            plain |= {"name"}
        self[kind] = tuple(name for name in kind._fields if name not in plain)
        return self[kind]


# What leaves a loop, or a round of it, before its end.
JUMPS = (ast.Break, ast.Continue, ast.Return)
_FIELDS = _Fields()
# Where a tree that nobody changes has its nodes.
_WALKED = "walked"
# Trees at hand: the texts that the passes make of a file, and files it imports.
_KEPT = 16


def list_children(node: ast.AST) -> list[ast.AST]:
    """Lists the child nodes of a node, in the order of its fields."""
    found: list[ast.AST] = []
    for name in _FIELDS[node.__class__]:
        held = getattr(node, name, None)
        if held.__class__ is list:
            found += [child for child in held if child is not None]
        elif held is not None:
            found.append(held)
    return found


def walk_breadth_first(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, the nearer ones first."""
    known: tuple[ast.AST, ...] | None = getattr(node, _WALKED, None)
    return _walk(node) if known is None else iter(known)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    fields = _FIELDS
    todo: collections.deque[ast.AST | None] = collections.deque([node])
    take, add, add_all = todo.popleft, todo.append, todo.extend
    while todo:
        at = take()
        if at is None:  # `**kwargs` in a dict, an argument without a default.
            continue
        for name in fields[at.__class__]:
            held = getattr(at, name, None)
            if held.__class__ is list:
                add_all(held)
            elif held is not None:
                add(held)
        yield at


def walk_own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yields the nodes below a statement; of a block only those of its header."""
    for child in list_children(statement):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler)):
            yield from walk_breadth_first(child)


def find_plain_names(
    node: ast.AST, context: type[ast.expr_context] | None = None
) -> set[str]:
    """The names in a node and below it; attributes are none.

    Args:
      context: `ast.Load` for names that are read, `ast.Store` for those that are
        bound, None for all.
    """
    return {
        n.id
        for n in walk_breadth_first(node)
        if isinstance(n, ast.Name) and (context is None or isinstance(n.ctx, context))
    }


@functools.lru_cache(maxsize=_KEPT)
def parse_source(source: str) -> ast.Module:
    """Parses a program. Equal texts share one tree, so nobody may change it.

    One pass after the other reads a program that most of them leave as it is, and most
    look at all of its nodes, which are found once.
    """
    tree = ast.parse(source)
    setattr(tree, _WALKED, tuple(_walk(tree)))
    return tree


def parse_or_none(data: bytes | str) -> ast.Module | None:
    """Parses a file that others import; None if it is not Python 3."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
