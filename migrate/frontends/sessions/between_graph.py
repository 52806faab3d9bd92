"""Between-graph replication: replica_device_setter and a session; or a session alone.

Finds the driver (the function, or the module, that opens the session), flattens
the `with tf.device(...)` around its graph, and hands the statements to the
binding-time analysis; then resolves every `session.run` to a step function.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.helpers import Helper
from migrate.facts.helpers import find as find_helpers
from migrate.facts.scopes import Scopes
from migrate.frontends.cluster import lone_tasks, placement, towers_of_workers
from migrate.frontends.cluster.clusters import Clusters
from migrate.frontends.cluster.optional_cluster import OptionalCluster
from migrate.frontends.cluster.synchronisation import Synchronisation
from migrate.frontends.runs import RunResolver
from migrate.frontends.sessions import graph_suites, in_turn
from migrate.frontends.sessions import plain as plain_sessions
from migrate.frontends.sessions.around import (
    list_all_statements,
    list_enclosing,
    list_statements_before,
)
from migrate.frontends.sessions.derived_hooks import find_hook_classes
from migrate.frontends.sessions.iterators import check_elsewhere
from migrate.frontends.sessions.openings import explain_opening
from migrate.frontends.sessions.snapshots import Snapshots
from migrate.frontends.sessions.task_dependence import TaskDependence
from migrate.frontends.sessions.worker_statements import WorkerStatements
from migrate.program import ir
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.tables import roles


def find_sessions(scopes: Scopes) -> list[ast.Call]:
    """Lists every call that opens a session."""
    return scopes.list_calls(*roles.SESSIONS)


def runs_alone(scopes: Scopes) -> bool:
    """Whether a file's sessions are plain ones of one process."""
    return all(
        plain_sessions.is_plain(scopes, call) and plain_sessions.is_local(scopes, call)
        for call in find_sessions(scopes)
    )


def recognise(
    scopes: Scopes, diagnostics: Diagnostics, towers: ir.Towers | None = None
) -> ir.TrainingProgram | None:
    """The file's training program; None, with refusals, if there is none we can read.

    Args:
      towers: how many replicas its process has, where they were towers.
    """
    sessions = find_sessions(scopes)
    if not sessions or not plain_sessions.runs_anything(scopes, sessions):
        return None
    sessions.sort(key=lambda call: call.lineno)
    overlap = in_turn.explain_overlap(scopes, sessions)
    if len(sessions) > 1 and overlap is not None:
        trains = plain_sessions.find_training(scopes, sessions)
        other = next(call for call in sessions if call is not trains)
        diagnostics.refuse(
            "N101",
            other,
            *in_turn.explain_others(scopes, overlap),
            scopes.resolve(other.func) or "",
        )
        return None
    return _Recogniser(scopes, diagnostics, sessions, towers).run()


class _Recogniser:
    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        sessions: list[ast.Call],
        towers: ir.Towers | None,
    ) -> None:
        self.towers = towers
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.session_call = sessions[0]
        self.others = tuple(sessions[1:])
        # The cluster that a client of its own placement connects to.
        self.connected: str | None = None

    def run(self) -> ir.TrainingProgram | None:
        chain = list_enclosing(self.scopes, self.session_call)
        session = self._read_opening(chain)
        if session is None:
            return None
        driver = next(n for n in chain if isinstance(n, (ast.FunctionDef, ast.Module)))
        self.driver = driver
        check_elsewhere(self.scopes, self.diagnostics, driver)
        if not self._is_placed(session):
            return None
        cluster: ir.Cluster | None = None
        local = self.connected is not None or plain_sessions.is_local(
            self.scopes, self.session_call
        )
        pinned = plain_sessions.find_pinned_call(self.scopes)
        if not local and pinned is not None:
            self.diagnostics.refuse(
                "C115",
                pinned,
                "the program places the graph on tasks by hand, and not by "
                "replica_device_setter",
                "If this is the usual split between parameter servers and workers, "
                "use replica_device_setter and one session for each worker. "
                "Otherwise keep the placement in eager code, with "
                "tf.config.experimental_connect_to_cluster and tf.device.",
                "tf.device",
            )
            return None
        plain = plain_sessions.is_plain(self.scopes, self.session_call)
        clusters = Clusters(self.scopes, self.diagnostics, self.session_call, driver)
        servers = self.connected is None and clusters.list_servers()
        if local and plain and servers:
            self.diagnostics.refuse(
                "C101",
                self.session_call,
                "the program starts a server, but does not open its session on it",
                "Open the session on the server: tf.Session(server.target).",
                "tf.Session",
            )
            return None
        if not local or servers:
            cluster = clusters.find()
            if cluster is None:
                return None
        # Plain sessions of one process may be opened several times.
        again = plain and local and cluster is None and self.connected is None
        shape = graph_suites.Suites(
            self.scopes,
            self.diagnostics,
            session,
            (self.session_call, *self.others),
            self.connected is not None,
        ).find(driver, again and not self.towers)
        return None if shape is None else self._make_program(driver, shape, cluster)

    def _read_opening(self, chain: list[ast.AST]) -> ast.With | None:
        """The statement that opens the session, whose name it keeps; None: refused."""
        session = next((n for n in chain if isinstance(n, ast.stmt)), None)
        item = next(
            (
                i
                for i in getattr(session, "items", ())
                if i.context_expr is self.session_call
            ),
            None,
        )
        if (
            isinstance(session, ast.With)
            and item is not None
            and isinstance(item.optional_vars, ast.Name)
        ):
            self.session_name = item.optional_vars.id
            return session
        reason, recipe = explain_opening(self.scopes, self.session_call, session)
        symbol = self.scopes.resolve(self.session_call.func) or ""
        self.diagnostics.refuse("S101", self.session_call, reason, recipe, symbol)
        return None

    def _is_placed(self, session: ast.With) -> bool:
        """Finds the cluster that a client places its graph on; False: it is refused."""
        placed = bool(self.towers and self.towers.devices)
        if placement.is_client(self.scopes, self.session_call, placed):
            self.connected = placement.find_cluster(
                self.scopes, self.diagnostics, self.session_call, self.driver
            )
            return self.connected is not None
        if placed and placement.names_own_task(self.scopes, self.towers):
            assert self.towers is not None
            self.towers = dataclasses.replace(self.towers, devices="", dealt="")
        elif placed:
            self.diagnostics.refuse(
                "C131",
                session,
                "the towers are on tasks of a cluster, and the tool cannot tell "
                "whether only one client builds them",
                "Let all tasks but one wait in server.join(), and let that one "
                "open tf.Session(server.target).",
            )
            return False
        return True

    # -- the program -------------------------------------------------------------

    def _make_program(
        self,
        driver: ast.FunctionDef | ast.Module,
        shape: graph_suites.Shape,
        cluster: ir.Cluster | None,
    ) -> ir.TrainingProgram | None:
        path, home, session = shape.path, shape.home, shape.entry
        clusters = Clusters(self.scopes, self.diagnostics, self.session_call, driver)
        joins = clusters.find_joins(cluster) if cluster is not None else []
        if cluster is not None and not joins:
            self.diagnostics.refuse(
                "C101",
                cluster.server,
                *clusters.explain_no_joins(cluster),
                "tf.train.Server",
            )
            return None
        optional = OptionalCluster(
            self.scopes, self.diagnostics, self.session_call, driver, home
        )
        clustered = optional.find(cluster) if cluster is not None else None
        analysis, helpers = self._make_analysis(cluster)
        for outer in list_statements_before(driver.body, path):
            analysis.analyse_statement(outer)
        at = home.index(session)
        flows = [analysis.analyse_statement(s) for s in home[:at]]
        anchor = self._find_anchor(home, joins, cluster, flows)
        tail = home[at:]
        for late in set(joins) & set(list_all_statements(tail)):
            self.diagnostics.refuse(
                "C101",
                late,
                "a worker waits in server.join() after its training, and this "
                "never ends",
                "Remove this call. Whoever starts the servers also ends them.",
                "tf.train.Server",
            )
        snapshots = Snapshots(self.scopes, analysis)
        snapshots.take(flows)
        sync = Synchronisation(self.scopes, self.diagnostics, flows)
        sync.run()
        runs = RunResolver(
            self.scopes,
            self.diagnostics,
            analysis,
            flows,
            self.session_call,
            self.session_name,
            tail,
            self.others,
            helpers,
        )
        runs.synchronous = sync.replication in (
            ir.Replication.SYNCHRONOUS,
            ir.Replication.CHOSEN_AT_RUN_TIME,
        )
        runs.run()
        if cluster is not None:
            sync.condition = self._move_condition_to_server(
                sync.condition, cluster, driver.body
            )
        replication = self._choose_replication(sync, cluster)
        lone = lone_tasks.trains_alone(
            self.scopes, self.diagnostics, self.session_call, cluster, replication
        )
        if cluster is not None:
            clusters.check_jobs(cluster, replication)
            self._check_others(replication)
        if self.towers:
            built = home[anchor:at]
            towers_of_workers.check(
                *(self.scopes, self.diagnostics, session, self.towers, flows, built),
                clustered=cluster is not None,
                connected=self.connected is not None,
            )
        if plain_sessions.is_plain(self.scopes, self.session_call):
            self._check_plain(tail, helpers)
            if cluster is None:
                self._initialise(runs, session, tail, helpers)
        program = ir.TrainingProgram(
            driver=driver,
            path=path,
            home=home,
            cluster=cluster,
            replication=replication,
            condition=sync.condition,
            aggregation=sync.aggregation,
            sync_statements=sync.statements,
            joins=joins,
            anchor=anchor,
            flows=flows,
            session=session,
            session_call=self.session_call,
            session_name=self.session_name,
            tail=tail,
            helpers=tuple(helper.node for helper in helpers),
            placeholders=analysis.placeholders,
            steps=runs.steps.order_by_updates(flows),
            runs=runs.runs,
            moved=[],
            copied=set(),
            partitioned=False,
            staged=[t for t in analysis.functions.values() if t.staged],
            scaffold_summaries=runs.scaffold_summaries,
            iterators=runs.inputs.iterators,
            begun=runs.inputs.begun,
            structures=runs.inputs.structures,
            elements=runs.inputs.elements,
            unnamed_iterators=runs.inputs.unnamed,
            hook_edits=runs.hooks.edits,
            own_hooks=runs.own,
            consumed=runs.displays.consumed,
            kinds=analysis.environment,
            static_reads=analysis.static_reads,
            identities=tuple(dict.fromkeys(analysis.identities)),
            singles=frozenset(analysis.singles),
            tensor_gradients=frozenset(analysis.tensor_gradients),
            shared=analysis.shared,
            early_lists=snapshots.early,
            fed_inside=tuple(runs.inside.found),
            scope_numbers=analysis.scope_numbers,
            numbers_layers=self._numbers_layers(analysis),
            fed_datasets=runs.fed_datasets.write_specs(),
            dissolved=shape.dissolved,
            others=self.others,
            initialises_again=runs.initialises_again,
            towers=self.towers,
            lone=lone,
            connected=self.connected,
            around=tuple(shape.around),
            serves=self.connected is not None
            and placement.is_on_own_server(self.scopes, self.session_call),
            clustered=clustered,
        )
        if replication.has_coordinator:
            WorkerStatements(self.scopes, self.diagnostics, program).place_statements()
        elif replication is ir.Replication.SYNCHRONOUS:
            TaskDependence(self.scopes, self.diagnostics, program).check_updates(
                list_statements_before(driver.body, path)
            )
        return program

    def _numbers_layers(self, analysis: Analysis) -> bool:
        """Whether the program numbers layers where it makes them."""
        analysis.check_layer_objects()
        alike = analysis.layer_numbers.find_named_alike()
        if alike is not None:
            call, name = alike
            self.diagnostics.refuse(
                "V103",
                call,
                f"TensorFlow 1 also gave the name `{name}` to layers without a "
                "name, in loops or in functions that are called again",
                "Give these layers names of their own.",
                self.scopes.resolve(call.func) or "",
            )
        return bool(analysis.layer_numbers.find_late())

    def _make_analysis(
        self, cluster: ir.Cluster | None
    ) -> tuple[Analysis, tuple[Helper, ...]]:
        """The analysis of binding times, and the functions that run the session."""
        analysis = Analysis(self.scopes, self.diagnostics)
        analysis.updated_by = self.towers.updated_by if self.towers else ""
        analysis.own_hooks = frozenset(find_hook_classes(self.scopes))
        helpers: tuple[Helper, ...] = ()
        if cluster is None and not self.others:
            helpers = find_helpers(self.scopes, self.session_call, self.session_name)
        analysis.helpers = frozenset(helper.node for helper in helpers)
        return analysis, helpers

    def _choose_replication(
        self, sync: Synchronisation, cluster: ir.Cluster | None
    ) -> ir.Replication:
        """Chooses the program's replication, with its cluster or without one."""
        if cluster is not None:
            return sync.replication
        if sync.replication is ir.Replication.ASYNCHRONOUS:
            return ir.Replication.TOWERS if self.towers else ir.Replication.LOCAL
        self.diagnostics.refuse(
            "C101",
            next(iter(sync.statements)),
            "the program synchronises workers, but it starts no tf.train.Server",
            "Start a server, or train in one process without SyncReplicasOptimizer.",
            "tf.train.Server",
        )
        return ir.Replication.LOCAL

    def _check_others(self, replication: ir.Replication) -> None:
        """Refuses sessions behind the one of a program whose workers keep in step."""
        if self.others and replication is not ir.Replication.ASYNCHRONOUS:
            self.diagnostics.refuse(
                "N101",
                self.others[0],
                "the program opens another session after the one that trains, and its "
                "workers train in step",
                "Run the same in the training session, or move it into a program of its "
                "own.",
                self.scopes.resolve(self.others[0].func) or "",
            )

    def _check_plain(self, tail: list[ast.stmt], helpers: tuple[Helper, ...]) -> None:
        """Refuses what a plain session does that a monitored one cannot."""
        for call in (self.session_call, *self.others):
            name = plain_sessions.find_name(self.scopes, call) or self.session_name
            plain_sessions.check(
                self.scopes, self.diagnostics, call, name, tail, helpers
            )

    def _initialise(
        self,
        runs: RunResolver,
        session: ast.stmt,
        tail: list[ast.stmt],
        helpers: tuple[Helper, ...],
    ) -> None:
        """Gives variables their first values again where the program does so."""
        again = plain_sessions.initialise_again(
            self.scopes,
            runs.loop.session_names,
            tail,
            runs.initialisers.calls,
            helpers,
            {run.call for run in runs.runs if run.begins} | runs.handles.calls,
        )
        repeats = not isinstance(session, ast.With)
        runs.initialise(again or repeats or bool(self.others))

    def _move_condition_to_server(
        self, condition: ast.expr | None, cluster: ir.Cluster, body: list[ast.stmt]
    ) -> ast.expr | None:
        """The condition as it can be asked where the server is started."""
        for _ in range(5):
            if condition is None:
                return None
            late = [
                s
                for s in list_all_statements(body)
                if not names.list_suites(s)
                and s.lineno > cluster.server.lineno
                and names.find_binds(s) & names.find_reads(condition)
            ]
            if not late:
                return condition
            value = getattr(late[0], "value", None)
            if (
                len(late) > 1
                or not isinstance(condition, ast.Name)
                or not isinstance(late[0], ast.Assign)
                or not isinstance(value, ast.expr)
            ):
                self.diagnostics.refuse(
                    "O106",
                    condition,
                    "the program decides whether training is synchronous after it "
                    "starts the server",
                    "Decide it by a flag, before the server.",
                )
                return condition
            condition = value
        return condition

    def _find_anchor(
        self,
        home: list[ast.stmt],
        joins: list[ast.stmt],
        cluster: ir.Cluster | None,
        flows: list[Flow],
    ) -> int:
        """Returns the index of the statement before which the strategy is made.

        That is after the server and the ps task's join. Without a server it is where
        the graph begins. If towers share one device, it is before TensorFlow makes
        anything, because the device cannot be divided later.
        """
        early = (Kind.DATASET, Kind.ITERATOR) if self.towers else ()
        if cluster is None:
            graph = (
                i
                for i, flow in enumerate(flows)
                if (
                    not flow.host
                    or any(f.kind in early for f in list_every_flow([flow]))
                )
                and not (flow.pure and isinstance(flow.statement, ast.Expr))
            )
            return next(graph, len(flows))
        anchor = 0
        for index, statement in enumerate(home):
            inside = set(list_all_statements([statement]))
            if cluster.server in inside or any(j in inside for j in joins):
                anchor = index + 1
        return anchor
