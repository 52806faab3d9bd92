"""Between-graph replication: replica_device_setter and a session; or a session alone.

Finds the driver (the function, or the module, that opens the session), flattens
the `with tf.device(...)` around its graph, and hands the statements to the
binding-time analysis; then resolves every `session.run` to a step function.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.helpers import Helper
from migrate.facts.helpers import find as find_helpers
from migrate.facts.scopes import Scopes
from migrate.frontends import placement, plain_sessions
from migrate.frontends.around import all_statements, before, enclosing
from migrate.frontends.clusters import Clusters
from migrate.frontends.iterators import check_elsewhere
from migrate.frontends.optional_cluster import OptionalCluster
from migrate.frontends.runs import RunResolver
from migrate.frontends.snapshots import Snapshots
from migrate.frontends.synchronisation import Synchronisation
from migrate.frontends.worker_statements import WorkerStatements
from migrate.program import ir
from migrate.program.binding_time import Analysis, Diagnostics, every
from migrate.program.ir import Flow, Kind
from migrate.tables import roles


def find_sessions(scopes: Scopes) -> list[ast.Call]:
    """Every call that opens a session."""
    return [
        node
        for node in ast.walk(scopes.tree)
        if isinstance(node, ast.Call) and scopes.resolve(node.func) in roles.SESSIONS
    ]


def runs_alone(scopes: Scopes) -> bool:
    """Whether a file's sessions are plain ones of one process."""
    return all(
        plain_sessions.is_plain(scopes, call) and plain_sessions.is_local(scopes, call)
        for call in find_sessions(scopes)
    )


def recognise(
    scopes: Scopes, diagnostics: Diagnostics, towers: ir.Towers | None = None
) -> ir.TrainingProgram | None:
    """The file's training program; None, with refusals, where there is none we can read.

    Args:
      towers: how many replicas its process has, where they were towers.
    """
    sessions = find_sessions(scopes)
    if not sessions or not plain_sessions.runs_anything(scopes, sessions):
        return None
    sessions.sort(key=lambda call: call.lineno)
    if len(sessions) > 1 and not plain_sessions.in_turn(scopes, sessions):
        diagnostics.refuse(
            "N101",
            sessions[1],
            "a second session in the same file",
            "Keep one training session per program.",
            scopes.resolve(sessions[1].func) or "",
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
        self.dissolved: dict[ast.stmt, list[ast.stmt]] = {}
        # The cluster that a client of its own placement connects to.
        self.connected: str | None = None
        # What it puts its whole graph on, outermost first: calls of tf.device.
        self.around: list[ast.Call] = []

    def run(self) -> ir.TrainingProgram | None:
        refuse = self.diagnostics.refuse
        chain = enclosing(self.scopes, self.session_call)
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
            not isinstance(session, ast.With)
            or item is None
            or not isinstance(item.optional_vars, ast.Name)
        ):
            refuse(
                "S101",
                self.session_call,
                "the session is not opened by `with ... as name:` of its own",
                "Write `with tf.train.MonitoredTrainingSession(...) as sess:`.",
                self.scopes.resolve(self.session_call.func) or "",
            )
            return None
        self.session_name = item.optional_vars.id
        driver = next(n for n in chain if isinstance(n, (ast.FunctionDef, ast.Module)))
        self.driver = driver
        check_elsewhere(self.scopes, self.diagnostics, driver)
        cluster: ir.Cluster | None = None
        placed = bool(self.towers and self.towers.devices)
        if placement.is_client(self.scopes, self.session_call, placed):
            self.connected = placement.cluster_of(
                self.scopes, self.diagnostics, self.session_call, driver
            )
            if self.connected is None:
                return None
        elif placed and placement.names_own_task(self.scopes, self.towers):
            refuse(
                "N125",
                session,
                "towers within the workers of a cluster",
                "Give each worker one device: the strategy makes the replicas.",
            )
            return None
        elif placed:
            refuse(
                "N127",
                session,
                "towers on tasks of a cluster, but that one client alone builds them is "
                "not seen",
                "Let all tasks but one wait in server.join(), and that one open "
                "tf.Session(server.target).",
            )
            return None
        local = self.connected is not None or plain_sessions.is_local(
            self.scopes, self.session_call
        )
        pinned = plain_sessions.pinned(self.scopes)
        if not local and pinned is not None:
            refuse(
                "C115",
                pinned,
                "the graph is placed on tasks by hand, not by replica_device_setter",
                "Where it is the usual split, use replica_device_setter and a session per "
                "worker; else keep the placement: "
                "tf.config.experimental_connect_to_cluster, and tf.device around eager "
                "code.",
                "tf.device",
            )
            return None
        plain = plain_sessions.is_plain(self.scopes, self.session_call)
        clusters = Clusters(self.scopes, self.diagnostics, self.session_call, driver)
        servers = self.connected is None and clusters.servers()
        if local and plain and servers:
            refuse(
                "C116",
                self.session_call,
                "the program starts a server, but its session is not opened on it",
                "Open it on the server: tf.Session(server.target).",
                "tf.Session",
            )
            return None
        if not local or servers:
            cluster = clusters.find()
            if cluster is None:
                return None
        path, home, flat, dissolved = self._flatten(driver, session)
        if home is None:
            return None
        return self._program(driver, session, path, home, flat, cluster)

    # -- cluster ---------------------------------------------------------------

    # -- shape -----------------------------------------------------------------

    def _dissolves(self, statement: ast.stmt) -> bool:
        """A `with` that only placed or named the graph: its body stands for itself."""
        if not isinstance(statement, ast.With):
            return False
        for item in statement.items:
            call = item.context_expr
            if isinstance(call, ast.Call):
                symbol = self.scopes.resolve(call.func)
                if symbol == "tf.device":
                    if self.connected is not None and not placement.deals(
                        self.scopes, call
                    ):
                        return False
                    continue
                if (
                    isinstance(call.func, ast.Attribute)
                    and call.func.attr == "as_default"
                ):
                    inner = call.func.value
                    if (
                        isinstance(inner, ast.Call)
                        and self.scopes.resolve(inner.func) == "tf.Graph"
                    ) or isinstance(inner, ast.Name):
                        continue
            return False
        return True

    def _is_around(self, statement: ast.stmt) -> bool:
        """A client's devices around the whole graph, which are kept around what is made."""
        if self.connected is None or not isinstance(statement, ast.With):
            return False
        calls = [item.context_expr for item in statement.items]
        devices = [
            call
            for call in calls
            if isinstance(call, ast.Call)
            and self.scopes.resolve(call.func) == "tf.device"
            and not placement.deals(self.scopes, call)
        ]
        rest = [item for item in statement.items if item.context_expr not in devices]
        if rest and not self._dissolves(ast.With(rest, statement.body)):
            return False
        self.around += devices
        return True

    def _note_dissolved(self, block: ast.stmt, body: list[ast.stmt]) -> None:
        """The block's comments will stand above what was its first statement."""
        outer = self.dissolved.pop(block, [])
        self.dissolved.setdefault(body[0], []).extend([*outer, block])

    def _flatten(
        self, driver: ast.FunctionDef | ast.Module, session: ast.With
    ) -> tuple[list[tuple[ast.stmt, str]], list[ast.stmt] | None, list[ast.stmt], int]:
        path: list[tuple[ast.stmt, str]] = []
        home: list[ast.stmt] = list(driver.body)
        suite = home
        while session not in suite:
            inside = next(
                (
                    (s, field, nested)
                    for s in suite
                    for field, nested in names.suites(s)
                    if any(x is session for x in all_statements(nested))
                ),
                None,
            )
            assert inside is not None
            statement, field, nested = inside
            if self._dissolves(statement) or self._is_around(statement):
                at = home.index(statement)
                home[at : at + 1] = nested
                self._note_dissolved(statement, nested)
                suite = home
                continue
            if isinstance(statement, ast.If) and not any(
                s is not statement and self._dissolves(s) for s in suite
            ):
                path.append((statement, field))
                home = list(nested)
                suite = home
                continue
            self.diagnostics.refuse(
                "S102",
                statement,
                "the session is opened inside a loop, try or other block",
                "Open the session in the driver's own suite.",
                self.scopes.resolve(self.session_call.func) or "",
            )
            return path, None, [], 0
        # Graph blocks beside the session.
        at = 0
        while at < len(home):
            if self._dissolves(home[at]):
                block = home[at]
                home[at : at + 1] = block.body  # type: ignore[attr-defined]
                self._note_dissolved(block, block.body)  # type: ignore[attr-defined]
            else:
                at += 1
        return path, home, home, 0

    # -- the program -------------------------------------------------------------

    def _program(
        self,
        driver: ast.FunctionDef | ast.Module,
        session: ast.With,
        path: list[tuple[ast.stmt, str]],
        home: list[ast.stmt],
        flat: list[ast.stmt],
        cluster: ir.Cluster | None,
    ) -> ir.TrainingProgram | None:
        clusters = Clusters(self.scopes, self.diagnostics, self.session_call, driver)
        joins = clusters.joins(cluster) if cluster is not None else []
        if cluster is not None and not joins:
            self.diagnostics.refuse(
                "C105",
                cluster.server,
                "no task waits in server.join(): which tasks are parameter servers?",
                'Write `if job_name == "ps": server.join()`.',
                "tf.train.Server",
            )
            return None
        optional = OptionalCluster(
            self.scopes, self.diagnostics, self.session_call, driver, home
        )
        clustered = optional.find(cluster) if cluster is not None else None
        analysis = Analysis(self.scopes, self.diagnostics)
        analysis.updated_by = self.towers.updated_by if self.towers else ""
        self.analysis = analysis
        helpers: tuple[Helper, ...] = ()
        if cluster is None and not self.others:
            helpers = find_helpers(self.scopes, self.session_call, self.session_name)
        analysis.helpers = frozenset(helper.node for helper in helpers)
        for outer in before(driver.body, path, home, self.driver):
            analysis.statement(outer)
        at = home.index(session)
        flows = [analysis.statement(s) for s in home[:at]]
        anchor = self._anchor(home, joins, cluster, flows)
        tail = home[at:]
        self.flows = flows
        Snapshots(self.scopes, self.diagnostics, analysis).take(flows)
        sync = Synchronisation(self.scopes, self.diagnostics, analysis, flows)
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
        runs.run()
        replication = sync.replication
        if cluster is not None:
            sync.condition = self._known_early(sync.condition, cluster, driver.body)
        elif replication is ir.Replication.ASYNCHRONOUS:
            replication = ir.Replication.TOWERS if self.towers else ir.Replication.LOCAL
        else:
            self.diagnostics.refuse(
                "C101",
                next(iter(sync.statements)),
                "workers are synchronised, but the program starts no tf.train.Server",
                "Start one, or train alone.",
                "tf.train.Server",
            )
        on_tasks = bool(self.towers and self.towers.devices)
        if self.towers and (
            replication is not ir.Replication.TOWERS
            or (self.connected is not None) != on_tasks
        ):
            self.diagnostics.refuse(
                "N125",
                session,
                "towers within the workers of a cluster",
                "Give each worker one device: the strategy makes the replicas.",
            )
        elif self.towers and self._late(self.towers.devices, home[anchor:at]):
            self.diagnostics.refuse(
                "N125",
                session,
                "where the towers are is only known within the graph",
                "Name their devices before the first placeholder or variable.",
            )
        elif self.towers and self._late(self.towers.count, home[anchor:at]):
            self.diagnostics.refuse(
                "N125",
                session,
                f"how many towers there are, `{self.towers.count}`, is only known within the "
                "graph",
                "Compute it before the first placeholder or variable.",
            )
        if plain_sessions.is_plain(self.scopes, self.session_call):
            for call in (self.session_call, *self.others):
                plain_sessions.check(
                    self.scopes,
                    self.diagnostics,
                    call,
                    plain_sessions.name_of(self.scopes, call) or self.session_name,
                    tail,
                    helpers,
                )
            if cluster is None:
                again = plain_sessions.initialise_again(
                    self.scopes,
                    runs.loop.session_names,
                    tail,
                    runs.initialisers.calls,
                    helpers,
                )
                runs.initialise(again or bool(self.others))
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
            steps=runs.steps.made,
            runs=runs.runs,
            moved=[],
            copied=set(),
            partitioned=False,
            staged=[t for t in analysis.functions.values() if t.staged],
            scaffold_summaries=runs.scaffold_summaries,
            iterators=runs.inputs.iterators,
            elements=runs.inputs.elements,
            unnamed_iterators=runs.inputs.unnamed,
            hook_edits=runs.hooks.edits,
            consumed=runs.displays.consumed,
            kinds=analysis.environment,
            static_reads=analysis.static_reads,
            identities=tuple(dict.fromkeys(analysis.identities)),
            singles=frozenset(analysis.singles),
            shared=analysis.shared,
            fed_datasets=runs.fed_datasets.specs(),
            dissolved=self.dissolved,
            others=self.others,
            initialises_again=runs.initialises_again,
            towers=self.towers if replication is ir.Replication.TOWERS else None,
            connected=self.connected,
            around=tuple(self.around),
            serves=self.connected is not None
            and placement.is_on_own_server(self.scopes, self.session_call),
            clustered=clustered,
        )
        if replication.has_coordinator:
            WorkerStatements(self.scopes, self.diagnostics, program).place()
        return program

    def _late(self, expression: str, graph: list[ast.stmt]) -> bool:
        """Whether an expression reads what these statements bind."""
        tree = ast.parse(expression or "None", mode="eval")
        own = {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        reads = names.reads(tree) - own
        return bool(reads & set().union(set(), *[names.binds(s) for s in graph]))

    def _known_early(
        self, condition: ast.expr | None, cluster: ir.Cluster, body: list[ast.stmt]
    ) -> ast.expr | None:
        """The condition as it can be asked where the server is started."""
        for _ in range(5):
            if condition is None:
                return None
            late = [
                s
                for s in all_statements(body)
                if not names.suites(s)
                and s.lineno > cluster.server.lineno
                and names.binds(s) & names.reads(condition)
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
                    "whether training is synchronous is decided after the server starts",
                    "Decide it before, by a flag.",
                )
                return condition
            condition = value
        return condition

    def _anchor(
        self,
        home: list[ast.stmt],
        joins: list[ast.stmt],
        cluster: ir.Cluster | None,
        flows: list[Flow],
    ) -> int:
        """Where the strategy is made: after the server and after the ps task's join.

        Without a server, where the graph begins; where towers are parts of one device,
        before anything of TensorFlow's is made, for then it is too late to part it.
        """
        early = (Kind.DATASET, Kind.ITERATOR) if self.towers else ()
        if cluster is None:
            graph = (
                i
                for i, flow in enumerate(flows)
                if (not flow.host or any(f.kind in early for f in every([flow])))
                and not (flow.pure and isinstance(flow.statement, ast.Expr))
            )
            return next(graph, len(flows))
        anchor = 0
        for index, statement in enumerate(home):
            inside = set(all_statements([statement]))
            if cluster.server in inside or any(j in inside for j in joins):
                anchor = index + 1
        return anchor

    # -- what every worker does for itself ----------------------------------------


__all__ = ["every", "find_sessions", "recognise"]
