"""The migration of programs with their modules, and of these modules."""

from __future__ import annotations

import ast
import dataclasses
import os
import re
from collections.abc import Callable, Iterable

from migrate.findings import Finding, Outcome, move_finding, rename_lines
from migrate.migration import Migration
from migrate.options import Options
from migrate.parts.program import Parts, Settled, Together

# The line that a module begins with whose code stands in its programs.
MARK = "# tf1to2: what this module defines stands, migrated, in "
_MARKED = re.compile(rf"\A(?:#.*\n)*{re.escape(MARK)}")
_FIRST_LINES = re.compile(r"\A(?:#!.*\n)?(?:#.*coding[:=].*\n)?")


Migrate = Callable[[str, str, Options], Migration]


def is_marked(text: str) -> bool:
    """Whether a module says that its code stands elsewhere."""
    return MARK in text and bool(_MARKED.match(text))


def migrate_parts(
    text: str,
    path: str,
    parts: Parts,
    migrate: Migrate,
    options: Options,
    uses: Callable[[], Iterable[Finding]],
) -> Migration | None:
    """The migration of a program with its modules, or of one of its modules.

    None if the file is neither, or if it is refused in this form, too. Then
    `tell_refusals_of_the_whole` gives the reasons.

    Args:
      path: the file's real path.
      migrate: what migrates the text of a file.
      options: of the run.
      uses: a module's uses of TensorFlow, as findings.
    """
    whole = parts.programs.get(path)
    if whole is not None and whole.original == text:
        return settle_program(parts, path, migrate, options).migration
    users = parts.users.get(path, ())
    if not users:
        return None
    for user in users:
        if settle_program(parts, user, migrate, options).migration is None:
            return None
    script = find_script(text)
    told = list(uses())
    if script is not None:
        alone = migrate(text, path, options)
        loud = (Outcome.REFUSED, Outcome.FAILED)
        if not any(f.outcome in loud for f in alone.findings):
            return alone
        told.append(script)
    names = [parts.shown[user] for user in users]
    mark = f"{MARK}{', '.join(names)}.\n"
    first = _FIRST_LINES.match(text)
    at = first.end() if first else 0
    return Migration(text[:at] + mark + text[at:], tuple(told))


def find_script(text: str) -> Finding | None:
    """Returns the warning that a module is also a script, and stays TensorFlow 1."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.If) and any(
            isinstance(node, ast.Name) and node.id == "__name__"
            for node in ast.walk(statement.test)
        ):
            return Finding(
                statement.lineno,
                statement.col_offset + 1,
                "S130",
                Outcome.WARNED,
                "",
                "this file is also a program by itself, and as such it is still "
                "TensorFlow 1",
                "Start the programs that contain its code. Or move this part into "
                "a file that imports nothing else of them.",
            )
    return None


def settle_program(
    parts: Parts, path: str, migrate: Migrate, options: Options
) -> Settled:
    """Migrates a program with its modules, unless that is already done."""
    if path in parts.settled:
        return parts.settled[path]
    return _migrate_whole(parts.programs[path], path, migrate, options)


def tell_refusals_of_the_whole(
    alone: Migration, path: str, parts: Parts, migrate: Migrate, options: Options
) -> Migration:
    """Returns a refused file's migration with the reasons of its whole program.

    A file alone may be refused only because its imports were not read: a feed of
    `model.x` where another file defines the model. Such reasons are not told.
    """
    if not any(f.outcome is Outcome.REFUSED for f in alone.findings):
        return alone
    programs = (path,) if path in parts.programs else parts.users.get(path, ())
    settled = [settle_program(parts, p, migrate, options) for p in programs]
    if not any(s.refusals for s in settled):
        return alone
    true = {
        (f.line, f.code, f.symbol): f for s in settled for f in s.refusals.get(path, ())
    }
    told = {(f.line, f.symbol) for f in true.values()}
    rest = [
        _mark_as_part_of_refused(f) if f.outcome is Outcome.REFUSED else f
        for f in alone.findings
        if (f.line, f.symbol) not in told and (f.symbol or not f.blocks)
    ]
    return dataclasses.replace(alone, findings=tuple(sorted([*true.values(), *rest])))


def _mark_as_part_of_refused(finding: Finding) -> Finding:
    return dataclasses.replace(
        finding,
        code="N100",
        reason="part of a program that was refused",
        recipe="",
        target="",
    )


def _migrate_whole(
    whole: Together, path: str, migrate: Migrate, options: Options
) -> Settled:
    """Migrates a program and its modules as one text.

    There is no migration if the program is refused, if it stays a program of
    TensorFlow 1 that runs through compat.v1 (its own files do so, too), or if a second
    run would change the result.
    """
    from migrate.outcomes import runs_graph  # It imports what imports this.

    found = migrate(whole.text, path, options)
    if any(f.outcome in (Outcome.REFUSED, Outcome.FAILED) for f in found.findings):
        if whole.bare is not None:
            bare = _migrate_whole(whole.bare, path, migrate, options)
            if bare.refusals:
                return bare
        return Settled(None, _group_refusals_by_file(found, whole))
    if any(runs_graph(f) for f in found.findings):
        return Settled(None)
    again = migrate(found.text, path, options.prepare_second_run(found.support))
    if again.text != found.text:
        return Settled(None)
    own = [
        move_finding(f, whole.origins)
        for f in found.findings
        if whole.origins[f.line - 1]
    ]
    told = [
        Finding(
            line,
            1,
            "S130",
            Outcome.REWRITTEN,
            module,
            f"`{module}` builds what the session runs, so its code is now here",
        )
        for line, module in whole.imports
    ]
    return Settled(Migration(found.text, tuple(sorted([*told, *own])), found.support))


def _place_in_file(finding: Finding, whole: Together, path: str) -> Finding:
    """A finding at its line of a file; lines of other files follow these' names."""

    def find_place(number: int) -> str:
        known = 0 < number <= len(whole.places)
        of, line = whole.places[number - 1] if known else ("", 0)
        shown = f"line {line}" if of else ""
        return shown if of in (path, "") else f"{os.path.basename(of)}, {shown}"

    return dataclasses.replace(
        finding,
        line=whole.places[finding.line - 1][1],
        reason=rename_lines(finding.reason, find_place),
        recipe=rename_lines(finding.recipe, find_place),
    )


def _group_refusals_by_file(
    found: Migration, whole: Together
) -> dict[str, tuple[Finding, ...]]:
    """Groups the refusals by file, at their lines in these files.

    None if one is at a line that no file has: then the merged text is to blame.
    """
    by_file: dict[str, list[Finding]] = {}
    for finding in found.findings:
        if finding.outcome is Outcome.FAILED:
            return {}
        if finding.blocks and finding.code != "N100":
            path, _ = whole.places[finding.line - 1]
            if not path:
                return {}
            told = _place_in_file(finding, whole, path)
            by_file.setdefault(path, []).append(told)
    return {path: tuple(told) for path, told in by_file.items()}
