"""How the programs of `clustered` are run, and what TensorFlow 1.15.5 wrote with them.

`python -m tests.programs.clusters PYTHON3.7 [NAME...]` records that in
`clustered/tf1.json`.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import sys
import tempfile

from reference import data, measured, processes, runner
from tests.programs.more_programs import MORE, prepare
from tests.programs.programs import HERE, VARIANTS, Variant

EVERY = (*VARIANTS, *MORE)
# Those that TensorFlow 1.15.5 runs. Of the others two workers race: a session of
# TensorFlow 1 may wait for ever for a worker that has ended.
ORIGINALS = (*(v for v in VARIANTS if v.equal), *MORE)
RECORDED = HERE / "tf1.json"
# Of each worker, the lines of its loop: a word of the program's own, and the loss.
Trace = list[list[tuple[str, float]]]


def run(
    variant: Variant, python: str, program: pathlib.Path, out: pathlib.Path
) -> Trace:
    """What the workers of a program write, run in its cluster.

    Args:
      out: the directory that the program is given.
    """

    def config(job: str, index: int, hosts: processes.Hosts) -> dict[str, str]:
        cluster = {"ps": list(hosts.ps), "worker": list(hosts.worker)}
        task = {"type": job, "index": index}
        return {
            "TF_CONFIG": json.dumps({"cluster": cluster, "task": task}),
            "DIR": str(out),
        }

    def arguments(job: str, index: int, hosts: processes.Hosts) -> list[str]:
        if "TF_CONFIG" in variant.path.read_text():
            return []
        return [*processes.flag_arguments(job, index, hosts), f"--dir={out}"]

    if variant.name == "mnist_reader":
        data.write_mnist(out.parent / "mnist")
    prepare(variant, out)
    processes.run_tasks(
        python,
        program,
        [],
        out,
        ps=variant.ps,
        workers=variant.workers,
        environment=runner.ENVIRONMENT,
        command_line=arguments,
        task_environment=config,
        # TensorFlow 1's server answers other workers until the interpreter has ended.
        preloaded=python == sys.executable or variant.workers == 1,
    )
    return [_lines(out / f"loss.{worker}") for worker in range(variant.workers)]


def _lines(path: pathlib.Path) -> list[tuple[str, float]]:
    pairs = [line.split() for line in path.read_text().splitlines()]
    return [(pair[0], float(pair[1])) for pair in pairs]


def difference(one: Trace, other: Trace) -> float:
    """The largest difference of the first worker's losses, as far as both go.

    Of a loss larger than one its relative part: processors round in the last bits.
    """
    pairs = zip(one[0], other[0])
    return measured.note(max(abs(a - b) / max(1.0, abs(b)) for (_, a), (_, b) in pairs))


def recorded(variant: Variant) -> Trace:
    """What TensorFlow 1.15.5 wrote.

    Raises:
      ValueError: the program has changed since.
    """
    row = json.loads(RECORDED.read_text())[variant.name]
    if row["digest"] != _digest(variant):
        raise ValueError(f"recorded before it changed: {variant.name}; see {__name__}")
    return [[(step, loss) for step, loss in worker] for worker in row["trace"]]


def _digest(variant: Variant) -> str:
    return hashlib.sha256(variant.path.read_bytes()).hexdigest()


def record(python: str, only: list[str]) -> None:
    """Writes what TensorFlow 1.15.5 gives, with the programs' digests.

    Args:
      only: names of programs; the others' records stay. None: all of them.
    """
    rows = json.loads(RECORDED.read_text()) if only else {}
    for variant in [v for v in ORIGINALS if not only or v.name in only]:
        with tempfile.TemporaryDirectory() as directory:
            trace = run(variant, python, variant.path, pathlib.Path(directory) / "out")
        rows[variant.name] = {
            "tensorflow": "1.15.5",
            "digest": _digest(variant),
            "trace": trace,
        }
        print(variant.name, [len(worker) for worker in trace], flush=True)
        text = json.dumps(dict(sorted(rows.items())), indent=1)
        RECORDED.write_text(text + "\n")


if __name__ == "__main__":
    record(sys.argv[1], sys.argv[2:])
