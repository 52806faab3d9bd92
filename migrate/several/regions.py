"""A text of several programs: each is migrated with the others left out, and put together.

A region is what belongs to some of the programs: the statements of one, or a function that
only some of them use. While a program is migrated, marks stand at the bounds of all regions,
and those of others are left out. What stands around them must come out alike for all.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from migrate.facts import reach
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.source.nodes import walk_breadth_first

_IMPORTS = (ast.Import, ast.ImportFrom)
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
# What stands at a region's bounds; nothing knows its value.
_MARK = "_region_{0}_{1} = id(0)"


@dataclasses.dataclass(frozen=True)
class Region:
    """Statements of one suite, which follow each other.

    Attributes:
      owners: the numbers of the programs that have it.
      stub: what stands for it where it is left out, without indentation; None for names
        that have what it binds.
      before: statements above it that move into it, in all programs.
    """

    statements: tuple[ast.stmt, ...]
    owners: frozenset[int]
    stub: tuple[str, ...] | None = None
    before: tuple[ast.stmt, ...] = ()

    @property
    def first(self) -> int:
        node = self.statements[0]
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        return min([node.lineno, *[d.lineno for d in decorators]])

    @property
    def last(self) -> int:
        node = self.statements[-1]
        return node.end_lineno or node.lineno

    def find_stored_names(self) -> set[str]:
        """Names that it binds, in all its suites."""
        return {
            node.id
            for s in (*self.before, *self.statements)
            for node in walk_breadth_first(s)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }


@dataclasses.dataclass(frozen=True)
class _Result:
    """What became of one program.

    Attributes:
      around: the lines before, between and after the regions.
      alike: those of them that must be the same in all results.
      inside: each region's lines, where it is the program's.
      imports: the file's imports, and the line of the last above the regions.
    """

    around: tuple[tuple[str, ...], ...]
    alike: tuple[tuple[str, ...], ...]
    inside: Mapping[int, tuple[str, ...]]
    imports: tuple[tuple[str, ...], ...]
    below: int
    migration: Migration


def migrate_regions(
    text: str, regions: Sequence[Region], migrate: Callable[[str], Migration]
) -> Migration | None:
    """The migration of a text of several programs; None where one is not migrated.

    Args:
      regions: in the order of the text.
      migrate: what migrates the text of one program.
    """
    count = 1 + max(number for region in regions for number in region.owners)
    results: list[_Result] = []
    for number in range(count):
        lines, origins = _cut_program(text, regions, number)
        migration = migrate("\n".join(lines))
        if any(
            f.outcome in (Outcome.REFUSED, Outcome.FAILED) for f in migration.findings
        ):
            return None
        result = _read(migration, origins, regions, number)
        if result is None:
            return None
        results.append(result)
    if len({r.alike for r in results}) != 1:
        return None
    return _join_results(results, len(regions))


def find_shared_definitions(
    scopes: Scopes, programs: Sequence[Sequence[ast.stmt]]
) -> list[tuple[ast.stmt, frozenset[int]]]:
    """The module's functions and classes that only programs use, and which of them do."""
    inside = {node for part in programs for s in part for node in walk_breadth_first(s)}
    statements = {s for part in programs for s in part}
    having = [d for d in scopes.tree.body if statements & set(walk_breadth_first(d))]
    others = [
        d for d in scopes.tree.body if isinstance(d, _DEFINITIONS) and d not in having
    ]
    shared = [s for s in scopes.tree.body if s not in others]
    by_all = _find_reached(scopes, shared, inside)
    of_each = [_find_reached(scopes, part, set()) for part in programs]
    found: list[tuple[ast.stmt, frozenset[int]]] = []
    for definition in others:
        owners = frozenset(i for i, those in enumerate(of_each) if definition in those)
        if owners and definition not in by_all:
            found.append((definition, owners))
    return found


def _find_reached(
    scopes: Scopes, roots: Iterable[ast.stmt], without: set[ast.AST]
) -> set[ast.AST]:
    """The module's statements that some code comes to, not by what is in `without`."""
    by_name = reach.methods(scopes)
    found: set[ast.AST] = set()
    todo: list[ast.AST] = list(roots)
    while todo:
        for node in walk_breadth_first(todo.pop()):
            targets: Sequence[ast.AST] = ()
            if node in without:
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                targets = reach.definitions(scopes, node)
            elif isinstance(node, ast.Attribute):
                targets = by_name.get(node.attr, ())
            for target in targets:
                while scopes.parents.get(target, scopes.tree) is not scopes.tree:
                    target = scopes.parents[target]
                if target not in found:
                    found.add(target)
                    todo.append(target)
    return found


def _cut_program(
    text: str, regions: Sequence[Region], number: int
) -> tuple[list[str], list[int]]:
    """The text with one program's regions only, and each line's line in the text."""
    lines = text.split("\n")
    new: list[str] = []
    origins: list[int] = []
    line = 1
    moved = {
        n
        for region in regions
        for s in region.before
        for n in range(s.lineno, (s.end_lineno or s.lineno) + 1)
    }
    own = set().union(*[r.find_stored_names() for r in regions if number in r.owners])

    def take(until: int) -> None:
        for n in range(line, until + 1):
            if n not in moved:
                new.append(lines[n - 1])
                origins.append(n)

    for index, region in enumerate(regions):
        take(region.first - 1)
        at = lines[region.first - 1]
        indent = at[: len(at) - len(at.lstrip())]
        line = region.first
        new.append(indent + _MARK.format(index, "begins"))
        origins.append(line)
        if number in region.owners:
            for s in region.before:
                for n in range(s.lineno, (s.end_lineno or s.lineno) + 1):
                    new.append(indent + lines[n - 1][s.col_offset :])
                    origins.append(n)
            take(region.last)
        else:
            stub = region.stub
            if stub is None:
                stub = tuple(
                    f"{n} = id(0)" for n in sorted(region.find_stored_names() - own)
                )
            new.extend(indent + shown for shown in stub)
            origins.extend(line for _ in stub)
        new.append(indent + _MARK.format(index, "ends"))
        origins.append(region.last)
        line = region.last + 1
    take(len(lines))
    return new, origins


def _read(
    migration: Migration,
    origins: Sequence[int],
    regions: Sequence[Region],
    number: int,
) -> _Result | None:
    """A program's migration taken apart; None where a mark is not where it was."""
    lines = migration.text.split("\n")
    imports = [s for s in ast.parse(migration.text).body if _imports(s)]
    of_imports = {
        n for s in imports for n in range(s.lineno, (s.end_lineno or s.lineno) + 1)
    }
    marks = [
        [i for i, line in enumerate(lines) if line.strip() == _MARK.format(n, which)]
        for n in range(len(regions))
        for which in ("begins", "ends")
    ]
    places = [found[0] for found in marks if len(found) == 1]
    if len(places) != 2 * len(regions) or places != sorted(places):
        return None
    bounds = [-1, *places, len(lines)]
    around = [
        range(begin + 1, end)
        for begin, end in zip(bounds[::2], bounds[1::2], strict=True)
    ]
    findings = tuple(
        dataclasses.replace(f, line=origins[f.line - 1])
        for f in migration.findings
        if 0 < f.line <= len(origins)
    )
    return _Result(
        tuple(tuple(lines[i] for i in part) for part in around),
        tuple(
            tuple(
                lines[i] for i in part if lines[i].strip() and i + 1 not in of_imports
            )
            for part in around
        ),
        {
            index: _trim_lines(lines[places[2 * index] + 1 : places[2 * index + 1]])
            for index, region in enumerate(regions)
            if number in region.owners
        },
        tuple(tuple(lines[s.lineno - 1 : s.end_lineno]) for s in imports),
        max((n for n in of_imports if n <= places[0]), default=0),
        Migration(migration.text, findings, migration.support),
    )


def _imports(statement: ast.stmt) -> bool:
    """Whether it is an import, also one that may be of the package or not."""
    if not isinstance(statement, ast.Try):
        return isinstance(statement, _IMPORTS)
    handled = [s for handler in statement.handlers for s in handler.body]
    return all(isinstance(s, _IMPORTS) for s in (*statement.body, *handled))


def _trim_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Lines without empty ones at their ends."""
    filled = [i for i, line in enumerate(lines) if line.strip()]
    return tuple(lines[filled[0] : filled[-1] + 1]) if filled else ()


def _join_results(results: Sequence[_Result], count: int) -> Migration | None:
    """One text of all; None where programs want a function to be different ones."""
    first = results[0]
    lines: list[str] = []
    for index in range(count):
        given = {r.inside[index] for r in results if index in r.inside} - {()}
        if len(given) > 1:
            return None
        lines += first.around[index]
        lines += next(iter(given), ())
    lines += first.around[-1]
    found = dict.fromkeys(i for r in results for i in r.imports)
    more = [line for i in found if i not in first.imports for line in i]
    lines[first.below : first.below] = more
    findings: list[Finding] = [f for r in results for f in r.migration.findings]
    support = {name for r in results for name in r.migration.support}
    return Migration(
        "\n".join(lines),
        tuple(sorted(dict.fromkeys(findings))),
        tuple(sorted(support)),
    )
