"""Reads a half-migrated program as a whole: its cluster, session, suite, loop and step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated import around, checkpoints
from migrate.frontends.half_migrated import step as steps
from migrate.frontends.half_migrated.cluster import ClusterReader
from migrate.frontends.half_migrated.inline import check_changing, split_step
from migrate.frontends.half_migrated.losses import LossReader, find_calls
from migrate.frontends.half_migrated.metrics import MetricReader
from migrate.frontends.half_migrated.refused import Refused, refuse_mixture
from migrate.frontends.half_migrated.session import SessionReader
from migrate.frontends.half_migrated.source import LoopReader
from migrate.frontends.half_migrated.suite import SuiteReader
from migrate.frontends.keras_names import find_called_function
from migrate.program.eager import EagerProgram, Server
from migrate.rules.mistakes.mistake import find_binding
from migrate.source.nodes import walk_breadth_first

_TF1 = frozenset({"tf.placeholder", "tf.get_variable", "tf.disable_eager_execution"})


class Reader:
    """Reads one file.

    Args:
      found: its calls, each with what it calls.
      sessions: those that open a session.
    """

    def __init__(
        self,
        scopes: Scopes,
        found: list[tuple[ast.Call, str]],
        sessions: list[ast.Call],
    ) -> None:
        self._scopes = scopes
        self._found = found
        self._sessions = sessions

    def read(self) -> EagerProgram:
        """Reads the program.

        Raises:
          Refused: it is not taken.
        """
        for call, symbol in self._found:
            if symbol in _TF1:
                raise refuse_mixture(call)
        sessions = SessionReader(self._scopes, self._found, self._sessions)
        call, block, name = sessions.read_session()
        arguments = sessions.read_arguments(call)
        clusters = ClusterReader(self._scopes, self._found)
        cluster, jobs = clusters.read_cluster()
        server = clusters.read_server()
        suites = SuiteReader(self._scopes, self._found)
        owner, field, suite, setters, whole = suites.read_suite(block)
        suites.check_devices(setters)
        source, loop, step_call = LoopReader(self._scopes).read_source(block, suite)
        ready = suites.find_ready(suite, cluster, server)
        clusters.check_task(call, server, jobs, arguments)
        made = suites.find_model_statements(suite, whole)
        later: list[ast.AST] = [*loop, *suite[suite.index(whole) :]]
        metrics = MetricReader(self._scopes, self._found, suite, whole)
        inline: list[ast.stmt] = []
        if step_call is None:
            inline = split_step(
                self._scopes, loop, (source.statement, *source.takes), metrics.updates
            )
            check_changing(block, inline, source.names)
        else:
            given: list[ast.stmt] = [
                ast.Expr(a) for a in steps.list_arguments(step_call)
            ]
            check_changing(block, given, source.names)
            function = find_called_function(self._scopes, step_call.func)
            assert function is not None
            made = made | self._find_object(step_call, suite)
            parameters = [
                a.arg
                for a in walk_breadth_first(function.args)
                if isinstance(a, ast.arg)
            ]
            check_changing(block, function.body, parameters)
        inside = {n for s in inline for n in walk_breadth_first(s)}
        step = steps.read(
            self._scopes,
            name,
            source,
            inline,
            step_call,
            [n for n in _walk_statements(later) if n not in inside],
            metrics.updates,
        )
        self._check_tasks_in(step.body, server)
        reader = LossReader(self._scopes, step.body, steps.map_step_arguments(step))
        made_by = tuple(dict.fromkeys(made for _, made in reader.find_mean_calls()))
        means = [
            c for made in made_by for c in find_calls(self._scopes, made, step, reader)
        ]
        if step.of_v1:
            around.check_counts(call, arguments, self._found, step)
        around.check(self._scopes, self._found, block, name, source, step)
        return EagerProgram(
            owner,
            field,
            tuple(suite),
            setters,
            cluster,
            "ps" in jobs,
            server,
            ready,
            suites.find_late_statements(suite, ready),
            made,
            whole,
            call,
            name,
            arguments,
            source,
            step,
            made_by,
            tuple(dict.fromkeys(means)),
            sessions.find_endless_loop(block),
            sessions.stops(),
            metrics.read(step),
            checkpoints.find_saves(self._scopes, self._found, suite, whole, made),
        )

    def _find_object(self, call: ast.Call, suite: list[ast.stmt]) -> set[ast.stmt]:
        """Finds the statement that makes the object whose method the step is."""
        if not isinstance(call.func, ast.Attribute):
            return set()
        made = find_binding(self._scopes, call.func.value)
        statement = self._scopes.parents[made] if made is not None else None
        if statement not in suite:
            raise Refused(
                "D125",
                call,
                "the step is a method of an object, and the program does not make "
                "the object where it opens the session",
                "Make the object between the server and the session.",
            )
        assert isinstance(statement, ast.stmt)
        self._check_attributes(call)
        return {statement}

    def _check_attributes(self, call: ast.Call) -> None:
        """Raises Refused if a step reads an attribute that something changes."""
        function = find_called_function(self._scopes, call.func)
        assert function is not None and isinstance(call.func, ast.Attribute)
        owner = self._scopes.parents[function]
        begins = {
            n
            for s in getattr(owner, "body", [])
            if isinstance(s, ast.FunctionDef) and s.name == "__init__"
            for n in walk_breadth_first(s)
        }
        changed = {
            n.attr
            for n in walk_breadth_first(self._scopes.tree)
            if isinstance(n, ast.Attribute)
            and not isinstance(n.ctx, ast.Load)
            and n not in begins
        }
        for node in (n for s in function.body for n in walk_breadth_first(s)):
            if (
                isinstance(node, ast.Attribute)
                and names.find_key(node.value) == "self"
                and node.attr in changed
            ):
                raise Refused(
                    "D125",
                    node,
                    f"the step depends on `{ast.unparse(node)}`, which the program "
                    "changes. The migrated step would keep the value that it had "
                    "when the step was traced",
                    "Pass the value to the step as a part of the batch, or keep it "
                    "in a tf.Variable.",
                )

    def _check_tasks_in(
        self, body: tuple[ast.stmt, ...], server: Server | None
    ) -> None:
        if server is None or isinstance(server.task_index, ast.Constant):
            return
        index = ast.dump(server.task_index)
        for node in (n for s in body for n in walk_breadth_first(s)):
            if isinstance(node, ast.expr) and ast.dump(node) == index:
                raise Refused(
                    "D125",
                    node,
                    "the step depends on the task, but all tasks run the same step",
                    "Pass the value that differs to the step.",
                )


def _walk_statements(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Yields statements, and those in blocks one by one, with the blocks' headers."""
    for node in nodes:
        if isinstance(node, (ast.With, ast.For, ast.While, ast.If)):
            for field, value in ast.iter_fields(node):
                if field in ("body", "orelse"):
                    yield from _walk_statements(value)
                elif isinstance(value, ast.AST):
                    yield value
        else:
            yield node
