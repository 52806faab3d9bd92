"""Genuine TensorFlow 1.15.5 as the measure: live, or as it was recorded.

A recording holds everything that a machine without Python 3.7 needs for the same
comparison: the initial values, each worker's losses, the final values, and where all
that comes from. Every run of a scenario starts from the same weights, so these are
stored once; slots (zeros, or one constant) compress to nothing.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from reference import checkpoints, data, parity
from reference.compare import Array
from reference.scenario import Run, Scenario

# On another processor Eigen may block its sums otherwise, which changes last bits. How
# much that matters was measured on TF 1.15.5 alone: initial weights moved by one ULP
# move losses and slots by up to 2.5e-5 (synchronous Adagrad, the worst of the runs).
ELSEWHERE = 5e-5

# Elements kept of each final variable, evenly strided; small ones are kept whole.
SAMPLE = 512


class Stale(RuntimeError):
    """A recording is older than what it was made from."""


@dataclasses.dataclass(frozen=True)
class Recording:
    """What TF 1.15.5 computed in one run.

    Attributes:
      initial: every variable and slot of the checkpoint both programs start from.
      trace: `loss/<worker>` by local step, and `final/<variable>` sampled (one row).
    """

    initial: dict[str, Array]
    trace: dict[str, Array]


def sources(scenario: Scenario) -> dict[str, str]:
    """SHA-256 of all that decides what a recording holds."""
    here = pathlib.Path(__file__).parent
    paths = {
        f"{scenario.name}/tf1.py": scenario.program,
        f"{scenario.name}/spec.py": scenario.directory / "spec.py",
        "data.py": here / "data.py",
        "gated.py": here / "gated.py",
    }
    return {n: hashlib.sha256(p.read_bytes()).hexdigest() for n, p in paths.items()}


def sample(values: Array) -> Array:
    """At most `SAMPLE` elements of an array, evenly strided, as one row."""
    flat = np.asarray(values).reshape(-1)
    return flat[:: max(1, -(-flat.size // SAMPLE))][np.newaxis]


def trace_of(
    losses: tuple[tuple[float, ...], ...], final: dict[str, Array]
) -> dict[str, Array]:
    """Losses by worker and sampled final values, as one trace."""
    # The programs write repr(float(loss)) of a float32: nothing is lost here.
    trace: dict[str, Array] = {
        f"loss/{worker}": np.asarray(values, np.float32)
        for worker, values in enumerate(losses)
    }
    for name, values in final.items():
        trace[f"final/{name}"] = sample(values)
    return trace


def trained(
    scenario: Scenario,
    run: Run,
    python: str,
    program: pathlib.Path,
    work: pathlib.Path,
    initial: dict[str, Array],
    *,
    in_step: bool,
) -> dict[str, Array]:
    """Trains `program` from `initial` with the interpreter `python`; its trace."""
    out = work / "out"
    data.write_mnist(work / "mnist")
    checkpoints.write(out / "checkpoints", initial, 0)
    losses = parity.train(
        python,
        program,
        work,
        out,
        run.arguments,
        steps=scenario.steps,
        workers=scenario.workers,
        in_step=in_step,
    )
    final = checkpoints.read(out / "checkpoints")
    # SyncReplicasOptimizer's own counter has no counterpart, nor a value to compare.
    final = {name: v for name, v in final.items() if name in initial and name != _LOCAL}
    return trace_of(losses, final)


_LOCAL = "sync_rep_local_step"


def live(
    scenario: Scenario,
    run: Run,
    python: str,
    work: pathlib.Path,
    initial: dict[str, Array],
) -> dict[str, Array]:
    """The trace of tf1.py under TensorFlow 1.15.5, from `initial`."""
    return trained(
        scenario,
        run,
        python,
        scenario.program,
        work,
        initial,
        in_step=scenario.workers > 1,
    )


def _initial(
    scenario: Scenario, run: Run, python: str, work: pathlib.Path
) -> dict[str, Array]:
    data.write_mnist(work / "mnist")
    found = parity.initial_checkpoint(python, scenario.program, work, run.arguments)
    return checkpoints.read(found)


def record(scenario: Scenario, python: str) -> None:
    """Runs all of a scenario under TensorFlow 1.15.5 and replaces its recording.

    The initial weights of an earlier recording are kept, so that a new one cannot
    draw easier ones.
    """
    kept = scenario.recorded / "weights.npz"
    weights = _load(kept) if kept.exists() else {}
    runs: dict[str, Recording] = {}
    for run in scenario.runs:
        with tempfile.TemporaryDirectory() as temporary:
            work = pathlib.Path(temporary)
            initial = _initial(scenario, run, python, work / "initial")
            # The first run's weights are everybody's; it must have no slots.
            weights = weights or dict(initial)
            initial.update({k: v for k, v in weights.items() if k in initial})
            trace = live(scenario, run, python, work / "trace", initial)
            runs[run.name] = Recording(initial, trace)
    shutil.rmtree(scenario.recorded, ignore_errors=True)
    scenario.recorded.mkdir()
    _store(scenario.recorded / "weights.npz", weights)
    for name, recording in runs.items():
        own = {k: v for k, v in recording.initial.items() if k not in weights}
        slots = {f"initial/{k}": v for k, v in own.items()}
        _store(scenario.recorded / f"{name}.npz", {**slots, **recording.trace})
    (scenario.recorded / "provenance.json").write_text(
        json.dumps(_provenance(scenario, python), indent=2) + "\n"
    )


def _store(path: pathlib.Path, values: dict[str, Array]) -> None:
    # An npz is a zip file: a variable's "/" would become a directory.
    arrays: dict[str, Any] = {k.replace("/", "|"): v for k, v in values.items()}
    np.savez_compressed(path, **arrays)


def _load(path: pathlib.Path) -> dict[str, Array]:
    with np.load(path) as archive:
        return {name.replace("|", "/"): archive[name] for name in archive.files}


def _provenance(scenario: Scenario, python: str) -> dict[str, object]:
    code = (
        "import json, platform, numpy, tensorflow as tf; print(json.dumps({"
        "'python': platform.python_version(), 'numpy': numpy.__version__,"
        "'tensorflow': tf.__version__, 'git': tf.version.GIT_VERSION}))"
    )
    versions = subprocess.run(
        [python, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **parity.ENVIRONMENT, "TF2_BEHAVIOR": "0"},
    )
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "command": f"python -m reference record {scenario.name}",
        "versions": json.loads(versions.stdout.splitlines()[-1]),
        "platform": {"machine": platform.machine(), "processor": processor()},
        "sources": sources(scenario),
    }


def processor() -> str:
    """The processor's model: Eigen blocks its products by the sizes of its caches."""
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()


def provenance(scenario: Scenario) -> dict[str, object]:
    """Where a scenario's recording comes from."""
    found: dict[str, object] = json.loads(
        (scenario.recorded / "provenance.json").read_text()
    )
    return found


def recorded(scenario: Scenario, run: Run) -> Recording:
    """A run as it was recorded.

    Raises:
      Stale: a source has changed since.
    """
    then, now = provenance(scenario)["sources"], sources(scenario)
    if then != now:
        assert isinstance(then, dict)
        changed = sorted(k for k in {*then, *now} if then.get(k) != now.get(k))
        raise Stale(
            f"{scenario.name}: {', '.join(changed)} changed since the recording; "
            f"run `python -m reference record {scenario.name}`"
        )
    stored = _load(scenario.recorded / f"{run.name}.npz")
    slots = {
        k.partition("/")[2]: v for k, v in stored.items() if k.startswith("initial/")
    }
    weights = _load(scenario.recorded / "weights.npz")
    trace = {k: v for k, v in stored.items() if not k.startswith("initial/")}
    return Recording({**weights, **slots}, trace)


def tolerance(scenario: Scenario, run: Run) -> float:
    """The run's own where it was recorded on this processor, else `ELSEWHERE` at least."""
    there = provenance(scenario)["platform"]
    here = {"machine": platform.machine(), "processor": processor()}
    return run.tolerance if there == here else max(run.tolerance, ELSEWHERE)


def migrated(
    scenario: Scenario,
    run: Run,
    work: pathlib.Path,
    initial: dict[str, Array],
    program: pathlib.Path | None = None,
) -> dict[str, Array]:
    """The trace of the migrated program on this interpreter's TensorFlow.

    Args:
      program: instead of what the tool writes for tf1.py.
    """
    program = program or parity.migrated(scenario.program, work / "program")
    return trained(
        scenario, run, sys.executable, program, work, initial, in_step=False
    )
