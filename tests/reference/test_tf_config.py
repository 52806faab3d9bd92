"""A scenario on a cluster of several machines, or what stands for them here.

Two network namespaces joined by a virtual cable are two machines to everything that
TensorFlow does: each has its own interfaces, ports and loopback. Where they may not be
made, separate processes on one loopback interface are what is left; a warning says so.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence

import pytest

from reference import processes, tf_config
from reference.registry import SCENARIOS
from reference.scenario import Run
from tests import ledger

HERE = pathlib.Path(__file__).parents[2]
SYNCHRONOUS = SCENARIOS["sync_replicas"]
CLUSTER = {"ps": ["a:1"], "worker": ["b:2", "c:3"]}


def _config(cluster: Mapping[str, Sequence[str]], kind: str, index: int) -> str:
    return json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})


# -- reading it ------------------------------------------------------------------------


def test_a_worker_and_a_parameter_server() -> None:
    task = tf_config.parse(_config(CLUSTER, "worker", 1))
    assert task.hosts == processes.Hosts(("a:1",), ("b:2", "c:3"))
    assert (task.job, task.index, task.is_chief) == ("worker", 1, False)
    task = tf_config.parse(_config(CLUSTER, "ps", 0))
    assert (task.job, task.index, task.is_chief) == ("ps", 0, False)


@pytest.mark.parametrize("chief", ["chief", "master"])
def test_a_chief_is_worker_0_and_the_workers_follow(chief: str) -> None:
    cluster = {"worker": ["b:2"], chief: ["c:3"], "ps": ["a:1"]}
    task = tf_config.parse(_config(cluster, "worker", 0))
    assert task.hosts.worker == ("c:3", "b:2")
    assert (task.job, task.index, task.is_chief) == ("worker", 1, False)
    assert tf_config.parse(_config(cluster, chief, 0)).is_chief


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a TF_CONFIG .JSONDecodeError"),
        ("[]", "not a TF_CONFIG .TypeError"),
        ('{"cluster": {}}', "not a TF_CONFIG .KeyError: 'task'"),
        (_config({"worker": "b:2,c:3"}, "worker", 0), "a job is a list of addresses"),
        (_config(CLUSTER, "worker", 2), "no task worker 2"),
        (_config(CLUSTER, "worker", -1), "no task worker -1"),
        (_config(CLUSTER, "chief", 0), "no task chief 0"),
        (_config({**CLUSTER, "gpu": []}, "ps", 0), r"has not: \['gpu'\]"),
        (_config({**CLUSTER, "evaluator": ["d:4"]}, "evaluator", 0), "start none"),
        (_config({**CLUSTER, "chief": ["d:4", "e:5"]}, "ps", 0), "2 chiefs"),
        (_config({"ps": ["a:1"]}, "ps", 0), "no worker"),
    ],
)
def test_what_is_no_cluster_is_said(text: str, message: str) -> None:
    with pytest.raises(tf_config.WrongCluster, match=message):
        tf_config.parse(text)


def test_it_is_read_from_the_environment_a_file_or_the_command_line(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _config(CLUSTER, "worker", 1)
    (tmp_path / "config.json").write_text(text)
    monkeypatch.setenv("TF_CONFIG", text)
    expected = tf_config.parse(text)
    for value in ("TF_CONFIG", str(tmp_path / "config.json"), " " + text):
        assert tf_config.read(value) == expected
    with pytest.raises(tf_config.WrongCluster, match="'NO_SUCH' is no environment"):
        tf_config.read("NO_SUCH")


def test_another_cluster_than_the_run_needs_is_said() -> None:
    task = tf_config.parse(_config(CLUSTER, "worker", 0))
    tf_config.check(task, SYNCHRONOUS.topology)
    asynchronous = SCENARIOS["async_parameter_server"].topology
    with pytest.raises(tf_config.WrongCluster, match="needs 2 ps and 2 workers"):
        tf_config.check(task, asynchronous)
    with pytest.raises(tf_config.WrongCluster, match="only a process per task"):
        tf_config.check(task, SCENARIOS["in_graph_towers"].topology)
    with pytest.raises(tf_config.WrongCluster, match="only a process per task"):
        tf_config.check(task, SCENARIOS["device_pinning"].topology)


# -- training on it --------------------------------------------------------------------

Task = tuple[str, int]


def _outputs(
    scenario: str,
    run: Run,
    cluster: Mapping[str, Sequence[str]],
    machine: Mapping[Task, Sequence[str]],
) -> dict[Task, str]:
    """Runs the command in every task; all end with 0. What they print.

    Args:
      machine: what a task's command line begins with.
    """
    command = [sys.executable, "-m", "reference", "run", scenario]
    command += [f"--run={run.name}", "--cluster=TF_CONFIG"]
    started: dict[Task, subprocess.Popen[str]] = {}
    with contextlib.ExitStack() as stack:
        for (kind, index), before in machine.items():
            process = subprocess.Popen(
                [*before, *command],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=HERE,
                env={
                    **processes.environment_with(),
                    "TF_CONFIG": _config(cluster, kind, index),
                },
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            started[kind, index] = process
        said = {task: p.communicate(timeout=300)[0] for task, p in started.items()}
    for task, process in started.items():
        assert process.returncode == 0, f"{task}:\n{said[task][-3000:]}"
    return said


def _rows(output: str) -> set[str]:
    """The names of the arrays in the table at the end of an output."""
    _, _, table = output.rpartition(", against recorded TensorFlow 1.15.5\n")
    assert "DIFFERS" not in table and "<--" not in table, table
    return {line.split()[0] for line in table.splitlines() if "/" in line}


@contextlib.contextmanager
def _two_machines() -> Iterator[tuple[str, str]]:
    """Names of two network namespaces, 10.213.0.1 and 10.213.0.2, joined by a cable."""
    names = f"tf1to2-{os.getpid()}-a", f"tf1to2-{os.getpid()}-b"

    def ip(*arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True, capture_output=True, timeout=30)

    with contextlib.ExitStack() as stack:
        for name in names:
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
        a, b = names
        ip(
            *("link", "add", "cable", "netns", a, "type", "veth"),
            *("peer", "name", "cable", "netns", b),
        )
        for name, address in ((a, "10.213.0.1/24"), (b, "10.213.0.2/24")):
            ip("-n", name, "addr", "add", address, "dev", "cable")
            ip("-n", name, "link", "set", "cable", "up")
            ip("-n", name, "link", "set", "lo", "up")
            # What the test runs, runs there too.
            ip("netns", "exec", name, "true")
        yield a, b


def _may_make_machines() -> bool:
    if not shutil.which("ip"):
        return False
    try:
        with _two_machines():
            return True
    except (subprocess.SubprocessError, OSError):
        return False


@dataclasses.dataclass(frozen=True)
class Machine:
    """A machine on which tasks run.

    Attributes:
      address: of its interface.
      command: what a command line begins with there.
    """

    address: str
    command: tuple[str, ...] = ()


@pytest.fixture
def machines() -> Iterator[tuple[Machine, Machine]]:
    """Two network namespaces, or, with a warning, the loopback interface twice."""
    if not _may_make_machines():
        warnings.warn("no network namespaces: run on loopback instead", stacklevel=1)
        yield Machine("localhost"), Machine("localhost")
        return
    with _two_machines() as names:
        a, b = (("ip", "netns", "exec", name) for name in names)
        yield Machine("10.213.0.1", a), Machine("10.213.0.2", b)


def test_synchronous_training_with_a_chief(machines: tuple[Machine, Machine]) -> None:
    ledger.rests_on(ledger.COMPILER / "support", ledger.ROOT / "reference")
    here, there = machines
    ports = processes.free_ports(3)
    cluster = {
        "chief": [f"{here.address}:{ports[0]}"],
        "worker": [f"{there.address}:{ports[1]}"],
        "ps": [f"{there.address}:{ports[2]}"],
    }
    machine = {
        ("chief", 0): here.command,
        ("worker", 0): there.command,
        ("ps", 0): there.command,
    }
    run = SYNCHRONOUS.run("momentum_float64")
    said = _outputs("sync_replicas", run, cluster, machine)
    traced = _rows(said["chief", 0])
    assert {"0/loss", "checkpoint/hid_w", "checkpoint/hid_w/Momentum"} <= traced
    assert "1/loss" not in traced
    assert "compared by the tasks that traced it: 1/loss" in said["chief", 0]
    assert _rows(said["worker", 0]) == {"1/loss"}
    assert "ps 0 has served" in said["ps", 0]


def test_asynchronous_training(machines: tuple[Machine, Machine]) -> None:
    ledger.rests_on(ledger.COMPILER / "support", ledger.ROOT / "reference")
    here, there = machines
    ports = processes.free_ports(3)
    cluster = {
        "worker": [f"{here.address}:{ports[0]}", f"{there.address}:{ports[1]}"],
        "ps": [f"{there.address}:{ports[2]}"],
    }
    machine = {
        ("worker", 0): here.command,
        ("worker", 1): there.command,
        ("ps", 0): there.command,
    }
    run = SCENARIOS["staleness"].run("stale_float64")
    said = _outputs("staleness", run, cluster, machine)
    traced = _rows(said["worker", 0])
    assert traced == {f"{w}/{name}" for w in (0, 1) for name in ("loss", "w1", "w2")}
    assert "worker 1 has served" in said["worker", 1]
    assert "ps 0 has served" in said["ps", 0]
