"""Runs a TF1 program and its migration from one checkpoint and gives both loss traces."""

from __future__ import annotations

import dataclasses
import pathlib
import shutil
import sys
from collections.abc import Sequence

from migrate.compiler import migrate_text
from migrate.pipeline import support_source
from reference import data, processes

HERE = pathlib.Path(__file__).parent
# oneDNN's kernels round otherwise than TF 1.15's; without it SGD is bit-equal.
ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "",
}


@dataclasses.dataclass(frozen=True)
class Traces:
    """Losses by worker, step by step, of the TF1 program and of its migration."""

    tf1: tuple[tuple[float, ...], ...]
    tf2: tuple[tuple[float, ...], ...]

    def divergence(self) -> float:
        """The largest absolute difference; infinite where a trace is shorter."""
        worst = 0.0
        for old, new in zip(self.tf1, self.tf2, strict=True):
            if len(old) != len(new) or not old:
                return float("inf")
            worst = max(worst, *(abs(a - b) for a, b in zip(old, new, strict=True)))
        return worst


def migrated(program: pathlib.Path, directory: pathlib.Path) -> pathlib.Path:
    """Writes what the tool makes of `program`, with the modules it needs."""
    directory.mkdir(parents=True, exist_ok=True)
    migration = migrate_text(program.read_text(), filename=str(program))
    target = directory / program.name
    target.write_text(migration.text)
    for name in migration.support:
        (directory / name).write_bytes(support_source(name))
    return target


def _arguments(work: pathlib.Path, out: pathlib.Path, given: Sequence[str]) -> list[str]:
    return [
        f"--data_dir={work / 'mnist'}",
        f"--checkpoint_dir={out / 'checkpoints'}",
        f"--loss_log={out / 'loss'}",
        *given,
    ]


def initial_checkpoint(
    python: str, program: pathlib.Path, work: pathlib.Path, given: Sequence[str]
) -> pathlib.Path:
    """A genuine TF1 checkpoint of step 0, from which both programs start."""
    out = work / "initial"
    processes.run_tasks(
        python,
        program,
        [*_arguments(work, out, given), "--train_steps=1"],
        out,
        environment=ENVIRONMENT,
    )
    directory = out / "checkpoints"
    (directory / "checkpoint").write_text(
        'model_checkpoint_path: "model.ckpt-0"\n'
        'all_model_checkpoint_paths: "model.ckpt-0"\n'
    )
    return directory


def losses(out: pathlib.Path, workers: int) -> tuple[tuple[float, ...], ...]:
    """The losses each worker wrote."""
    return tuple(
        tuple(float(line.split()[1]) for line in (out / f"loss.{w}").open())
        for w in range(workers)
    )


def train(
    python: str,
    program: pathlib.Path,
    work: pathlib.Path,
    out: pathlib.Path,
    given: Sequence[str],
    *,
    steps: int,
    workers: int = 1,
    in_step: bool = False,
) -> tuple[tuple[float, ...], ...]:
    """Trains to global step `steps` from `out`'s checkpoints; each worker's losses.

    Args:
      in_step: TF1's workers wait for each other before every run (`gated.py`).
    """
    gate = out / "gate"
    gate.mkdir(parents=True, exist_ok=True)

    def gated(job: str, index: int, hosts: processes.Hosts) -> dict[str, str]:
        return {
            "GATE_DIR": str(gate),
            "GATE_WORKERS": str(workers),
            "GATE_TASK": str(index) if job == "worker" else "",
        }

    processes.run_tasks(
        python,
        [str(HERE / "gated.py"), str(program)] if in_step else program,
        [*_arguments(work, out, given), f"--train_steps={steps}"],
        out,
        workers=workers,
        environment=ENVIRONMENT,
        task_environment=gated if in_step else None,
    )
    return losses(out, workers)


def compare(
    scenario: str,
    tf1_python: str,
    work: pathlib.Path,
    given: Sequence[str],
    *,
    steps: int = 200,
    workers: int = 1,
    tf2_program: pathlib.Path | None = None,
    tf2_arguments: Sequence[str] = (),
) -> Traces:
    """Trains `steps` steps in both from the same weights, batches and order.

    With several workers TF1's run in step (`gated.py`): which worker takes part in
    an update is a race otherwise.
    """
    program = HERE / scenario / "tf1.py"
    if not (work / "mnist").exists():
        data.write_mnist(work / "mnist")
    start = initial_checkpoint(tf1_python, program, work, given)
    tf2_program = tf2_program or migrated(program, work / "program")
    for name in ("tf1", "tf2"):
        shutil.copytree(start, work / name / "checkpoints")
    old = train(
        tf1_python,
        program,
        work,
        work / "tf1",
        given,
        steps=steps,
        workers=workers,
        in_step=workers > 1,
    )
    migration = train(
        sys.executable,
        tf2_program,
        work,
        work / "tf2",
        [*given, *tf2_arguments],
        steps=steps,
        workers=workers,
    )
    return Traces(old, migration)
