"""Clusters for a coordinator in this process start, train, and leave nothing behind."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import socket
import threading
import time

import pytest
import tensorflow as tf

from reference import clusters, processes


def _trained(cluster: clusters.Cluster, steps: int) -> float:
    """Counts to `steps` in a variable on the cluster."""
    strategy = tf.distribute.ParameterServerStrategy(cluster.resolver())
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        counter = tf.Variable(0.0)

    @tf.function
    def step() -> None:
        counter.assign_add(1.0)

    for _ in range(steps):
        coordinator.schedule(step)
    coordinator.join()
    assert "/job:ps/" in counter.device
    return float(counter.read_value())


def _threads() -> set[str]:
    # The one that listens to the process with TensorFlow stays for the next cluster.
    return {t.name for t in threading.enumerate()} - {"preloaded"}


def test_a_second_cluster_follows_the_first() -> None:
    # In a process of its own: TensorFlow aborts where it connects to a cluster after
    # other tests have used its devices (2.21, in `set_server_def`).
    with concurrent.futures.ProcessPoolExecutor(
        1, multiprocessing.get_context("spawn")
    ) as fresh:
        fresh.submit(_two_clusters).result(300)


def _two_clusters() -> None:
    before = _threads()
    for steps in (20, 30):
        with clusters.parameter_servers(ps=2, workers=2) as cluster:
            assert len(cluster.ports) == 4
            assert all(map(clusters.listens, cluster.ports))
            assert _trained(cluster, steps) == steps
        assert not any(map(clusters.listens, cluster.ports))
        deadline = time.monotonic() + 30
        while _threads() - before and time.monotonic() < deadline:
            time.sleep(0.05)
        assert _threads() <= before


def test_a_failure_inside_stops_it_too() -> None:
    with pytest.raises(ZeroDivisionError):
        with clusters.parameter_servers() as cluster:
            raise ZeroDivisionError
    assert not any(map(clusters.listens, cluster.ports))


def test_servers_that_cannot_start_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("", 0))  # It does not listen, so that nobody takes it for a server.
        port = taken.getsockname()[1]
        hosts = processes.Hosts((f"localhost:{port}",), ())
        monkeypatch.setattr(processes.Hosts, "on_loopback", lambda ps, workers: hosts)
        with pytest.raises(clusters.NotStarted, match=f"no servers on .{port}.:\n.+"):
            with clusters.parameter_servers(timeout=60):
                pass
