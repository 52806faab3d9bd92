"""The cluster of a program: its server, its jobs, and the tasks that wait."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions.around import list_all_statements, list_enclosing
from migrate.program import ir
from migrate.program.binding_time import Diagnostics

_SEVERAL_RECIPE = (
    "Start one tf.train.Server, with the job and the index of this process's task, and "
    "open the session on it."
)
_ONE_PROGRAM_RECIPE = (
    "Take the job's name and the task's index from flags, and give them to the server, "
    "to worker_device and to is_chief. Write "
    '`if FLAGS.job_name == "ps": server.join()` after the server. Then start this one '
    "program for every task."
)
_NO_SERVERS_RECIPE = (
    'Add a job of parameter servers, "ps", to the cluster, and write '
    '`if job_name == "ps": server.join()`. For one process, remove the server, and open '
    "tf.Session() without a target."
)
_ONE_OF_THEM_RECIPE = (
    "Leave this cluster out. Give the case of one process a program of its own, without "
    "a server, that opens tf.Session() without a target."
)
# Jobs that the strategies know; a master is a chief.
_JOBS = frozenset({"ps", "worker", "chief", "master", "evaluator"})
_NAMES_RECIPE = (
    'Call the job of the parameter servers "ps", in the cluster and wherever the program '
    'names it. Put the tasks that train into one job, "worker", and take their indices '
    "from a flag."
)
_NONE_RECIPE = (
    "For one process, open the session without a target: leave out `target` or "
    "`master`. For a cluster, start a tf.train.Server in this file, and open the session "
    "on server.target."
)


_DEPTH = 8  # So many names may stand between the server and its cluster.


class Clusters:
    """Finds the server that a driver starts, its cluster, and where tasks wait."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        session_call: ast.Call,
        driver: ast.FunctionDef | ast.Module,
    ) -> None:
        self.driver = driver
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.session_call = session_call

    def find(self) -> ir.Cluster | None:
        """The cluster of the server that the driver starts; None, with a refusal."""
        server = self._find_server()
        return self._find_cluster(server) if server is not None else None

    def list_servers(self) -> list[ast.Call]:
        return self.scopes.list_calls("tf.train.Server")

    def _find_server(self) -> tuple[ast.stmt, ast.Call] | None:
        calls = self.list_servers()
        if len(calls) != 1:
            self.diagnostics.refuse(
                "C101",
                calls[1] if calls else self.session_call,
                *self._explain_servers(calls),
                "tf.train.Server",
            )
            return None
        statement = next(
            n for n in list_enclosing(self.scopes, calls[0]) if isinstance(n, ast.stmt)
        )
        if not any(s is statement for s in list_all_statements(self.driver.body)):
            self.diagnostics.refuse(
                "C101",
                calls[0],
                ir.SERVER_ELSEWHERE,
                "Start the server in the function that opens the session.",
                "tf.train.Server",
            )
            return None
        if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
            self.diagnostics.refuse(
                "C101",
                calls[0],
                "the program does not keep the server in a variable",
                "Assign the server to a variable: server = tf.train.Server(...). "
                "Call `server.join()` in the tasks that are parameter servers, and "
                "open the session with master=server.target.",
            )
            return None
        return statement, calls[0]

    def _explain_servers(self, calls: list[ast.Call]) -> tuple[str, str]:
        if calls:
            return "the program starts several servers", _SEVERAL_RECIPE
        master = names.find_argument(self.session_call, "target", 0)
        master = master or names.find_argument(self.session_call, "master", 0)
        if master is None:
            return "the program starts no tf.train.Server", _NONE_RECIPE
        shown = ast.unparse(master)
        return (
            f"the session connects to `{shown}`, and the program starts no "
            "tf.train.Server",
            _NONE_RECIPE,
        )

    def _find_cluster(self, server: tuple[ast.stmt, ast.Call]) -> ir.Cluster | None:
        statement, call = server
        spec = names.find_argument(call, "server_or_cluster_def", 0)
        job = names.find_argument(call, "job_name", 1)
        index = names.find_argument(call, "task_index", 2)
        if spec is None or job is None or index is None:
            self.diagnostics.refuse(
                "C101",
                call,
                "the server does not get its cluster, its job's name and its "
                "task's index",
                "Pass cluster, job_name and task_index to the server.",
                "tf.train.Server",
            )
            return None
        choices = self._list_choices(spec)
        return ir.Cluster(spec, statement, call, job, index, choices)

    def _list_choices(
        self, spec: ast.expr, depth: int = 0
    ) -> tuple[frozenset[str], ...]:
        """The job names of each cluster that an expression may be; () if it is not known."""
        if depth > _DEPTH:
            return ()
        if isinstance(spec, ast.Dict):
            keys = [names.read_literal(k) for k in spec.keys]
            if not all(isinstance(k, str) for k in keys):
                return ()
            return (frozenset(str(k) for k in keys),)
        parts = self._list_parts(spec)
        found = [self._list_choices(part, depth + 1) for part in parts]
        return tuple(dict.fromkeys(sum(found, ()))) if all(found) else ()

    def _list_parts(self, spec: ast.expr) -> list[ast.expr]:
        """The expressions one of which gives a cluster; none if the tool cannot tell."""
        if isinstance(spec, ast.IfExp):
            return [spec.body, spec.orelse]
        if isinstance(spec, ast.Name):
            return self._list_bound(spec)
        if isinstance(spec, ast.Subscript):
            return self._list_values(spec.value)
        if isinstance(spec, ast.Call):
            if self.scopes.resolve(spec.func) == "tf.train.ClusterSpec":
                return spec.args[:1]
            if isinstance(spec.func, ast.Attribute) and spec.func.attr == "get":
                return [*self._list_values(spec.func.value), *spec.args[1:2]]
        return []

    def _list_values(self, of: ast.expr) -> list[ast.expr]:
        """The values of a dict that the program writes out."""
        bound = self._list_bound(of) if isinstance(of, ast.Name) else [of]
        if len(bound) == 1 and isinstance(bound[0], ast.Dict):
            return bound[0].values
        return []

    def _list_bound(self, name: ast.Name) -> list[ast.expr]:
        """What the statements give a name that it may have; none if one is not known."""
        owner = self.scopes.find_scope(name).find_owner(name.id)
        bindings = owner.bindings[name.id] if owner else []
        mutated = any(
            name.id in names.find_mutations(s)
            for s in list_all_statements(self.driver.body)
            if not names.list_suites(s)
        )
        if mutated:
            return []
        found = [
            b.value
            for b in bindings
            if isinstance(b, ast.Assign)
            and len(b.targets) == 1
            and isinstance(b.targets[0], ast.Name)
        ]
        return found if len(found) == len(bindings) else []

    def find_joins(self, cluster: ir.Cluster) -> list[ast.stmt]:
        """Finds the statements `server.join()`, in which a task waits."""
        server_name = names.find_key(cluster.server.targets[0])  # type: ignore[attr-defined]
        return [
            s
            for s in list_all_statements(self.driver.body)
            if isinstance(s, ast.Expr)
            and isinstance(s.value, ast.Call)
            and isinstance(s.value.func, ast.Attribute)
            and s.value.func.attr == "join"
            and names.find_key(s.value.func.value) == server_name
        ]

    def explain_no_joins(self, cluster: ir.Cluster) -> tuple[str, str]:
        """Why the tool cannot tell which tasks are parameter servers, and what to do."""
        job = names.read_literal(cluster.job_name)
        index = names.read_literal(cluster.task_index)
        if isinstance(job, str) and (cluster.jobs is None or len(cluster.jobs) > 1):
            task = f"task {index} of " if isinstance(index, int) else ""
            return (
                f'the server is always {task}job "{job}", so the other tasks have '
                "programs of their own. The tool migrates one program that all tasks "
                "start",
                _ONE_PROGRAM_RECIPE,
            )
        if cluster.jobs is not None and len(cluster.jobs) == 1:
            (only,) = cluster.jobs
            return (
                f'the cluster has no job but "{only}", and no task waits in '
                "server.join(), so it has no parameter servers",
                _NO_SERVERS_RECIPE,
            )
        return (
            "no task waits in server.join(), so the tool cannot tell which tasks are "
            "parameter servers",
            'Write `if job_name == "ps": server.join()`.',
        )

    def check_jobs(self, cluster: ir.Cluster, replication: ir.Replication) -> None:
        """Refuses a cluster without the jobs that the strategy looks for, by their names."""
        servers = replication is not ir.Replication.SYNCHRONOUS
        for jobs in cluster.choices:
            if not (
                jobs <= _JOBS
                and jobs & {"worker", "chief", "master"}
                and ("ps" in jobs or not servers)
            ):
                several = len(cluster.choices) > 1
                self._refuse_jobs(cluster, jobs, several)
                return

    def _refuse_jobs(
        self, cluster: ir.Cluster, jobs: frozenset[str], several: bool
    ) -> None:
        which = "one of the clusters" if several else "the cluster"
        if jobs == {"worker"}:
            reason, recipe = (
                f'{which} has no job but "worker", so it has no parameter servers',
                _ONE_OF_THEM_RECIPE if several else _NO_SERVERS_RECIPE,
            )
        else:
            shown = " and ".join(f'"{job}"' for job in sorted(jobs))
            whose = "the jobs of one cluster" if several else "the cluster's jobs"
            reason, recipe = (
                f"{whose} are {shown}. TensorFlow 2's strategies know "
                'parameter servers by the name "ps", and workers by "worker"',
                _NAMES_RECIPE,
            )
        self.diagnostics.refuse(
            "C101", cluster.server, reason, recipe, "tf.train.Server"
        )
