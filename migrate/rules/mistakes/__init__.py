"""Mistakes that tutorials teach: code that runs, or seems to, and means something else.

Each kind has a module and a code of its own. A mistake is told in TF1 and TF2 files
alike; where the fix is certain it is made.
"""

from __future__ import annotations

import itertools

from migrate.facts.scopes import Scopes
from migrate.rules.mistakes import (
    aggregation,
    asynchronous,
    chiefs,
    datasets,
    estimator_tasks,
    extra_tasks,
    float_numbers,
    fused_shuffles,
    graph_seeds,
    hosts,
    hybrids,
    local_steps,
    logits,
    older_distribute,
    older_iterators,
    older_partitioners,
    one_element,
    per_replica_losses,
    seeds,
    servers,
    setters,
    steps,
)
from migrate.rules.mistakes.mistake import Mistake

__all__ = ["Mistake", "find"]

# Each kind, and a word without which a module has none of it.
_KINDS = (
    (hosts.find, "ClusterSpec"),
    (hosts.find, "TF_CONFIG"),
    (chiefs.find, "Server"),
    (hybrids.find, "GradientTape"),
    (logits.find, "rossentropy"),
    (logits.find_in_graphs, "cross_entropy"),
    (per_replica_losses.find, "distribute"),
    (datasets.find, "distribute"),
    (steps.find, "distribute"),
    (older_distribute.find, "distribute"),
    (older_distribute.find_runs, "experimental_run_v2"),
    (seeds.find, "shuffle"),
    # Graphs and Estimators: what reads its data eagerly was written for TensorFlow 2.
    (fused_shuffles.find, "Session("),
    (fused_shuffles.find, "_iterator("),
    (fused_shuffles.find, "stimator"),
    (fused_shuffles.find, "input_fn"),
    (graph_seeds.find, "tf_random_seed"),
    (graph_seeds.find, "RunConfig("),
    (seeds.find, "permutation"),
    (seeds.find, "seed"),
    (seeds.find, "RandomState"),
    (servers.find, "MonitoredTrainingSession"),
    (setters.find, "replica_device_setter"),
    (aggregation.find, "SyncReplicasOptimizer"),
    (extra_tasks.find, "Strategy"),
    (estimator_tasks.find, "TF_CONFIG"),
    (local_steps.find, "Server"),
    (older_iterators.find, "make_dataset_iterator"),
    (older_distribute.find_estimators, "model_to_estimator"),
    (older_partitioners.find, "partitioner"),
    (one_element.find, "Session("),
    (one_element.find, "managed_session("),
    (float_numbers.find, "Session("),
    (float_numbers.find, "managed_session("),
)


def find(scopes: Scopes, text: str) -> list[Mistake]:
    """Every mistake of a module, in the order of its lines."""
    kinds = dict.fromkeys(kind for kind, word in _KINDS if word in text)
    found = itertools.chain.from_iterable(kind(scopes) for kind in kinds)
    if "Mirrored" in text or "CollectiveAllReduce" in text:
        found = itertools.chain(found, asynchronous.find(scopes, text))
    return sorted(found, key=lambda m: (m.node.lineno, m.node.col_offset))
