"""Between-graph replication: replica_device_setter and a session; or a session alone.

Finds the driver (the function, or the module, that opens the session), flattens
the `with tf.device(...)` around its graph, and hands the statements to the
binding-time analysis; then resolves every `session.run` to a step function.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends import plain_sessions
from migrate.frontends.runs import RunResolver
from migrate.program import ir
from migrate.program.binding_time import Analysis, Diagnostics, every
from migrate.program.ir import Flow, Kind, code
from migrate.tables import roles
from migrate.tables.layers import LAYER_FUNCTIONS
from migrate.tables.worker_state import GENERATORS, SEEDS, SHUFFLING

_PURE_CALLS = frozenset(
    {"len", "int", "float", "str", "max", "min", "bool", "dict", "range", "abs"}
)


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
    scopes: Scopes, diagnostics: Diagnostics, towers: str | None = None
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
        towers: str | None,
    ) -> None:
        self.towers = towers
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.session_call = sessions[0]
        self.others = tuple(sessions[1:])
        self.dissolved: dict[ast.stmt, list[ast.stmt]] = {}

    def _enclosing(self, node: ast.AST) -> list[ast.AST]:
        chain = [node]
        while chain[-1] in self.scopes.parents:
            chain.append(self.scopes.parents[chain[-1]])
        return chain

    def run(self) -> ir.TrainingProgram | None:
        refuse = self.diagnostics.refuse
        chain = self._enclosing(self.session_call)
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
        cluster: ir.Cluster | None = None
        local = plain_sessions.is_local(self.scopes, self.session_call)
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
        if local and plain and self._servers():
            refuse(
                "C116",
                self.session_call,
                "the program starts a server, but its session is not opened on it",
                "Open it on the server: tf.Session(server.target).",
                "tf.Session",
            )
            return None
        if not local or self._servers():
            server = self._find_server(driver)
            cluster = self._cluster(server) if server is not None else None
            if cluster is None:
                return None
        path, home, flat, dissolved = self._flatten(driver, session)
        if home is None:
            return None
        return self._program(driver, session, path, home, flat, cluster)

    # -- cluster ---------------------------------------------------------------

    def _servers(self) -> list[ast.Call]:
        return [
            node
            for node in ast.walk(self.scopes.tree)
            if isinstance(node, ast.Call)
            and self.scopes.resolve(node.func) == "tf.train.Server"
        ]

    def _find_server(
        self, driver: ast.FunctionDef | ast.Module
    ) -> tuple[ast.stmt, ast.Call] | None:
        calls = self._servers()
        if len(calls) != 1:
            self.diagnostics.refuse(
                "C101",
                calls[1] if calls else self.session_call,
                "the program starts no tf.train.Server"
                if not calls
                else "the program starts several servers",
                "A single-process session needs no cluster: use a plain loop.",
                "tf.train.Server",
            )
            return None
        statement = next(
            n for n in self._enclosing(calls[0]) if isinstance(n, ast.stmt)
        )
        if not any(s is statement for s in _all_statements(driver.body)):
            self.diagnostics.refuse(
                "C102",
                calls[0],
                "the server is started in another function than the session",
                "Start the server where the session is opened.",
                "tf.train.Server",
            )
            return None
        if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
            self.diagnostics.refuse(
                "C103", calls[0], "the server is not kept in a variable"
            )
            return None
        return statement, calls[0]

    def _cluster(self, server: tuple[ast.stmt, ast.Call]) -> ir.Cluster | None:
        statement, call = server
        spec = names.argument(call, "server_or_cluster_def", 0)
        job = names.argument(call, "job_name", 1)
        index = names.argument(call, "task_index", 2)
        if spec is None or job is None or index is None:
            self.diagnostics.refuse(
                "C104",
                call,
                "the server's cluster, job and task are not all given",
                "Pass the cluster, job_name and task_index.",
                "tf.train.Server",
            )
            return None
        return ir.Cluster(spec, statement, call, job, index, self._jobs(spec))

    def _jobs(self, spec: ast.expr) -> frozenset[str] | None:
        """Job names, where the cluster is a dict display."""
        seen = 0
        while seen < 5:
            seen += 1
            if isinstance(spec, ast.Dict):
                keys = [names.literal(k) for k in spec.keys]
                if all(isinstance(k, str) for k in keys):
                    return frozenset(str(k) for k in keys)
                return None
            if isinstance(spec, ast.Call):
                if (
                    self.scopes.resolve(spec.func) == "tf.train.ClusterSpec"
                    and spec.args
                ):
                    spec = spec.args[0]
                    continue
                return None
            if isinstance(spec, ast.Name):
                owner = self.scopes.scope_of(spec).owner(spec.id)
                bindings = owner.bindings[spec.id] if owner else []
                if len(bindings) == 1 and isinstance(bindings[0], ast.Assign):
                    value = bindings[0].value
                    mutated = any(
                        spec.id in names.mutates(s)
                        for s in _all_statements(self.driver.body)
                        if not names.suites(s)
                    )
                    if not mutated:
                        spec = value
                        continue
            return None
        return None

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
                    if any(x is session for x in _all_statements(nested))
                ),
                None,
            )
            assert inside is not None
            statement, field, nested = inside
            if self._dissolves(statement):
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
        joins = self._joins(driver, cluster) if cluster is not None else []
        if cluster is not None and not joins:
            self.diagnostics.refuse(
                "C105",
                cluster.server,
                "no task waits in server.join(): which tasks are parameter servers?",
                'Write `if job_name == "ps": server.join()`.',
                "tf.train.Server",
            )
            return None
        analysis = Analysis(self.scopes, self.diagnostics)
        self.analysis = analysis
        for outer in _before(driver.body, path, home, self.driver):
            analysis.statement(outer)
        at = home.index(session)
        flows = [analysis.statement(s) for s in home[:at]]
        anchor = self._anchor(home, joins, cluster, flows)
        tail = home[at:]
        self.flows = flows
        self._snapshots(flows)
        sync = _Synchronisation(self.scopes, self.diagnostics, analysis, flows)
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
        if self.towers and replication is not ir.Replication.TOWERS:
            self.diagnostics.refuse(
                "N125",
                session,
                "towers within the workers of a cluster",
                "Give each worker one device: the strategy makes the replicas.",
            )
        elif self.towers and self._late(self.towers, home[anchor:at]):
            self.diagnostics.refuse(
                "N125",
                session,
                f"how many towers there are, `{self.towers}`, is only known within the "
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
                )
            if cluster is None:
                again = plain_sessions.initialise_again(
                    self.scopes, runs.session_names, tail, runs.initialisers
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
            placeholders=analysis.placeholders,
            steps=runs.steps,
            runs=runs.runs,
            moved=[],
            copied=set(),
            partitioned=False,
            staged=[t for t in analysis.functions.values() if t.staged],
            scaffold_summaries=runs.scaffold_summaries,
            iterators=runs.iterators,
            elements=runs.elements,
            unnamed_iterators=runs.unnamed,
            hook_edits=runs.hook_edits,
            consumed=runs.consumed,
            kinds=analysis.environment,
            static_reads=analysis.static_reads,
            identities=tuple(dict.fromkeys(analysis.identities)),
            singles=frozenset(analysis.singles),
            shared=analysis.shared,
            dissolved=self.dissolved,
            others=self.others,
            initialises_again=runs.initialises_again,
            towers=self.towers if replication is ir.Replication.TOWERS else None,
        )
        if replication.has_coordinator:
            self._place_worker_statements(program)
        return program

    def _late(self, expression: str, graph: list[ast.stmt]) -> bool:
        """Whether an expression reads what these statements bind."""
        reads = names.reads(ast.parse(expression, mode="eval"))
        return bool(reads & set().union(set(), *[names.binds(s) for s in graph]))

    def _joins(
        self, driver: ast.FunctionDef | ast.Module, cluster: ir.Cluster
    ) -> list[ast.stmt]:
        """Where a task waits in `server.join()`."""
        server_name = names.key(cluster.server.targets[0])  # type: ignore[attr-defined]
        return [
            s
            for s in _all_statements(driver.body)
            if isinstance(s, ast.Expr)
            and isinstance(s.value, ast.Call)
            and isinstance(s.value.func, ast.Attribute)
            and s.value.func.attr == "join"
            and names.key(s.value.func.value) == server_name
        ]

    def _known_early(
        self, condition: ast.expr | None, cluster: ir.Cluster, body: list[ast.stmt]
    ) -> ast.expr | None:
        """The condition as it can be asked where the server is started."""
        for _ in range(5):
            if condition is None:
                return None
            late = [
                s
                for s in _all_statements(body)
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

        Without a server, where the graph begins.
        """
        if cluster is None:
            graph = (
                i
                for i, flow in enumerate(flows)
                if not flow.host
                and not (flow.pure and isinstance(flow.statement, ast.Expr))
            )
            return next(graph, len(flows))
        anchor = 0
        for index, statement in enumerate(home):
            inside = set(_all_statements([statement]))
            if cluster.server in inside or any(j in inside for j in joins):
                anchor = index + 1
        return anchor

    # -- what every worker does for itself ----------------------------------------

    def _place_worker_statements(self, program: ir.TrainingProgram) -> None:
        """Statements that each worker's loop must have its own copy of.

        TF1 ran the whole program once per worker; in asynchronous training
        one coordinator runs the loop for every worker. What the loop rebinds, what
        depends on the task's index, readers with a position, and the hooks and
        writers of a session belong to one worker each.
        """
        index = program.tasks.task_index
        index_dump = ast.dump(index)
        self.index = index
        tail_binds = set().union(*[names.binds(s) for s in program.tail])
        tail_reads = set().union(*[names.reads(s) for s in program.tail])
        for dataset in program.iterators.values():
            tail_reads |= names.reads(dataset)
        tail_binds |= set().union(*[names.mutates(s) for s in program.tail])
        modules = self._modules()  # `np.random.shuffle(x)` changes no `np`.
        tail_binds = {n for n in tail_binds if n.partition(".")[0] not in modules}
        own_place = {f.statement for f in program.flows[program.graph_end() :]}
        stateful = self._stateful_names(program.tail)
        shuffles = self._shuffles()
        candidates = [
            *_before(program.driver.body, program.path, program.home, program.driver),
            *[f.statement for f in program.flows if f.host],
        ]
        skip = {program.tasks.server, *program.joins, *program.sync_statements}
        skip |= {
            s
            for s in candidates
            if isinstance(s, (ast.If,))
            and any(j in _all_statements([s]) for j in program.joins)
        }
        kinds = {f.statement: f.kind for f in program.flows}
        index_name = names.key(index)
        tainted: set[str] = set()
        moved: list[ast.stmt] = []
        moved_names: set[str] = set(tail_binds)
        for statement in candidates:
            if statement in skip or isinstance(
                statement,
                (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Global),
            ):
                continue
            binds = names.binds(statement)
            if index_name is not None and index_name in binds:
                continue
            depends = any(
                isinstance(n, ast.expr) and ast.dump(n) == index_dump
                for n in ast.walk(statement)
            ) or bool(names.reads(statement) & tainted)
            kind = kinds.get(statement, Kind.HOST)
            own = kind in (
                Kind.HOOK,
                Kind.WRITER,
                Kind.SCAFFOLD,
                Kind.SAVER,
                Kind.ITERATOR,
            )
            if depends:
                tainted |= binds
            changes = names.mutates(statement) & moved_names
            contains_hook = any(
                isinstance(n, ast.Call)
                and roles.KIND_OF_CALL.get(self.scopes.resolve(n.func) or "")
                in (Kind.HOOK, Kind.WRITER, Kind.SCAFFOLD)
                for n in ast.walk(statement)
            )
            if kind in (Kind.CLUSTER, Kind.SERVER, Kind.DEVICE, Kind.CONFIG):
                continue
            if kind is Kind.DATASET or (kind is Kind.HOST and self._is_dataset(binds)):
                # A dataset has no position; its iterators do. One that shuffles has:
                # every iterator of it goes on with its random numbers.
                own = shuffles
                if not (depends or shuffles):
                    continue
            used = bool(binds & tail_reads) or bool(
                binds & set().union(set(), *[names.reads(m) for m in moved])
            )
            if (
                own
                or contains_hook
                or (binds & tail_binds)
                or (changes and not isinstance(statement, ast.With))
                or statement in own_place
                or (
                    depends
                    and (
                        used or _later_needed(binds, candidates, statement, tail_reads)
                    )
                )
                or (binds & stateful and _calls(statement, self.scopes))
                or (depends and self._seeds(statement))
            ):
                moved.append(statement)
                moved_names |= binds
        moved = self._with_earlier_bindings(moved, candidates, skip, moved_names)
        moved = self._with_functions(program, moved, candidates, moved_names)
        self._check_rebound(program, tail_binds)
        program.moved = moved
        staying: set[str] = set()
        for flow in program.flows:
            if flow.statement not in moved and not flow.dropped:
                staying |= flow.reads
        for statement in _before(
            program.driver.body, program.path, program.home, program.driver
        ):
            if statement not in moved:
                staying |= names.reads(statement)
        for dataset in program.iterators.values():
            staying |= names.reads(dataset)  # The step functions are told its elements.
        # What is copied needs what it is made of, there too.
        for statement in reversed(moved):
            if names.binds(statement) & staying:
                program.copied.add(statement)
                staying |= names.reads(statement)
        self._check_steps(program, index_dump, tainted)
        self._check_job(program)

    def _check_steps(
        self, program: ir.TrainingProgram, index_dump: str, tainted: set[str]
    ) -> None:
        """One step function serves all workers: it cannot depend on the task's index."""
        for flow in every(program.flows):
            if not flow.step or flow.suites:
                continue
            reads_index = any(
                isinstance(n, ast.expr) and ast.dump(n) == index_dump
                for n in ast.walk(flow.statement)
            )
            if reads_index or flow.reads & tainted:
                self.diagnostics.refuse(
                    "C107",
                    flow.statement,
                    "what a step computes depends on the task's index, but the "
                    "coordinator makes one step function for all workers",
                    "Feed the value that differs.",
                )

    def _check_job(self, program: ir.TrainingProgram) -> None:
        """Loops of a chief and of workers run in one process, under one job name."""
        jobs = program.tasks.jobs
        if jobs is not None and not jobs & {"chief", "master"}:
            return
        job = ast.dump(program.tasks.job_name)

        def asks(statement: ast.stmt) -> bool:
            return any(
                isinstance(n, ast.expr) and ast.dump(n) == job
                for n in ast.walk(statement)
            )

        told: set[str] = set()  # Names that hold the answer.
        for statement in [
            *_before(program.driver.body, program.path, program.home, program.driver),
            *[f.statement for f in program.flows if f.host],
        ]:
            if isinstance(statement, ast.Assign) and statement is not (
                program.tasks.server
            ):
                if asks(statement) or names.reads(statement.value) & told:
                    told |= names.binds(statement)
        told.discard(names.key(program.tasks.job_name) or "")
        for statement in [*program.moved, *program.tail]:
            if asks(statement) or names.reads(statement) & told:
                self.diagnostics.refuse(
                    "C108",
                    statement,
                    "the loop asks for its job's name, and the cluster may have a chief "
                    "task; the coordinator runs the loops of all tasks",
                    "Tell the chief by `task_index == 0`.",
                )

    def _with_earlier_bindings(
        self,
        moved: list[ast.stmt],
        candidates: list[ast.stmt],
        skip: set[ast.stmt],
        moved_names: set[str],
    ) -> list[ast.stmt]:
        """A name that the worker's function binds is local there, from its first binding."""
        chosen = set(moved)
        grown = True
        while grown:
            grown = False
            for statement in candidates:
                if statement in chosen or statement in skip:
                    continue
                if isinstance(
                    statement,
                    (
                        ast.Import,
                        ast.ImportFrom,
                        ast.FunctionDef,
                        ast.ClassDef,
                        ast.Global,
                    ),
                ):
                    continue
                binds = names.binds(statement)
                if names.key(self.index) in binds:
                    continue
                if binds & moved_names:
                    chosen.add(statement)
                    moved_names |= binds
                    grown = True
        # What a statement does beside binding names keeps its place after what moved:
        # `np.random.seed` after a reader that has drawn from the generator.
        in_order: list[ast.stmt] = []
        calls = False
        for statement in candidates:
            moves = statement in chosen or (
                calls and statement not in skip and self._has_effect(statement)
            )
            if moves:
                in_order.append(statement)
                calls = calls or any(
                    isinstance(n, ast.Call) for n in ast.walk(statement)
                )
        return in_order

    def _has_effect(self, statement: ast.stmt) -> bool:
        """Whether it is a call for its effect, and on nothing that builds the graph."""
        if not (
            isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        ):
            return False
        symbol = self.scopes.resolve(statement.value.func) or ""
        if symbol.startswith("tf."):
            return False  # tf.set_random_seed
        if not self._seeds(statement):
            return True
        return not any(
            isinstance(n, ast.Call)
            and (self.scopes.dotted(n.func) or "").startswith(tuple(GENERATORS))
            for flow in self.flows
            if not flow.host
            for n in ast.walk(flow.statement)
        )

    def _with_functions(
        self,
        program: ir.TrainingProgram,
        moved: list[ast.stmt],
        candidates: list[ast.stmt],
        moved_names: set[str],
    ) -> list[ast.stmt]:
        """Functions that the loop calls and that read what has become a worker's own."""
        chosen = set(moved)
        reads = set().union(*[names.reads(s) for s in [*program.tail, *moved]])
        grown = True
        while grown:
            grown = False
            for statement in candidates:
                if (
                    isinstance(statement, ast.FunctionDef)
                    and statement not in chosen
                    and statement.name in reads
                    and names.free(statement) & moved_names
                ):
                    chosen.add(statement)
                    moved_names.add(statement.name)
                    reads |= names.reads(statement)
                    grown = True
        return [s for s in candidates if s in chosen]

    def _check_rebound(self, program: ir.TrainingProgram, tail_binds: set[str]) -> None:
        for statement in program.tail:
            for node in ast.walk(statement):
                if (
                    isinstance(node, ast.Name)
                    and isinstance(node.ctx, ast.Load)
                    and node.id in tail_binds
                    and program.kinds.get(node.id) is Kind.VARIABLE
                ):
                    self.diagnostics.refuse(
                        "S126",
                        node,
                        f"the loop uses `{node.id}` both for the variable and for a "
                        "value of its own",
                        "Give the value another name.",
                    )

    def _is_dataset(self, binds: set[str]) -> bool:
        return any(self.analysis.environment.get(b) is Kind.DATASET for b in binds)

    def _snapshots(self, flows: list[ir.Flow]) -> None:
        """Lists of all variables that a step asks for, where more are made afterwards.

        TF1 gave the list of those that there were when the graph was built so far.
        """
        linear = every(flows)
        made = max(
            (i for i, flow in enumerate(linear) if self._makes(flow)), default=-1
        )
        late = self.analysis.listed is Kind.TENSOR
        for flow in linear[:made]:
            if flow.suites or not flow.step:
                continue
            for node in ast.walk(flow.statement):
                if not isinstance(node, ast.Call):
                    continue
                symbol = self.scopes.resolve(node.func)
                if symbol not in roles.TRAINABLE and symbol != "tf.get_collection":
                    continue
                if self.analysis.quietly(node) is not self.analysis.listed:
                    continue
                if late:
                    self.diagnostics.refuse(
                        "V129",
                        node,
                        "a list of the variables there are by then, but layers make "
                        "theirs in the first step",
                        "Make the list after all layers and variables, and choose from "
                        "it by name.",
                        symbol or "",
                    )
                    continue
                name = self.analysis.fresh("variables_by_then")
                flow.lifts.append(ir.Lift(node, name, code(node), code(name)))
                flow.build = True

    def _makes(self, flow: ir.Flow) -> bool:
        """Whether a statement makes variables."""
        if flow.suites:
            return False
        for lift in flow.lifts:
            if lift.create.parts and isinstance(lift.node, ast.Call):
                symbol = self.scopes.resolve(lift.node.func)
                if (
                    symbol is None
                    or symbol in LAYER_FUNCTIONS
                    or symbol in roles.VARIABLES
                ):
                    return True
        if flow.lifts or not flow.build:
            return False
        return any(
            isinstance(node, ast.Call)
            and (
                self.scopes.resolve(node.func) in roles.VARIABLES
                or (
                    flow.kind is Kind.VARIABLE
                    and self.scopes.resolve(node.func) is None
                )
            )
            for node in ast.walk(flow.statement)
        )

    def _modules(self) -> set[str]:
        """Names that imports bind."""
        return {
            name
            for name, bound in self.scopes.module.bindings.items()
            if any(isinstance(b, (ast.Import, ast.ImportFrom)) for b in bound)
        }

    def _shuffles(self) -> bool:
        """Whether the file has a dataset that draws random numbers for its order."""
        return any(
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in SHUFFLING
            for n in ast.walk(self.scopes.tree)
        )

    def _seeds(self, statement: ast.stmt) -> bool:
        """Whether it seeds a generator of random numbers, of which each worker has one."""
        return (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and self.scopes.dotted(statement.value.func) in SEEDS
        )

    def _stateful_names(self, tail: list[ast.stmt]) -> set[str]:
        """Names whose objects the loop may advance: receivers and arguments of calls."""
        found: set[str] = set()
        for statement in tail:
            for node in ast.walk(statement):
                if isinstance(node, ast.Call):
                    base: ast.expr = node.func
                    while isinstance(base, (ast.Attribute, ast.Subscript, ast.Call)):
                        base = base.func if isinstance(base, ast.Call) else base.value
                    if isinstance(base, ast.Name):
                        found.add(base.id)
                    for argument in node.args:
                        if isinstance(argument, ast.Name):
                            found.add(argument.id)
                elif isinstance(node, ast.For) and isinstance(node.iter, ast.Name):
                    found.add(node.iter.id)
        return found


class _Synchronisation:
    """SyncReplicasOptimizer: always, never, or under a condition known at run time."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        analysis: Analysis,
        flows: list[Flow],
    ) -> None:
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.flows = flows
        self.condition: ast.expr | None = None
        self.aggregation: tuple[ast.expr | None, ast.expr | None] = (None, None)
        self.statements: set[ast.stmt] = set()
        self.replication = ir.Replication.ASYNCHRONOUS

    def run(self) -> None:
        for flow in self.flows:
            self._visit(flow, None)

    def _visit(self, flow: Flow, condition: ast.expr | None) -> None:
        if flow.suites:
            test = flow.statement.test if isinstance(flow.statement, ast.If) else None
            for field, suite in flow.suites.items():
                for inner in suite:
                    if test is not None and field == "body":
                        self._visit(inner, test)
                    elif test is not None:
                        self._visit(inner, ast.UnaryOp(ast.Not(), test))
                    else:
                        self._visit(inner, condition)
            return
        for node in ast.walk(flow.statement):
            if (
                isinstance(node, ast.Call)
                and self.scopes.resolve(node.func) in roles.SYNC_OPTIMIZERS
            ):
                self._found(flow, node, condition)

    def _found(self, flow: Flow, call: ast.Call, condition: ast.expr | None) -> None:
        if self.replication is not ir.Replication.ASYNCHRONOUS:
            self.diagnostics.refuse(
                "O102", call, "several SyncReplicasOptimizers in one program"
            )
        if isinstance(condition, ast.UnaryOp):
            self.diagnostics.refuse(
                "O103",
                call,
                "SyncReplicasOptimizer in an else branch",
                "Write the synchronous case as the `if` branch.",
            )
        self.condition = condition
        self.replication = (
            ir.Replication.CHOSEN_AT_RUN_TIME
            if condition
            else ir.Replication.SYNCHRONOUS
        )
        self.aggregation = (
            names.argument(call, "replicas_to_aggregate", 1),
            names.argument(call, "total_num_replicas", 2),
        )
        for unsupported in ("variable_averages", "variables_to_average"):
            value = names.argument(call, unsupported)
            if value is not None and names.literal(value) is not None:
                self.diagnostics.refuse(
                    "O104", call, f"SyncReplicasOptimizer({unsupported}=...)"
                )
        self.statements.add(flow.statement)


def _all_statements(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in body:
        found.append(statement)
        for _, suite in names.suites(statement):
            found.extend(_all_statements(suite))
    return found


def _before(
    body: list[ast.stmt],
    path: list[tuple[ast.stmt, str]],
    home: list[ast.stmt],
    driver: ast.AST,
) -> list[ast.stmt]:
    """Statements of the outer suites that run before the home suite."""
    found: list[ast.stmt] = []
    suite = body
    for statement, field in path:
        found.extend(suite[: suite.index(statement)])
        suite = dict(names.suites(statement))[field]
    return found


def _calls(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether the statement makes an object that may have a state of its own."""
    for node in names.walk_scope(statement):
        if isinstance(node, ast.Call):
            path = scopes.dotted(node.func) or ""
            if isinstance(node.func, ast.Name) and node.func.id in _PURE_CALLS:
                continue
            if path.startswith(("numpy.", "os.", "json.", "absl.", "argparse")):
                continue
            if (scopes.resolve(node.func) or "").startswith(("tf.app", "tf.flags")):
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr in (
                "split",
                "strip",
                "join",
                "format",
                "get",
                "parse_args",
                "astype",
                "reshape",
            ):
                continue
            return True
    return False


def _later_needed(
    binds: set[str],
    candidates: list[ast.stmt],
    statement: ast.stmt,
    tail_reads: set[str],
) -> bool:
    """Whether what a statement binds reaches the loop through later statements."""
    wanted = set(binds)
    started = False
    for other in candidates:
        if other is statement:
            started = True
            continue
        if started and names.reads(other) & wanted:
            wanted |= names.binds(other)
    return bool(wanted & tail_reads)


__all__ = ["every", "find_sessions", "recognise"]
