"""One file's way: bytes, source, compiler, bytes. Writing and reporting come after."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from migrate import emitted
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome, move_finding
from migrate.ignoring import hide, read_ignored, tell_lost
from migrate.migration import Migration
from migrate.options import Options
from migrate.source import hidden, notebook_python2, python, python2
from migrate.source import notebook as notebooks
from migrate.tables import lost_numpy, lost_python

if TYPE_CHECKING:
    pass

_NO_CODING_LINE = ", and no coding line names another encoding"
Core = Callable[[str, Options, str], Migration]

# A file without these bytes names no TensorFlow symbol, so it is not even decoded.
# (UTF-16 hides them; Python does not read it, which is then said.)
_PREFILTER = b"tensorflow"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


_NO_OPTIONS = Options()


def is_candidate(
    path: pathlib.Path, data: bytes, options: Options = _NO_OPTIONS
) -> bool:
    """Whether a file can need a migration, told from its bytes and the options."""
    if _is_helper(path, data, options):
        return True
    if not _has_tensorflow(path, data, options):
        return data.startswith(_UTF16)
    return not emitted.is_emitted(path, data)


def _is_helper(path: pathlib.Path, data: bytes, options: Options) -> bool:
    """Whether nothing but NumPy's and Python's names are to be looked at in a file."""
    lost = lost_numpy.is_mentioned(data) or lost_python.is_mentioned(data)
    return lost and not _has_tensorflow(path, data, options)


def _has_tensorflow(path: pathlib.Path, data: bytes, options: Options) -> bool:
    python_2 = options.python2 and path.suffix == ".py"
    return _PREFILTER in data or python_2 or _takes_it(path, options)


def _takes_it(path: pathlib.Path, options: Options) -> bool:
    """Whether a file has to do with TensorFlow by way of another one."""
    tree = options.tree
    return tree.takes_from_others and tree.reaches(os.path.realpath(path))


def migrate_bytes(
    path: pathlib.Path, data: bytes, options: Options, core: Core | None = None
) -> FileResult:
    """Migrates one file's bytes; problems of the file are findings, not exceptions.

    Args:
      core: what migrates a module's text; None is the compiler.
    """
    result = _migrate_bytes(path, data, options, core)
    if _is_helper(path, data, options):
        # One that cannot be read is no matter of its program's.
        result = dataclasses.replace(result, helper=True)
        if result.failed or not result.findings:
            result = FileResult(path)
    result = _hide_ignored(result, data)
    if options.notes and not result.failed:
        noted = _write_notes(result, data, options)
        if noted != data:
            new = result.new if result.changed else data
            result = dataclasses.replace(result, old=data, new=new, noted=noted)
    if all(options.reports(f.code) for f in result.findings):
        return result
    findings = (
        dataclasses.replace(f, hidden=f.hidden or not options.reports(f.code))
        for f in result.findings
    )
    return dataclasses.replace(result, findings=tuple(findings))


def _hide_ignored(result: FileResult, data: bytes) -> FileResult:
    """A file's result; what comments of the file ask not to be told is hidden."""
    if b"tf1to2" not in data.lower():
        return result
    try:
        text = python.decode(data).text
        sources: dict[int | None, str] = {None: text}
        if result.path.suffix == ".ipynb":
            sources = {c.index: c.source for c in notebooks.read(text).cells}
        findings = [f for f in result.findings if f.cell not in sources]
        for cell, source in sources.items():
            ignored = read_ignored(source)
            own = [f for f in result.findings if f.cell == cell]
            findings += [*hide(own, ignored), *tell_lost(ignored, cell)]
    except (ValueError, python.Unreadable):
        return result
    return dataclasses.replace(result, findings=_sort_findings(findings))


def _write_notes(result: FileResult, data: bytes, options: Options) -> bytes:
    """A file with its refusals as comments, or as it is where it cannot have them."""
    from migrate.rewriting.apply import add_refusal_notes  # libcst is slow to import.

    try:
        source = python.decode(data)
        if result.path.suffix != ".ipynb":
            return source.encode(
                add_refusal_notes(source.text, result.findings, options)
            )
        notebook = notebooks.read(source.text)
        lines = {cell.index: cell.line for cell in notebook.cells}
        findings = [
            dataclasses.replace(f, line=f.line + lines[f.cell])
            for f in result.findings
            if f.cell in lines and f.code != "E007"
        ]
        module = add_refusal_notes(notebook.module, findings, options)
        told = options.reports("E007")
        written = notebooks.write(
            notebook, module, lambda cell: hidden.apply_cell(cell, False, told)
        )
        return source.encode(written.text)
    except (ValueError, SyntaxError, RecursionError, python.Unreadable):
        return data  # Python 2, or cells that cannot be cut.


def _migrate_bytes(
    path: pathlib.Path, data: bytes, options: Options, core: Core | None
) -> FileResult:
    unchanged = FileResult(path)
    if not is_candidate(path, data, options):
        return unchanged
    python3 = b""
    try:
        source = python.decode(data)
        if path.suffix == ".ipynb":
            before, text, findings, support = _migrate_notebook_of_any_age(
                path, source.text, options, core
            )
            if before != source.text and text != source.text:
                python3 = source.encode(before)
        elif options.python2 and (three := _convert_to_python3(source.text, path)):
            text, findings, support = _migrate_module(
                three.text, str(path), options, core
            )
            findings = _join_findings(three, findings)
            if any(f.outcome is Outcome.FAILED for f in findings):
                return FileResult(path, findings=findings)
            python3 = source.encode(three.text)
        else:
            python.check_syntax(source.text)
            text, findings, support = _migrate_module(
                source.text, str(path), options, core
            )
        if text == source.text:
            return FileResult(path, findings=findings)
        new = source.encode(text)
        result = FileResult(path, data, new, findings, python3=python3)
        if options.runtime == "package":
            return dataclasses.replace(result, installed=support)
        at = _find_support(path, options)
        return dataclasses.replace(result, support=support, support_at=at)
    except python.Unreadable as error:
        finding = error.finding
        if path.suffix == ".ipynb" and finding.code == "E002":
            # JSON has no coding line: a notebook is UTF-8, whatever its cells say.
            reason = finding.reason.removesuffix(_NO_CODING_LINE)
            finding = dataclasses.replace(
                finding, reason=reason, recipe="Save the notebook as UTF-8."
            )
        if options.python2 and finding.code == "E004":
            recipe = finding.recipe.removesuffix(python.USE_PYTHON2).strip()
            recipe = recipe or "Correct it first: --python2 cannot convert it."
            finding = dataclasses.replace(finding, recipe=recipe)
        return FileResult(path, findings=(finding,))
    except (RecursionError, MemoryError):
        return unchanged.mark_failed("E001", "nested too deeply to be analysed")
    except UnicodeEncodeError as error:
        return unchanged.mark_failed(
            "E002",
            f"the result does not fit {error.encoding}",
            "Save the file as UTF-8.",
        )


def _find_support(path: pathlib.Path, options: Options) -> str:
    """Returns the directory of a file's emitted modules, from its own directory."""
    real = os.path.realpath(path)
    home = options.tree.homes.get(real)
    directory = os.path.dirname(real)
    if home is None or home.directory == directory:
        return ""
    return os.path.relpath(home.directory, directory)


def _convert_to_python3(text: str, path: pathlib.Path) -> python2.Converted | None:
    """A Python 2 module as Python 3, or None where it is none, or is ours."""
    from migrate.compiler import is_own_output  # libcst is slow to import.

    try:
        if is_own_output(text, str(path)):
            return None
        three = python2.convert_module(text, str(path))
        return three and python2.mark_as_python3(three, text, str(path))
    except python2.NotConvertible:
        return None  # Why it is no Python 3 is said by who parses it.


def _join_findings(
    three: python2.Converted, findings: Iterable[Finding]
) -> tuple[Finding, ...]:
    """Joins the findings of the conversion to Python 3 with those of the migration."""
    moved = (
        move_finding(f, three.origins) for f in findings if f.line <= len(three.origins)
    )
    return _sort_findings([*three.findings, *moved])


def _load_compiler() -> Core:
    from migrate.compiler import migrate_text  # libcst is slow to import.

    return migrate_text


_Result = tuple[str, tuple[Finding, ...], tuple[str, ...]]


def _migrate_module(
    text: str, filename: str, options: Options, core: Core | None
) -> _Result:
    core = core or _load_compiler()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The user's own "\d" is not our matter.
            migration = core(text, options, filename)
            findings = tuple(_count_columns_in_characters(migration.findings, text))
            if any(f.outcome is Outcome.FAILED for f in findings):
                return text, findings, ()
            if migration.text != text:
                beside = options.prepare_second_run(migration.support)
                again = core(migration.text, beside, filename)
                if again.text != migration.text:
                    if any(f.blocks for f in findings):
                        return text, findings, ()  # It stays as it was.
                    reason = "migrating the result again would change it"
                    failed = Finding(1, 1, "G009", Outcome.FAILED, "", reason)
                    return text, (*findings, failed), ()
    except (RecursionError, MemoryError):
        raise
    except Exception as error:  # A fault of ours must not cost the user the run.
        from libcst import ParserSyntaxError  # It is slow to import.

        if isinstance(error, ParserSyntaxError):
            python.check_indentation(text)
        reason = f"internal error, please report it: {type(error).__name__}: {error}"
        return text, (Finding(1, 1, "G009", Outcome.FAILED, "", reason),), ()
    return migration.text, findings, _select_needed_files(migration)


def _select_needed_files(migration: Migration) -> tuple[str, ...]:
    """Selects the emitted files that the result really imports."""
    if not migration.support:
        return ()
    from migrate.beside.files import collect_files

    return tuple(collect_files(migration.text))


def _count_columns_in_characters(
    findings: Iterable[Finding], text: str
) -> Iterable[Finding]:
    """Columns as an editor counts them; `ast` counts UTF-8 bytes."""
    lines = [] if text.isascii() else text.split("\n")
    for finding in findings:
        line = lines[finding.line - 1] if finding.line <= len(lines) else ""
        if not line.isascii():
            before = line.encode()[: finding.column - 1].decode(errors="ignore")
            finding = dataclasses.replace(finding, column=len(before) + 1)
        yield finding


def _sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: (f.cell or 0, f.line, f.column)))


def _report_joined_cells(
    notebook: notebooks.Notebook, written: notebooks.Written
) -> Iterator[Finding]:
    shows = {cell.index for cell in notebook.cells if cell.shows}
    for cell, into in written.joined.items():
        reason = (
            f"the program needs this cell's code in one place: it is in cell {into + 1}"
        )
        if cell in written.displays:
            reason += "; display(...) shows what it displayed by ending in it"
        elif cell in shows:
            reason += (
                "; what it displayed by ending in an expression takes display(...)"
            )
        yield Finding(1, 1, "S130", Outcome.REWRITTEN, "", reason, cell=cell)


def _migrate_notebook_of_any_age(
    path: pathlib.Path, text: str, options: Options, core: Core | None
) -> tuple[str, str, tuple[Finding, ...], tuple[str, ...]]:
    """The notebook as Python 3, and then migrated; what was done at its own lines."""
    three = None
    if options.python2:
        with contextlib.suppress(ValueError, python2.NotConvertible):
            # What it is instead is said by who reads it.
            three = notebook_python2.convert_notebook(notebooks.read(text), str(path))
    if three is None:
        return text, *_migrate_notebook(path, text, options, core)
    new, found, support = _migrate_notebook(path, three.new.raw, options, core)
    findings = _sort_findings([*three.findings, *map(three.map_finding, found)])
    if any(f.outcome is Outcome.FAILED for f in found):
        return text, text, findings, ()
    return three.new.raw, new, findings, support


def _migrate_notebook(
    path: pathlib.Path, text: str, options: Options, core: Core | None
) -> _Result:
    try:
        notebook = notebooks.read(text)
    except ValueError as error:
        reason = f"not a notebook: {error}"
        raise python.Unreadable(
            Finding(1, 1, "E003", Outcome.FAILED, "", reason)
        ) from None
    if not any(_PREFILTER.decode() in cell.source for cell in notebook.cells):
        return text, (), ()
    notebooks.check_cells(notebook)
    new, found, support = _migrate_module(notebook.module, str(path), options, core)
    if any(f.outcome is Outcome.FAILED for f in found):
        return text, _sort_findings([*map(notebook.locate_finding, found)]), ()
    files = [_migrate_written_file(c, path, options, core) for c in notebook.cells]
    of_files = [f for one in files for f in one.findings]
    migrated = (notebook.imports_tensorflow or bool(of_files)) and not any(
        f.outcome is Outcome.REFUSED for f in (*found, *of_files)
    )
    findings = _sort_findings(
        [
            *map(notebook.locate_finding, found),
            *of_files,
            *notebooks.find_hidden(notebook, migrated),
        ]
    )
    sources = {one.old: one.new for one in files if one.new}
    needed = {*support, *(name for one in files for name in one.support)}

    def migrate_cell(source: str) -> str:
        return sources.get(source) or hidden.apply_cell(
            source, migrated, options.reports("E007")
        )

    try:
        written = notebooks.write(notebook, new, migrate_cell)
    except notebooks.NotebookChanged as error:
        failed = Finding(1, 1, "G005", Outcome.FAILED, "", str(error), cell=0)
        return text, (*findings, failed), ()
    if moved := _check_cell_order(notebook, written.text):
        refused = [f for f in findings if f.outcome is Outcome.REFUSED]
        return (
            text,
            _sort_findings([*map(notebook.locate_finding, moved), *refused]),
            (),
        )
    return (
        written.text,
        (*findings, *_report_joined_cells(notebook, written)),
        tuple(sorted(needed)),
    )


def _check_cell_order(
    notebook: notebooks.Notebook, written: str
) -> tuple[Finding, ...]:
    """Refuses new cells that would behave differently from the old ones."""
    from migrate.gates.judgement import find_refusals

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return find_refusals(notebook.module, notebooks.read(written).module)


@dataclasses.dataclass(frozen=True)
class _WrittenFile:
    """A cell that writes a program (%%writefile): its source before and after.

    `new` is empty where the cell is left.
    """

    old: str = ""
    new: str = ""
    findings: tuple[Finding, ...] = ()
    support: tuple[str, ...] = ()


def _migrate_written_file(
    cell: notebooks.Cell, path: pathlib.Path, options: Options, core: Core | None
) -> _WrittenFile:
    name = hidden.find_written_file(cell.source)
    program = cell.source.partition("\n")[2] + "\n"
    if name is None or _PREFILTER.decode() not in program:
        return _WrittenFile()
    target = path.parent / name
    try:
        python.check_syntax(program)
        new, found, support = _migrate_module(program, str(target), options, core)
    except python.Unreadable as error:
        new, found, support = program, (error.finding,), ()
    beside = options.runtime == "beside"
    if support and beside and target.parent != path.parent:
        reason = "the program needs modules beside it, which a notebook cannot write"
        recipe = "Migrate it as a file of its own."
        left = Finding(0, 1, "E007", Outcome.REFUSED, "", reason, recipe)
        new, found, support = program, (left,), ()
    source = "" if new == program else hidden.replace_file(cell.source, new)
    findings = []
    below = range(2, program.count("\n") + 3)
    for finding in found:
        # The notebook itself is none the worse for a program that cannot be read.
        left_whole = finding.outcome is Outcome.FAILED or finding.line == 0
        outcome = Outcome.REFUSED if left_whole else finding.outcome
        if left_whole and options.reports(finding.code):
            source = hidden.add_note(cell.source, finding.code, finding.reason)
        moved = move_finding(finding, below)
        told = dataclasses.replace(moved, cell=cell.index, outcome=outcome)
        findings.append(dataclasses.replace(told, line=finding.line + 1))
    return _WrittenFile(cell.source, source, tuple(findings), support)
