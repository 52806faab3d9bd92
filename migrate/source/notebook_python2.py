"""Notebooks in Python 2, brought to Python 3 as one program; the kernel with them."""

from __future__ import annotations

import dataclasses

from migrate.findings import Finding, Outcome
from migrate.source import notebook as notebooks
from migrate.source import python2
from migrate.source.notebook import Notebook
from migrate.source.spans import Span, parse

# What a Python 2 kernel's metadata say -> what Python 3's do.
_KERNEL = {
    ("kernelspec", "name"): "python3",
    ("kernelspec", "display_name"): "Python 3",
    ("language_info", "pygments_lexer"): "ipython3",
    ("language_info", "version"): "3",
}


@dataclasses.dataclass(frozen=True)
class Converted:
    """A notebook's JSON text as Python 3, and what was done, at its old lines."""

    old: Notebook
    new: Notebook
    findings: tuple[Finding, ...]

    def map_finding(self, finding: Finding) -> Finding:
        """A finding about the new notebook, at the old one's line."""
        if finding.cell is None or not finding.line:
            return finding
        for old, new in zip(self.old.cells, self.new.cells, strict=True):
            if old.index == finding.cell and old.source != new.source:
                origins = python2.find_origins(old.source, new.source)
                line = origins[min(finding.line, len(origins)) - 1]
                return dataclasses.replace(finding, line=line)
        return finding


def convert_notebook(notebook: Notebook, filename: str) -> Converted | None:
    """The notebook as Python 3; None where neither kernel nor code is Python 2.

    Raises:
      python2.NotConvertible: it is no Python at all.
      notebooks.NotebookChanged: the result cannot be cut into cells again.
    """
    if not (_has_kernel(notebook.raw) or python2.is_python2(notebook.module)):
        return None
    three = python2.convert_module(notebook.module, filename)
    if three is None:
        return None
    written = notebooks.write(notebook, three.text).text
    text = _set_kernel(written)
    findings = list(map(notebook.locate_finding, three.findings))
    if text != written:
        first = notebook.cells[0].index
        reason = "the notebook's kernel is Python 3"
        findings.append(
            Finding(1, 1, "E010", Outcome.REWRITTEN, "", reason, cell=first)
        )
    return Converted(notebook, notebooks.read(text), tuple(findings))


def _has_kernel(text: str) -> bool:
    """Whether a notebook's metadata say that its kernel is Python 2's."""
    metadata = parse(text).get("metadata")
    for group, key, says in (
        ("kernelspec", "name", "python2"),
        ("language_info", "version", "2."),
    ):
        found = metadata.get(group) if metadata else None
        place = found.get(key) if found else None
        if place is not None and str(place.value).startswith(says):
            return True
    return False


def _set_kernel(text: str) -> str:
    """The text, its metadata those of a Python 3 kernel where they were Python 2's."""
    metadata = parse(text).get("metadata")
    edits: list[tuple[Span, str]] = []
    for (group, key), new in _KERNEL.items():
        found = metadata.get(group) if metadata else None
        place = found.get(key) if found else None
        if place is not None and isinstance(place.value, str):
            edits.append((place, f'"{new}"'))
    info = metadata.get("language_info") if metadata else None
    mode = info.get("codemirror_mode") if info else None
    version = mode.get("version") if mode else None
    if version is not None and text[version.start : version.end] == "2":
        edits.append((version, "3"))
    for span, new in sorted(edits, key=lambda e: e[0].start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text
