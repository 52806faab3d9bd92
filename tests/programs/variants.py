"""Small Estimator programs, and what TensorFlow 1.15.5 computed with them.

`python -m tests.programs.variants` runs those that have changed under TensorFlow 1.15.5,
and records that; there `frames` needs pandas (`pip install pandas`).
"""

from __future__ import annotations

import dataclasses
import pathlib
import sys
import tempfile
from collections.abc import Callable, Sequence

import numpy as np

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.options import Options
from reference import measured, processes, runner
from reference.compare import Array
from reference.environment import find_tf1
from tests.programs.recordings import Recordings

HERE = pathlib.Path(__file__).parent / "estimator_variants"
# Estimators stay what trains. What `fit` trains is compared by
# tests/migrate/backends/keras_fit.
FAITHFUL = Options(estimators="estimator")


@dataclasses.dataclass(frozen=True)
class Variant:
    """A module that `run.py` runs.

    Attributes:
      name: of the module.
      tolerance: largest absolute difference of a result.
      reason: why it is not smaller.
      directory: where the module is.
    """

    name: str
    tolerance: float
    reason: str
    _: dataclasses.KW_ONLY
    directory: pathlib.Path = HERE

    @property
    def path(self) -> pathlib.Path:
        return self.directory / f"{self.name}.py"

    @property
    def files(self) -> list[pathlib.Path]:
        return [self.path]


@dataclasses.dataclass(frozen=True)
class Tree(Variant):
    """A program whose directory has the files that it imports."""

    @property
    def files(self) -> list[pathlib.Path]:
        return sorted(self.directory.rglob("*.py"))


_EXACT = "the same operations in the same order"
_EXP = "exp differs by an ULP"
_PRODUCTS = "another processor sums products in another order"
_EIGEN = "newer Eigen rounds roots and divisions otherwise"

_SUMS = "slots are sums of squares, up to thousands"

VARIANTS = (
    Variant("adversaries", 1e-6, _EXP),
    Variant("averaged", 0.0, _EXACT),
    Variant("keras_inside", 5e-6, _EXP),
    Variant("digits", 5e-6, _EXP),
    Variant("networks", 5e-6, _EXP),
    Variant("tables", 1e-6, _EXP),
    Variant("wide_by_hand", 1e-6, _EXP),
    Variant("columns", 2e-5, "Ftrl's slots are sums of squares, up to 100"),
    Variant("exported", 0.0, _EXACT),
    Variant("heads", 1e-6, _EXP),
    Variant("partitioned", 2e-6, _EIGEN),
    Variant("positional", 1e-5, _EIGEN),
    Variant("queued", 1e-6, "sums of a batch add in another order"),
    Variant("ready_made", 2e-5, "Ftrl's slots are sums of squares, up to 100"),
    Variant("warm_started", 2e-6, "tanh differs by an ULP"),
    Variant("watched", 0.0, _EXACT),
)

# Idioms of public programs; a process of their own, so that tests share the work.
IDIOMS = (
    Variant("builder", 1e-6, _EXP),
    Variant("canned", 2e-5, "Ftrl's " + _SUMS),
    Variant("census", 1e-5, "Ftrl's " + _SUMS),
    Variant("changed_features", 2e-6, _EIGEN),
    Variant("configured", 0.0, _EXACT),
    Variant("contrib", 5e-6, "tanh differs by an ULP; slots are sums of squares"),
    Variant("control_flow", 1e-6, _EXP),
    Variant("drawn_inputs", 1e-6, _EIGEN),
    Variant("exporters", 0.0, _EXACT),
    Variant("frames", 1e-6, _EIGEN),
    Variant("generated_inputs", 1e-6, _EIGEN),
    Variant("hooks", 1e-6, _EIGEN),
    Variant("inputs", 5e-6, _EIGEN),
    Variant("looked_at", 2e-6, _EIGEN),
    Variant("more_heads", 2e-5, f"{_EXP}; {_PRODUCTS}"),
    Variant("reading", 0.0, _EXACT),
    Variant("residual", 2e-6, _EXP),
    Variant("sequences", 1e-5, "Adam divides by roots of small squares"),
    Variant("slim_networks", 2e-6, _EXP),
    Variant("stopped_early", 0.0, _EXACT),
    Variant("subclassed", 2e-6, "tanh differs by an ULP"),
    Variant("texts", 1e-6, _EXP),
    Variant("threads", 0.0, _EXACT),
    Variant("vocabularies", 1e-6, _EXP),
)

# Every argument and signature by itself, hooks as public code writes them.
EACH = (
    Variant("derived", 0.0, _EXACT),
    Variant("experiments", 1e-6, _EIGEN),
    Variant("extended", 5e-6, "Ftrl's " + _SUMS),
    Variant("fed_inputs", 1e-6, _EXP),
    Variant("in_memory", 1e-6, _EIGEN),
    Variant("model_class", 5e-6, "normalisations divide by roots of small variances"),
    Variant("own_optimizers", 5e-6, "Adam divides by roots of small squares"),
    Variant("queued_method", 2e-6, "sums of a batch add in another order"),
    Variant("restoring", 0.0, _EXACT),
    Variant("run_configs", 0.0, _EXACT),
    Variant("scaffolds", 1e-6, _EXP),
    Variant("signatures", 1e-6, _PRODUCTS),
    Variant("specs", 1e-6, _EIGEN),
    Variant("totals", 2e-6, _EIGEN),
    Variant("writing", 0.0, _EXACT),
)

# Several devices in a process: these have to be made before TensorFlow is in use.
DEVICES = (
    Variant("mirrored_networks", 1e-6, _EXP),
    Variant("mirrored", 2e-3, "Adagrad's " + _SUMS),
    Variant("strategies", 1e-6, _EIGEN),
    Variant("replicas", 5e-6, "sums of a batch add in another order"),
    Variant("replicated_losses", 2e-6, _EIGEN),
)

EVERY = VARIANTS + IDIOMS + EACH + DEVICES


_RECORDINGS = Recordings(HERE, EVERY, __name__)
recorded = _RECORDINGS.read


def migrated(
    variants: tuple[Variant, ...],
    directory: pathlib.Path,
    fault: tuple[str, str, str] | None = None,
    readers: tuple[str, ...] = (),
) -> None:
    """Writes the migrations of variants, and what they need, to a new directory.

    Args:
      readers: texts of other files that use what is written beside them.
      fault: (file, old, new): what is replaced in an emitted file.
    """
    directory.mkdir(parents=True, exist_ok=True)
    texts = []
    for variant in variants:
        migration = migrate_text(
            variant.path.read_text(), FAITHFUL, filename=variant.path.name
        )
        loud = (Outcome.REFUSED, Outcome.FAILED)
        assert not [f for f in migration.findings if f.outcome in loud], variant.name
        (directory / variant.path.name).write_text(migration.text)
        texts.append(migration.text)
    beside.write(directory, *texts, *readers)
    if fault is not None:
        path = directory / fault[0]
        source = path.read_text()
        assert fault[1] in source
        path.write_text(source.replace(fault[1], fault[2]))


def run(
    variants: tuple[Variant, ...],
    python: str,
    source: pathlib.Path,
    work: pathlib.Path,
    preloaded: bool,
) -> dict[str, Array]:
    """What the variants of a directory find, in one process."""
    work.mkdir(parents=True, exist_ok=True)
    names = [variant.name for variant in variants]
    processes.run_tasks(
        python,
        HERE / "run.py",
        [],
        work,
        ps=0,
        workers=1,
        environment=runner.ENVIRONMENT,
        timeout=600,
        command_line=lambda *task: [str(source), str(work), *names],
        preloaded=preloaded,
    )
    with np.load(work / "results.npz") as archive:
        return {name: archive[name] for name in archive.files}


class Found:
    """What migrated programs find; each is run when it is first asked for.

    Args:
      work: a directory for them, and for their runs.
      run_one: runs a program in a directory; `migrated_and_run` where it is left out.
    """

    def __init__(
        self,
        work: pathlib.Path,
        run_one: Callable[[Variant, pathlib.Path], dict[str, Array]] | None = None,
    ) -> None:
        self._work = work
        self._run = run_one or (lambda program, at: migrated_and_run((program,), at))
        self._found: dict[str, dict[str, Array]] = {}

    def directory(self, program: Variant) -> pathlib.Path:
        """Where a program is run."""
        return self._work / program.name

    def of(self, program: Variant) -> dict[str, Array]:
        """What a program finds, by "<program>/<name>"."""
        if program.name not in self._found:
            directory = self.directory(program)
            self._found[program.name] = self._run(program, directory)
        return self._found[program.name]


def differences(
    variant: Variant, expected: dict[str, Array], found: dict[str, Array] | Found
) -> dict[str, float]:
    """Largest difference by result of one variant; infinite where shapes differ."""
    if isinstance(found, Found):
        found = found.of(variant)
    rows = {}
    for name in sorted({*expected, *found}):
        if name.startswith(f"{variant.name}/"):
            a, b = expected.get(name), found.get(name)
            if a is None or b is None or a.shape != b.shape:
                rows[name] = float("inf")
            elif a.dtype.kind == "U" or b.dtype.kind == "U":
                rows[name] = 0.0 if np.array_equal(a, b) else float("inf")
            else:
                wide = a.astype(float)  # Of what is larger than one, its relative part.
                difference = np.abs(wide - b.astype(float))
                difference /= np.maximum(1.0, np.nan_to_num(np.abs(wide)))
                rows[name] = float(np.max(difference, initial=0.0))
            measured.note(rows[name])
    return rows


def migrated_and_run(
    programs: tuple[Variant, ...],
    work: pathlib.Path,
    fault: tuple[str, str, str] | None = None,
    python: str = sys.executable,
    anywhere: tuple[str, str] | None = None,
) -> dict[str, Array]:
    """What the migrated programs trace.

    Args:
      work: a directory for them, and for their runs.
      fault: (file, old, new), replaced in what is written beside them.
      python: with the TensorFlow that they are run on.
      anywhere: (old, new), replaced where it stands once, in a program or beside it.
    """
    migrated(programs, work / "programs", fault)
    if anywhere is not None:
        old, new = anywhere
        (path,) = (p for p in (work / "programs").rglob("*.py") if old in p.read_text())
        assert path.read_text().count(old) == 1
        path.write_text(path.read_text().replace(old, new))
    return run(programs, python, work / "programs", work / "run", True)


def beyond_tolerance(
    program: Variant, expected: dict[str, Array], found: dict[str, Array] | Found
) -> dict[str, float]:
    """What differs by more than a program's tolerance."""
    rows = differences(program, expected, found)
    assert rows
    return {k: v for k, v in rows.items() if not v <= program.tolerance}


def record(
    recordings: Recordings,
    *groups: Sequence[Variant],
    keep: Callable[[Variant, pathlib.Path], None] | None = None,
) -> None:
    """Runs programs that have changed under TensorFlow 1.15.5, and records what they find.

    Args:
      groups: of one directory each; each in a process of its own.
      keep: is given each that ran, and the directory of its run before that goes.
    """
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    changed = recordings.changed()
    found: dict[str, Array] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for number, group in enumerate(groups):
            new = tuple(program for program in group if program.name in changed)
            if not new:
                continue
            work = pathlib.Path(temporary) / str(number)
            found |= run(new, str(python), new[0].directory, work, preloaded=False)
            for program in new if keep is not None else ():
                keep(program, work / program.name)
    recordings.write(found)


if __name__ == "__main__":
    record(_RECORDINGS, VARIANTS, IDIOMS, EACH, DEVICES)
