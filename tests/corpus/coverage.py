"""Counts what the tool does to the corpus, and checks that it breaks no file."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import json
import pathlib
import warnings
from collections.abc import Iterator, Sequence

from migrate import run
from migrate.file_result import FileResult
from migrate.findings import Outcome
from tests.corpus import accounting, imports, programs_table, suite
from tests.corpus.packages import PACKAGES, Package, unpacked

FIGURES = pathlib.Path(__file__).with_name("figures.json")
DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "coverage.md"
# The code of a place that is refused only because its program is.
_CONSEQUENCE = "N100"
# Codes that tell of a fault of the tool in its own result.
_OUR_FAULTS = ("G009",)
_REASONS = 5  # Of each package, the most frequent ones.

# Idioms, the first that matches: title -> beginnings of symbols.
DISTRIBUTED = {
    "replica_device_setter": ("tf.train.replica_device_setter",),
    "ClusterSpec, Server": ("tf.train.Server", "tf.train.ClusterSpec"),
    "MonitoredTrainingSession, Supervisor, Scaffold": (
        *("tf.train.MonitoredTrainingSession", "tf.train.Supervisor"),
        *("tf.train.MonitoredSession", "tf.train.Scaffold", "tf.estimator.Scaffold"),
        *("tf.train.SingularMonitoredSession", "tf.train.ChiefSessionCreator"),
    ),
    "SyncReplicasOptimizer": ("tf.train.SyncReplicasOptimizer",),
    "Estimator, TPUEstimator": (
        *("tf.estimator.Estimator", "tf.estimator.tpu.TPUEstimator"),
        *("tf.contrib.tpu.TPUEstimator",),
    ),
    "ready-made Estimators": (
        *("tf.estimator.DNN", "tf.estimator.Linear", "tf.estimator.Baseline"),
        *("tf.estimator.Boosted", "tf.contrib.estimator.DNN", "tf.contrib.learn"),
        *("tf.contrib.estimator.Linear", "tf.contrib.estimator.RNN"),
    ),
    "ModeKeys": ("tf.estimator.ModeKeys", "tf.contrib.learn.ModeKeys"),
    "train_and_evaluate, RunConfig, specs": (
        *("tf.estimator.train_and_evaluate", "tf.estimator.TrainSpec"),
        *("tf.estimator.EvalSpec", "tf.estimator.RunConfig"),
        *("tf.contrib.tpu.RunConfig", "tf.contrib.tpu.TPUConfig"),
        *("tf.estimator.tpu",),
    ),
    "exporters and serving": (
        *("tf.estimator.export", "tf.estimator.BestExporter", "tf.estimator.Exporter"),
        *("tf.estimator.FinalExporter", "tf.estimator.LatestExporter"),
    ),
    "hooks": (
        *("tf.train.SessionRun", "tf.estimator.SessionRun", "tf.train.CheckpointSaver"),
        *("tf.train.LoggingTensorHook", "tf.train.StopAtStepHook"),
        *("tf.train.StepCounterHook", "tf.train.SummarySaverHook"),
        *("tf.train.NanTensorHook", "tf.train.FinalOpsHook", "tf.train.ProfilerHook"),
        *("tf.estimator.LoggingTensorHook", "tf.estimator.StopAtStepHook"),
        *("tf.estimator.CheckpointSaver", "tf.estimator.StepCounterHook"),
    ),
    "partitioners": (
        *("tf.fixed_size_partitioner", "tf.variable_axis_size_partitioner"),
        *("tf.min_max_variable_partitioner",),
    ),
    "other parts of tf.estimator": ("tf.estimator", "tf.contrib.estimator"),
    "tf.distribute, contrib.distribute": ("tf.distribute", "tf.contrib.distribute"),
}
OTHER = {
    "sessions and graphs": (
        *("tf.Session", "tf.InteractiveSession", "tf.Graph", "tf.placeholder"),
        *("tf.global_variables_init", "tf.local_variables_init", "tf.tables_init"),
        *("tf.get_default_graph", "tf.reset_default_graph", "tf.get_collection"),
        *("tf.add_to_collection", "tf.gradients", "tf.disable", "tf.ConfigProto"),
    ),
    "variables and scopes": (
        *("tf.get_variable", "tf.variable_scope", "tf.Variable", "tf.trainable_var"),
        *("tf.global_variables", "tf.make_template", "tf.AUTO_REUSE"),
    ),
    "layers and cells": ("tf.layers", "tf.nn.rnn_cell", "tf.keras"),
    "losses and metrics": ("tf.losses", "tf.metrics"),
    "optimizers and training": ("tf.train",),
    "summaries": ("tf.summary",),
    "files, flags, logging": (
        *("tf.gfile", "tf.flags", "tf.app", "tf.logging", "tf.python_io", "tf.io"),
    ),
    "tf.data": ("tf.data",),
    "tf.contrib": ("tf.contrib",),
    "private names": ("tf.python", "tf.examples"),
    "tests": ("tf.test",),
    "all other symbols": ("tf",),
}
_IDIOMS = DISTRIBUTED | OTHER
Counts = dict[str, int]  # rewritten, kept, refused


def idiom(symbol: str) -> str:
    """The idiom of a symbol that a finding is about."""
    for title, beginnings in _IDIOMS.items():
        if symbol.startswith(beginnings):
            return title
    return "all other symbols"


@dataclasses.dataclass(frozen=True)
class Faults:
    """The lists that must be empty; each entry is "file: what"."""

    failed: list[str]
    not_python: list[str]
    unaccounted: list[str]
    not_stable: list[str]
    touched: list[str]
    moved: list[str]


@dataclasses.dataclass(frozen=True)
class Coverage:
    """One package's figures.

    Attributes:
      files: how many name TensorFlow, and how many of them change.
      idioms: idiom -> outcome -> number of places.
      reasons: why places were refused, but for parts of refused programs.
    """

    files: int
    changed: int
    idioms: dict[str, Counts]
    reasons: list[tuple[str, int]]
    # Why places of distributed training and Estimators were refused; of a program that
    # was refused, its first reason.
    obstacles: list[tuple[str, int]] = dataclasses.field(default_factory=list)


@functools.cache
def migrated(package: Package, where: pathlib.Path) -> tuple[FileResult, ...]:
    """The results for every file of a package; nothing is written."""
    return tuple(run.run_tree([unpacked(package, where)]))


@functools.cache
def tree(package: Package, where: pathlib.Path) -> imports.Tree:
    """A migrated package on disk."""
    target = where / "migrated" / package.name
    return imports.written(unpacked(package, where), migrated(package, where), target)


def imported(package: Package, where: pathlib.Path) -> imports.Imports:
    """Whether a package's migrated modules can be imported."""
    needed = imports.NEEDS.get(package.name, ())
    others = [tree(other, where) for other in PACKAGES if other.name in needed]
    return imports.tried(tree(package, where), others, where)


def migrated_again(package: Package, where: pathlib.Path) -> tuple[FileResult, ...]:
    """Migrates a migrated package a second time, with all of its files."""
    return tuple(run.run_tree([tree(package, where).root]))


def faults(results: Sequence[FileResult], again: Sequence[FileResult]) -> Faults:
    """All faults in the results.

    Args:
      again: the results of a second run over what the first one wrote.
    """
    found = Faults([], [], [], [], [], [])
    for result in results:
        name = "/".join(result.path.parts[-3:])
        for finding in result.findings:
            if finding.outcome is Outcome.FAILED or finding.code in _OUR_FAULTS:
                found.failed.append(f"{name}: {finding.code} {finding.reason}")
            if suite.stops(finding):
                found.moved.append(f"{name}:{finding.line}: {finding.reason}")
        if result.path.suffix != ".py" or result.failed:
            continue
        old = (result.old or result.path.read_bytes()).decode()
        new = result.new.decode() if result.changed else old
        if "tensorflow" not in new:
            continue
        # What is private and kept is named, too, what Keras 2 alone has, and unused imports.
        told = [
            f
            for f in result.findings
            if f.outcome is Outcome.REFUSED or f.unused or f.code in ("T113", "T117")
        ]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(new, name, "exec", dont_inherit=True)
                for one in accounting.unaccounted(
                    old, new, {f.line for f in told}, {f.symbol for f in told}
                ):
                    found.unaccounted.append(f"{name}:{one.line}: {one.path}")
                lines = {f.line for f in told}
                for misfit in accounting.misfits(old, new, lines):
                    found.unaccounted.append(f"{name}:{misfit}")
        except SyntaxError as error:
            found.not_python.append(f"{name}: {error}")
            continue
        if result.changed:
            found.touched.extend(f"{name}: {line}" for line in touched(result))
    for result in again:
        if result.changed or any(f.code in _OUR_FAULTS for f in result.findings):
            found.not_stable.append("/".join(result.path.parts[-3:]))
    return found


def touched(result: FileResult) -> Iterator[str]:
    """Lines that are gone although no finding is about their statement.

    A program's statements move, in the function that opens its session, and those that
    read a module whose code it has taken name it no more. Elsewhere each line of the old text is there in the new one, in order, unless something in its
    statement was rewritten, or it is an import.
    """
    old, new = result.old.decode(), result.new.decode()
    lines = {f.line for f in result.findings}
    tree = ast.parse(old)
    allowed = set(lines)
    sessions = {f.line for f in result.findings if f.code == "S115"}
    # What a program has from a module whose code it has taken is no attribute any more.
    taken = {f.line for f in result.findings if f.code == "S130"}
    modules = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and node.lineno in taken
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            whole = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            if sessions & whole:
                allowed |= whole
        if isinstance(node, ast.Try) and all(
            isinstance(one, (ast.Import, ast.ImportFrom)) for one in node.body
        ):
            whole = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            # With the import that it tries, a `try` goes.
            if lines & set(range(node.lineno, node.body[-1].lineno + 1)):
                allowed |= whole
        if isinstance(node, ast.stmt):
            span = range(node.lineno, _header_end(node) + 1)
            reads = {
                n.id
                for child in ast.iter_child_nodes(node)
                if not isinstance(child, (ast.stmt, ast.ExceptHandler))
                for n in ast.walk(child)
                if isinstance(n, ast.Name)
            }
            if (
                isinstance(node, (ast.Import, ast.ImportFrom))
                or lines & set(span)
                or reads & modules
            ):
                allowed |= set(span)
    before = old.split("\n")
    kept = {index for index, _ in accounting.aligned(before, new.split("\n"))}
    for index, text in enumerate(before):
        if index not in kept and index + 1 not in allowed and text.strip():
            yield f"line {index + 1}: {text.strip()[:60]}"


def _header_end(node: ast.stmt) -> int:
    """The last line of a simple statement, or of a compound one's header."""
    body = getattr(node, "body", None)
    if isinstance(body, list) and body:
        return max(node.lineno, body[0].lineno - 1)
    return node.end_lineno or node.lineno


def figures(results: Sequence[FileResult]) -> Coverage:
    """A package's figures."""
    idioms: dict[str, Counts] = {}
    reasons: collections.Counter[str] = collections.Counter()
    obstacles: collections.Counter[str] = collections.Counter()
    for result in results:
        first = next(
            (
                f
                for f in result.findings
                if f.outcome is Outcome.REFUSED and f.code != _CONSEQUENCE
            ),
            None,
        )
        for finding in result.findings:
            # A warning stands beside what became of a place.
            if not finding.symbol or finding.outcome in (
                Outcome.FAILED,
                Outcome.WARNED,
            ):
                continue
            counts = idioms.setdefault(
                idiom(finding.symbol), {"rewritten": 0, "kept": 0, "refused": 0}
            )
            counts[finding.outcome.value] += 1
            if finding.outcome is Outcome.REFUSED and finding.code != _CONSEQUENCE:
                reasons[f"{finding.code} {finding.reason}"] += 1
            if finding.outcome is Outcome.REFUSED and idiom(finding.symbol) in (
                DISTRIBUTED
            ):
                why = first if finding.code == _CONSEQUENCE and first else finding
                obstacles[f"{why.code} {why.reason}"] += 1
    return Coverage(
        sum(bool(r.findings) for r in results),
        sum(r.changed for r in results),
        {title: idioms[title] for title in _IDIOMS if title in idioms},
        reasons.most_common(_REASONS),
        obstacles.most_common(),
    )


def regressions(recorded: dict[str, object], now: Coverage) -> Iterator[str]:
    """Idioms of which fewer places are rewritten or kept, or more are refused."""
    before = recorded["idioms"]
    assert isinstance(before, dict)
    for title, old in before.items():
        new = now.idioms.get(title, {"rewritten": 0, "kept": 0, "refused": 0})
        done = new["rewritten"] + new["kept"] - old["rewritten"] - old["kept"]
        if new["refused"] > old["refused"] or done < 0:
            yield f"{title}: {old} became {new}"


# -- what is written -------------------------------------------------------------------


def record(found: dict[str, Coverage], modules: dict[str, imports.Imports]) -> None:
    """Writes the figures and the document made of them."""
    rows = {
        name: dataclasses.asdict(one)
        | {"imports": imports.recorded_form(modules[name])}
        for name, one in found.items()
    }
    FIGURES.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_document()


def write_document() -> None:
    """Writes the document made of the recorded figures."""
    DOCUMENT.write_text(document(recorded()), encoding="utf-8")


def recorded() -> dict[str, dict[str, object]]:
    """The recorded figures by package."""
    found: dict[str, dict[str, object]] = json.loads(FIGURES.read_text("utf-8"))
    return found


_INTRODUCTION = """\
# Coverage

This page shows what `tf1to2` does to real packages for TensorFlow 1 from PyPI. `python -m tests.corpus` records the
figures. `pytest tests/corpus` fails if one becomes worse. It also checks for every file:

- the tool does not fail, and the result compiles;
- each TensorFlow name in the result exists in TensorFlow 2.21 and takes its arguments, or is reported at its line;
- a second run changes nothing;
- lines without a finding stay as they were;
- effects such as printing and reading files stay as they were. The gate of effects (G007) refuses 0 of {files} files,
  and {stopped} of this repository's own {own} files of programs.

The tables count *places*: uses of a TensorFlow symbol. *Kept* means that a place needs no change. If the tool refuses
one place of a file, the other places count as refused too. Most refusals have one cause: many functions of a library
build graphs for callers that are not in the package.
"""


_THE_LIBRARY = "tensorflow-estimator"
_ABOUT_IMPORTS = """\
The test imports every module of each migrated package on TensorFlow 2.21 and Python 3.11, with matching releases of
the other packages that it needs (`tests/corpus/dependencies.py`). If a module cannot be imported, the modules that
import it fail too. The lists give each module's first cause.
"""


def document(rows: dict[str, dict[str, object]]) -> str:
    """The text of docs/coverage.md."""
    told = programs_table.section(programs_table.recorded())
    own, stopped = suite.recorded()
    files = sum(row["files"] for row in rows.values() if isinstance(row["files"], int))
    parts = [
        _INTRODUCTION.format(files=files, own=own, stopped=len(stopped)),
        "## Programs\n",
        *told,
    ]
    parts += ["## Files by themselves\n", *_packages(rows)]
    parts += ["## Distributed training and Estimators\n", *_distributed(rows)]
    parts += ["## Everything else\n", *_table(rows, [*OTHER])]
    parts += [
        "## Modules that import\n",
        *_imports(rows),
        "## Reasons of each package\n",
    ]
    versions = {p.name: p.version for p in PACKAGES}
    for name, row in rows.items():
        parts.append(f"{name} {versions[name]}\n")
        reasons = row["reasons"]
        assert isinstance(reasons, (list, tuple))
        parts.append(
            "".join(f"- {times} × {reason}\n" for reason, times in reasons)
            or "- nothing was refused\n"
        )
    return "\n".join(parts)


def _distributed(rows: dict[str, dict[str, object]]) -> Iterator[str]:
    """The table of the library's users, the figures of the library itself, and the reasons for refusals."""
    users = {name: row for name, row in rows.items() if name != _THE_LIBRARY}
    yield f"This table leaves out {_THE_LIBRARY}, because it is the library that is replaced:\n"
    yield from _table(users, [*DISTRIBUTED])
    own = _total(rows[_THE_LIBRARY], [*DISTRIBUTED])
    yield (
        f"In {_THE_LIBRARY} itself {own[0] + own[1]} of {sum(own)} places are rewritten or kept. It "
        "uses TensorFlow's private files. A migrated program uses `estimator_loop` instead.\n"
    )
    yield (
        "Reasons for the refused places. If a place is refused only because its file is, the file's "
        "first reason counts:\n"
    )
    obstacles: collections.Counter[str] = collections.Counter()
    for row in users.values():
        found = row["obstacles"]
        assert isinstance(found, (list, tuple))
        obstacles.update({reason: times for reason, times in found})
    yield _counted(obstacles.most_common(), 2 * _REASONS)


def _counted(pairs: Sequence[tuple[str, int]], most: int) -> str:
    lines = [f"- {times} × {reason}\n" for reason, times in pairs[:most]]
    rest = sum(times for _, times in pairs[most:])
    return "".join(lines) + (f"- {rest} × other reasons\n" if rest else "")


def _imports(rows: dict[str, dict[str, object]]) -> Iterator[str]:
    yield _ABOUT_IMPORTS
    lines = ["| package | modules | imported | share |", "|---|---|---|---|"]
    why: list[str] = []
    for name, row in rows.items():
        found = row["imports"]
        assert isinstance(found, dict)
        total, done = found["modules"], found["imported"]
        lines.append(f"| {name} | {total} | {done} | {100 * done // total} % |")
        if found["causes"]:
            why.append(f"{name}\n\n" + _counted(found["causes"], _REASONS))
    yield "\n".join(lines) + "\n"
    yield from why


def _packages(rows: dict[str, dict[str, object]]) -> Iterator[str]:
    versions = {p.name: p.version for p in PACKAGES}
    lines = ["| package | files | changed | rewritten | kept | refused |"]
    lines.append("|---|---|---|---|---|---|")
    for name, row in rows.items():
        total = _total(row, [*_IDIOMS])
        cells = [f"{name} {versions[name]}", row["files"], row["changed"], *total]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    yield "\n".join(lines) + "\n"


def _total(row: dict[str, object], titles: Sequence[str]) -> list[int]:
    idioms = row["idioms"]
    assert isinstance(idioms, dict)
    return [
        sum(idioms[t][outcome] for t in titles if t in idioms)
        for outcome in ("rewritten", "kept", "refused")
    ]


def _table(rows: dict[str, dict[str, object]], titles: Sequence[str]) -> Iterator[str]:
    lines = [
        "| idiom | rewritten | kept | refused | rewritten or kept |",
        "|---|---|---|---|---|",
    ]

    def line(title: str, counts: Sequence[int]) -> None:
        share = f"{100 * (counts[0] + counts[1]) // sum(counts)} %"
        lines.append("| " + " | ".join([title, *map(str, counts), share]) + " |")

    for title in titles:
        counts = [sum(c) for c in zip(*(_total(row, [title]) for row in rows.values()))]
        if sum(counts):
            line(title, counts)
    line("all", [sum(c) for c in zip(*(_total(row, titles) for row in rows.values()))])
    yield "\n".join(lines) + "\n"
