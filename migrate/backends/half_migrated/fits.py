"""Keras's own training in a cluster's script, as the fit of the strategy it describes."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate import emitted
from migrate.backends.half_migrated.cluster import ClusterWriter, spell_cluster
from migrate.backends.half_migrated.spelling import Spelling, refuse_own_names
from migrate.backends.half_migrated.tasks import tell_role, write_role
from migrate.facts.scopes import Scopes
from migrate.findings import Outcome
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, make_code
from migrate.program.eager import FitProgram
from migrate.rules.mistakes.mistake import find_method

_OWN_NAMES = frozenset({"strategy", "fits", "training_session", "keras_fit"})
_TASK = frozenset({"tf_config", "task"})


class FitRewrite:
    """Plans one program that Keras trains.

    Args:
      together: whether the workers make every step together.
    """

    def __init__(
        self, program: FitProgram, scopes: Scopes, plan: Plan, together: bool
    ) -> None:
        self._program = program
        self._scopes = scopes
        self._plan = plan
        self._together = together
        self._spelling = Spelling(scopes, plan, program.blocks.values())
        self.findings = self._spelling.findings

    def run(self) -> None:
        """Fills the plan.

        Raises:
          Refused: the program is not taken.
        """
        program, plan = self._program, self._plan
        self._check_names()
        plan.support |= {*emitted.list_files("training_session"), "keras_fit.py"}
        plan.imports += ["import training_session", "import keras_fit"]
        cluster = ClusterWriter(
            program.cluster, program.server, self._together, plan, self._spelling
        )
        cluster.plan_server()
        strategy = cluster.write_strategy() if program.server else [self._write_role()]
        for call in program.sessions:
            self._spelling.claimed[call.func] = (
                "D153",
                "dropped: Keras trains without a session, on the strategy",
            )
        for call in program.calls:
            self._rewrite_call(call)
        early = [s for s in program.suite[: program.ready] if s not in program.late]
        graph = [s for s in program.suite if s not in early]
        made = [i for i, s in enumerate(graph) if s in program.made]
        first, last = made[0], made[-1]
        plan.suites[program.owner, program.field] = [
            *self._keep_statements(early),
            *strategy,
            self._write_fits(),
            *self._keep_statements(graph[:first]),
            Block(
                make_code("\nwith strategy.scope():"),
                self._keep_statements(graph[first : last + 1]),
            ),
            *self._keep_statements(graph[last + 1 :]),
        ]
        self._spelling.rewrite_names()

    def _write_role(self) -> Item:
        """The task and the strategy, where the program starts no server."""
        program = self._program
        self._plan.imports += ["import json", "import os"]
        made = self._scopes.parents[program.cluster]
        assert isinstance(made, ast.Assign)
        told = tell_role(self._together)
        self._spelling.add_finding(made.value, "D159", told, "tf.train.ClusterSpec")
        return New(
            make_code(write_role(spell_cluster(program.cluster), self._together, False))
        )

    def _check_names(self) -> None:
        own = _OWN_NAMES if self._program.server else _OWN_NAMES | _TASK
        refuse_own_names(self._scopes, own)

    def _keep_statements(self, statements: Sequence[ast.stmt]) -> list[Item]:
        items: list[Item] = []
        for statement in statements:
            block = self._program.blocks.get(statement)
            if block is not None:
                items.append(Dropped(block))
            items += self._plan.statements.get(statement) or [Keep(statement)]
        return items

    def _write_fits(self) -> Item:
        program = self._program
        if self._together:
            start = "fits = keras_fit.SynchronousFits(strategy, "
            index = (
                program.server.task_index
                if program.server
                else make_code('task["index"]')
            )
            return New(make_code(start, index, ")"))
        start = "fits = keras_fit.AsynchronousFits(strategy, "
        return New(make_code(start, spell_cluster(program.cluster), ")"))

    def _rewrite_call(self, call: ast.Call) -> None:
        """`model.fit(x, y)` is `fits.fit(model, x, y)`."""
        assert isinstance(call.func, ast.Attribute)
        parts: list[Code] = [make_code(a) for a in call.args]
        for keyword in call.keywords:
            name = f"{keyword.arg}=" if keyword.arg is not None else "**"
            parts.append(make_code(name, keyword.value))
        which = find_method(call)
        directory = self._program.checkpoint_dir
        if which == "fit" and directory is not None:
            parts.append(make_code("checkpoint_dir=", directory))
        woven: list[str | ast.AST | Code] = [f"fits.{which}(", call.func.value]
        for part in parts:
            woven += [", ", part]
        self._plan.replace(call, Code((*woven, ")")))
        if which == "fit":
            self._report_fit(call)

    def _report_fit(self, call: ast.Call) -> None:
        if self._together:
            reason = (
                "all workers now train one model, each with its part of every "
                "batch; before, each process trained a model of its own"
            )
            found = (
                "if the workers' parts of a batch have different sizes, Keras "
                "still counts the mean of each part equally: use a batch size "
                "that the number of workers divides, also for the last batch"
            )
            self._spelling.add_finding(call, "D154", found, outcome=Outcome.KEPT)
        else:
            reason = (
                "all workers now train one model, with its weights on the "
                "parameter servers; an epoch has as many steps as all workers "
                "had together"
            )
        self._spelling.add_finding(call, "D153", reason)
