"""The programs of the corpus: what the tool makes of each, and whether it starts.

A program is a module that is run as `__main__`, tests left out, and all that it imports
from its package. The tool looks at the files that a package's programs load, once. Each
program is then settled with its own files alone, as if the user had named only these.
"""

from __future__ import annotations

import configparser
import dataclasses
import os
import pathlib
import shutil
from collections.abc import Iterator, Sequence

from migrate import outcomes, run
from migrate.facts.trees.programs import Imports
from migrate.fallback.run import CompatFallback
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.outcomes import Status
from tests.corpus.packages import Package, unpacked

# What is recorded of a program that can be started.
STARTS = "starts"
# What the fallback says where a file cannot run in graph mode, and gates of its result.
_LOST, _GATES = "T151", "G00"
_BEST_FIRST = (Status.MIGRATED, Status.COMPAT, Status.REFUSED, Status.FAILED)


@dataclasses.dataclass(frozen=True)
class Entry:
    """A module that somebody starts.

    Attributes:
      module: its dotted name.
      files: itself and what it imports, of its package; relative to the package's root.
    """

    module: str
    files: tuple[pathlib.Path, ...]


@dataclasses.dataclass(frozen=True)
class Program:
    """The outcome of one program.

    Attributes:
      module: the entry point.
      files: how many it loads.
      concerned: how many of them have something to migrate.
      status: a `Status`'s value; "" if nothing of it is TensorFlow 1.
      reason: why it is not migrated.
      fallback: the result of `--fallback compat` for a refused one.
      lost: why the fallback refuses it, too.
    """

    module: str
    files: int
    concerned: int
    status: str
    reason: str = ""
    fallback: str = ""
    lost: str = ""


@dataclasses.dataclass(frozen=True)
class Settled:
    """A program, and the files that are written for it."""

    program: Program
    results: tuple[FileResult, ...]


def find_entries(root: pathlib.Path) -> list[Entry]:
    """The programs of an unpacked wheel: what its metadata names, and what tests `__name__`."""
    root = root.resolve()
    files = {str(path): path for path in sorted(root.rglob("*.py"))}
    imports = Imports(files)
    named = set(_console_scripts(root))
    found = []
    for real, path in files.items():
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        if _is_test(path) or not (
            module in named or imports.starts(real, imported=True)
        ):
            continue
        # `python -m a.b.c` loads what a and a.b are first.
        above = [p / "__init__.py" for p in path.parents if root in p.parents]
        begun = [real, *(str(p) for p in above if str(p) in files)]
        reached = {p for start in begun for p in imports.reach(start)}
        loaded = sorted(map(pathlib.Path, reached))
        found.append(Entry(module, tuple(p.relative_to(root) for p in loaded)))
    return found


def _is_test(path: pathlib.Path) -> bool:
    return "test" in path.stem.split("_")


def _console_scripts(root: pathlib.Path) -> Iterator[str]:
    """The modules of the commands that installing the wheel makes."""
    for path in root.glob("*.dist-info/entry_points.txt"):
        parser = configparser.ConfigParser()
        parser.read(path, "utf-8")
        if parser.has_section("console_scripts"):
            for _, target in parser.items("console_scripts"):
                yield target.partition(":")[0].strip()


def measure(package: Package, where: pathlib.Path) -> list[Settled]:
    """Settles a package's programs; their files are copied below `where`."""
    root = unpacked(package, where)
    return settle_programs(root, find_entries(root), where / "programs" / package.name)


def settle_programs(
    root: pathlib.Path, entries: Sequence[Entry], where: pathlib.Path
) -> list[Settled]:
    """Settles each program of a package; copies the files they load into `where`."""
    if not entries:
        return []
    for name in sorted({file for entry in entries for file in entry.files}):
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, where / name)
    results: dict[str, FileResult] = {}

    def keep(result: FileResult) -> FileResult:
        results[os.path.realpath(result.path)] = result
        return result

    # `keep` sees each file's own result, before those of one program are held back.
    run.run_programs([where], prepare=keep)
    own = {
        entry.module: [results[os.path.realpath(where / f)] for f in entry.files]
        for entry in entries
    }
    first = {module: _settle(module, group) for module, group in own.items()}
    lost = _find_lost(
        [r for m, one in first.items() if _is_refused(one) for r in own[m]], where
    )
    return [
        _settle_again(one, own[module], lost, where) if _is_refused(one) else one
        for module, one in first.items()
    ]


def _is_refused(one: Settled) -> bool:
    return one.program.status == Status.REFUSED.value


def _settle(
    module: str, group: Sequence[FileResult], fallback: outcomes.Fallback | None = None
) -> Settled:
    settled = [r for unit in outcomes.settle(group, fallback) for r in unit]
    found = sorted(
        outcomes.list_programs(settled), key=lambda p: _BEST_FIRST.index(p.status)
    )
    if not found:
        return Settled(Program(module, len(group), 0, ""), tuple(settled))
    worst = found[-1]
    reason = _say(*worst.reason) if worst.reason is not None else ""
    concerned = sum(len(p.results) for p in found)
    program = Program(module, len(group), concerned, worst.status.value, reason)
    return Settled(program, tuple(settled))


def _settle_again(
    one: Settled,
    group: Sequence[FileResult],
    lost: dict[pathlib.Path, Finding],
    where: pathlib.Path,
) -> Settled:
    """A refused program with `--fallback compat`."""
    why = next(((r.path, lost[r.path]) for r in group if r.path in lost), None)
    if why is not None:
        told = dataclasses.replace(
            one.program, fallback=Status.REFUSED.value, lost=_say(*why)
        )
        return dataclasses.replace(one, program=told)
    fallback = CompatFallback([r.path for r in group], [where], Options())
    again = _settle(one.program.module, group, fallback)
    told = dataclasses.replace(
        one.program,
        fallback=again.program.status,
        lost=again.program.reason if _is_refused(again) else "",
    )
    return Settled(told, again.results)


def _find_lost(
    results: Sequence[FileResult], where: pathlib.Path
) -> dict[pathlib.Path, Finding]:
    """The files that cannot run in graph mode on TensorFlow 2, and the first reason of each.

    They are asked all together, once. One that cannot keeps every program that loads it.
    """
    once = list({result.path: result for result in results}.values())
    if not once:
        return {}
    unchanged = [outcomes.hold(result, None) for result in once]
    fallback = CompatFallback([r.path for r in once], [where], Options())
    return {
        result.path: finding
        for result in fallback(unchanged)
        for finding in sorted(result.findings, key=lambda f: f.line, reverse=True)
        if (finding.outcome is Outcome.REFUSED and finding.code == _LOST)
        or (finding.outcome is Outcome.FAILED and finding.code.startswith(_GATES))
    }


def _say(path: pathlib.Path, finding: Finding) -> str:
    return f"{path.name}: {finding.code} {finding.reason}"


def worse(
    recorded: Sequence[dict[str, object]], now: Sequence[Program]
) -> Iterator[str]:
    """Programs that are gone, or of which less comes out than was recorded."""
    found = {program.module: program for program in now}
    for old in recorded:
        program = found.get(str(old["module"]))
        if program is None:
            yield f"{old['module']} is no program any more"
        elif _rank(program.status, program.fallback) > _rank(
            str(old["status"]), str(old["fallback"])
        ):
            yield f"{program.module}: {old['status']} became {program}"


def is_taken(program: Program) -> bool:
    """Whether it is refused, and runs with `--fallback compat`."""
    return program.fallback == Status.COMPAT.value


def _rank(status: str, fallback: str) -> float:
    """The lower, the better; a refused program that the fallback takes is between two."""
    values = ["", *(s.value for s in _BEST_FIRST)]
    taken = status == Status.REFUSED.value and fallback == Status.COMPAT.value
    return values.index(status) - 0.5 * taken
