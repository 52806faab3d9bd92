"""A suite that builds several graphs, one after the other, each with sessions of its own.

    with tf.Graph().as_default():           tf.reset_default_graph()
        ...                                 ...
        with tf.Session() as sess:          with tf.Session() as sess:
            ...                                 ...
    with tf.Graph().as_default():           tf.reset_default_graph()
        ...                                 ...

Each graph is a program, and is migrated with the others left out; what is written for it
takes its place, where all that stands around has come out alike.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Sequence

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.findings import Finding
from migrate.migration import Migration
from migrate.normalise.text import find_lines_inside_strings
from migrate.several import regions
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import roles

_DEFINES = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_IMPORTS = (ast.Import, ast.ImportFrom)


@dataclasses.dataclass(frozen=True)
class _Part:
    """Statements of a suite that belong to one graph.

    Attributes:
      before: the statements of the graph above all parts, which these share.
    """

    statements: tuple[ast.stmt, ...]
    before: tuple[ast.stmt, ...] = ()


def migrate_graphs_in_turn(
    text: str,
    scopes: Scopes,
    migrate: Callable[[str], Migration],
    refusals: list[Finding],
) -> Migration | None:
    """The migration of a file with graphs in turn; None if it is no such file.

    Args:
      migrate: what migrates the text of a file that has one graph.
      refusals: where it adds why a graph is refused.
    """
    parts = _find_parts(scopes)
    if len(parts) < 2 or not _are_independent(scopes, parts):
        return None
    programs = [(*part.before, *part.statements) for part in parts]
    if not regions.has_one_cluster(scopes, programs):
        return None
    whole = [
        regions.Region(part.statements, frozenset({number}), before=part.before)
        for number, part in enumerate(parts)
    ]
    whole += [
        regions.Region((definition,), owners, ())
        for definition, owners in regions.find_shared_definitions(scopes, programs)
    ]
    whole.sort(key=lambda region: region.first)
    return regions.migrate_regions(text, whole, migrate, refusals)


def _find_parts(scopes: Scopes) -> list[_Part]:
    """Finds the graphs in the suite of all sessions; none if there are not several."""
    sessions = scopes.list_calls(*roles.SESSIONS)
    if len(sessions) < 2:
        return []
    suite = _find_common_suite(scopes, sessions)
    having = [s for s in suite if any(n in sessions for n in walk_breadth_first(s))]
    if len(having) == 1:
        before = _find_common_statements(scopes, suite, having[0])
        if before is None:
            return []
        parts = _find_branches(having[0], sessions)
        return [dataclasses.replace(part, before=before) for part in parts]
    if all(_opens_graph(scopes, s) for s in having):
        return [_Part((s,)) for s in having]
    return _find_named_graphs(scopes, suite, having) or _find_reset_graphs(
        scopes, suite, having
    )


def _find_branches(statement: ast.stmt, sessions: Sequence[ast.Call]) -> list[_Part]:
    """The branches of an `if` that have sessions, of which one is taken."""
    if not isinstance(statement, ast.If):
        return []
    parts: list[_Part] = []
    for suite in (statement.body, statement.orelse):
        if not any(n in sessions for s in suite for n in walk_breadth_first(s)):
            continue
        inner = _find_branches(suite[0], sessions) if len(suite) == 1 else []
        parts += inner or [_Part(tuple(suite))]
    return parts


def _find_common_statements(
    scopes: Scopes, suite: Sequence[ast.stmt], branch: ast.stmt
) -> tuple[ast.stmt, ...] | None:
    """Finds the graph statements above the branches; None if they cannot move there."""
    at = suite.index(branch)
    graph = [s for s in suite[:at] if _mentions(scopes, s)]
    between = [s for s in suite[:at] if s not in graph]
    bound = set().union(*[find_plain_names(s, ast.Store) for s in graph])
    if any(not isinstance(s, (ast.Assign, ast.Expr, ast.With)) for s in graph):
        return None
    if any(find_lines_inside_strings(s) for s in graph):
        return None
    if any(bound & find_plain_names(s) for s in [*between, *suite[at + 1 :]]):
        return None
    for statement in graph:
        later = [s for s in between if s.lineno > statement.lineno]
        if any(
            names.find_reads(statement) & find_plain_names(s, ast.Store) for s in later
        ):
            return None
    return tuple(graph)


def _find_named_graphs(
    scopes: Scopes, suite: Sequence[ast.stmt], having: Sequence[ast.stmt]
) -> list[_Part]:
    """Finds graphs with names: each from its making to its last mention."""
    parts: list[_Part] = []
    end = -1
    for at, statement in enumerate(suite):
        if not (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Call)
            and scopes.resolve(statement.value.func) == "tf.Graph"
            and isinstance(statement.targets[0], ast.Name)
        ):
            continue
        name = statement.targets[0].id
        last = max(i for i, s in enumerate(suite) if name in find_plain_names(s))
        inside = tuple(suite[at : last + 1])
        if at <= end or not any(s in having for s in inside):
            return []
        parts.append(_Part(inside))
        end = last
    of_parts = [s for part in parts for s in part.statements]
    return parts if all(s in of_parts for s in having) else []


def _find_reset_graphs(
    scopes: Scopes, suite: list[ast.stmt], having: Sequence[ast.stmt]
) -> list[_Part]:
    """Graphs between calls of tf.reset_default_graph."""
    starts = [i for i, s in enumerate(suite) if _resets(scopes, s)]
    if not starts:
        return []
    if suite.index(having[0]) < starts[0]:
        starts.insert(0, _find_first_of_graph(scopes, suite))
    parts: list[_Part] = []
    for begin, end in zip(starts, [*starts[1:], len(suite)], strict=True):
        inside = suite[begin:end]
        if any(s in having for s in inside):
            parts.append(_Part(tuple(inside)))
        elif parts and any(_mentions(scopes, s) for s in inside):
            return []  # Something else that is made of a graph.
    return parts


def _find_common_suite(scopes: Scopes, sessions: Sequence[ast.Call]) -> list[ast.stmt]:
    """The innermost suite that has all sessions in its statements."""
    suite: list[ast.stmt] = scopes.tree.body
    while True:
        having = [s for s in suite if any(n in sessions for n in walk_breadth_first(s))]
        if len(having) != 1:
            return suite
        only = having[0]
        inner = [only.body] if isinstance(only, _DEFINES[:2]) else []
        inner += [nested for _, nested in names.list_suites(only)]
        found = next(
            (
                nested
                for nested in inner
                if all(
                    any(n is session for s in nested for n in walk_breadth_first(s))
                    for session in sessions
                )
            ),
            None,
        )
        if found is None:
            return suite
        suite = found


def _opens_graph(scopes: Scopes, statement: ast.stmt) -> bool:
    """`with tf.Graph().as_default():`."""
    return isinstance(statement, ast.With) and any(
        isinstance(node, ast.Attribute)
        and node.attr == "as_default"
        and isinstance(node.value, ast.Call)
        and scopes.resolve(node.value.func) == "tf.Graph"
        for item in statement.items
        for node in walk_breadth_first(item.context_expr)
    )


def _resets(scopes: Scopes, statement: ast.stmt) -> bool:
    """`tf.reset_default_graph()`, or a call of a function of the file that does it."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    func = statement.value.func
    if scopes.resolve(func) == "tf.reset_default_graph":
        return True
    if not isinstance(func, ast.Name):
        return False
    return any(
        isinstance(inner, ast.Expr)
        and isinstance(inner.value, ast.Call)
        and scopes.resolve(inner.value.func) == "tf.reset_default_graph"
        for node in reach.find_definitions(scopes, func)
        if isinstance(node, ast.FunctionDef)
        for inner in node.body
    )


def _mentions(scopes: Scopes, statement: ast.stmt) -> bool:
    """Whether it, or what it calls of the file, makes something of a graph."""
    return not isinstance(statement, _DEFINES) and any(
        isinstance(node, ast.Call)
        and (symbol := scopes.resolve(node.func) or "").startswith("tf.")
        and not roles.has_prefix(symbol, roles.HOST_PREFIXES)
        for part in (statement, *reach.find_reached(scopes, [statement]))
        for node in walk_breadth_first(part)
    )


def _find_first_of_graph(scopes: Scopes, suite: Sequence[ast.stmt]) -> int:
    """Returns the index of the first statement that makes something of a graph."""
    return next(i for i, s in enumerate(suite) if _mentions(scopes, s))


def _are_independent(scopes: Scopes, parts: Sequence[_Part]) -> bool:
    """Whether nothing that a part defines, or changes by name, is used outside of it."""
    for part in parts:
        inside = {node for s in part.statements for node in walk_breadth_first(s)}
        if any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in inside):
            return False
        defined: set[str] = set()
        for node in inside:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                defined.add(node.name)
            elif isinstance(node, _IMPORTS):
                defined |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        if any(
            isinstance(node, ast.Name) and node.id in defined and node not in inside
            for node in walk_breadth_first(scopes.tree)
        ):
            return False
    return True
