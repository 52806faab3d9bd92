"""The strategies that a RunConfig was given, by the arguments of tf.distribute and of contrib."""

from __future__ import annotations

import subprocess
import sys

import pytest

# TensorFlow makes its devices once, so that each call has a process of its own.
_REPLICAS = """
import tensorflow as tf
from migrate.support import estimator_strategies as made

print("replicas", made.{call}.num_replicas_in_sync)
"""


@pytest.mark.parametrize(
    ("call", "replicas"),
    [
        ("MirroredStrategy(num_gpus=2)", 2),
        ("MirroredStrategy(None, 2)", 2),
        ("MirroredStrategy(num_gpus_per_worker=2)", 2),
        (
            "MirroredStrategy(['/cpu:0', '/cpu:1'], tf.distribute.ReductionToOneDevice())",
            2,
        ),
    ],
)
def test_as_many_replicas_as_are_asked_for(call: str, replicas: int) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _REPLICAS.format(call=call)],
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    assert f"replicas {replicas}" in ran.stdout


def test_one_way_to_say_how_many() -> None:
    from migrate.support import estimator_strategies

    with pytest.raises(ValueError, match="one of"):
        estimator_strategies.MirroredStrategy(num_gpus=2, num_gpus_per_worker=2)
    with pytest.raises(ValueError, match="one of"):
        estimator_strategies.MirroredStrategy(["/cpu:0"], 1)


def test_a_cluster_is_that_of_tf_config() -> None:
    import tensorflow as tf

    from migrate.support import estimator_strategies as strategies

    resolvers = tf.distribute.cluster_resolver
    assert strategies.ParameterServerStrategy(resolvers.TFConfigClusterResolver())
    other = resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"ps": ["h:1"]}))
    for given in ({"cluster_resolver": other}, {"num_gpus_per_worker": other}):
        with pytest.raises(ValueError, match="TF_CONFIG"):
            strategies.ParameterServerStrategy(**given)
