"""A TPUEstimator's training, what TensorFlow 1.15.5 computed with it, and replicas in place of a TPU.

`python -m tests.programs.estimator_tpus` runs it under TensorFlow 1.15.5 and records that.
"""

from __future__ import annotations

import hashlib
import pathlib
import sys
import tempfile
from collections.abc import Sequence

import numpy as np

from migrate.beside import files as beside
from migrate import emitted
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import checkpoints, processes, runner
from reference.compare import Array
from reference.environment import find_tf1

HERE = pathlib.Path(__file__).parent
PROGRAM = HERE / "training.py"
_RECORDED = HERE / "recorded.npz"
KINDS = ("plain", "own")


def _digest() -> str:
    return hashlib.sha256(PROGRAM.read_bytes()).hexdigest()


def recorded(kind: str) -> dict[str, Array]:
    """What TensorFlow 1.15.5 found on one device, with whole batches.

    Raises:
      ValueError: the program has changed since.
    """
    with np.load(_RECORDED) as archive:
        if str(archive["digest"]) != _digest():
            raise ValueError(f"recorded before it changed; run python -m {__name__}")
        of_kind = [name for name in archive.files if name.startswith(f"{kind}/")]
        return {name.partition("/")[2]: archive[name] for name in of_kind}


def migrated(
    directory: pathlib.Path, fault: tuple[str, str, str] | None = None
) -> pathlib.Path:
    """Writes the migrated program, and what it needs, to a new directory.

    Args:
      fault: (file, old, new): what is replaced in an emitted file.
    """
    migration = migrate_text(PROGRAM.read_text(), filename=PROGRAM.name)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    assert not [f for f in migration.findings if f.outcome in loud]
    directory.mkdir(parents=True, exist_ok=True)
    beside.write(directory, migration.text)
    if fault is not None:
        name, old, new = fault
        source = (directory / name).read_text()
        assert old in source
        (directory / name).write_text(source.replace(old, new))
    (directory / PROGRAM.name).write_text(migration.text)
    return directory


def run(
    source: pathlib.Path,
    work: pathlib.Path,
    cases: Sequence[str],
    moved: float = 0.0,
) -> dict[str, dict[str, Array] | str]:
    """By case (see replicated.py), what a migrated program found, or its error.

    Args:
      moved: what is added to the first variable's initial values.
    """
    for case in cases:
        start = recorded("own" if case.endswith("own") else "plain")
        initial = {
            name.partition("/")[2]: value
            for name, value in start.items()
            if name.startswith("initial/")
        }
        initial["rows"] = initial["rows"] + np.float32(moved)
        (work / case).mkdir(parents=True, exist_ok=True)
        checkpoints.write(work / case / "model", initial, 0)
    processes.run_tasks(
        sys.executable,
        HERE / "replicated.py",
        [],
        work,
        ps=0,
        workers=1,
        environment=runner.ENVIRONMENT,
        timeout=600,
        command_line=lambda *task: [str(source), str(work), *cases],
        preloaded=True,
    )
    found: dict[str, dict[str, Array] | str] = {}
    for case in cases:
        error = work / case / "error.txt"
        if error.exists():
            found[case] = error.read_text()
            continue
        with np.load(work / case / "results.npz") as archive:
            found[case] = {name: archive[name] for name in archive.files}
    return found


def record() -> None:
    """Runs the program under TensorFlow 1.15.5, and keeps what it found.

    Raises:
      SystemExit: there is no TensorFlow 1.15.5.
    """
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    every = {"digest": np.array(_digest())}
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as temporary:
            work = pathlib.Path(temporary)
            processes.run_tasks(
                str(python),
                PROGRAM,
                [],
                work,
                ps=0,
                workers=1,
                environment=runner.ENVIRONMENT,
                timeout=300,
                command_line=lambda *task: [f"--dir={work}", f"--kind={kind}"],
            )
            with np.load(work / "results.npz") as archive:
                every |= {f"{kind}/{name}": archive[name] for name in archive.files}
            checkpoints.copy(checkpoints.files(work / "model", 0), work / "first")
            start = checkpoints.read(work / "first")
            every |= {f"{kind}/initial/{name}": v for name, v in start.items()}
    np.savez_compressed(_RECORDED, **every)
