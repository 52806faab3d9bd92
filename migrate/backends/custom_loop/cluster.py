"""Writes the server and the strategy in place of the cluster and the device setter."""

from __future__ import annotations

import ast

from migrate.backends.custom_loop.context import Context, parenthesise
from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.frontends.sessions import around
from migrate.plan import Block, Dropped, Item, Keep, New
from migrate.program import ir
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Kind, Replication
from migrate.source.nodes import walk_breadth_first

_RESOLVER = "tf.distribute.cluster_resolver.SimpleClusterResolver"


class Cluster:
    """Plans one program's server, and writes the statements that make its strategy."""

    def __init__(self, context: Context) -> None:
        self._program = context.program
        self._scopes = context.scopes
        self._diagnostics = context.diagnostics
        self._plan = context.plan

    def start_server(self) -> None:
        """Starts the server where it was; a ps task of synchronous training ends."""
        cluster, plan = self._program.cluster, self._plan
        if cluster is None:
            return
        call = cluster.server_call
        parts: list[Code] = []
        positional = (
            "server_or_cluster_def",
            "job_name",
            "task_index",
            "protocol",
            "config",
            "start",
        )
        bound = names.bind_arguments(call, positional) or {}
        for index, argument in enumerate(call.args):
            if positional[index] != "config":
                parts.append(make_code(argument))
        for keyword in call.keywords:
            if keyword.arg != "config":
                parts.append(make_code(f"{keyword.arg}=", keyword.value))
        config = bound.get("config")
        given = config is not None and not (
            isinstance(config, ast.Constant) and config.value is None
        )
        parts.append(
            make_code("config=training_session.server_config(", config, ")")
            if given and config is not None
            else make_code("config=training_session.server_config()")
        )
        plan.replace(
            call,
            make_code("tf.distribute.Server(\n    ", join_code(",\n    ", parts), ")"),
        )
        leave = (
            'training_session.leave("Synchronous training needs no parameter server.")'
        )
        replication, condition = self._program.replication, self._program.condition
        if replication is not Replication.ASYNCHRONOUS:
            self._drop_server_uses()
        served = "training_session.serve_until_done("
        name = cluster.server.targets[0]  # type: ignore[attr-defined]
        if replication is Replication.SYNCHRONOUS:
            plan.statements[cluster.server] = [Dropped(cluster.server)]
            for join in self._program.joins:
                plan.statements[join] = [New(make_code(leave), join)]
        elif replication is Replication.CHOSEN_AT_RUN_TIME:
            assert condition is not None
            plan.statements[cluster.server] = [
                Block(
                    make_code("if not ", parenthesise(condition), ":"),
                    [Keep(cluster.server)],
                    cluster.server,
                )
            ]
            for join in self._program.joins:
                plan.statements[join] = [
                    Block(
                        make_code("if ", condition, ":"), [New(make_code(leave))], join
                    ),
                    New(make_code(served, name, ")"))
                    if self._program.servers_end
                    else Keep(join),
                ]
        elif self._program.servers_end:
            for join in self._program.joins:
                plan.statements[join] = [New(make_code(served, name, ")"), join)]

    def _drop_server_uses(self) -> None:
        """Drops prints of the server, and refuses its other uses in synchronous training."""
        program, cluster = self._program, self._program.tasks
        server = names.find_key(cluster.server.targets[0])  # type: ignore[attr-defined]
        skipped = {cluster.server, program.session, *program.joins}
        for statement in around.list_all_statements(program.driver.body):
            suites = [s for _, suite in names.list_suites(statement) for s in suite]
            inside = {n for s in suites for n in walk_breadth_first(s)}
            if statement in skipped or not any(
                names.find_key(n) == server and n not in inside
                for n in walk_breadth_first(statement)
            ):
                continue
            if not (
                isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Call)
                and names.find_key(statement.value.func) == "print"
            ):
                self._diagnostics.refuse(
                    "S185",
                    statement,
                    "the program uses the server, but synchronous training starts "
                    "no server",
                    "Use the cluster, the job's name and the task's index in its "
                    "place.",
                    "tf.train.Server",
                )
                continue
            self._diagnostics.findings.append(
                Finding(
                    statement.lineno,
                    statement.col_offset + 1,
                    "C110",
                    Outcome.REWRITTEN,
                    "",
                    "dropped: synchronous training has no server that could be printed",
                )
            )
            if program.replication is Replication.SYNCHRONOUS:
                self._plan.statements[statement] = [Dropped(statement)]
            else:
                assert program.condition is not None
                test = make_code("if not ", parenthesise(program.condition), ":")
                self._plan.statements[statement] = [
                    Block(test, [Keep(statement)], statement)
                ]

    def write_strategy(self) -> list[Item]:
        """Returns the statements that make the strategy and its replicas."""
        program = self._program
        if program.cluster is None:
            connected = program.connected
            if program.towers is not None and program.towers.devices:
                self._plan.support.add("towers_on_tasks.py")
                self._plan.imports.append("import towers_on_tasks")
            return [
                *_write_connection(connected, program.serves),
                *_write_local_strategy(program.towers),
            ]
        spec = self._write_spec(program.cluster)
        home, within = "training_session", ""
        if program.towers is not None:
            self._plan.support.add("towers_of_workers.py")
            self._plan.imports.append("import towers_of_workers")
            home, within = "towers_of_workers", f", towers={program.towers.count}"
        if program.replication is Replication.SYNCHRONOUS:
            made = _write_worker_strategy(program.cluster, spec, home, within)
        elif program.replication is Replication.CHOSEN_AT_RUN_TIME:
            assert program.condition is not None
            test = make_code("if ", program.condition, ":")
            workers = _write_worker_strategy(program.cluster, spec, home, within)
            servers = self._write_servers(program.cluster, spec, home, within)
            made = [Block(test, workers, orelse=servers)]
        else:
            made = self._write_servers(program.cluster, spec, home, within)
        return _choose_strategy(program.clustered, made)

    def _write_spec(self, cluster: ir.Cluster) -> ast.expr | Code:
        """Returns the cluster as a ClusterSpec; a server may also get it as a dict."""
        spec = cluster.spec
        if self._program.kinds.get(names.find_key(spec) or "") is Kind.CLUSTER or (
            isinstance(spec, ast.Call)
            and self._scopes.resolve(spec.func) == "tf.train.ClusterSpec"
        ):
            return spec
        return make_code("tf.train.ClusterSpec(", spec, ")")

    def _write_servers(
        self, cluster: ir.Cluster, spec: ast.expr | Code, home: str, within: str
    ) -> list[Item]:
        """Writes the strategy with parameter servers, and its replicas.

        Args:
          home: the emitted module of the replicas.
          within: its argument for towers, as text.
        """
        program, index = self._program, cluster.task_index
        partitioner = ""
        if program.partitioned:
            partitioner = ",\n    variable_partitioner=training_session.partitioner"
        if cluster.jobs is not None and not cluster.jobs & {"chief", "master"}:
            test = make_code("if ", index, " != 0:")
            comment = "# Worker 0 is also the coordinator; the other workers serve it."
        else:
            of_task = join_code(", ", [spec, cluster.job_name, index])
            test = make_code("if not training_session.is_coordinator(", of_task, "):")
            comment = "# The chief, or worker 0, is also the coordinator; the others serve it."
        chosen = program.replication is Replication.CHOSEN_AT_RUN_TIME
        above = "" if chosen or program.clustered is not None else "\n"
        server = cluster.server.targets[0]  # type: ignore[attr-defined]
        serve = New(make_code("training_session.serve(", server, ")"))
        ends = ", ends_servers=True" if program.servers_end else ""
        return [
            Block(make_code(above + comment + "\n", test), [serve]),
            New(
                make_code(
                    "strategy = tf.distribute.ParameterServerStrategy(\n"
                    f"    {_RESOLVER}(\n        training_session.with_coordinator(",
                    spec,
                    f'), rpc_layer="grpc"){partitioner})',
                )
            ),
            New(
                make_code(
                    f"replicas = {home}.AsynchronousReplicas(strategy, ",
                    spec,
                    ends,
                    within,
                    ")",
                )
            ),
        ]


def _write_worker_strategy(
    cluster: ir.Cluster, spec: ast.expr | Code, home: str, within: str
) -> list[Item]:
    """Writes the strategy of synchronous workers, and its replicas; see `_write_servers`."""
    index = cluster.task_index
    return [
        New(
            make_code(
                "strategy = tf.distribute.MultiWorkerMirroredStrategy(\n"
                f"    cluster_resolver={_RESOLVER}(\n"
                "        training_session.workers_only(",
                spec,
                '),\n        task_type="worker",\n        task_id=',
                index,
                ',\n        rpc_layer="grpc"))',
            )
        ),
        New(
            make_code(
                f"replicas = {home}.SynchronousReplicas(strategy, ", index, within, ")"
            )
        ),
    ]


def _choose_strategy(choice: ir.Choice | None, made: list[Item]) -> list[Item]:
    """Returns the cluster's strategy; if there may be no cluster, also the local one."""
    if choice is None:
        return made
    alone: list[Item] = [
        New(
            make_code(
                "# Without a cluster this process trains alone.\n"
                "strategy = tf.distribute.get_strategy()"
            )
        ),
        New(make_code("replicas = training_session.SynchronousReplicas(strategy, 0)")),
    ]
    first, second = (made, alone) if choice.holds else (alone, made)
    return [Block(make_code("\nif ", choice.test, ":"), first, orelse=second)]


def _write_connection(cluster: str | None, serves: bool) -> list[Item]:
    """Writes the call that lets a client place variables and operations on the tasks."""
    if cluster is None:
        return []
    call = f"tf.config.experimental_connect_to_cluster({cluster})"
    comment = "# The client is no task of the cluster."
    if serves:
        comment = "# This task is also the only client of the cluster."
    return [New(make_code(f"\n{comment}\n{call}"))]


def _write_task_replicas(towers: ir.Towers) -> list[Item]:
    """Writes a replica for each tower, on the tower's task. Variables stay in their places."""
    dealt = f", dealt_to={towers.dealt}" if towers.dealt else ""
    return [
        New(
            make_code(f"\nstrategy = towers_on_tasks.strategy(\n    {towers.devices})")
        ),
        New(make_code(f"replicas = towers_on_tasks.Replicas(strategy{dealt})")),
    ]


def _write_local_strategy(towers: ir.Towers | None) -> list[Item]:
    """Writes TF2's default strategy of one process, or a MirroredStrategy for towers."""
    if towers is not None and towers.devices:
        return _write_task_replicas(towers)
    made = "tf.distribute.get_strategy()"
    if towers is not None:
        devices = f"plain_session.tower_devices({towers.count})"
        made = f"tf.distribute.MirroredStrategy({devices})"
    return [
        New(make_code(f"\nstrategy = {made}")),
        New(make_code("replicas = plain_session.LocalReplicas(strategy)")),
    ]
