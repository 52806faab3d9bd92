"""The clusters that the programs of this directory are run in."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Cluster:
    """A program's cluster.

    Attributes:
      client: whether a process that is no task of it trains; else worker 0 does.
    """

    ps: int
    workers: int
    client: bool


CLUSTERS = {
    "chief_alone": Cluster(2, 2, client=False),
    "chief_builds": Cluster(2, 2, client=False),
    "client_splits": Cluster(2, 2, client=True),
    "gpus_of_workers": Cluster(1, 2, client=True),
    "losses_added": Cluster(0, 2, client=False),
    "monitored_chief": Cluster(1, 3, client=False),
    "supervised_chief": Cluster(2, 3, client=False),
    "towers_draw": Cluster(1, 2, client=False),
}
