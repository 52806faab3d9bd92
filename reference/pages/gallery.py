"""docs/gallery.md and docs/gallery/: whole programs before and after, with their proof.

A program of the reference suite is shown with the file that its tests compare, any other
with what the tool writes for it now.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator

import nbformat

from migrate.beside import files as beside
from migrate.codes import CODES
from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.pipeline import migrate_bytes
from reference.pages.gallery_differences import find_difference
from reference.pages.gallery_programs import GROUPS, IN_SEVERAL, PROGRAMS, Program

_WRITTEN = "<!-- Written by `python -m reference.pages`; do not edit. -->\n"
_HEAD = """\
This gallery shows thirty whole programs before and after their migration. On each page the left tab is
a TensorFlow 1 program that looks like a user's, and the right tab is what `tf1to2 migrate` writes.
The page names the test that proves that both compute the same. It also gives the largest absolute
difference from TensorFlow 1.15.5 that the test measured. Only the half migrated program is compared with the
same training in one process of TensorFlow 2.

The columns "before" and "after" count the lines of the program. The column "beside" counts the lines of
the [modules beside the program](beside.md), with their docstrings and comments. Several programs of one
directory share these modules.
"""
_TABS = """\
The first tab below shows the {} program. The second tab shows what `tf1to2 migrate` writes for it.
"""
_LATER = """\
## What we would still change

We read each migrated program like a reviewer who has to approve it. We corrected the tool, or we list
the remark here. All listed code computes the right numbers, but a person would have written it in
another way.
"""


@dataclasses.dataclass(frozen=True)
class Shown:
    """A program and what it becomes.

    Attributes:
      before, after: the texts.
      beside: how many lines stand beside it, and in how many files.
      findings: what the tool says of it.
    """

    before: str
    after: str
    beside: tuple[int, int]
    findings: tuple[Finding, ...]


@functools.cache
def _migrate(name: str) -> Shown:
    program = PROGRAMS[name]
    options = Options(estimators=program.estimators)
    text = program.file.read_text("utf-8")
    if program.file.suffix == ".ipynb":
        result = migrate_bytes(program.file, text.encode(), options)
        return _show(
            _join_cells(text), _join_cells(result.new.decode()), tuple(result.findings)
        )
    migration = migrate_text(text, options, program.file.name)
    return _show(text, migration.text, tuple(migration.findings))


def _show(before: str, after: str, findings: tuple[Finding, ...]) -> Shown:
    files = beside.collect_files(after)
    lines = sum(len(data.splitlines()) for data in files.values())
    return Shown(before.rstrip(), after.rstrip(), (lines, len(files)), findings)


def _join_cells(text: str) -> str:
    """The code of a notebook, with a mark where each cell begins."""
    cells = nbformat.reads(text, as_version=4).cells
    return "\n\n".join(f"# %%\n{c.source}" for c in cells if c.cell_type == "code")


def write_entry() -> str:
    """The programs of the gallery, and what is left to do in each."""
    lines = [_WRITTEN + "# Gallery\n", _HEAD]
    for title, programs in GROUPS.items():
        lines.append(f"## {title}\n")
        lines.append(
            "| program | what to look at | before | after | beside | largest difference |"
        )
        lines.append("|---|---|---|---|---|---|")
        for program in programs:
            shown = _migrate(program.name)
            before, after = (len(t.splitlines()) for t in (shown.before, shown.after))
            lines.append(
                f"| [{program.title}](gallery/{program.name}.md) | {program.look} "
                f"| {before} | {after} | {shown.beside[0] or '-'} "
                f"| {find_difference(program)} |"
            )
        lines.append("")
    lines.append(_LATER)
    lines.append("- **In several programs**:")
    lines += [f"    - {text}" for text in IN_SEVERAL]
    for program in PROGRAMS.values():
        if program.later:
            lines.append(f"- **[{program.title}](gallery/{program.name}.md)**:")
            lines += [f"    - {text}" for text in program.later]
    signed = [p.title for p in PROGRAMS.values() if not p.later]
    lines.append(f"\nWe have no remark about these programs: {'; '.join(signed)}.")
    return "\n".join(lines) + "\n"


def write_page(name: str) -> str:
    """One program, before and after."""
    return "\n".join(_page(PROGRAMS[name], _migrate(name))) + "\n"


def _page(program: Program, shown: Shown) -> Iterator[str]:
    yield _WRITTEN + f"# {program.title}\n"
    yield program.look + "\n"
    if program.drawing:
        yield f"![{program.title}](../drawings/{program.drawing}.svg)\n"
    before, after = (len(t.splitlines()) for t in (shown.before, shown.after))
    lines, files = shown.beside
    counted = "1 file" if files == 1 else f"{files} files"
    beside_it = f"{lines} lines in {counted}" if files else "nothing"
    first = "half migrated" if program.half else "TensorFlow 1"
    truth = "one process of TensorFlow 2" if program.half else "TensorFlow 1.15.5"
    yield _TABS.format(first)
    yield f"| | |\n|---|---|\n| lines before | {before} |\n| lines after | {after} |"
    yield f"| modules beside it | {beside_it} |"
    yield f"| largest difference from {truth} | {_tell_difference(program)} |"
    yield f"| proved by | `{program.test}` |\n"
    for tab, code in ((first, shown.before), ("TensorFlow 2", shown.after)):
        indented = "\n".join(f"    {line}".rstrip() for line in code.splitlines())
        yield f'=== "{tab}"\n\n    ```python\n{indented}\n    ```\n'
    if program.later:
        yield "## What we would still change\n"
        yield from (f"- {text}" for text in program.later)
        yield ""
    yield "## What the tool says\n"
    yield "| code | lines of the first tab | meaning |\n|---|---|---|"
    yield from _list_findings(shown.findings)
    option = " with `--estimators estimator`" if program.estimators != "fit" else ""
    yield f"\nThe program is `{program.path}`, migrated{option}."


def _tell_difference(program: Program) -> str:
    found = find_difference(program)
    if program.scenario:
        return f"{found} ([all measurements](../numerics/{program.scenario}.md))"
    return found


def _list_findings(findings: tuple[Finding, ...]) -> Iterator[str]:
    """A row for each code that is no symbol which stays as it is."""
    told = sorted((f for f in findings if f.outcome is not Outcome.KEPT), key=_code_of)
    for code, group in itertools.groupby(told, _code_of):
        lines = ", ".join(dict.fromkeys(str(f.line) for f in group))
        yield f"| {code} | {lines} | {CODES[code].title} |"


def _code_of(finding: Finding) -> str:
    return finding.code
