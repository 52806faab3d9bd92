"""Migrates the spellings, runs them before and after, and says what became of each."""

from __future__ import annotations

import ast
import dataclasses
import math
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.outcomes import Status
from migrate.run import run_programs
from reference import processes, runner
from tests.migrate.backends.running import RUN_ALL

HERE = pathlib.Path(__file__).parent
PROGRAMS = HERE / "programs"
RECORDED = HERE / "recorded.tsv"
# TensorFlow 2.21 has newer kernels: a product of matrices adds in another order, and tanh
# differs by an ULP. Programs of ten to thirty steps carry that on. 5.5e-7 was the most.
TOLERANCE = 2e-6
IDIOMS = {
    "towers": "Towers",
    "build_model": "Functions that return the update",
    "holds_session": "A class that holds its session",
    "run_epoch": "A function that runs an epoch",
    "several_models": "Several models of one class",
    "train_and_evaluate": "Training and evaluation graphs that share variables",
    "pretraining": "Pretraining, then fine-tuning",
    "accumulation": "Accumulated gradients",
    "hooks": "Hooks",
}


@dataclasses.dataclass(frozen=True)
class Spelling:
    """One way to write an idiom; `files` are its modules by name, the program's first."""

    idiom: str
    name: str
    files: Mapping[str, str]

    @property
    def key(self) -> str:
        return f"{self.idiom}/{self.name}"

    @property
    def described(self) -> str:
        """What is special in this spelling: the first line of the docstring."""
        text = ast.get_docstring(ast.parse(self.files[self.name]))
        assert text, self.key
        return text.splitlines()[0].rstrip(".")


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Why a program stays as it was: the codes of all findings, and the first reason.

    `outcome` is "fails" if the tool itself ends with an error.
    """

    codes: tuple[str, ...]
    reason: str
    outcome: str = "refused"


@dataclasses.dataclass(frozen=True)
class Recorded:
    """A row of recorded.tsv: `outcome` is "equal", "refused", "different" or "fails"."""

    outcome: str
    codes: tuple[str, ...] = ()
    reason: str = ""


def find_spellings() -> list[Spelling]:
    """All spellings. A module that another one imports is not a program of its own."""
    found = []
    for idiom in IDIOMS:
        texts = {p.stem: p.read_text() for p in sorted((PROGRAMS / idiom).glob("*.py"))}
        needs = {name: _find_own_imports(texts, name) for name in texts}
        helpers = {other for others in needs.values() for other in others}
        for name in texts.keys() - helpers:
            files = {other: texts[other] for other in (name, *sorted(needs[name]))}
            found.append(Spelling(idiom, name, files))
    return sorted(found, key=lambda s: (list(IDIOMS).index(s.idiom), s.name))


def _find_own_imports(texts: Mapping[str, str], name: str) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for node in ast.walk(ast.parse(texts[waiting.pop()])):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            new = {n for n in names if n in texts} - found
            found |= new
            waiting += new
    return found


# -- migration -------------------------------------------------------------------------


def migrate_spelling(spelling: Spelling) -> dict[str, str] | Refusal:
    """The migrated modules, the program's first; or why the tool leaves them."""
    try:
        return _migrate_files(spelling)
    except Exception as error:
        reason = f"the tool ends with {type(error).__name__}: {error}"
        return Refusal((), " ".join(reason.split()), "fails")


def _migrate_files(spelling: Spelling) -> dict[str, str] | Refusal:
    if len(spelling.files) == 1:
        ((name, text),) = spelling.files.items()
        migration = migrate_text(text, Options(), f"{name}.py")
        refused = [f for f in migration.findings if _holds_back(f)]
        return _tell_refusal(refused) if refused else {name: migration.text}
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory)
        for name, text in spelling.files.items():
            (where / f"{name}.py").write_text(text)
        results = [r for part in run_programs([where], Options()) for r in part]
    if {r.status for r in results} - {Status.MIGRATED, None}:
        return _tell_refusal(f for r in results for f in r.findings if _holds_back(f))
    texts = {r.path.stem: r.new.decode() for r in results}
    return {name: texts.get(name, text) for name, text in spelling.files.items()}


def _holds_back(finding: Finding) -> bool:
    return finding.outcome in (Outcome.REFUSED, Outcome.FAILED)


def _tell_refusal(findings: Iterable[Finding]) -> Refusal:
    findings = list(findings)
    assert findings
    # N100 only says that a place belongs to a refused program.
    causes = [f for f in findings if f.code != "N100"] or findings
    codes = tuple(dict.fromkeys(f.code for f in causes))
    return Refusal(codes, " ".join(causes[0].reason.split()))


# -- runs ------------------------------------------------------------------------------


def run_texts(
    python: str, programs: Mapping[str, Mapping[str, str]], where: pathlib.Path
) -> dict[str, list[float] | str]:
    """Runs programs: what each logs, or the error that ended it.

    A program with replicas has a process of its own: TensorFlow numbers what the replicas of
    a process send to each other, and begins anew with each strategy. All others share one.

    Args:
      programs: the modules of each by its key, the program's first.
    """
    where.mkdir()
    alone = {
        key: texts
        for key, texts in programs.items()
        if any("MirroredStrategy(" in text for text in texts.values())
    }
    together = {key: t for key, t in programs.items() if key not in alone}
    groups = [together] * bool(together) + [{key: t} for key, t in alone.items()]
    found: dict[str, list[float] | str] = {}
    for number, group in enumerate(groups):
        found |= _run_in_one_process(python, group, where / str(number))
    return {key: found[key] for key in programs}


def _run_in_one_process(
    python: str, programs: Mapping[str, Mapping[str, str]], where: pathlib.Path
) -> dict[str, list[float] | str]:
    where.mkdir()
    paths = {}
    for key, texts in programs.items():
        # A module's name is one spelling's: Python imports it once in the process.
        for name, text in texts.items():
            path = where / f"{name}.py"
            if name == next(iter(texts)):
                path = paths[key] = where / f"{key.replace('/', '__')}.py"
            assert not path.exists(), path.name
            path.write_text(text)
    beside.write(where, *(t for texts in programs.values() for t in texts.values()))
    out = where / "out"
    out.mkdir()
    processes.run_tasks(
        python,
        RUN_ALL,
        [],
        out,
        ps=0,
        environment=runner.ENVIRONMENT,
        timeout=500,
        command_line=lambda *task: [str(out), *map(str, paths.values())],
        preloaded=True,
    )
    return {key: _read_log(out / path.stem) for key, path in paths.items()}


def _read_log(directory: pathlib.Path) -> list[float] | str:
    failure = directory / "failure"
    if failure.exists():
        return failure.read_text().strip()
    lines = (directory / "loss.0").read_text().splitlines()
    return [float(line.split()[1]) for line in lines]


def measure_difference(right: list[float], found: list[float]) -> float:
    """The largest difference of two logs, relative; infinite if their lengths differ."""
    if len(right) != len(found):
        return math.inf
    return max(abs(a - b) / max(abs(a), abs(b), 1e-6) for a, b in zip(right, found))


def judge(right: list[float] | str, found: list[float] | str) -> Recorded:
    """The outcome of a migrated spelling: `right` is what TensorFlow 1.15.5 logs."""
    assert not isinstance(right, str), right
    if isinstance(found, str):
        return Recorded("fails", reason=_find_error(found))
    difference = measure_difference(right, found)
    if difference <= TOLERANCE:
        return Recorded("equal")
    return Recorded("different", reason=f"by {difference:.1g}")


def _find_error(failure: str) -> str:
    """The first line of the error below a traceback; an array in it may take more."""
    lines = [line for line in failure.splitlines() if re.match(r"\w[\w.]*(: |$)", line)]
    return " ".join(lines[-1].split(" (")[0].split()) if lines else "an error"


def find_outcomes(
    python: str, where: pathlib.Path
) -> tuple[dict[str, Recorded], dict[str, list[float] | str]]:
    """Today's outcome of each spelling, and what TensorFlow 1.15.5 logs for it."""
    migrated = {s.key: migrate_spelling(s) for s in find_spellings()}
    texts = {k: m for k, m in migrated.items() if not isinstance(m, Refusal)}
    originals = {s.key: s.files for s in find_spellings()}
    right = run_texts(python, originals, where / "old")
    found = run_texts(sys.executable, texts, where / "new")
    outcomes = {
        key: Recorded(m.outcome, m.codes, m.reason)
        if isinstance(m, Refusal)
        else judge(right[key], found[key])
        for key, m in migrated.items()
    }
    return outcomes, right


# -- the record ------------------------------------------------------------------------


def read_recorded() -> dict[str, Recorded]:
    found = {}
    for line in RECORDED.read_text().splitlines():
        key, outcome, codes, reason = line.split("\t")
        found[key] = Recorded(outcome, tuple(codes.split()), reason)
    return found


def write_recorded(outcomes: Mapping[str, Recorded]) -> None:
    RECORDED.write_text(
        "".join(
            f"{key}\t{one.outcome}\t{' '.join(one.codes)}\t{one.reason}\n"
            for key, one in outcomes.items()
        )
    )
