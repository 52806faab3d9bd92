"""One file's way: bytes, source, compiler, bytes. Writing and reporting come after."""

from __future__ import annotations

import dataclasses
import importlib.resources
import pathlib

from migrate.findings import Finding, Outcome
from migrate.migration import Options
from migrate.source import notebook as notebooks
from migrate.source import python

_PREFILTER = b"tensorflow"


@dataclasses.dataclass(frozen=True)
class FileResult:
    """What became of one file.

    Attributes:
      path: the file.
      old, new: its bytes before and after; equal where nothing changes.
      findings: every TF1 construct in it, or why it failed.
      support: emitted modules it needs beside it.
    """

    path: pathlib.Path
    old: bytes
    new: bytes
    findings: tuple[Finding, ...] = ()
    support: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return self.old != self.new

    @property
    def failed(self) -> bool:
        return any(f.outcome is Outcome.FAILED for f in self.findings)


def migrate_bytes(path: pathlib.Path, data: bytes, options: Options) -> FileResult:
    """Migrates one file's bytes; problems of the file are findings, not exceptions."""
    if _PREFILTER not in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return FileResult(path, data, data)
    try:
        source = python.decode(data)
        if path.suffix == ".ipynb":
            return _notebook(path, data, source, options)
        new, findings, support = _module(source.text, str(path), options)
        changed = new != source.text
        return FileResult(
            path, data, source.encode(new) if changed else data, findings, support
        )
    except python.Unreadable as error:
        return FileResult(path, data, data, (error.finding,))
    except RecursionError:
        return _failure(path, data, "E005", "nested too deeply to be analysed")
    except UnicodeEncodeError as error:
        return _failure(path, data, "E002", f"the result does not fit {error.encoding}")


def _failure(path: pathlib.Path, data: bytes, code: str, reason: str) -> FileResult:
    return FileResult(
        path, data, data, (Finding(1, 1, code, Outcome.FAILED, "", reason),)
    )


def _module(
    text: str, filename: str, options: Options
) -> tuple[str, tuple[Finding, ...], tuple[str, ...]]:
    from migrate.compiler import migrate_text

    python.check_syntax(text, filename)
    try:
        migration = migrate_text(text, options, filename)
        if migration.text != text:
            again = migrate_text(migration.text, options, filename)
            if again.text != migration.text:
                reason = "migrating the result again would change it"
                failed = Finding(1, 1, "G004", Outcome.FAILED, "", reason)
                return text, (*migration.findings, failed), ()
    except RecursionError:
        raise
    except Exception as error:  # A fault of ours must not cost the user the run.
        reason = f"internal error, please report it: {type(error).__name__}: {error}"
        return text, (Finding(1, 1, "G009", Outcome.FAILED, "", reason),), ()
    return migration.text, tuple(migration.findings), tuple(migration.support)


def _notebook(
    path: pathlib.Path, data: bytes, source: python.SourceText, options: Options
) -> FileResult:
    try:
        notebook = notebooks.read(source.text)
    except ValueError as error:
        return _failure(path, data, "E003", f"not a notebook: {error}")
    module = notebook.module

    def located(finding: Finding) -> Finding:
        cell, line = notebooks.cell_of(module, finding.line)
        return dataclasses.replace(finding, line=line, cell=cell)

    try:
        new, findings, support = _module(module, str(path), options)
    except python.Unreadable as error:
        raise python.Unreadable(located(error.finding)) from None
    located_findings = tuple(located(f) for f in findings)
    if new == module:
        return FileResult(path, data, data, located_findings)
    try:
        text = notebooks.write(notebook, new)
    except notebooks.NotebookChanged as error:
        failed = Finding(1, 1, "G005", Outcome.FAILED, "", str(error), cell=0)
        return FileResult(path, data, data, (*located_findings, failed))
    return FileResult(path, data, source.encode(text), located_findings, support)


def support_source(name: str) -> bytes:
    """The bytes of an emitted module."""
    return importlib.resources.files("migrate.support").joinpath(name).read_bytes()
