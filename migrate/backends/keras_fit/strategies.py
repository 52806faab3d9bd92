"""The strategy, in the program's own file."""

from __future__ import annotations

import ast

from migrate.backends.keras_fit.program import Stays
from migrate.facts.scopes import Scopes
from migrate.plan import Block, New
from migrate.program.code import Code, make_code
from migrate.tables import keras_fit as table

_TEXT = '''\
"""The strategy that TF_CONFIG asks for; its other tasks serve the coordinator here."""
config = json.loads(os.environ.get("TF_CONFIG") or "{}")
cluster, task = config.get("cluster", {}), config.get("task", {})'''
_EVALUATOR = """\
print("Nothing to do here: the process that trains evaluates, too.")
raise SystemExit(0)"""


def write_maker(tf: str) -> Block:
    """A function that makes the strategy.

    Args:
      tf: the file's name for TensorFlow.
    """
    server = New(
        make_code(
            f"resolver = {table.MODULE}.join_cluster(cluster, task)\n"
            f"return {tf}.distribute.ParameterServerStrategy(resolver)"
        )
    )
    workers = New(make_code(f"return {tf}.distribute.MultiWorkerMirroredStrategy()"))
    return Block(
        make_code("def make_strategy():"),
        [
            New(make_code(_TEXT)),
            Block(
                make_code('if task.get("type") == "evaluator":'),
                [New(make_code(_EVALUATOR))],
            ),
            Block(make_code('if "ps" in cluster:'), [server]),
            Block(make_code("if sum(map(len, cluster.values())) > 1:"), [workers]),
            New(make_code(f"return {tf}.distribute.get_strategy()")),
        ],
    )


def write_given_strategy(node: ast.expr, scopes: Scopes, tf: str) -> Code | None:
    """RunConfig's train_distribute; None for the one that TF_CONFIG asks for.

    Raises:
      Stays: it is not known to be the same in TensorFlow 2.
    """
    if isinstance(node, ast.Name):
        owner = scopes.find_scope(node).find_owner(node.id)
        match owner.bindings[node.id] if owner is not None else []:
            case [ast.Assign(value=ast.Call() as value)]:
                found = write_given_strategy(value, scopes, tf)
                return make_code(node) if found is not None else None
    if isinstance(node, ast.Call):
        name = scopes.import_path(node.func).lstrip(".")
        if name == "estimator_strategies.MirroredStrategy":
            return make_code(node)
        if name == "estimator_strategies.OneDeviceStrategy":
            return make_code(node)
        if name in table.BY_CLUSTER and not node.args and not node.keywords:
            return None
    raise Stays(
        node, "the tool cannot tell whether its strategy is one of TensorFlow 2"
    )
