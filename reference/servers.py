"""Runs all servers of a cluster in one process: `python servers.py '{"ps": [...], ...}'`.

Until it is killed: a `tf.distribute.Server` cannot be stopped. `clusters.py` starts it.
"""

from __future__ import annotations

import json
import sys

import tensorflow as tf


def main() -> None:
    spec: dict[str, list[str]] = json.loads(sys.argv[1])
    # The servers' operations wait for each other. On few cores they starve in the
    # pool of threads they share: with 2 threads, steps deadlock.
    config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=16)
    servers = [
        tf.distribute.Server(
            tf.train.ClusterSpec(spec),
            job_name=job,
            task_index=index,
            config=config,
            protocol="grpc",
        )
        for job, addresses in spec.items()
        for index in range(len(addresses))
    ]
    servers[0].join()


if __name__ == "__main__":
    main()
