"""Genuine TensorFlow 1.15.5 as the measure: live, or as it was recorded.

A recording holds everything that a machine without Python 3.7 needs for the same
comparison: the initial values, the trace, and where all that comes from. Every run of
a scenario that starts from a checkpoint starts from the same weights, so these are
stored once; slots (zeros, or one constant) compress to nothing.

The third voice is `tf.compat.v1` in this interpreter: the same tf1.py, unedited.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from reference import checkpoints, runner
from reference.compare import Array, Divergence, first_divergence
from reference.runner import Trace
from reference.scenario import Alternative, Fault, Run, Scenario, Shape

# On another processor Eigen may block its sums otherwise, which changes last bits. How
# much that matters was measured on TF 1.15.5 alone: initial weights moved by one ULP
# move losses and slots by up to 2.5e-5 (synchronous Adagrad, the worst of the runs).
# float64 has 2**29 times finer ULPs; 1e-10 leaves room for a longer amplification.
ELSEWHERE = {"float32": 5e-5, "float64": 1e-10}

# Elements kept of one array: all steps, and as many places as that leaves.
SAMPLE = 1024


class Stale(RuntimeError):
    """A recording is missing or older than what it was made from."""


@dataclasses.dataclass(frozen=True)
class Recording:
    """The values that TF 1.15.5 computed in one run.

    Attributes:
      initial: every variable and slot of the checkpoint both programs start from;
        empty where the programs hold their initial values themselves.
      trace: "<worker>/<name>" and "checkpoint/<variable>", sampled.
    """

    initial: dict[str, Array]
    trace: Trace


# -- what is kept of a trace -----------------------------------------------------------


def sampled(trace: Trace, like: Trace | None = None) -> Trace:
    """The trace with at most about `SAMPLE` elements per array: all steps, some places.

    Arrays that are small keep their shape; of larger ones the same pseudo-random places
    (fixed, ascending) are kept at every step. Sampling twice changes nothing.

    Args:
      like: a sampled trace, perhaps of more steps; as many places as there are kept.
    """
    return {
        name: _places(np.asarray(values), None if like is None else like.get(name))
        for name, values in trace.items()
    }


def _places(values: Array, like: Array | None) -> Array:
    if values.ndim < 2 or not values.size:
        return values
    flat = values.reshape(len(values), -1)
    if like is None:
        count = max(1, SAMPLE // len(values))
    else:
        count = int(np.prod(like.shape[1:]))
    if flat.shape[1] <= count:
        return values
    # numpy promises never to change RandomState's stream.
    chosen = np.sort(np.random.RandomState(0).permutation(flat.shape[1])[:count])
    return flat[:, chosen]


# -- provenance ------------------------------------------------------------------------


def sources(scenario: Scenario, run: Run) -> dict[str, str]:
    """SHA-256 of all that decides what a recording holds.

    Of spec.py that is what the run is given; a tolerance or a planted fault is not
    recorded, so changing one does not make a recording old.
    """
    spec = {
        "steps": scenario.steps,
        "data": scenario.data,
        "checkpoint": scenario.checkpoint,
        "arguments": run.arguments,
        "dtype": run.dtype,
        "topology": repr(scenario.topology_of(run)),
    }
    if scenario.resumed:
        spec["resumed"] = scenario.resumed
    found = {
        f"{scenario.name}/tf1.py": scenario.program.read_bytes(),
        f"{scenario.name}/spec.py": json.dumps(spec, sort_keys=True).encode(),
    }
    here = pathlib.Path(__file__).parent
    found["gated.py"] = (here / "gated.py").read_bytes()
    if scenario.data:
        found["data.py"] = (here / "data.py").read_bytes()
    return {
        name: hashlib.sha256(content).hexdigest() for name, content in found.items()
    }


def processor() -> str:
    """The processor's kind: its name, family, model, and the sizes of its caches.

    Eigen blocks its products by these sizes. The name is not enough: under "AMD EPYC" two
    machines gave weights that were 10 ULPs apart after 200 steps.
    """
    try:
        first = pathlib.Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    except OSError:
        return platform.processor()
    cells = (line.partition(":") for line in first.splitlines())
    said = {name.strip(): value.strip() for name, _, value in cells}
    parts = [said.get(name, "") for name in ("model name", "cpu family", "model")]
    sizes = pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    parts += [path.read_text().strip() for path in sorted(sizes)]
    return " ".join(filter(None, parts)) or platform.processor()


def this_platform() -> dict[str, str]:
    return {"machine": platform.machine(), "processor": processor()}


def versions(python: str) -> dict[str, str]:
    """Versions of an interpreter and of what it computes with."""
    code = (
        "import json, platform, numpy, tensorflow as tf; print(json.dumps({"
        "'python': platform.python_version(), 'numpy': numpy.__version__,"
        "'tensorflow': tf.__version__, 'git': tf.version.GIT_VERSION}))"
    )
    found = subprocess.run(
        [python, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, **runner.ENVIRONMENT, "TF2_BEHAVIOR": "0"},
    )
    answer: dict[str, str] = json.loads(found.stdout.splitlines()[-1])
    return answer


def provenance(scenario: Scenario) -> dict[str, Any]:
    """Reads the provenance of a scenario's recordings, by run; empty for none."""
    path = scenario.recorded / "provenance.json"
    if not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text())["runs"]
    return found


def check_fresh(scenario: Scenario, run: Run) -> None:
    """Raises Stale where the run is not recorded, or its sources have changed since."""
    recipe = f"run `python -m reference record {scenario.name}`"
    entry = provenance(scenario).get(run.name)
    if entry is None or not (scenario.recorded / f"{run.name}.npz").exists():
        raise Stale(f"{scenario.name} {run.name}: not recorded; {recipe}")
    then, now = entry["sources"], sources(scenario, run)
    changed = sorted(k for k in {*then, *now} if then.get(k) != now.get(k))
    if changed:
        raise Stale(
            f"{scenario.name} {run.name}: {', '.join(changed)} changed since the "
            f"recording; {recipe}"
        )


def recorded_here(scenario: Scenario, run: Run) -> bool:
    """Whether a run was recorded on this kind of processor."""
    return bool(provenance(scenario)[run.name]["platform"] == this_platform())


def compare(
    scenario: Scenario,
    run: Run,
    expected: Trace,
    found: Trace,
    *,
    same_processor: bool = True,
    least: float = 0.0,
) -> Divergence | None:
    """Finds where `found` differs from `expected` by more than the run allows, or None.

    Both are sampled first, so that recorded and whole traces compare.

    Args:
      same_processor: False where one of them was computed on another: see `ELSEWHERE`.
      least: the tolerance is at least this (1e-6, to see that a fault is a large one).
    """
    expected = sampled(expected)

    def allowed(key: str) -> float:
        if same_processor:
            return max(least, run.tolerance_of(key))
        # A run of float64 may hold arrays of float32, as TF1's metrics and losses are.
        kept = ELSEWHERE.get(expected[key].dtype.name, 0.0)
        return max(least, kept, ELSEWHERE[run.dtype], run.tolerance_of(key))

    return first_divergence(expected, sampled(found, expected), allowed)


# -- recording -------------------------------------------------------------------------


def recorded(scenario: Scenario, run: Run) -> Recording:
    """A run as it was recorded.

    Raises:
      Stale: there is no recording, or a source has changed since.
    """
    check_fresh(scenario, run)
    stored = _load(scenario.recorded / f"{run.name}.npz")
    trace = {k: v for k, v in stored.items() if not k.startswith("initial/")}
    return Recording(initial(scenario, run), trace)


def initial(scenario: Scenario, run: Run) -> dict[str, Array]:
    """The values a run starts from, whether the recording is fresh or not.

    Raises:
      Stale: the run was never recorded.
    """
    if not scenario.checkpoint:
        return {}
    path = scenario.recorded / f"{run.name}.npz"
    if not path.exists():
        check_fresh(scenario, run)
    own = {
        k.partition("/")[2]: v
        for k, v in _load(path).items()
        if k.startswith("initial/")
    }
    weights = _load(scenario.recorded / "weights.npz")
    return {**{k: _as(v, run.dtype) for k, v in weights.items()}, **own}


def _as(values: Array, dtype: str) -> Array:
    """Floating-point values in the run's dtype; others as they are."""
    return values.astype(dtype) if values.dtype.kind == "f" else values


def saved(scenario: Scenario, run: Run) -> list[pathlib.Path]:
    """The checkpoint that TF1 saved in mid-run, file by file, of a `resumed` scenario.

    Raises:
      FileNotFoundError: the run was never recorded.
    """
    if not scenario.resumed:
        return []
    return checkpoints.files(_saved(scenario, run), scenario.resumed)


def _saved(scenario: Scenario, run: Run) -> pathlib.Path:
    return scenario.recorded / f"{run.name}.checkpoint"


def _initial(
    scenario: Scenario, run: Run, python: str, work: pathlib.Path
) -> dict[str, Array]:
    """A genuine TF1 checkpoint of step 0, of one parameter server and one worker."""
    single = scenario.topology_of(run).shape is Shape.SINGLE
    alone = run if single else dataclasses.replace(run, topology=_ALONE)
    runner.train(
        scenario, alone, runner.genuine(python), scenario.program, work, steps=1
    )
    directory = work / "out" / "checkpoints"
    (directory / "checkpoint").write_text(
        'model_checkpoint_path: "model.ckpt-0"\n'
        'all_model_checkpoint_paths: "model.ckpt-0"\n'
    )
    return checkpoints.read(directory)


_ALONE = runner.Topology(ps=1, workers=1)


def _record_run(
    scenario: Scenario, run: Run, python: str, weights: Mapping[str, Array]
) -> Recording:
    with tempfile.TemporaryDirectory(prefix="tf1to2-") as temporary:
        work = pathlib.Path(temporary)
        initial: dict[str, Array] = {}
        if scenario.checkpoint:
            initial = _initial(scenario, run, python, work / "initial")
            for name, value in weights.items():
                if name in initial:
                    initial[name] = _as(value, run.dtype)
        trace = live(scenario, run, python, work / "trace", initial)
        if scenario.resumed:
            made = work / "trace" / "out" / "checkpoints"
            shutil.rmtree(_saved(scenario, run), ignore_errors=True)
            _saved(scenario, run).mkdir()
            for path in checkpoints.files(made, scenario.resumed):
                shutil.copyfile(path, _saved(scenario, run) / path.name)
        return Recording(initial, sampled(trace))


def record(
    scenario: Scenario, python: str, runs: Iterable[Run] | None = None, jobs: int = 1
) -> None:
    """Runs tf1.py under TensorFlow 1.15.5 and replaces the recordings of `runs`.

    The initial weights of an earlier recording are kept, so that a new one cannot
    draw easier ones. What is recorded of runs that the spec no longer has is removed.

    Args:
      runs: all of them by default.
      jobs: how many at a time.
    """
    chosen = list(scenario.runs if runs is None else runs)
    scenario.recorded.mkdir(exist_ok=True)
    entries = {k: v for k, v in provenance(scenario).items() if k in _names(scenario)}
    kept = scenario.recorded / "weights.npz"
    if scenario.checkpoint and not kept.exists():
        with tempfile.TemporaryDirectory(prefix="tf1to2-") as temporary:
            # The first run's weights are everybody's; it must have no slots.
            _store(kept, _initial(scenario, chosen[0], python, pathlib.Path(temporary)))
    weights = _load(kept) if scenario.checkpoint else {}
    found = versions(python)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        recordings = list(
            pool.map(lambda run: _record_run(scenario, run, python, weights), chosen)
        )
    for run, recording in zip(chosen, recordings, strict=True):
        own = {k: v for k, v in recording.initial.items() if k not in weights}
        slots = {f"initial/{k}": v for k, v in own.items()}
        _store(scenario.recorded / f"{run.name}.npz", {**slots, **recording.trace})
        entries[run.name] = {
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
            "command": f"python -m reference record {scenario.name}",
            "versions": found,
            "platform": this_platform(),
            "sources": sources(scenario, run),
        }
    for path in scenario.recorded.glob("*.npz"):
        if path.stem not in entries and path != kept:
            path.unlink()
    for path in scenario.recorded.glob("*.checkpoint"):
        if path.stem not in entries:
            shutil.rmtree(path)
    ordered = {name: entries[name] for name in _names(scenario) if name in entries}
    (scenario.recorded / "provenance.json").write_text(
        json.dumps({"runs": ordered}, indent=1) + "\n"
    )


def _names(scenario: Scenario) -> list[str]:
    return [run.name for run in scenario.runs]


def _store(path: pathlib.Path, values: Mapping[str, Array]) -> None:
    # An npz is a zip file: a variable's "/" would become a directory.
    arrays: dict[str, Any] = {k.replace("/", "|"): v for k, v in values.items()}
    np.savez_compressed(path, **arrays)


def _load(path: pathlib.Path) -> dict[str, Array]:
    with np.load(path) as archive:
        return {name.replace("|", "/"): archive[name] for name in archive.files}


# -- the voices ------------------------------------------------------------------------


def live(
    scenario: Scenario,
    run: Run,
    python: str,
    work: pathlib.Path,
    initial: Mapping[str, Array],
    steps: int | None = None,
) -> Trace:
    """The trace of tf1.py under TensorFlow 1.15.5, from `initial`.

    Of a `resumed` scenario TF1 trains all steps; the trace begins where it is resumed.
    """
    trace = runner.train(
        scenario,
        run,
        runner.genuine(python),
        scenario.program,
        work,
        initial=initial,
        steps=steps,
    )
    return _resumed(scenario, trace)


def compat(
    scenario: Scenario,
    run: Run,
    work: pathlib.Path,
    initial: Mapping[str, Array],
    steps: int | None = None,
) -> Trace:
    """The trace of tf1.py on this interpreter's tf.compat.v1, from `initial`.

    Raises:
      TasksFailed: the program uses what tf.compat.v1 has no more (tf.contrib).
    """
    trace = runner.train(
        scenario,
        run,
        runner.compat(),
        scenario.program,
        work,
        initial=initial,
        steps=steps,
    )
    return _resumed(scenario, trace)


def _resumed(scenario: Scenario, trace: Trace) -> Trace:
    """The steps after those that a `resumed` scenario's checkpoint holds."""
    if not scenario.resumed:
        return trace
    return {n: v[scenario.resumed :] if len(v) > 1 else v for n, v in trace.items()}


def migrated(
    scenario: Scenario,
    run: Run,
    work: pathlib.Path,
    initial: Mapping[str, Array],
    *,
    fault: Fault | None = None,
    alternative: Alternative | None = None,
    steps: int | None = None,
) -> Trace:
    """The trace of tf2.py on this interpreter's TensorFlow.

    Args:
      fault: planted into the program first.
      alternative: runs this program instead.
    """
    program, topology = scenario.migration, None
    if fault is not None:
        program = scenario.directory / fault.program
    if alternative is not None:
        program = scenario.directory / alternative.program
        topology = alternative.topology
    replaced = {} if fault is None else {fault.file: (fault.old, fault.new)}
    return runner.train(
        scenario,
        run,
        runner.tf2(),
        runner.copied(program, work / "program", replaced),
        work,
        initial=initial,
        saved=saved(scenario, run),
        steps=steps,
        topology=topology,
    )


def steps_only(trace: Trace, like: Trace | None = None) -> Trace:
    """Selects the values that were traced at every step, without final values.

    For a run that trains fewer steps than were recorded, whose end is another one.

    Args:
      like: the shorter trace, of steps only; as many steps of each array are kept.
    """
    found = {
        name: values
        for name, values in trace.items()
        if len(values) > 1 and not name.startswith("checkpoint/")
    }
    if like is None:
        return found
    return {n: v[: len(like[n])] if n in like else v for n, v in found.items()}
