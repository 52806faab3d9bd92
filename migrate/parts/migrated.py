"""The migration of programs with their modules, and of these modules."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable

from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.options import Options
from migrate.parts.program import Parts, Together

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

    None where the file is neither, or where it is refused in this form, too.

    Args:
      path: the file's real path.
      migrate: what migrates the text of a file.
      options: of the run.
      uses: a module's uses of TensorFlow, as findings.
    """
    whole = parts.programs.get(path)
    if whole is not None and whole.original == text:
        return program(parts, path, migrate, options)
    users = parts.users.get(path, ())
    if not users:
        return None
    for user in users:
        if program(parts, user, migrate, options) is None:
            return None
    names = [parts.shown[user] for user in users]
    mark = f"{MARK}{', '.join(names)}.\n"
    first = _FIRST_LINES.match(text)
    at = first.end() if first else 0
    return Migration(text[:at] + mark + text[at:], tuple(uses()))


def program(
    parts: Parts, path: str, migrate: Migrate, options: Options
) -> Migration | None:
    """A program's migration with its modules; None where it is refused in this form."""
    if path in parts.settled:
        return parts.settled[path]
    return _migrate_whole(parts.programs[path], path, migrate, options)


def _migrate_whole(
    whole: Together, path: str, migrate: Migrate, options: Options
) -> Migration | None:
    """What is found in a program's own lines, and what stands where it was imported.

    None where it is refused, where it stays a program of TensorFlow 1 that runs through
    compat.v1 (its own files do so, too), or where a second run would change the result.
    """
    from migrate.outcomes import runs_graph  # It imports what imports this.

    found = migrate(whole.text, path, options)
    if any(f.outcome in (Outcome.REFUSED, Outcome.FAILED) for f in found.findings):
        return None
    if any(runs_graph(f) for f in found.findings):
        return None
    again = migrate(found.text, path, options.again(found.support))
    if again.text != found.text:
        return None
    own = [
        dataclasses.replace(f, line=whole.origins[f.line - 1])
        for f in found.findings
        if whole.origins[f.line - 1]
    ]
    told = [
        Finding(
            line,
            1,
            "S180",
            Outcome.REWRITTEN,
            module,
            f"`{module}` builds what the session runs; its code stands here now",
        )
        for line, module in whole.imports
    ]
    return Migration(found.text, tuple(sorted([*told, *own])), found.support)
