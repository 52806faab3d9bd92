"""Towers on the tasks of a cluster, in clusters of processes.

What the programs write is compared with what genuine TensorFlow 1.15.5 wrote in the same
cluster, recorded in `tests/programs/task_towers/tf1.json` by
`python -m tests.programs.test_task_towers PYTHON3.7 [NAME...]`.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import sys
import tempfile

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration
from reference import measured, processes, runner
from tests.programs.task_towers.clusters import CLUSTERS

HERE = pathlib.Path(__file__).with_name("task_towers")
RECORDED = HERE / "tf1.json"
# Float32 values of order 1 to 10: a few ULPs, and what twelve steps of momentum make of
# them. The smallest fault below moves them by 1e-2.
TOLERANCE = 5e-6

Trace = dict[str, list[float]]


# Name -> a program, and what is wrong in its migrated text.
FAULTS = {
    "sum_of_towers": ("client_splits", "replicas.average(gradients)", "gradients"),
    "another_tower_s_part": (
        "client_splits",
        "matmul(x_parts[i]",
        "matmul(x_parts[1 - i]",
    ),
    "another_tower_s_feed": ("chief_builds", "- ys[i]", "- ys[0]"),
    "sum_of_losses": (
        "losses_added",
        "tf.add_n(losses) / len(workers)",
        "tf.add_n(losses)",
    ),
    "clipped_before_the_mean": (
        "monitored_chief",
        "replicas.averaged(tower_gradients)",
        "tower_gradients",
    ),
    "one_batch_for_all": ("towers_draw", "tower_batches[i]", "tower_batches[0]"),
    "every_worker_trains": ("chief_alone", ", workers=1", ""),
    "no_tower_s_own_part": ("chief_alone", "i = replicas.tower()", "i = 0"),
    "every_second_tower": (
        "gpus_of_workers",
        "x_parts[i], w) - y_parts[i]",
        "x_parts[i // 2], w) - y_parts[i // 2]",
    ),
}


def _run(python: str, program: pathlib.Path, name: str, out: pathlib.Path) -> Trace:
    """What a program writes, run in its cluster."""
    cluster = CLUSTERS[name]
    out.mkdir(parents=True, exist_ok=True)
    processes.run_tasks(
        python,
        program,
        [f"--dir={out}"],
        out / "logs",
        ps=cluster.ps,
        workers=cluster.workers,
        client=cluster.client,
        serving=not cluster.client,
        environment=runner.ENVIRONMENT,
        timeout=180,
        preloaded=python == sys.executable,
    )
    lines = [line.split() for line in (out / "loss.0").read_text().splitlines()]
    return {line[0]: [float(value) for value in line[1:]] for line in lines}


def _digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _shape(trace: Trace) -> list[tuple[str, int]]:
    return [(step, len(values)) for step, values in trace.items()]


def _worst(one: Trace, other: Trace) -> float:
    assert _shape(one) == _shape(other)
    return measured.note(
        max(
            abs(a - b)
            for step in one
            for a, b in zip(one[step], other[step], strict=True)
        )
    )


def _migration(name: str) -> Migration:
    path = HERE / f"{name}.py"
    migration = migrate_text(path.read_text(), filename=str(path))
    loud = (Outcome.REFUSED, Outcome.FAILED)
    assert not [f for f in migration.findings if f.outcome in loud]
    return migration


def _written(name: str, directory: pathlib.Path, old: str, new: str) -> pathlib.Path:
    """The migrated program in a directory, something of it replaced."""
    directory.mkdir()
    program = directory / f"{name}.py"
    text = _migration(name).text
    assert not old or text.count(old) == 1
    program.write_text(text.replace(old, new) if old else text)
    beside.write(directory, program.read_text())
    return program


def _recorded(name: str) -> Trace:
    """What TensorFlow 1.15.5 wrote."""
    recorded = json.loads(RECORDED.read_text())[name]
    assert recorded["digest"] == _digest(HERE / f"{name}.py"), "record it again"
    found: Trace = recorded["trace"]
    return found


@pytest.mark.parametrize("name", CLUSTERS)
def test_equals_recorded_tf1(name: str, tmp_path: pathlib.Path) -> None:
    recorded = _recorded(name)
    assert len(recorded) >= 12
    program = _written(name, tmp_path / "program", "", "")
    found = _run(sys.executable, program, name, tmp_path / "out")
    assert _worst(found, recorded) <= TOLERANCE


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(fault: str, tmp_path: pathlib.Path) -> None:
    name, old, new = FAULTS[fault]
    program = _written(name, tmp_path / "program", old, new)
    wrong = _run(sys.executable, program, name, tmp_path / "out")
    right = _recorded(name)
    # Two loops that write one file leave other lines, or torn ones.
    assert _shape(wrong) != _shape(right) or _worst(wrong, right) > 100 * TOLERANCE


def test_recordings_are_what_tf1_writes(tf1: str, tmp_path: pathlib.Path) -> None:
    recorded = json.loads(RECORDED.read_text())
    name = "losses_added"  # One for all: a cluster of TensorFlow 1 takes its time.
    live = _run(tf1, HERE / f"{name}.py", name, tmp_path / "out")
    assert _worst(live, recorded[name]["trace"]) <= TOLERANCE


# A result of a function stays on the device that has computed it.
TOLD = """
  with open(FLAGS.dir + "/where", "w") as where:
    results = compute_loss.function(*[tf.ones([2, n]) for n in (6, 2, 6, 2)])
    print(results[0].device, file=where)
    for variable in replicas.global_variables:
      print(variable.name, variable.device, file=where)
"""


@pytest.mark.parametrize("task", [0, 1])
def test_towers_and_variables_are_on_their_tasks(
    task: int, tmp_path: pathlib.Path
) -> None:
    """The last tower's loss is computed where that tower is; slots are with variables."""
    program = _written("chief_builds", tmp_path / "program", 'print("done")', "told()")
    text = program.read_text().replace(
        'task:%d" % i', f'task:%d" % abs(i - {1 - task})'
    )
    text = text.replace("  told()\n", TOLD)
    program.write_text(text)
    beside.write(program.parent, text)
    _run(sys.executable, program, "chief_builds", tmp_path / "out")
    first, *others = (tmp_path / "out" / "where").read_text().splitlines()
    assert first.startswith(f"/job:worker/replica:0/task:{task}/"), first
    where = dict(line.split() for line in others)
    assert len(where) == 4 + 2 * 3 + 2  # With Adam's slots and powers.
    weights = where["model/hidden/weights:0"]
    assert weights.startswith("/job:ps/")
    assert where["model/hidden/weights/Adam:0"] == weights


def test_the_launch_commands_stay() -> None:
    for name in CLUSTERS:
        text = _migration(name).text
        assert "server.join()" in text or ".join()" in text
        lone = name == "chief_alone"  # It has the strategy of a cluster's workers.
        assert lone or "experimental_connect_to_cluster(cluster)" in text
        again = migrate_text(text)
        assert again.text == text


CHIEF = (HERE / "chief_builds.py").read_text()
DRAW = (HERE / "towers_draw.py").read_text()


@pytest.mark.parametrize(
    ("program", "old", "new", "code"),
    [
        # Every worker a client.
        (CHIEF, '"worker" and FLAGS.task_index == 0', '"worker"', "C131"),
        (CHIEF, "  if not is_chief:\n    server.join()\n", "", "C131"),
        (DRAW, "FLAGS.task_index > 0", "FLAGS.task_index > 1", "C131"),
        # Which one is not seen.
        (CHIEF, "FLAGS.task_index == 0", "chosen()", "C131"),
        # What replicas would not do.
        (CHIEF, "cluster=cluster)):", "cluster=cluster, ps_tasks=1)):", "N126"),
        (CHIEF, "loss = tf.red", "v = tf.Variable(1.0)\n        loss = tf.red", "N126"),
        (DRAW, "/ len(pairs)", "", "N126"),
        (
            DRAW,
            "        with tf.device(worker):\n",
            '        with tf.device(worker), tf.device("/job:worker/task:1"):\n',
            "N126",
        ),
        (DRAW, '"/job:worker/task:{}".format(i)', '"/gpu:{}".format(i)', "N126"),
        (
            DRAW.replace("FLAGS.task_index > 0", "not cluster"),
            '"/job:worker/task:{}".format(i)',
            '"/job:worker/task:%d/gpu:%d" % (FLAGS.task_index, i)',
            "C115",
        ),
    ],
)
def test_refused(program: str, old: str, new: str, code: str) -> None:
    assert program.count(old) == 1
    migration = migrate_text(program.replace(old, new))
    codes = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    assert code in codes
    assert "strategy = " not in migration.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  if not is_chief:\n", "  if FLAGS.job_name == 'ps' or FLAGS.task_index:\n"),
        ("  if not is_chief:\n", "  if FLAGS.task_index >= 1 or not is_chief:\n"),
        ('FLAGS.job_name == "worker"', 'FLAGS.job_name not in ("ps",)'),
        ("FLAGS.task_index == 0", "not FLAGS.task_index"),
    ],
)
def test_other_ways_to_tell_the_one_client(old: str, new: str) -> None:
    assert CHIEF.count(old) == 1
    migration = migrate_text(CHIEF.replace(old, new))
    codes = {f.code: f.outcome for f in migration.findings}
    assert codes["N128"] is Outcome.REWRITTEN
    assert Outcome.REFUSED not in codes.values()


def record(python: str, only: list[str]) -> None:
    """Writes what TensorFlow 1.15.5 gives, with the programs' digests.

    Args:
      only: names of programs; the others' records stay. None: all of them.
    """
    rows = json.loads(RECORDED.read_text()) if only else {}
    with tempfile.TemporaryDirectory() as directory:
        for name in only or CLUSTERS:
            path = HERE / f"{name}.py"
            rows[name] = {
                "tensorflow": "1.15.5",
                "digest": _digest(path),
                "trace": _run(python, path, name, pathlib.Path(directory) / name),
            }
    RECORDED.write_text(json.dumps(dict(sorted(rows.items())), indent=1) + "\n")


if __name__ == "__main__":
    record(sys.argv[1], sys.argv[2:])
