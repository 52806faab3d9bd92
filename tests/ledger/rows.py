"""Rows of the ledger: one proof each, in a readable file for each kind of proof."""

from __future__ import annotations

import dataclasses
import hashlib
import pathlib
from collections.abc import Collection, Iterable, Mapping

PROOFS = pathlib.Path(__file__).parent / "proofs"
# The kind of rows of whole modules, see `modules`.
MODULES = "modules"
_HEADER = (
    "# Written by pytest, never by hand: see docs/contributing.md.\n"
    "# proof | verdict | largest difference | seconds | date | versions | reads | key"
    " | seal\n"
)


class EditedByHand(ValueError):
    """A row whose seal is not that of its text."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One proof that was made.

    Attributes:
      proof: the test's id.
      verdict: "equal", "caught" (a planted fault) or "holds".
      difference: the largest that was measured, "" where nothing is numeric; of a module
        which of its tests always run.
      seconds: how long the proof took.
      date: the day, as 2026-11-23.
      versions: of what computed it.
      reads: committed files that the test read, relative to the root.
      key: the digest of everything that the verdict depends on.
    """

    proof: str
    verdict: str
    difference: str
    seconds: float
    date: str
    versions: str
    reads: tuple[str, ...]
    key: str

    @property
    def kind(self) -> str:
        return kind_of(self.proof)

    @property
    def package(self) -> str:
        """The test package that the proof is of, "programs" or "migrate.frontends"."""
        if self.kind == MODULES:
            return MODULES
        return ".".join(self.kind.split(".")[:-1][:2])

    def line(self) -> str:
        """The row's text, sealed."""
        text = self._text()
        return f"{text} | {_seal(text)}"

    def _text(self) -> str:
        return " | ".join(
            (
                self.proof.replace("|", "\\x7c"),  # pytest writes line ends as `\\n`.
                self.verdict,
                self.difference,
                f"{self.seconds:.1f}",
                self.date,
                self.versions,
                " ".join(self.reads),
                self.key,
            )
        )


def kind_of(proof: str) -> str:
    """The kind of a proof: its test module, "programs.test_shapes".

    Rows of whole modules are together.
    """
    if "::" not in proof:
        return MODULES
    path = proof.partition("::")[0].removesuffix(".py").removeprefix("tests/")
    return path.replace("/", ".")


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def parse(line: str) -> Row:
    """The row of a line.

    Raises:
      EditedByHand: its text is not the one that was sealed.
    """
    text, _, seal = line.rstrip("\n").rpartition(" | ")
    fields = text.split(" | ")
    if seal != _seal(text) or len(fields) != 8:
        raise EditedByHand(f"a row of the ledger was edited by hand: {line[:100]}")
    proof, verdict, difference, seconds, date, versions, reads, key = fields
    return Row(
        proof.replace("\\x7c", "|"),
        verdict,
        difference,
        float(seconds),
        date,
        versions,
        tuple(reads.split()),
        key,
    )


def read(directory: pathlib.Path = PROOFS) -> tuple[dict[str, Row], list[str]]:
    """The rows by proof, and what is wrong with lines that are not taken."""
    rows: dict[str, Row] = {}
    wrong = []
    for path in sorted(directory.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("#"):
                continue
            try:
                row = parse(line)
            except EditedByHand as error:
                wrong.append(f"{path.name}: {error}")
            else:
                rows[row.proof] = row
    return rows, wrong


def write(rows: Iterable[Row], directory: pathlib.Path = PROOFS) -> None:
    """Writes all rows; files of kinds that are gone are removed, others left alone."""
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        kinds.setdefault(row.kind, []).append(row)
    directory.mkdir(exist_ok=True)
    for path in directory.glob("*.txt"):
        if path.stem not in kinds:
            path.unlink()
    for kind, members in kinds.items():
        lines = [row.line() for row in sorted(members, key=lambda row: row.proof)]
        text = _HEADER + "\n".join(lines) + "\n"
        path = directory / f"{kind}.txt"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def updated(
    old: Mapping[str, Row],
    made: Mapping[str, Row],
    failed: Collection[str],
    collected: Collection[str] | None,
    refresh: bool = False,
) -> dict[str, Row]:
    """The rows after a run.

    Args:
      made: proofs that were made live, and held.
      failed: tests that failed: their rows go.
      collected: all tests there are, where all were asked for; rows of others go.
      refresh: rows whose key did not change are replaced, too.
    """
    rows = {proof: row for proof, row in old.items() if proof not in failed}
    for proof, row in made.items():
        if refresh or proof not in rows or rows[proof].key != row.key:
            rows[proof] = row
    if collected is not None:
        rows = {proof: row for proof, row in rows.items() if proof in collected}
    return rows
