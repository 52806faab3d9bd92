"""Programs that are refused only for code that nothing in them runs.

Such a file is migrated with that code left out. Functions that nothing calls come back as
they were; what would be refused in them is told, and decides nothing (`Finding.unused`).
Statements that can never run go: what follows a `return`, or stands under `if False:`.
"""

from __future__ import annotations

import ast
import dataclasses
import os
import pathlib
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence, Set

from migrate import outcomes, pipeline
from migrate.definition_time import write_definitions
from migrate.facts.trees.programs import Imports
from migrate.facts.trees.unreachable import Unreachable, find_unreachable
from migrate.facts.trees.unused_code import Unused, find_unused, make_unused
from migrate.file_result import FileResult
from migrate.findings import NO_OBJECT, Finding, Outcome, move_finding
from migrate.options import Options
from migrate.pipeline import Core
from migrate.source import python
from migrate.tables.graph_programs import GRAPH_CODES

_Cut = Unused | Unreachable
_DROPPED, _OUTSIDE = "S114", "N150"
_NOT_CALLED = (
    "dropped: nothing calls this method, and what used its class has the class's code"
)
_MARK = "tf1to2 has left out "


def retry(
    results: Sequence[FileResult], options: Options, core: Core | None = None
) -> list[FileResult]:
    """The results of a run, of some files again without what nothing calls.

    Args:
      options: those of the run, with its tree.
    """
    refused = [r for r in results if r.path.suffix == ".py" and _list_own_refusals(r)]
    if not refused:
        return list(results)
    paths = {
        os.path.realpath(r.path): r.path for r in results if os.path.isfile(r.path)
    }
    imports = Imports(paths)
    reached = [frozenset(imports.reach(root)) for root in imports.find_roots()]
    unused: dict[frozenset[str], dict[str, list[Unused]]] = {}
    again: dict[pathlib.Path, FileResult] = {}
    for result in refused:
        real = os.path.realpath(result.path)
        program = frozenset().union(*(files for files in reached if real in files))
        if program not in unused:
            unused[program] = find_unused(_parse_files(program))
        found = _keep_outermost(unused[program].get(real, []), _find_unreachable(real))
        if any(u.holds(f.line) for u in found for f in result.findings):
            new = _migrate_without(result, found, options, core)
            if new is not None:
                again[result.path] = new
        told = again.get(result.path, result)
        again[result.path] = _add_hidden_reasons(told, found, options, core)
    return [again.get(result.path, result) for result in results]


def _find_unreachable(path: str) -> list[Unreachable]:
    trees = _parse_files([path])
    if not trees:
        return []
    text = python.decode(pathlib.Path(path).read_bytes()).text
    return find_unreachable(trees[path], text)


def _keep_outermost(
    unused: Iterable[Unused], dead: Iterable[Unreachable]
) -> list[_Cut]:
    """Lists the removable parts of a file in order, without those inside another."""
    found: list[_Cut] = []
    every: list[_Cut] = [*unused, *dead]
    for cut in sorted(every, key=lambda c: (c.first, -c.last)):
        if not found or not found[-1].holds(cut.first):
            found.append(cut)
    return found


def _mark_as_unused(finding: Finding) -> Finding:
    """A refusal that decides nothing."""
    reason = f"this TensorFlow 1 code is never called: {finding.reason}"
    return dataclasses.replace(finding, unused=True, reason=reason)


def _list_own_refusals(result: FileResult) -> list[Finding]:
    """The refusals that are no consequence of others."""
    if result.failed:
        return []
    return [f for f in result.findings if f.blocks and f.code != outcomes.PART]


def _parse_files(files: Iterable[str]) -> dict[str, ast.Module]:
    """The files that are Python 3; of the others nothing is known, and nothing is used."""
    found = {}
    for real in sorted(files):
        try:
            text = python.decode(pathlib.Path(real).read_bytes()).text
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[real] = ast.parse(text)
        except (OSError, ValueError, SyntaxError, RecursionError, python.Unreadable):
            return {}
    return found


def _migrate_without(
    result: FileResult, cuts: Sequence[_Cut], options: Options, core: Core | None
) -> FileResult | None:
    """A file's migration without what nothing runs; None where it fails.

    One that stays refused is so for what runs.
    """
    data = result.path.read_bytes()
    source = python.decode(data)
    lines = source.text.split("\n")
    text, origins = _leave_out(lines, cuts)
    parts = options.tree.parts.move_refusals(os.path.realpath(result.path), origins)
    tree = dataclasses.replace(options.tree, parts=parts)
    new = pipeline.migrate_bytes(
        result.path,
        source.encode("\n".join(text)),
        dataclasses.replace(options, tree=tree),
        core,
    )
    if new.failed:
        return None
    unused = [cut for cut in cuts if isinstance(cut, Unused)]
    whole = source.text
    gone: list[Unused] = []
    if new.changed:
        kept = write_definitions(source.text, unused)
        if kept is None:
            return None
        kept_lines = kept.split("\n")
        bodies = ["\n".join(kept_lines[u.first - 1 : u.last]) for u in unused]
        written = python.decode(new.new).text
        gone = _find_gone(source.text, written, unused)
        numbers = {n for n, one in enumerate(unused) if one in gone}
        back = _put_back_bodies(written, bodies, numbers)
        if back is None:
            return None
        whole = back
        unused = [one for one in unused if one not in gone]
    findings = [
        move_finding(f, origins) for f in new.findings if f.line <= len(origins)
    ]
    real = _list_own_refusals(result)
    left = [_mark_as_unused(f) for f in real if any(u.holds(f.line) for u in cuts)]
    told_before = {(f.line, f.code) for f in real}
    blocking = [f for f in findings if f.blocks and f.code != outcomes.PART]
    if blocking and all(
        f.code == _OUTSIDE and (f.line, f.code) not in told_before for f in blocking
    ):
        return None  # This only follows from what is left out.
    if _list_own_refusals(new):
        # The file's other uses of TensorFlow stay, as parts of a refused program.
        places = {(f.line, f.column) for f in (*findings, *left)}
        rest = [f for f in result.findings if (f.line, f.column) not in places]
        rest = [f for f in rest if f.code == outcomes.PART]
        told = tuple(sorted([*findings, *left, *rest]))
        return dataclasses.replace(result, findings=told)
    left = [_mark_as_unused(f) for f in real if any(u.holds(f.line) for u in unused)]
    left += _find_parts(result, unused, {f.line for f in left})
    if new.changed:
        left += [_make_dropped(c) for c in cuts if isinstance(c, Unreachable)]
        left += [_make_dropped(one, _NOT_CALLED) for one in gone]
    result_bytes = source.encode(whole)
    return dataclasses.replace(
        new,
        old=data if result_bytes != data else b"",
        new=result_bytes if result_bytes != data else b"",
        findings=tuple(sorted([*findings, *left])),
        noted=b"",
    )


def _leave_out(lines: list[str], cuts: Sequence[_Cut]) -> tuple[list[str], list[int]]:
    """The lines that are left, and where each of them stood."""
    text: list[str] = []
    origins: list[int] = []
    at = number = 0
    for cut in cuts:
        text += lines[at : cut.first - 1]
        origins += range(at + 1, cut.first)
        at = cut.last
        stands = []
        if isinstance(cut, Unused):
            indent = cut.header[: len(cut.header) - len(cut.header.lstrip())]
            stands = [cut.header, f'{indent}    "{_MARK}{number}"']
            number += 1
        elif cut.stands:
            stands = [cut.stands]
        text += stands
        origins += [cut.first] * len(stands)
    return [*text, *lines[at:]], [*origins, *range(at + 1, len(lines) + 1)]


def _add_hidden_reasons(
    result: FileResult, cuts: Sequence[_Cut], options: Options, core: Core | None
) -> FileResult:
    """A file's result with what its rest is refused for, beside a class that nobody uses.

    The class opens a session of which nothing is known. Other refusals of the file would
    come to light only when it is gone. What the class itself uses, and what only says that
    no session runs the code, may be refused for this one reason.
    """
    lines = [f.line for f in result.findings if f.blocks and NO_OBJECT in f.reason]
    real = os.path.realpath(result.path)
    trees = _parse_files([real]) if lines else {}
    classes = [
        make_unused(s)
        for tree in trees.values()
        for s in tree.body
        if isinstance(s, ast.ClassDef)
    ]
    held = [c for c in classes if any(c.holds(line) for line in lines)]
    if not held:
        return result
    used = _find_definitions_used(trees[real], held)
    source = python.decode(result.path.read_bytes())
    every = _keep_outermost([*held, *(c for c in cuts if isinstance(c, Unused))], [])
    text, origins = _leave_out(source.text.split("\n"), every)
    new = pipeline.migrate_bytes(
        result.path, source.encode("\n".join(text)), options, core
    )
    found = [
        move_finding(f, origins)
        for f in _list_own_refusals(new)
        if f.line <= len(origins)
        and f.code not in GRAPH_CODES
        and not any(u.holds(origins[f.line - 1]) for u in used)
    ]
    places = {(f.line, f.column) for f in found}
    rest = [
        f
        for f in result.findings
        if f.code != outcomes.PART or (f.line, f.column) not in places
    ]
    return dataclasses.replace(result, findings=tuple(sorted({*found, *rest})))


def _find_definitions_used(tree: ast.Module, classes: list[Unused]) -> list[Unused]:
    """The classes, and a file's definitions that they name, or that these name."""
    definitions = {
        s.name: s for s in tree.body if isinstance(s, ast.FunctionDef | ast.ClassDef)
    }
    work = [d for d in definitions.values() if any(c.holds(d.lineno) for c in classes)]
    found = list(work)
    while work:
        for node in ast.walk(work.pop()):
            named = definitions.get(node.id) if isinstance(node, ast.Name) else None
            if named is not None and named not in found:
                found.append(named)
                work.append(named)
    return [make_unused(d) for d in found]


def _find_parts(
    result: FileResult, unused: Sequence[Unused], told: set[int]
) -> Iterator[Finding]:
    """One finding for each unused part of a graph that no other finding is about."""
    for one in unused:
        parts = [
            f for f in result.findings if f.code == outcomes.PART and one.holds(f.line)
        ]
        if parts and not any(one.holds(line) for line in told):
            first = min(parts)
            reason = "this TensorFlow 1 code is never called, so it is unchanged"
            yield dataclasses.replace(
                first, code=_OUTSIDE, reason=reason, recipe="", unused=True
            )


def _find_gone(old: str, new: str, unused: Sequence[Unused]) -> list[Unused]:
    """The methods of classes that are gone: what used an object has its code now."""
    kept = {n.name for n in ast.walk(ast.parse(new)) if isinstance(n, ast.ClassDef)}
    classes = [
        make_unused(node)
        for node in ast.parse(old).body
        if isinstance(node, ast.ClassDef) and node.name not in kept
    ]
    return [
        one
        for one in unused
        if any(c.first < one.first and one.last <= c.last for c in classes)
    ]


def _make_dropped(dead: _Cut, reason: str = "dropped: this can never run") -> Finding:
    return Finding(dead.first, 1, _DROPPED, Outcome.REWRITTEN, "", reason)


def _put_back_bodies(
    text: str, bodies: Sequence[str], gone: Set[int] = frozenset()
) -> str | None:
    """A migrated text with what was left out in its place; None if a place is gone.

    Args:
      gone: the numbers of those that do not come back.
    """
    lines = text.split("\n")
    places = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            mark = ast.get_docstring(node, clean=False) or ""
            if mark.startswith(_MARK):
                places[int(mark.removeprefix(_MARK))] = node
    if places.keys() != set(range(len(bodies))) - gone:
        return None
    for number in sorted(places, key=lambda n: -places[n].lineno):
        node = places[number]
        body = _indent_body(bodies[number], node.col_offset)
        if body is None:
            return None
        lines[node.lineno - 1 : node.end_lineno] = body
    new = "\n".join(lines)
    try:
        ast.parse(new)
    except SyntaxError:
        return None
    return new


def _indent_body(body: str, column: int) -> list[str] | None:
    """The lines of a definition that now stands in another block; None if it cannot."""
    lines = body.split("\n")
    old = len(lines[0]) - len(lines[0].lstrip())
    if old == column:
        return lines
    try:
        nodes = list(ast.walk(ast.parse(textwrap.dedent(body))))
    except SyntaxError:
        return None
    for node in nodes:
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            if node.lineno != node.end_lineno:
                return None  # Its lines are what it says.
    return textwrap.indent(textwrap.dedent(body), " " * column).split("\n")
