"""A file of several programs: functions that each build a graph and open its session.

    def train():                                def evaluate():
        with tf.Graph().as_default():               with tf.Graph().as_default():
            ...                                         ...
            with tf.Session() as sess:                  with tf.Session() as sess:

Or each adds to the default graph, and no process runs two of them. Each is migrated by itself, with the others' bodies left out; the results are put
together where all that they share has come out alike.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Sequence

from migrate.facts import one_of
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.tables import roles

_IMPORTS = (ast.Import, ast.ImportFrom)


@dataclasses.dataclass(frozen=True)
class _Result:
    function: str
    migration: Migration
    tree: ast.Module


def migrated(
    text: str, scopes: Scopes, migrate: Callable[[str], Migration]
) -> Migration | None:
    """The migration of a file of several programs; None if it is no such file.

    Args:
      migrate: what migrates the text of a file that has one.
    """
    functions = _programs(scopes)
    if len(functions) < 2:
        return None
    results: list[_Result] = []
    for function in functions:
        others = [f for f in functions if f is not function]
        migration = migrate(_without(text, others))
        if any(
            f.outcome in (Outcome.REFUSED, Outcome.FAILED) for f in migration.findings
        ):
            return None
        tree = ast.parse(migration.text)
        if _definition(tree, function.name) is None:
            return None
        results.append(_Result(function.name, migration, tree))
    return _together(results)


def _programs(scopes: Scopes) -> list[ast.FunctionDef]:
    """The module's functions that open a session each; none if one is opened elsewhere."""
    found: list[ast.FunctionDef] = []
    for node in ast.walk(scopes.tree):
        if not (
            isinstance(node, ast.Call) and scopes.resolve(node.func) in roles.SESSIONS
        ):
            continue
        around: ast.AST = node
        while scopes.parents.get(around) is not scopes.tree:
            around = scopes.parents[around]
        if not isinstance(around, ast.FunctionDef) or around in found:
            return []
        if not _is_own(scopes, around):
            return []
        found.append(around)
    default = [function for function in found if not _has_graph(scopes, function)]
    if len(default) > 1 and not one_of.at_most_one(scopes, default):
        return []  # They share the default graph, with all its variables.
    return sorted(found, key=lambda f: f.lineno)


def _has_graph(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether the function begins a graph of its own."""
    return any(
        isinstance(node, ast.Call)
        and scopes.resolve(node.func) in ("tf.Graph", "tf.reset_default_graph")
        for node in ast.walk(function)
    )


def _is_own(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether the function makes the graph of its session itself."""
    return any(
        isinstance(node, ast.Call)
        and scopes.resolve(node.func)
        in roles.PLACEHOLDERS | roles.VARIABLES | {"tf.Graph"}
        for node in ast.walk(function)
    )


def _without(text: str, functions: Sequence[ast.FunctionDef]) -> str:
    """The text with these functions' bodies left out, every other line in its place."""
    lines = text.split("\n")
    for function in functions:
        first, last = function.body[0], function.body[-1]
        indent = " " * max(first.col_offset, 1)
        end = last.end_lineno or last.lineno
        lines[first.lineno - 1 : end] = [f"{indent}pass", *[""] * (end - first.lineno)]
    return "\n".join(lines)


def _definition(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    found = [s for s in tree.body if isinstance(s, ast.FunctionDef) and s.name == name]
    return found[0] if len(found) == 1 else None


def _together(results: Sequence[_Result]) -> Migration | None:
    """The first result with the other functions in it; None where they do not agree."""
    names = {result.function for result in results}
    if len({_shared(result.tree, names) for result in results}) != 1:
        return None
    first = results[0]
    lines = first.migration.text.split("\n")
    bodies = {r.function: _lines_of(r, r.function) for r in results}
    for name in sorted(
        names - {first.function},
        key=lambda n: -_definition(first.tree, n).lineno,  # type: ignore[union-attr]
    ):
        node = _definition(first.tree, name)
        assert node is not None
        last = node.end_lineno or node.lineno
        while last < len(lines) and not lines[last].strip():
            last += 1  # Where its body was left out.
        gap = ["", ""] if last < len(lines) else [""]
        lines[_start(node) - 1 : last] = [*bodies[name], *gap]
    had = {ast.unparse(s) for s in first.tree.body if isinstance(s, _IMPORTS)}
    more = list(
        dict.fromkeys(
            shown
            for result in results[1:]
            for s in result.tree.body
            if isinstance(s, _IMPORTS) and (shown := ast.unparse(s)) not in had
        )
    )
    # Above the functions, whose lines are not where they were.
    top = min(n.lineno for f in names if (n := _definition(first.tree, f)) is not None)
    after = max(
        (
            s.end_lineno or s.lineno
            for s in first.tree.body
            if isinstance(s, _IMPORTS) and s.lineno < top
        ),
        default=0,
    )
    lines[after:after] = more
    findings: list[Finding] = [f for r in results for f in r.migration.findings]
    support = {name for r in results for name in r.migration.support}
    return Migration(
        "\n".join(lines), tuple(sorted(dict.fromkeys(findings))), tuple(sorted(support))
    )


def _shared(tree: ast.Module, apart: set[str]) -> str:
    """What the programs have in common, in a form that can be compared."""
    return "\n".join(
        ast.dump(s)
        for s in tree.body
        if not isinstance(s, _IMPORTS)
        and not (isinstance(s, ast.FunctionDef) and s.name in apart)
    )


def _lines_of(result: _Result, name: str) -> list[str]:
    node = _definition(result.tree, name)
    assert node is not None
    return result.migration.text.split("\n")[_start(node) - 1 : node.end_lineno]


def _start(node: ast.FunctionDef) -> int:
    return min([node.lineno, *[d.lineno for d in node.decorator_list]])
