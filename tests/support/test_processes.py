"""Training as its users start it: one process per task, ended when training is."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from reference import processes  # noqa: E402
from tests import ledger  # noqa: E402

HERE = pathlib.Path(__file__).parent
ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "",
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "PYTHONPATH": str(HERE.parents[1]),
}


def run(
    mode: str, directory: pathlib.Path, *, workers: int = 2, timeout: float = 240.0
) -> list[processes.Ended]:
    return processes.run_tasks(
        sys.executable,
        HERE / "life.py",
        [mode, str(directory)],
        directory / "logs",
        workers=workers,
        environment=ENVIRONMENT,
        timeout=timeout,
    )


def outputs(directory: pathlib.Path) -> dict[str, str]:
    return {p.stem: p.read_text() for p in (directory / "logs").glob("*.log")}


def variables(directory: pathlib.Path) -> dict[str, np.ndarray]:
    reader = tf.train.load_checkpoint(str(directory))
    return {n: reader.get_tensor(n) for n in reader.get_variable_to_shape_map()}


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_asynchronous(workers: int, tmp_path: pathlib.Path) -> None:
    """All worker processes end with 0; together they made the steps asked for."""
    ledger.rests_on(ledger.COMPILER / "support")
    ended = {e.task: e for e in run("async", tmp_path, workers=workers)}
    assert [ended[f"worker-{i}"].code for i in range(workers)] == [0] * workers
    assert ended["ps-0"].code is None  # Serves for ever, as TF1's; stopped by the test.
    text = ended["worker-0"].output
    assert "all ended" in text
    before = sorted(int(n) for n in re.findall(r"^worker \d (\d+) ", text, re.M))
    # Each worker may have had one step in flight when the last step was reached.
    assert 40 <= len(before) <= 40 + workers - 1
    # The chief saves when its own loop ends, as TF1's did: what was in flight then
    # may come after.
    saved = int(variables(tmp_path / "train")["global_step"])
    assert max(40, len(before) - (workers - 1)) <= saved <= len(before)
    for index in range(workers):
        assert f"ended {index} " in text


@pytest.mark.parametrize("mode", ["async", "async-unreached"])
def test_the_coordinator_computes_where_parameter_servers_reach_it(
    mode: str, tmp_path: pathlib.Path
) -> None:
    """In its own process; on its task's server where it has an address of no host."""
    ledger.rests_on(ledger.COMPILER / "support")
    (first,) = (e for e in run(mode, tmp_path) if e.task == "worker-0")
    place = "/job:chief/task:0" if mode == "async" else "/job:worker/task:0"
    assert f"worker 0 computes on {place}\n" in first.output
    assert "all ended" in first.output
    unreached = "Parameter servers do not reach the coordinator" in first.output
    assert unreached == (mode == "async-unreached")


@pytest.mark.parametrize("who", ["worker", "chief"])
def test_a_failing_loop_ends_all(who: str, tmp_path: pathlib.Path) -> None:
    """Its error is what worker 0 ends with; no process stays behind."""
    ledger.rests_on(ledger.COMPILER / "support")
    with pytest.raises(processes.TasksFailed, match="LookupError: the loop of worker"):
        run(f"{who}-raises", tmp_path)
    assert "Cancelled" not in outputs(tmp_path)["worker-0"]


def test_serving_workers_end_when_the_coordinator_fails(tmp_path: pathlib.Path) -> None:
    """`run_tasks` stops everything at the first failure; here nobody does."""
    ledger.rests_on(ledger.COMPILER / "support")
    hosts = processes.Hosts.on_loopback(1, 2)
    with _tasks("worker-raises", tmp_path, hosts) as running:
        deadline = time.monotonic() + 90
        workers = [running["worker", 0], running["worker", 1]]
        while any(w.poll() is None for w in workers) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert [w.poll() for w in workers] == [1, 1]


def test_a_dead_worker_does_not_stop_training(tmp_path: pathlib.Path) -> None:
    """The other worker makes all steps, and the last word to the dead one is bounded."""
    ledger.rests_on(ledger.COMPILER / "support")
    hosts = processes.Hosts.on_loopback(1, 3)
    with _tasks("async", tmp_path, hosts) as running:
        # Dies while it serves, before training has ended.
        log = tmp_path / "worker-0.log"
        deadline = time.monotonic() + 240
        while (
            "worker 0 2 " not in log.read_text() and "worker 1 " not in log.read_text()
        ):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        running["worker", 2].kill()
        assert running["worker", 0].wait(240) == 0, log.read_text()[-3000:]
        assert running["worker", 1].wait(240) == 0
    assert int(variables(tmp_path / "train")["global_step"]) >= 40


def test_synchronous(tmp_path: pathlib.Path) -> None:
    """Workers agree with each other and with the mean gradient, computed by numpy."""
    ledger.rests_on(ledger.COMPILER / "support")
    ended = {e.task: e for e in run("sync", tmp_path)}
    assert ended["ps-0"].code == 0 and "Not needed." in ended["ps-0"].output
    w = np.ones([3, 2])  # The chief's; worker 1 would have begun with twos.
    velocity = np.zeros_like(w)
    rate, momentum = np.float64(np.float32([0.1, 0.9]))  # As the optimizer takes them.
    for count in range(40):
        gradients = []
        for index in range(2):
            x = np.random.RandomState(100 * index + count).rand(8, 3)
            gradients.append(x.T @ (x @ w - 1.0) * 2 / 16)
        velocity = momentum * velocity + (gradients[0] + gradients[1]) / 2
        w = w - rate * velocity
    found = variables(tmp_path / "train-0")
    assert int(found["global_step"]) == 40
    # numpy's float64 sums in another order: about 1 ULP a step.
    np.testing.assert_allclose(found["w"], w, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found["w/Momentum"], velocity, rtol=0, atol=1e-13)
    assert not (tmp_path / "train-1" / "checkpoint").exists()  # Only the chief saves.


def test_synchronous_batch_norm_is_saved_and_continued(tmp_path: pathlib.Path) -> None:
    """Moving averages are saved by the chief alone; the second run gets the chief's."""
    ledger.rests_on(ledger.COMPILER / "support")
    mean = np.zeros(3)
    rate = np.float64(np.float32(0.01))  # As the layer takes it.
    count = 0
    for last in (10, 20):
        (tmp_path / str(last)).mkdir()
        processes.run_tasks(
            sys.executable,
            HERE / "life.py",
            ["batch-norm", str(tmp_path)],
            tmp_path / str(last),
            workers=2,
            environment=ENVIRONMENT,
            timeout=240,
        )
        for step in range(10):
            batches = [
                np.random.RandomState(100 * i + step).rand(8, 3) for i in range(2)
            ]
            mean = mean - rate * (mean - np.mean([b.mean(0) for b in batches], axis=0))
            count += 1
        found = variables(tmp_path / "train")
        assert int(found["global_step"]) == count == last
        np.testing.assert_allclose(found["bn/moving_mean"], mean, rtol=0, atol=1e-13)


def test_synchronous_misfit_ends_both(tmp_path: pathlib.Path) -> None:
    """A checkpoint that does not fit ends the chief; the others notice."""
    ledger.rests_on(ledger.COMPILER / "support")
    directory = tmp_path / "train"
    directory.mkdir()
    tf.raw_ops.SaveV2(
        prefix=str(directory / "model.ckpt-1"),
        tensor_names=["w"],
        shape_and_slices=[""],
        tensors=[tf.zeros([1])],
    )
    (directory / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-1"')
    hosts = processes.Hosts.on_loopback(1, 2)
    with _tasks("sync-misfit", tmp_path, hosts) as running:
        assert running["worker", 0].wait(120) == 1
        assert running["worker", 1].wait(120) not in (0, None)
    assert "does not fit this program" in (tmp_path / "worker-0.log").read_text()


Tasks = dict[tuple[str, int], subprocess.Popen[bytes]]


@contextlib.contextmanager
def _tasks(
    mode: str, directory: pathlib.Path, hosts: processes.Hosts
) -> Iterator[Tasks]:
    """The tasks as processes that nobody stops before the block ends."""
    inherited = {k: v for k, v in os.environ.items() if k != "TF2_BEHAVIOR"}
    tasks = [("ps", i) for i in range(len(hosts.ps))]
    tasks += [("worker", i) for i in range(len(hosts.worker))]
    running: Tasks = {}
    try:
        for job, index in tasks:
            flags = processes.flag_arguments(job, index, hosts)
            with (directory / f"{job}-{index}.log").open("wb") as log:
                running[job, index] = subprocess.Popen(
                    [sys.executable, HERE / "life.py", *flags, mode, directory],
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    stdin=subprocess.DEVNULL,
                    env={**inherited, **ENVIRONMENT},
                )
        yield running
    finally:
        for process in running.values():
            process.kill()
            process.wait(10)
