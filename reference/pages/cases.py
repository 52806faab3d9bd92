"""The cases of `tests/rules`: for a code, a program of which the tool says it.

The tests run them, and the code's page shows them. A code may have several: `N150_layer.py`
is one of N150.
"""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import textwrap

from migrate.compiler import migrate_text
from migrate.findings import Finding
from migrate.migration import Migration

DIRECTORY = pathlib.Path(__file__).parents[2] / "tests" / "rules"


@functools.cache
def _migrate(text: str) -> Migration:
    return migrate_text(text)


@dataclasses.dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
      name: of its file.
      text: the program.
    """

    name: str
    text: str

    @property
    def code(self) -> str:
        """The code of the finding."""
        return self.name[:4]

    def findings(self) -> list[Finding]:
        """Returns the findings of the program that have this code."""
        return [f for f in _migrate(self.text).findings if f.code == self.code]

    def line(self, finding: Finding) -> str:
        """The line that a finding is about."""
        return textwrap.dedent(self.text.splitlines()[finding.line - 1]).strip()


def cases() -> dict[str, Case]:
    """Name -> case."""
    paths = sorted(DIRECTORY.glob("[A-Z][0-9][0-9][0-9]*.py"))
    return {p.stem: Case(p.stem, p.read_text("utf-8")) for p in paths}
