"""The cluster of eager code: its jobs, the server that every task starts, its place."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.program.eager import Server
from migrate.rules.mistakes.mistake import find_binding, find_method
from migrate.source.nodes import walk_breadth_first

SERVERS = frozenset({"tf.train.Server", "tf.distribute.Server"})


class ClusterReader:
    """Reads the cluster of one file.

    Args:
      found: its calls, each with what it calls.
    """

    def __init__(self, scopes: Scopes, found: list[tuple[ast.Call, str]]) -> None:
        self._scopes = scopes
        self._found = found

    def read_cluster(self) -> tuple[ast.expr, frozenset[str]]:
        made = [c for c, symbol in self._found if symbol == "tf.train.ClusterSpec"]
        parent = self._scopes.parents[made[0]]
        given = made[0].args[0] if made[0].args else None
        spec = find_binding(self._scopes, given) or given if given is not None else None
        keys = (
            [names.read_literal(k) for k in spec.keys]
            if isinstance(spec, ast.Dict)
            else []
        )
        if (
            len(made) != 1
            or not isinstance(parent, ast.Assign)
            or not isinstance(parent.targets[0], ast.Name)
            or not keys
            or not set(keys) <= {"ps", "worker", "chief"}
            or "worker" not in keys
        ):
            raise Refused(
                "D121",
                made[0],
                "the jobs of the cluster are not written out here, or the cluster "
                "is not kept in a variable",
                'Write `cluster = tf.train.ClusterSpec({"ps": [...], "worker": [...]})`.',
            )
        return parent.targets[0], frozenset(str(k) for k in keys)

    def read_server(self) -> Server | None:
        made = [c for c, symbol in self._found if symbol in SERVERS]
        if not made:
            return None
        call = made[0]
        statement = self._scopes.parents[call]
        parameters = (
            "server_or_cluster_def",
            "job_name",
            "task_index",
            "protocol",
            "config",
        )
        bound = names.bind_arguments(call, parameters)
        if (
            len(made) > 1
            or not isinstance(statement, ast.Assign)
            or not isinstance(statement.targets[0], ast.Name)
            or bound is None
            or not {"job_name", "task_index"} <= set(bound)
        ):
            raise Refused(
                "D121",
                call,
                "the program does not keep one server, with its job and task, in a "
                "variable",
                "Write `server = tf.distribute.Server(cluster, job_name=..., "
                "task_index=...)`.",
            )
        name = statement.targets[0].id
        joins = tuple(
            parent
            for c, _ in self._found
            if find_method(c) == "join"
            and names.find_key(c.func.value) == name  # type: ignore[attr-defined]
            and isinstance(parent := self._scopes.parents[c], ast.Expr)
        )
        allowed = {id(j.value.func.value) for j in joins}  # type: ignore[attr-defined]
        for node in walk_breadth_first(self._scopes.tree):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            parent = self._scopes.parents[node]
            target = isinstance(parent, ast.Attribute) and parent.attr == "target"
            if (
                isinstance(node.ctx, ast.Load)
                and not target
                and id(node) not in allowed
            ):
                raise Refused(
                    "D121",
                    node,
                    "the program uses the server for something else",
                    "Remove this use.",
                )
        return Server(
            statement, call, name, bound["job_name"], bound["task_index"], joins
        )

    def check_task(
        self,
        session: ast.Call,
        server: Server | None,
        jobs: frozenset[str],
        arguments: dict[str, ast.expr],
    ) -> None:
        """Refuses a client without parameter servers, and a task of unknown role."""
        if server is not None:
            # A script of one task need not tell which others only serve.
            of_worker = names.read_literal(server.job_name) in ("worker", "chief")
            if "ps" in jobs and not server.joins and not of_worker:
                raise Refused(
                    "D121",
                    server.call,
                    "no task waits in server.join(), so the tool cannot tell which "
                    "tasks are parameter servers",
                    'Write `if FLAGS.job_name == "ps": server.join()`.',
                )
            return
        if "ps" not in jobs:
            raise Refused(
                "D121",
                session,
                "the program starts no server, so the tool cannot tell which "
                "worker it is",
                "Give every worker its index, by a flag or in TF_CONFIG, and start "
                "a tf.distribute.Server.",
            )
        chief = arguments.get("is_chief")
        if chief is not None and names.read_literal(chief) is not True:
            raise Refused(
                "D121",
                session,
                "the program has several clients and no server, but one process "
                "has to coordinate the parameter servers",
                "Start a tf.distribute.Server in every task, and run the loop in "
                "one task.",
            )
