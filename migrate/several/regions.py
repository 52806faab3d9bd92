"""A text of several programs: each is migrated with the others left out, and put together.

A region is what belongs to some of the programs: the statements of one, or a function that
only some of them use. While a program is migrated, marks stand at the bounds of all regions,
and those of others are left out. What stands around them must come out alike for all.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome, move_finding
from migrate.migration import Migration
from migrate.rules.imports import is_missing_import
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_IMPORTS = (ast.Import, ast.ImportFrom)
# What a process of a cluster calls.
_CLUSTERED = frozenset(
    {"tf.train.Server", "tf.train.replica_device_setter", "tf.train.ClusterSpec"}
)
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
# What stands at a region's bounds; nothing knows its value.
_MARK = "_region_{0}_{1} = id(0)"


@dataclasses.dataclass(frozen=True)
class Region:
    """Statements of one suite, which follow each other.

    Attributes:
      owners: the numbers of the programs that have it.
      stub: its replacement if it is left out, without indentation. If None, its
        names are bound to some value.
      before: statements above it that move into it, in all programs.
      closes: whether it goes on to the end of its suite. Its program may put what it
        does into functions of that suite, with whatever would mark the end.
    """

    statements: tuple[ast.stmt, ...]
    owners: frozenset[int]
    stub: tuple[str, ...] | None = None
    before: tuple[ast.stmt, ...] = ()
    closes: bool = False

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
    """One program's migrated text, divided at the bounds of the regions.

    Attributes:
      around: the lines before, between and after the regions.
      alike: those of them that must be the same in all results.
      inside: each region's lines, where it is the program's.
      imports: the file's imports.
      below: the line of the last import above the regions.
    """

    around: tuple[tuple[str, ...], ...]
    alike: tuple[tuple[str, ...], ...]
    inside: Mapping[int, tuple[str, ...]]
    imports: tuple[tuple[str, ...], ...]
    below: int
    migration: Migration


@dataclasses.dataclass(frozen=True)
class _Place:
    """The lines of a region in a migrated text, counted from 0.

    Attributes:
      begins: the line of the mark above it.
      ends: the first line below it.
      resumes: the first line below the mark at its end, if it has one.
    """

    begins: int
    ends: int
    resumes: int


def migrate_regions(
    text: str,
    regions: Sequence[Region],
    migrate: Callable[[str], Migration],
    refusals: list[Finding] | None = None,
) -> Migration | None:
    """The migration of a text of several programs; None if one is not migrated.

    Args:
      regions: in the order of the text.
      migrate: what migrates the text of one program.
      refusals: where it adds why a program is refused.
    """
    count = 1 + max(number for region in regions for number in region.owners)
    results: list[_Result] = []
    for number in range(count):
        lines, origins = _cut_program(text, regions, number)
        migration = migrate("\n".join(lines))
        refused = [
            f
            for f in _place_findings(migration.findings, origins)
            if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
        ]
        if refused:
            if refusals is not None:
                # Another program may use the imports that this one does not use.
                own = [
                    f for f in refused if f.code != "N100" and not is_missing_import(f)
                ]
                refusals += own or [f for f in refused if f.code != "N100"]
            return None
        result = _read(migration, origins, regions, number)
        if result is None:
            return None
        results.append(result)
    shared = _find_unlike(results, regions)
    if shared is None:
        return _join_results(results, len(regions))
    if refusals is not None:
        refusals.append(shared)
    return None


def _place_findings(
    findings: Iterable[Finding], origins: Sequence[int]
) -> tuple[Finding, ...]:
    """Findings of one program at the lines of the whole text."""
    return tuple(
        move_finding(f, origins) for f in findings if 0 < f.line <= len(origins)
    )


def find_openings(scopes: Scopes) -> list[ast.Call]:
    """The calls that open a session, or make what opens one."""
    return scopes.list_calls(*roles.OPENINGS)


def has_one_cluster(scopes: Scopes, programs: Sequence[Sequence[ast.stmt]]) -> bool:
    """Whether at most one of the programs has a cluster, and no other code has one.

    Tasks of one cluster that take different branches are one program: what a worker
    does depends on what the others do.
    """
    servers = {
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Call) and scopes.resolve(node.func) in _CLUSTERED
    }
    parts = [
        {
            node
            for root in (*program, *reach.find_reached(scopes, program))
            for node in walk_breadth_first(root)
        }
        for program in programs
    ]
    having = [part for part in parts if servers & part]
    return not servers or (len(having) == 1 and servers <= having[0])


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
    """Finds the module's statements that code reaches without nodes of `without`."""
    by_name = reach.find_methods(scopes)
    found: set[ast.AST] = set()
    todo: list[ast.AST] = list(roots)
    while todo:
        for node in walk_breadth_first(todo.pop()):
            targets: Sequence[ast.AST] = ()
            if node in without:
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                targets = reach.find_definitions(scopes, node)
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
    """Returns the text with one program's regions only, and each line's origin."""
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
        if not region.closes:
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
    """A program's migration taken apart; None if a mark is not where it was."""
    lines = migration.text.split("\n")
    tree = ast.parse(migration.text)
    imports = [s for s in tree.body if _imports(s)]
    of_imports = {
        n for s in imports for n in range(s.lineno, (s.end_lineno or s.lineno) + 1)
    }
    places = _find_places(tree, lines, regions)
    if places is None:
        return None
    around = [
        range(begin, end)
        for begin, end in zip(
            [0, *[place.resumes for place in places]],
            [*[place.begins for place in places], len(lines)],
            strict=True,
        )
    ]
    return _Result(
        tuple(tuple(lines[i] for i in part) for part in around),
        tuple(
            tuple(
                lines[i] for i in part if lines[i].strip() and i + 1 not in of_imports
            )
            for part in around
        ),
        {
            index: _trim_lines(lines[place.begins + 1 : place.ends])
            for index, (region, place) in enumerate(zip(regions, places, strict=True))
            if number in region.owners
        },
        tuple(tuple(lines[s.lineno - 1 : s.end_lineno]) for s in imports),
        max((n for n in of_imports if n <= places[0].begins), default=0),
        dataclasses.replace(
            migration, findings=_place_findings(migration.findings, origins)
        ),
    )


def _find_places(
    tree: ast.Module, lines: Sequence[str], regions: Sequence[Region]
) -> list[_Place] | None:
    """Finds the regions in a migrated text; None if one is missing or was moved."""
    last = {
        statement.lineno: suite[-1].end_lineno or suite[-1].lineno
        for node in walk_breadth_first(tree)
        for _, suite in names.list_suites(node)  # type: ignore[arg-type]
        for statement in suite
    }
    found: list[_Place] = []
    at = 0
    for index, region in enumerate(regions):
        begins, ends = (
            [
                i
                for i, line in enumerate(lines)
                if line.strip() == _MARK.format(index, w)
            ]
            for w in ("begins", "ends")
        )
        if len(begins) != 1 or begins[0] < at:
            return None
        if region.closes:
            at = last.get(begins[0] + 1, begins[0] + 1)
            found.append(_Place(begins[0], at, at))
        elif len(ends) == 1 and ends[0] > begins[0]:
            at = ends[0] + 1
            found.append(_Place(begins[0], ends[0], at))
        else:
            return None
    return found


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


def _find_unlike(
    results: Sequence[_Result], regions: Sequence[Region]
) -> Finding | None:
    """Refuses shared code that comes out differently for each program; else None."""
    at = regions[0].statements[0]
    spelled = ""
    for index, region in enumerate(regions):
        given = {r.inside[index] for r in results if index in r.inside} - {()}
        if len(given) > 1:
            at = region.statements[0]
            spelled = f": `{at.name}`" if isinstance(at, _DEFINITIONS) else ""
            break
    else:
        if len({r.alike for r in results}) == 1 and not _rebind_imports(results):
            return None
    return Finding(
        *(at.lineno, at.col_offset + 1, "N101", Outcome.REFUSED, ""),
        "the file has several programs, and what they share differs between "
        f"them{spelled}",
        "Give each program its own copy of what they share, or its own file.",
    )


def _rebind_imports(results: Sequence[_Result]) -> bool:
    """Whether an import of one program binds a name to something else than another's."""
    bound: dict[str, set[str]] = {}
    for lines in (lines for result in results for lines in result.imports):
        meant: dict[str, set[str]] = {}  # Of the package, or not.
        for node in walk_breadth_first(ast.parse("\n".join(lines))):
            if not isinstance(node, _IMPORTS):
                continue
            home = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                whole = alias.asname or home
                meant.setdefault(name, set()).add(
                    home + (alias.name if whole else name)
                )
        if any(bound.setdefault(name, known) != known for name, known in meant.items()):
            return True
    return False


def _join_results(results: Sequence[_Result], count: int) -> Migration:
    """Joins the results of all programs in one text."""
    first = results[0]
    lines: list[str] = []
    for index in range(count):
        lines += first.around[index]
        inside = next(filter(None, (r.inside.get(index) for r in results)), ())
        if not inside:  # Nothing stands between the empty lines around it.
            while lines and not lines[-1].strip():
                lines.pop()
        lines += inside
    lines += first.around[-1]
    found = dict.fromkeys(i for r in results for i in r.imports)
    new = [i for i in found if i not in first.imports]
    lines[first.below : first.below] = [line for i in new for line in i]
    findings: list[Finding] = [f for r in results for f in r.migration.findings]
    support = {name for r in results for name in r.migration.support}
    return Migration(
        "\n".join(lines),
        tuple(sorted(dict.fromkeys(findings))),
        tuple(sorted(support)),
    )
