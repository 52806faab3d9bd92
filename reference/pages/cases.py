"""The cases of `tests/rules`: for a code, a program of which the tool says it.

The tests run them, and docs/rules.md shows of each the line that is meant and what is said.
"""

from __future__ import annotations

import dataclasses
import pathlib
import textwrap

from migrate.compiler import migrate_text
from migrate.findings import Finding

DIRECTORY = pathlib.Path(__file__).parents[2] / "tests" / "rules"


@dataclasses.dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
      code: what is said.
      text: the program.
    """

    code: str
    text: str

    def findings(self) -> list[Finding]:
        """What the tool says of the program with this code."""
        return [f for f in migrate_text(self.text).findings if f.code == self.code]

    def line(self, finding: Finding) -> str:
        """The line that a finding is about."""
        return textwrap.dedent(self.text.splitlines()[finding.line - 1]).strip()


def cases() -> dict[str, Case]:
    """Code -> its case."""
    paths = sorted(DIRECTORY.glob("[A-Z][0-9][0-9][0-9].py"))
    return {p.stem: Case(p.stem, p.read_text("utf-8")) for p in paths}
