"""A parameter-server cluster for a coordinator in this process, with a clean end.

TensorFlow cannot stop a `tf.distribute.Server`: `TF_ServerStop` answers "clean shutdown
is not implemented" (2.21), and deleting the object leaks its threads and its port for the
life of the process. So the servers live together in one process of their own, which is
killed at the end; the coordinator, the strategy and the training stay in this one.

    with clusters.parameter_servers(ps=2, workers=2) as cluster:
        strategy = tf.distribute.ParameterServerStrategy(cluster.resolver())
        coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)

What a cluster leaves in this process until that ends too, because nothing in TensorFlow
2.21 takes it back (`context._reset_context` does not): the gRPC server that
`connect_to_cluster` starts for the coordinator, and about 90 idle native threads. Python's
threads all end. Where even that is too much, run the coordinator as a process of its own,
as `runner.train` does. A cluster's variables must not be used after its end.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import json
import pathlib
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from reference import processes, runner

_SERVERS = pathlib.Path(__file__).with_name("servers.py")


class NotStarted(RuntimeError):
    """A cluster's servers did not listen in time; what they printed is in it."""


@dataclasses.dataclass(frozen=True)
class Cluster:
    """Servers that run in another process.

    Attributes:
      hosts: their addresses.
    """

    hosts: processes.Hosts

    @property
    def spec(self) -> dict[str, list[str]]:
        """Job -> addresses."""
        return {"ps": list(self.hosts.ps), "worker": list(self.hosts.worker)}

    @property
    def ports(self) -> list[int]:
        addresses = (*self.hosts.ps, *self.hosts.worker)
        return [int(address.rpartition(":")[2]) for address in addresses]

    def resolver(self) -> Any:
        """Makes the cluster resolver that ParameterServerStrategy is given."""
        import tensorflow as tf

        return tf.distribute.cluster_resolver.SimpleClusterResolver(
            tf.train.ClusterSpec(self.spec), rpc_layer="grpc"
        )


@contextlib.contextmanager
def parameter_servers(
    ps: int = 1, workers: int = 1, *, timeout: float = 120.0
) -> Iterator[Cluster]:
    """Starts `ps` parameter servers and `workers` workers; stops them at the end.

    Args:
      timeout: seconds for the servers to listen, on a loaded machine.

    Raises:
      NotStarted: they did not.
    """
    cluster = Cluster(processes.Hosts.on_loopback(ps, workers))
    with tempfile.TemporaryDirectory(prefix="tf1to2-") as directory:
        log = pathlib.Path(directory) / "servers.log"
        command = [sys.executable, str(_SERVERS), json.dumps(cluster.spec)]
        with processes.started(command, log, runner.ENVIRONMENT) as process:
            deadline = time.monotonic() + timeout
            while not all(map(listens, cluster.ports)):
                if process.poll() is not None or time.monotonic() > deadline:
                    said = log.read_text(errors="replace")[-3000:]
                    raise NotStarted(f"no servers on {cluster.ports}:\n{said}")
                time.sleep(0.02)
            try:
                yield cluster
            finally:
                # A coordinator's threads end when it is collected, and while its
                # workers still answer they end at once.
                gc.collect()


def listens(port: int) -> bool:
    """Whether something accepts connections at a port of the loopback interface."""
    with socket.socket() as one:
        one.settimeout(1.0)
        return one.connect_ex(("localhost", port)) == 0
