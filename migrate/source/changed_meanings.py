"""Reports code that Python 2 and 3 both parse, but with another meaning.

It also finds proof that a text is Python 3, whatever the user says of the files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scope, Scopes, build_scopes
from migrate.source.nodes import walk_breadth_first

# Draws of Python's generator that took other bits in Python 2.
_DRAWS = frozenset({"choice", "randint", "randrange", "sample", "shuffle"})
_SEEDS = frozenset({"seed", "setstate", "jumpahead"})
_METHODS = {
    "__cmp__": "Python 3 compares by __eq__, __lt__ and their kind",
    "__coerce__": "Python 3 coerces nothing",
    "__delslice__": "Python 3 gives a slice to __delitem__",
    "__div__": "Python 3 divides by __truediv__ and __floordiv__",
    "__getslice__": "Python 3 gives a slice to __getitem__",
    "__idiv__": "Python 3 divides by __itruediv__ and __ifloordiv__",
    "__rdiv__": "Python 3 divides by __rtruediv__ and __rfloordiv__",
    "__setslice__": "Python 3 gives a slice to __setitem__",
    "__unicode__": "Python 3's text is __str__",
}


def find_unseeded_draws(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Finds draws that differ in each run of Python 2, too, as (line, drawn function).

    They are only reported, because another file may seed Python's generator.
    """
    scopes = build_scopes(tree)
    if _seeds_draws(tree, scopes):
        return
    for node in walk_breadth_first(tree):
        name = _find_draw(node, scopes)
        if name and isinstance(node, ast.Call):
            yield (
                node.lineno,
                f"nothing in this file seeds `random.{name}`, so it draws other values "
                "in each run. If another file seeds it, it draws other values than "
                "in Python 2",
            )


def find_other_meanings(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """(line, what is another thing in Python 3, what to do) of a converted text."""
    scopes = build_scopes(tree)
    seeded = _seeds_draws(tree, scopes)
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Call):
            name = _find_draw(node, scopes) if seeded else ""
            if name:
                yield (
                    node.lineno,
                    f"`random.{name}` draws other values from the same seed",
                    "If the order matters, draw with random.random(), which gives "
                    "the same values.",
                )
            yield from _find_in_call(node, scopes)
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef) and item.name in _METHODS:
                    reason = (
                        f"Python 3 does not call `{item.name}`: {_METHODS[item.name]}"
                    )
                    yield item.lineno, reason, "Define that method in the class."
        elif isinstance(node, ast.ListComp):
            yield from _find_in_comprehension(node, scopes)


def _find_in_call(call: ast.Call, scopes: Scopes) -> Iterator[tuple[int, str, str]]:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name and scopes.find_scope(call).find_owner(name) is None:
        if name == "round":
            yield (
                call.lineno,
                "in Python 2 `round` gave a float and rounded a half away from "
                "zero. Python 3's `round` gives an integer if no digits are "
                "requested, and rounds a half to the even number",
                "Write what you mean, such as int(math.floor(x + 0.5)), or keep "
                "`round`.",
            )
        if name in ("cmp", "file"):
            yield call.lineno, f"Python 3 has no `{name}`", "Write it in another way."


def _find_draw(node: ast.AST, scopes: Scopes) -> str:
    """Finds the function of Python's generator that a call draws by, "" for none."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _DRAWS
        and isinstance(node.func.value, ast.Name)
        and _is_module(node.func.value, "random", scopes)
    ):
        return node.func.attr
    return ""


def _seeds_draws(tree: ast.Module, scopes: Scopes) -> bool:
    """Whether a text may seed Python's generator: it has its `seed`, or its state."""
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "random":
            return True
        if isinstance(node, ast.Name) and _is_module(node, "random", scopes):
            # Called by a name that does not seed, or handed on to what may.
            parent = scopes.parents.get(node)
            if not isinstance(parent, ast.Attribute) or parent.attr in _SEEDS:
                return True
    return False


def _is_module(name: ast.Name, module: str, scopes: Scopes) -> bool:
    owner = scopes.find_scope(name).find_owner(name.id)
    return owner is not None and all(
        isinstance(b, ast.Import)
        and any((a.asname or a.name) == name.id and a.name == module for a in b.names)
        for b in owner.bindings[name.id]
    )


def _find_in_comprehension(
    node: ast.ListComp, scopes: Scopes
) -> Iterator[tuple[int, str, str]]:
    """`[i for i in items]` bound `i` for what follows."""
    scope = scopes.find_scope(node)
    inner = scopes.scope_by_node[node]
    for name in inner.bindings:
        if _is_read_after(name, node, scope, scopes):
            yield (
                node.lineno,
                f"in Python 2 the list comprehension also bound `{name}` for the "
                "code after it, which reads it. In Python 3 it does not",
                "Bind the name before its use, or give the comprehension another name.",
            )


def _is_read_after(name: str, node: ast.ListComp, scope: Scope, scopes: Scopes) -> bool:
    end = node.end_lineno or node.lineno
    bound = [getattr(b, "lineno", 0) for b in scope.bindings.get(name, ())]
    for read in walk_breadth_first(scope.node):
        if not isinstance(read, ast.Name) or read.id != name or read.lineno <= end:
            continue
        if not isinstance(read.ctx, ast.Load) or scopes.find_scope(read) is not scope:
            continue
        if not any(end <= line <= read.lineno for line in bound):
            return True
    return False


def find_python3_syntax(tree: ast.Module) -> int:
    """The line of a syntax that Python 2 did not have, 0 where there is none."""
    printing = any(
        isinstance(n, ast.ImportFrom)
        and n.module == "__future__"
        and any(a.name == "print_function" for a in n.names)
        for n in tree.body
    )
    for node in walk_breadth_first(tree):
        if _is_python3(node, printing):
            return getattr(node, "lineno", 0) or 1
    return 0


_NEW = (
    *(ast.AnnAssign, ast.AsyncFor, ast.AsyncFunctionDef, ast.AsyncWith, ast.Await),
    *(
        ast.JoinedStr,
        ast.MatMult,
        ast.Match,
        ast.NamedExpr,
        ast.Nonlocal,
        ast.YieldFrom,
    ),
)


def _is_python3(node: ast.AST, printing: bool) -> bool:
    if isinstance(node, _NEW):
        return True
    if isinstance(node, ast.arguments):
        return bool(node.kwonlyargs or node.posonlyargs)
    if isinstance(node, ast.arg):
        return node.annotation is not None
    if isinstance(node, ast.FunctionDef):
        return node.returns is not None
    if isinstance(node, ast.ClassDef):
        return bool(node.keywords)
    if isinstance(node, ast.Raise):
        return node.cause is not None
    if isinstance(node, ast.Starred):
        return not isinstance(node.ctx, ast.Load)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
        and bool(node.keywords)
        and not printing
    )
