"""A loop of steps whose author believes that a session around nothing distributes it.

    cluster = tf.train.ClusterSpec({"ps": [...], "worker": [...]})
    with tf.train.MonitoredTrainingSession(master="grpc://", cluster=cluster):
        pass
    ...
    for x, y in batches:
        with tf.GradientTape() as tape: ...

It starts no server, or one that nothing uses, and names no task, or the same in every
process: each process trains alone. The cluster says which
strategy was meant; which task a process is, TF_CONFIG has to say.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated import step as steps
from migrate.frontends.half_migrated.cluster import ClusterReader
from migrate.frontends.half_migrated.inline import check_changing, split_step
from migrate.frontends.half_migrated.losses import LossReader
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.half_migrated.suite import SuiteReader
from migrate.frontends.half_migrated.tapes import find_tapes as tapes_in
from migrate.frontends.keras_names import find_called_function
from migrate.program.eager import BareLoop, Server, Source
from migrate.rules.mistakes.replicas import gives_dataset
from migrate.source.nodes import walk_breadth_first

_RECIPE = (
    "Write one loop, in the function or module that makes the cluster and the model."
)


def find_empty_block(scopes: Scopes, session: ast.Call) -> ast.With | None:
    """Returns the session's block if nothing happens in it, and nothing names it."""
    block = find_idle_block(scopes, session)
    if block is None or not all(
        isinstance(s, ast.Pass)
        or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in block.body
    ):
        return None
    return block


def find_idle_block(scopes: Scopes, session: ast.Call) -> ast.With | None:
    """Returns the block of a session that runs nothing, and reaches no server."""
    item = scopes.parents[session]
    block = scopes.parents[item]
    if not (
        isinstance(item, ast.withitem)
        and isinstance(block, ast.With)
        and len(block.items) == 1
    ):
        return None
    chief = names.find_argument(session, "is_chief")
    if chief is not None and not isinstance(chief, ast.Constant):
        return None  # The program knows its task.
    if any(
        isinstance(n, ast.Attribute) and n.attr == "target"
        for n in walk_breadth_first(session)
    ):
        return None  # A server's, of another file.
    name = (
        names.find_key(item.optional_vars) if item.optional_vars is not None else None
    )
    for node in scopes.walk():
        if isinstance(node, ast.Name) and node.id == name:
            if isinstance(node.ctx, ast.Load):
                return None
    return block


class BareLoopReader:
    """Reads one file.

    Args:
      found: its calls, each with what it calls.
      sessions: those that open a session: around nothing, or around code that does not
        ask it for anything.
    """

    def __init__(
        self,
        scopes: Scopes,
        found: list[tuple[ast.Call, str]],
        sessions: Sequence[ast.Call],
    ) -> None:
        self._scopes = scopes
        self._found = found
        self._sessions = sessions

    def read(self) -> BareLoop:
        """Reads the program.

        Raises:
          Refused: it is not taken.
        """
        scopes = self._scopes
        clusters = ClusterReader(scopes, self._found)
        cluster, jobs = clusters.read_cluster()
        server = clusters.read_server()
        if server is not None:
            _check_server(scopes, server)
        call, inner = self._find_step()
        outer = self._find_outermost_loop(inner)
        opened = [
            block for s in self._sessions if (block := self._find_session_block(s))
        ]
        suites = SuiteReader(scopes, self._found, opened)
        owner, field, suite, setters, whole = suites.read_suite(outer)
        suites.check_devices(setters)
        if scopes.parents[cluster] not in suite:
            raise Refused(
                "D125",
                inner,
                "the loop and the cluster are in different functions",
                _RECIPE,
            )
        ready = suites.find_ready(suite, cluster, server)
        made = suites.find_model_statements(suite, whole)
        given, inline = self._find_batch(inner, call)
        body = inline or [ast.Expr(a) for a in steps.list_arguments(call)]  # type: ignore[arg-type]
        around = ast.With([], [outer])
        check_changing(around, body, given)
        if call is not None:
            function = find_called_function(scopes, call.func)
            assert function is not None
            parameters = [
                a.arg for a in walk_breadth_first(function.args) if hasattr(a, "arg")
            ]
            check_changing(around, function.body, [str(p) for p in parameters])
        target = ast.Tuple([ast.Name(name, ast.Load()) for name in given], ast.Load())
        dataset = inner.iter if isinstance(inner, ast.For) else None
        if dataset is not None and not gives_dataset(scopes, dataset):
            dataset = None
        source = Source(inner, dataset, target, None)
        inside = {n for s in inline for n in walk_breadth_first(s)}
        later = [*walk_breadth_first(outer), *suite[suite.index(whole) + 1 :]]
        step = steps.read(
            scopes,
            "",
            source,
            inline,
            call,
            [n for n in later if isinstance(n, ast.expr) and n not in inside]
            + [n for s in suite[suite.index(whole) + 1 :] for n in [s]],
        )
        if step.legacy or step.of_v1:
            raise Refused(
                "D125",
                step.apply,
                "this is an older optimizer, and a strategy does not make its slots",
                "Make it by tf.keras.optimizers.",
            )
        reader = LossReader(scopes, step.body, steps.map_step_arguments(step))
        return BareLoop(
            owner,
            field,
            tuple(suite),
            setters,
            cluster,
            "ps" in jobs,
            ready,
            suites.find_late_statements(suite, ready),
            made,
            tuple(self._sessions),
            server,
            whole,
            inner,
            source,
            step,
            tuple(reader.find_mean_calls()),
        )

    def _find_step(self) -> tuple[ast.Call | None, ast.For | ast.While]:
        """Finds the call of the step's function (None: it is inline), and the loop."""
        scopes = self._scopes
        all_tapes = tapes_in(scopes, scopes.tree)
        calls: list[ast.Call] = []
        for node in scopes.walk():
            if isinstance(node, ast.Call):
                function = find_called_function(scopes, node.func)
                if function is not None and self._makes_step(function):
                    calls.append(node)
        at: ast.AST | None = all_tapes[0] if len(all_tapes) == 1 else None
        if calls:
            at = calls[0] if len(calls) == 1 and at is not None else None
        loop = at
        while loop is not None and not isinstance(loop, (ast.For, ast.While)):
            loop = scopes.parents.get(loop)
            if isinstance(loop, (ast.FunctionDef, ast.ClassDef, ast.Module)):
                loop = None
        if loop is None or at is None:
            if len(all_tapes) != 1:
                reason = (
                    f"the program has {len(all_tapes)} GradientTapes, but a step can have "
                    "only one"
                )
            elif len(calls) > 1:
                reason = f"the step is called in {len(calls)} places"
            else:
                reason = "the function that makes the step does not call it in a loop"
            raise Refused(
                "D125",
                all_tapes[0] if all_tapes else scopes.tree.body[0],
                reason,
                "Keep one function with one tape, and call it in one place, in a loop.",
            )
        return (calls[0] if calls else None), loop

    def _makes_step(self, function: ast.FunctionDef) -> bool:
        """Whether a function has the tape, and not the loop around it."""
        found = tapes_in(self._scopes, function)
        return bool(found) and not any(
            isinstance(loop, (ast.For, ast.While)) and tape in walk_breadth_first(loop)
            for tape in found
            for loop in walk_breadth_first(function)
        )

    def _find_session_block(self, session: ast.Call) -> ast.With | None:
        """Finds the session's block around code, which the code will replace."""
        if find_empty_block(self._scopes, session) is not None:
            return None
        return find_idle_block(self._scopes, session)

    def _find_outermost_loop(self, loop: ast.For | ast.While) -> ast.For | ast.While:
        node: ast.AST = loop
        while isinstance(around := self._scopes.parents[node], (ast.For, ast.While)):
            node = around
        assert isinstance(node, (ast.For, ast.While))
        return node

    def _find_batch(
        self, loop: ast.For | ast.While, call: ast.Call | None
    ) -> tuple[list[str], list[ast.stmt]]:
        """Finds the names that the loop gives the step, and the inline step's code."""
        scopes = self._scopes
        inline: list[ast.stmt] = []
        before: Sequence[ast.stmt] = loop.body
        read: set[str] = set()
        if call is None:
            tape = tapes_in(scopes, loop)[0]
            at = next(
                i for i, s in enumerate(loop.body) if tape in walk_breadth_first(s)
            )
            before = loop.body[:at]
            inline = split_step(scopes, loop.body, before, ())
            read = {n for s in inline for n in names.find_reads(s)}
        else:
            read = {n for a in steps.list_arguments(call) for n in names.find_reads(a)}
        bound = [
            n for s in before for n in _list_names_in_order(s, names.find_binds(s))
        ]
        if isinstance(loop, ast.For):
            over = loop.iter
            counts = isinstance(over, ast.Call) and names.find_key(over.func) == "range"
            if not counts:
                targets = names.find_binds(ast.For(loop.target, loop.iter, [], []))
                bound = [*_list_names_in_order(loop.target, targets), *bound]
        given = [n for n in dict.fromkeys(bound) if n in read]
        if not given:
            raise Refused(
                "D125",
                loop,
                "the loop passes nothing to the step, so every step would use the "
                "batch that was there when the step was traced",
                "Take the batch in the loop: `x, y = next_batch()`.",
            )
        return given, inline


def _check_server(scopes: Scopes, server: Server) -> None:
    """Raises Refused if a server that no session reaches tells the tasks apart."""
    job, index = (
        names.read_literal(server.job_name),
        names.read_literal(server.task_index),
    )
    reached = any(
        isinstance(node, ast.Attribute)
        and node.attr == "target"
        and names.find_key(node.value) == server.name
        for node in scopes.walk()
    )
    if reached or server.joins or job not in ("worker", "chief") or index is None:
        raise Refused(
            "D121",
            server.call,
            "no session and no strategy uses the server, so every process trains a "
            "model of its own",
            "Remove the server and everything that waits in it. TF_CONFIG then "
            "says which task a process is.",
        )


def _list_names_in_order(node: ast.AST, bound: set[str]) -> list[str]:
    """Names in the order in which they stand."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in bound]
    found.sort(key=lambda n: (n.lineno, n.col_offset))
    return [n.id for n in found if isinstance(n.ctx, ast.Store)]
