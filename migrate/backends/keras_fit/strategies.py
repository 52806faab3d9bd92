"""The strategy, in the program's own file."""

from __future__ import annotations

from migrate.plan import Block, New
from migrate.program.code import code
from migrate.tables import keras_fit as table

_TEXT = '''\
"""The strategy that TF_CONFIG asks for; its other tasks serve the coordinator here."""
config = json.loads(os.environ.get("TF_CONFIG") or "{{}}")
cluster = config.get("cluster", {{}})'''


def make_strategy(tf: str) -> Block:
    """A function that makes the strategy.

    Args:
      tf: the file's name for TensorFlow.
    """
    server = New(
        code(
            f'resolver = {table.MODULE}.join_cluster(cluster, config["task"])\n'
            f"return {tf}.distribute.ParameterServerStrategy(resolver)"
        )
    )
    workers = New(code(f"return {tf}.distribute.MultiWorkerMirroredStrategy()"))
    return Block(
        code("def make_strategy():"),
        [
            New(code(_TEXT.format())),
            Block(code('if "ps" in cluster:'), [server]),
            Block(code("if sum(map(len, cluster.values())) > 1:"), [workers]),
            New(code(f"return {tf}.distribute.get_strategy()")),
        ],
    )
