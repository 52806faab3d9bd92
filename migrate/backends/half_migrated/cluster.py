"""The cluster of a half-migrated program: its server, and the strategy it describes."""

from __future__ import annotations

import ast

from migrate.backends.half_migrated.spelling import Spelling
from migrate.facts import names
from migrate.plan import Block, Dropped, Item, New, Plan
from migrate.program.code import Code, make_code
from migrate.program.eager import Server

_RESOLVER = "tf.distribute.cluster_resolver.SimpleClusterResolver"


class ClusterWriter:
    """Plans the server, and writes the strategy.

    Args:
      cluster: how the program names its cluster.
      server: None where it is a client of servers that others start.
      together: whether the workers make every step together.
      spelling: is told what has become of the server.
    """

    def __init__(
        self,
        cluster: ast.expr,
        server: Server | None,
        together: bool,
        plan: Plan,
        spelling: Spelling,
    ) -> None:
        self._cluster = cluster
        self._server = server
        self._together = together
        self._plan = plan
        self._spelling = spelling

    def plan_server(self) -> None:
        """Plans the server and what waits in it."""
        server, plan = self._server, self._plan
        if server is None:
            return
        reason = "tf.distribute.Server, with threads enough to serve and to compute"
        if self._together:
            reason = "dropped: the strategy starts a server of its own"
        self._spelling.claimed[server.call.func] = ("C110", reason)
        if self._together:
            plan.statements[server.statement] = [Dropped(server.statement)]
            leave = "training_session.leave(\n    "
            leave += '"Synchronous training needs no parameter server.")'
            for join in server.joins:
                plan.statements[join] = [New(make_code(leave), join)]
            return
        parts: list[Code] = [make_code(a) for a in server.call.args[:4]]
        parts += [
            make_code(f"{k.arg}=", k.value)
            for k in server.call.keywords
            if k.arg != "config"
        ]
        config = names.find_argument(server.call, "config", 4)
        given = make_code(config) if config is not None else make_code("")
        parts.append(make_code("config=training_session.server_config(", given, ")"))
        woven: list[str | ast.AST | Code] = []
        for part in parts:
            woven += [",\n    ", part] if woven else [part]
        plan.replace(
            server.call,
            make_code("tf.distribute.Server(\n    ", Code(tuple(woven)), ")"),
        )

    def write_strategy(self) -> list[Item]:
        """Makes the strategy; other tasks than the coordinator's stay here and serve."""
        cluster, server = self._cluster, self._server
        if self._together:
            assert server is not None
            return [
                New(
                    make_code(
                        "\nstrategy = tf.distribute.MultiWorkerMirroredStrategy(\n"
                        f"    cluster_resolver={_RESOLVER}(\n"
                        "        training_session.workers_only(",
                        spell_cluster(cluster),
                        '),\n        task_type="worker",\n        task_id=',
                        server.task_index,
                        ',\n        rpc_layer="grpc"))',
                    )
                ),
            ]
        items: list[Item] = []
        if server is not None:
            comment = "# The chief, or worker 0, is also the coordinator; the others serve it."
            test = make_code(
                f"\n{comment}\nif not training_session.is_coordinator(\n    ",
                spell_cluster(cluster),
                ", ",
                server.job_name,
                ", ",
                server.task_index,
                "):",
            )
            serve = New(make_code(f"training_session.serve({server.name})"))
            items.append(Block(test, [serve]))
        return [
            *items,
            New(
                make_code(
                    "strategy = tf.distribute.ParameterServerStrategy(\n"
                    f"    {_RESOLVER}(\n        training_session.with_coordinator(",
                    spell_cluster(cluster),
                    '), rpc_layer="grpc"))',
                )
            ),
        ]


def spell_cluster(cluster: ast.expr) -> str:
    """The cluster's name: it is a target of an assignment, which has no value to copy."""
    return ast.unparse(cluster)
