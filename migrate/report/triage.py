"""A run by its programs: what each is, what it becomes, what blocks it, and what to do first."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import os
import pathlib
from collections.abc import Iterable, Iterator, Sequence

from migrate import emitted, outcomes
from migrate.file_result import FileResult
from migrate.findings import Finding
from migrate.outcomes import Program, Status
from migrate.report.paths import display_path
from migrate.report.summary import (
    IGNORED,
    Action,
    Run,
    find_title,
    spell_plural,
    spell_statement,
)
from migrate.source.syntax import parse_bytes
from migrate.tables.program_kinds import (
    BY_FLAG,
    ESTIMATORS,
    KINDS,
    STRATEGIES,
    UNREAD,
    WITHOUT_STRATEGY,
    Kind,
)

_COMPAT = "graph mode, through tf.compat.v1"
_CONSEQUENCES = (outcomes.PART, outcomes.HELD)
# A file that is no Python 3, or cannot be read at all.
_UNREAD = {"E001", "E002", "E003", "E004"}


@dataclasses.dataclass(frozen=True)
class EntryPoint:
    """A file that one starts, and what becomes of it with all that it imports.

    Attributes:
      path: the file.
      program: the files that are migrated, or left, together with it.
      results: of the files of the program that it loads.
      starts: whether somebody can start it; else it is a library of which no file of the
        run makes use.
      kind: what it is.
      becomes: what it has become, or would become if nothing were refused.
      blockers: what is to be mended by hand in the files that it loads.
    """

    path: pathlib.Path
    program: Program
    results: tuple[FileResult, ...]
    starts: bool
    kind: Kind
    becomes: str
    blockers: tuple[tuple[pathlib.Path, Finding], ...]

    @property
    def status(self) -> Status:
        return self.program.status

    @property
    def ready(self) -> bool:
        return self.status is Status.MIGRATED

    @property
    def places(self) -> int:
        """The number of lines to mend in the files that it loads."""
        return len({(path, f.cell, f.line) for path, f in self.blockers})

    @property
    def reason(self) -> tuple[pathlib.Path, Finding] | None:
        """The finding that blocks it, or blocks the program that it waits for."""
        if self.waits:
            return self.program.reason
        return outcomes.find_reason(self.results) or self.program.reason

    @property
    def waits(self) -> bool:
        """Whether all that blocks it is in files that it does not load itself."""
        return not (self.ready or self.status is Status.COMPAT or self.blockers)


@dataclasses.dataclass(frozen=True)
class Blocker:
    """A code that keeps entry points from being migrated.

    Attributes:
      entries: how many it blocks.
      alone: how many of them nothing else blocks.
      places: how many lines it names.
    """

    code: str
    title: str
    entries: int
    alone: int
    places: int


@dataclasses.dataclass(frozen=True)
class Triage:
    """The entry points of a run in the order to take them, and what blocks them.

    Attributes:
      interrupted: whether the user stopped the run, so that some programs were not read.
      written: whether the programs that are ready have been migrated by this run.
    """

    entries: tuple[EntryPoint, ...]
    blockers: tuple[Blocker, ...]
    interrupted: bool = False
    written: bool = False

    @property
    def base(self) -> str:
        """The directory that all entry points are in, if that shortens their paths."""
        paths = [display_path(e.path) for e in self.entries]
        if len(paths) < 2 or len({os.path.isabs(path) for path in paths}) > 1:
            return ""
        common = os.path.commonpath([os.path.dirname(path) or "." for path in paths])
        return "" if common == "." else common

    def shorten(self, path: pathlib.Path) -> str:
        """Returns a path as it is shown below `base`."""
        shown = display_path(path)
        return os.path.relpath(shown, self.base) if self.base else shown

    @property
    def ready(self) -> tuple[EntryPoint, ...]:
        return tuple(e for e in self.entries if e.ready)

    @property
    def blocked(self) -> tuple[EntryPoint, ...]:
        return tuple(
            e for e in self.entries if e.status in (Status.REFUSED, Status.FAILED)
        )

    @property
    def through_compat(self) -> tuple[EntryPoint, ...]:
        return tuple(e for e in self.entries if e.status is Status.COMPAT)

    @property
    def places(self) -> int:
        """The number of lines to mend by hand in the whole run."""
        return len(
            {(p, f.cell, f.line) for e in self.blocked for p, f in e.blockers},
        )


def triage(run: Run) -> Triage:
    """The run's entry points: those that are ready first, then those with least to do."""
    entries = [
        entry
        for program in outcomes.list_programs(run.results)
        for entry in _list_entry_points(program)
    ]
    ranks = (Status.MIGRATED, Status.COMPAT, Status.REFUSED, Status.FAILED)

    def rank_entry(entry: EntryPoint) -> tuple[bool, int, bool, int, str]:
        alike = min(ranks.index(entry.status), 2)  # A failure is a place to mend.
        return (
            not entry.starts,
            alike,
            entry.waits,
            entry.places,
            display_path(entry.path),
        )

    return Triage(
        tuple(sorted(entries, key=rank_entry)),
        tuple(_list_blockers(entries)),
        run.interrupted,
        run.action is Action.WRITE,
    )


def _list_entry_points(program: Program) -> Iterator[EntryPoint]:
    starters = list(
        dict.fromkeys(entry for r in program.results for entry in r.entries)
    )
    for path in starters or [program.path]:
        results = tuple(r for r in program.results if not starters or path in r.entries)
        kind, becomes = _find_kind(program.status, results)
        yield EntryPoint(
            path,
            program,
            results,
            bool(starters),
            kind,
            becomes,
            tuple(_find_blockers(results)),
        )


def _find_kind(status: Status, results: Sequence[FileResult]) -> tuple[Kind, str]:
    """Finds a program's kind, and the name of its result."""
    kind = _find_kind_of_symbols(results)
    if status is Status.COMPAT:
        return kind, _COMPAT
    if status is not Status.MIGRATED:
        return kind, kind.becomes
    written = {
        emitted.find_module(name)
        for r in results
        for name in (*r.support, *r.installed)
    }
    for module, words in ESTIMATORS.items():
        if module in written:
            return kind, words
    used = {name for r in results if r.changed for name in _find_attributes(r)}
    strategies = list(
        dict.fromkeys(words for name, words in STRATEGIES.items() if name in used)
    )
    if strategies == list(STRATEGIES)[:2]:
        return BY_FLAG, BY_FLAG.becomes
    if strategies and kind.name == "cluster":
        kind = next(k for k in KINDS if k.name == "asynchronous")
    for module, words in WITHOUT_STRATEGY.items():
        if module in written and not strategies:
            return kind, words
    if not strategies and kind.name == "cluster":
        # A server of the process alone is dropped together with its session.
        serves = any("Server" in _find_attributes(r) for r in results)
        alone = WITHOUT_STRATEGY["plain_session"]
        return kind, "tf.distribute.Server" if serves else alone
    return kind, " or ".join(strategies) or kind.becomes


def _find_kind_of_symbols(results: Iterable[FileResult]) -> Kind:
    findings = [f for r in results for f in r.findings if not f.unused]
    symbols = {f.symbol for f in findings}
    codes = {f.code for f in findings}
    if codes and codes <= _UNREAD:
        return UNREAD
    for kind in KINDS:
        told = not codes.isdisjoint(kind.codes) and (
            not kind.only_with or any(_is_below(s, kind.only_with) for s in symbols)
        )
        if told or any(
            _is_below(used, kind.symbols) and not _is_below(used, kind.neither)
            for used in symbols
        ):
            return kind
    return KINDS[-1]


def _is_below(used: str, symbols: tuple[str, ...]) -> bool:
    return any(used == symbol or used.startswith(symbol + ".") for symbol in symbols)


def _find_attributes(result: FileResult) -> frozenset[str]:
    return _list_names(result.path, result.new)


@functools.lru_cache(maxsize=4096)  # A report asks more than once.
def _list_names(path: pathlib.Path, text: bytes) -> frozenset[str]:
    """The attributes and names that a result's new text uses."""
    if not any(name.encode() in text for name in (*STRATEGIES, "Server")):
        return frozenset()
    tree = parse_bytes(path, text)
    if tree is None:
        return frozenset()
    return frozenset(
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, (ast.Attribute, ast.Name))
    )


def _find_blockers(
    results: Iterable[FileResult],
) -> Iterator[tuple[pathlib.Path, Finding]]:
    for result in results:
        for finding in result.findings:
            if finding.blocks and finding.code not in _CONSEQUENCES:
                yield result.path, finding


def _list_blockers(entries: Iterable[EntryPoint]) -> list[Blocker]:
    """The codes that block, the one that blocks most first."""
    by_code: dict[str, list[EntryPoint]] = collections.defaultdict(list)
    alone: collections.Counter[str] = collections.Counter()
    places: dict[str, set[object]] = collections.defaultdict(set)
    for entry in entries:
        codes = {f.code for _, f in entry.blockers}
        for code in codes:
            by_code[code].append(entry)
            alone[code] += len(codes) == 1
        for path, f in entry.blockers:
            places[f.code].add((path, f.cell, f.line))
    found = [
        Blocker(code, find_title(code), len(blocked), alone[code], len(places[code]))
        for code, blocked in by_code.items()
    ]
    return sorted(found, key=lambda b: (-b.entries, -b.places, b.code))


# -- in words -------------------------------------------------------------------------


def write_verdict(found: Triage) -> str:
    """Writes the result of the run in one sentence, even if it was interrupted."""
    number = len(found.entries)
    if found.interrupted:
        if not number:
            return "Interrupted before any program was read."
        read = write_verdict(dataclasses.replace(found, interrupted=False))
        return f"Interrupted. Of what was read: {read}"
    if not number:
        return "Nothing here uses TensorFlow 1."
    if len(found.ready) == number:
        if number == 1:
            done = "is migrated" if found.written else "can be migrated now"
            return f"1 program, and it {done}."
        done = "are migrated" if found.written else "can be migrated now"
        return f"{number} programs, and all of them {done}."
    done = "can be migrated now"
    if found.written:
        done = "is migrated" if len(found.ready) == 1 else "are migrated"
    parts = [f"{len(found.ready)} of {spell_plural(number, 'program')} {done}"]
    if (compat := len(found.through_compat)) and found.written:
        parts.append(
            f"{compat} {'runs' if compat == 1 else 'run'} through tf.compat.v1"
        )
    elif compat:
        parts.append(f"{compat} can run through tf.compat.v1")
    if found.blocked:
        parts.append(
            f"{len(found.blocked)} {'is' if len(found.blocked) == 1 else 'are'} blocked"
        )
    return ", ".join(parts) + "."


def write_estimate(found: Triage) -> str:
    """Writes how much is left by hand, and how sure the number is; "" for nothing."""
    if not found.blocked:
        return ""
    near = sum(e.places == 1 for e in found.blocked)
    waiting = sum(e.waits for e in found.blocked)
    text = (
        f"Left by hand: at least {spell_plural(found.places, 'place')} in "
        f"{spell_plural(len(found.blocked), 'program')}."
    )
    if near:
        text += f" {spell_plural(near, 'program')} {'needs' if near == 1 else 'need'} only one change."
    if waiting:
        text += (
            f" {spell_plural(waiting, 'program')} only "
            f"{'waits' if waiting == 1 else 'wait'} for another one with which "
            f"{'it shares' if waiting == 1 else 'they share'} a file."
        )
    return text + " A refusal can hide another, so check again after each change."


def describe_kind(entry: EntryPoint) -> str:
    """Describes the kind of an entry point."""
    return entry.kind.words if entry.starts else f"{entry.kind.words}, a library"


def find_first(found: Triage) -> EntryPoint | None:
    """The entry point to begin with: one that is ready and that somebody starts."""
    candidates = [e for e in found.ready if e.starts and e.path.name != "setup.py"]
    scripts = [e for e in candidates if e.path.suffix == ".py"]
    return next(iter([*scripts, *candidates, *found.ready]), None)


def choose_badge(found: Triage, entry: EntryPoint) -> str:
    """An entry point's state in one or two words."""
    if entry.ready:
        return "migrated" if found.written else "ready"
    if entry.status is Status.COMPAT:
        return "compat.v1"
    if entry.waits:
        return "waits"
    return spell_plural(entry.places, "place")


def explain_block(found: Triage, entry: EntryPoint) -> str:
    """The one reason that an entry point is not migrated, and where; "" if it is."""
    if entry.reason is None or entry.ready:
        return ""
    path, finding = entry.reason
    where = "" if path == entry.path else found.shorten(path) + ", "
    cell = f"cell {finding.cell + 1}, " if finding.cell is not None else ""
    text = (
        f"{where}{cell}line {finding.line}: {finding.code} {spell_statement(finding)}"
    )
    text = ("waits for " if entry.waits else "") + text.rstrip(": ")
    return f"{text}. {IGNORED}" if finding.hidden and finding.blocks else text


def list_next_steps(found: Triage) -> list[tuple[str, str]]:
    """Lists the commands to type next, each with its purpose."""
    steps: list[tuple[str, str]] = []
    if found.ready:
        first = find_first(found) or found.ready[0]
        steps.append(
            (
                f"tf1to2 migrate {_quote_path(first.path)} --diff",
                "see one program before and after",
            )
        )
        steps.append(
            (
                f"tf1to2 migrate {_quote_path(_find_common_path(found.ready))} --write",
                "migrate what is ready",
            )
        )
    tests = {e.reason[0] for e in found.entries if e.waits and e.reason}
    if tests and all(_is_test(path) for path in tests):
        names = " ".join(
            f"--exclude {_quote_path(pathlib.Path(p.name))}" for p in tests
        )
        steps.append((f"add {names}", "programs wait only for these tests"))
    codes = {b.code for b in found.blockers}
    if "E004" in codes:
        steps.append(("add --python2", "read the files that are Python 2"))
    others = [b for b in found.blockers if b.code not in ("E004", "E003")]
    if others:
        steps.append(
            (f"tf1to2 rule {others[0].code}", "see what blocks most, and what to do")
        )
        steps.append(("add --fallback compat", "run blocked programs in graph mode"))
    return steps


def _is_test(path: pathlib.Path) -> bool:
    return path.stem.endswith("_test") or path.stem.startswith("test_")


def _find_common_path(entries: Sequence[EntryPoint]) -> pathlib.Path:
    """The one file, or the directory that all of them are in."""
    paths = [os.fspath(e.path) for e in entries]
    return pathlib.Path(
        paths[0] if len(paths) == 1 else os.path.commonpath(paths) or "."
    )


def _quote_path(path: pathlib.Path) -> str:
    import shlex

    return shlex.quote(display_path(path))
