"""Programs that are refused only for code that nothing in them calls.

Such a file is migrated with that code left out, and gets it back as it was. What would be
refused in it is told, and decides nothing (`Finding.unused`).
"""

from __future__ import annotations

import ast
import dataclasses
import os
import pathlib
import warnings
from collections.abc import Iterable, Sequence

from migrate import outcomes, pipeline
from migrate.facts.trees.programs import Imports
from migrate.facts.trees.unused_code import Unused, find_unused
from migrate.findings import Finding
from migrate.options import Options
from migrate.pipeline import Core, FileResult
from migrate.source import python

_MARK = "tf1to2 has left out "


def retry(
    results: Sequence[FileResult], options: Options, core: Core | None = None
) -> list[FileResult]:
    """The results of a run, of some files again without what nothing calls.

    Args:
      options: those of the run, with its tree.
    """
    refused = [r for r in results if r.path.suffix == ".py" and _real(r)]
    if not refused:
        return list(results)
    paths = {os.path.realpath(r.path): r.path for r in results if r.path.is_file()}
    imports = Imports(paths)
    reached = [frozenset(imports.reach(root)) for root in imports.find_roots()]
    unused: dict[frozenset[str], dict[str, list[Unused]]] = {}
    again: dict[pathlib.Path, FileResult] = {}
    for result in refused:
        real = os.path.realpath(result.path)
        program = frozenset().union(*(files for files in reached if real in files))
        if program not in unused:
            unused[program] = find_unused(_trees(program))
        found = unused[program].get(real, [])
        if any(u.holds(f.line) for u in found for f in _real(result)):
            new = _without(result, found, options, core)
            if new is not None:
                again[result.path] = new
    return [again.get(result.path, result) for result in results]


def _marked(finding: Finding) -> Finding:
    """A refusal that decides nothing."""
    reason = f"nothing calls this code: {finding.reason}"
    return dataclasses.replace(finding, unused=True, reason=reason)


def _real(result: FileResult) -> list[Finding]:
    """The refusals that are no consequence of others."""
    if result.failed:
        return []
    return [f for f in result.findings if f.blocks and f.code != outcomes.PART]


def _trees(files: Iterable[str]) -> dict[str, ast.Module]:
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


def _without(
    result: FileResult, unused: Sequence[Unused], options: Options, core: Core | None
) -> FileResult | None:
    """A file's migration with its unused code as it was; None where it fails.

    One that stays refused is so for what is called.
    """
    data = result.path.read_bytes()
    source = python.decode(data)
    lines = source.text.split("\n")
    text: list[str] = []
    origins: list[int] = []
    at = 0
    for number, one in enumerate(sorted(unused, key=lambda u: u.first)):
        text += lines[at : one.first - 1]
        origins += range(at + 1, one.first)
        indent = one.header[: len(one.header) - len(one.header.lstrip())]
        text += [one.header, f'{indent}    "{_MARK}{number}"']
        origins += [one.first, one.first]
        at = one.last
    text += lines[at:]
    origins += range(at + 1, len(lines) + 1)
    new = pipeline.migrate_bytes(
        result.path, source.encode("\n".join(text)), options, core
    )
    if new.failed:
        return None
    bodies = [
        "\n".join(lines[u.first - 1 : u.last])
        for u in sorted(unused, key=lambda u: u.first)
    ]
    whole = source.text
    if new.changed:
        back = _put_back(python.decode(new.new).text, bodies)
        if back is None:
            return None
        whole = back
    findings = [
        dataclasses.replace(f, line=origins[f.line - 1])
        for f in new.findings
        if f.line <= len(origins)
    ]
    left = [_marked(f) for f in _real(result) if any(u.holds(f.line) for u in unused)]
    if _real(new):
        # What the file has of TensorFlow besides stays with it, part of what is refused.
        places = {(f.line, f.column) for f in (*findings, *left)}
        rest = [f for f in result.findings if (f.line, f.column) not in places]
        rest = [f for f in rest if f.code == outcomes.PART]
        told = tuple(sorted([*findings, *left, *rest]))
        return dataclasses.replace(result, findings=told)
    written = source.encode(whole)
    return dataclasses.replace(
        new,
        old=data if written != data else b"",
        new=written if written != data else b"",
        findings=tuple(sorted([*findings, *left])),
        noted=b"",
    )


def _put_back(text: str, bodies: Sequence[str]) -> str | None:
    """A migrated text with what was left out in its place; None if a place is gone."""
    lines = text.split("\n")
    places = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            mark = ast.get_docstring(node, clean=False) or ""
            if mark.startswith(_MARK):
                places[int(mark.removeprefix(_MARK))] = node
    if sorted(places) != list(range(len(bodies))):
        return None
    for number in sorted(places, key=lambda n: -places[n].lineno):
        node = places[number]
        lines[node.lineno - 1 : node.end_lineno] = bodies[number].split("\n")
    new = "\n".join(lines)
    try:
        ast.parse(new)
    except SyntaxError:
        return None
    return new
