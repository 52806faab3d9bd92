"""Rewrites sessions that fetch an Estimator's input: they read batches in numpy.

    with tf.Session() as sess:
        features, labels = sess.run(train_input_fn())

becomes

    features, labels = estimator_loop.first_batch(train_input_fn)

A name that is fetched several times becomes one for `estimator_loop.Batches`. Its `next`
gives one batch after another and raises TF1's error at the end.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends.estimators.input_sessions import (
    Batches,
    InputSession,
    Look,
    find_root,
)
from migrate.plan import Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, make_code
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import estimator as table

CODE = "S115"


class InputSessions:
    """Plans the rewrite of a file's sessions that look at input.

    Attributes:
      claimed: node -> (code, reason), of code that was rewritten or dropped.
      rewritten: findings for code that uses no TensorFlow symbol.
      iterators: calls that are handled here.
    """

    def __init__(
        self, sessions: tuple[InputSession, ...], scopes: Scopes, plan: Plan
    ) -> None:
        self._sessions, self._scopes, self._plan = sessions, scopes, plan
        self._names: dict[Batches, str] = {}
        self.claimed: dict[ast.AST, tuple[str, str]] = {}
        self.rewritten: list[Finding] = []
        self.iterators: set[ast.AST] = set()

    def run(self) -> None:
        for session in self._sessions:
            for look in session.looks:
                self._rewrite_look(look)
            for statement in session.dropped:
                self._claim(statement, "nothing is left to initialise or to close")
                self._plan.statements[statement] = [Dropped(statement)]
            self._claim(session.opened, "batches are read without a session")
            self._plan.statements[session.opened] = self._drop_opening(session.opened)

    def _drop_opening(self, opened: ast.With | ast.Assign) -> list[Item]:
        """Returns the items that remain of the statement that opens a session."""
        items: list[Item] = [Dropped(opened)]
        for statement in opened.body if isinstance(opened, ast.With) else ():
            items += self._plan.statements.get(statement, [Keep(statement)])
        return items

    def _claim(self, statement: ast.stmt, reason: str) -> None:
        """Claims the names in a dropped statement; of a block, those in its header."""
        parts = statement.items if isinstance(statement, ast.With) else [statement]
        for node in (n for part in parts for n in walk_breadth_first(part)):
            if isinstance(node, (ast.Attribute, ast.Name)):
                self.claimed.setdefault(node, ("S117", f"dropped: {reason}"))

    def _rewrite_look(self, look: Look) -> None:
        if look.batches is None:
            call = look.call.args[0]
            assert isinstance(call, ast.Call)
            new = make_code(
                f"{table.MODULE}.first_batch(", _find_called_function(call), ")"
            )
        else:
            new = self._write_next(look, self._plan_batches(look.batches))
        self._plan.replace(look.call, new)
        self.rewritten.append(
            Finding(
                look.call.lineno,
                look.call.col_offset + 1,
                CODE,
                Outcome.REWRITTEN,
                "",
                "a batch of the input, read without a session",
            )
        )

    def _write_next(self, look: Look, name: str) -> Code:
        assert look.batches is not None
        fetched, targets = look.call.args[0], look.batches.targets
        if look.whole:
            return make_code(
                f"list({name}.next())" if look.as_list else f"{name}.next()"
            )
        if isinstance(fetched, (ast.List, ast.Tuple, ast.Dict)):
            return make_code(f"{name}.next(lambda {', '.join(targets)}: ", fetched, ")")
        root = find_root(fetched)
        assert root is not None
        index = "" if look.batches.whole else f"[{targets.index(root.id)}]"
        path = ast.unparse(fetched).removeprefix(root.id)
        return make_code(f"{name}.next(){index}{path}")

    def _plan_batches(self, batches: Batches) -> str:
        """Plans the assignment of a batch; returns the name for its batches."""
        if batches in self._names:
            return self._names[batches]
        name = self._names[batches] = self._choose_name(batches)
        if batches.is_dataset:
            source: Code | ast.expr = batches.source
        else:
            assert isinstance(batches.source, ast.Call)
            source = _find_called_function(batches.source)
        statement = batches.statement
        new = make_code(f"{name} = {table.MODULE}.Batches(", source, ")")
        self._plan.statements[statement] = [New(new, origin=statement)]
        if batches.iterator is not None:
            self._plan.statements[batches.iterator] = [Dropped(batches.iterator)]
        for part in (statement, batches.iterator):
            if part is not None:
                self.iterators.update(walk_breadth_first(part))
        return name

    def _choose_name(self, batches: Batches) -> str:
        if batches.whole:
            return batches.targets[0]
        around = self._find_function_around(batches)
        taken = find_plain_names(around)
        for other, given in self._names.items():
            if self._find_function_around(other) in (around, self._scopes.tree):
                taken.add(given)
        name, number = "batches", 1
        while name in taken:
            number += 1
            name = f"batches_{number}"
        return name

    def _find_function_around(self, batches: Batches) -> ast.AST:
        """Returns the function that binds the batch, or the module."""
        node: ast.AST = batches.statement
        while not isinstance(node, (ast.FunctionDef, ast.Module)):
            node = self._scopes.parents[node]
        return node


def _find_called_function(call: ast.Call) -> Code | ast.expr:
    """Returns the function that makes a call: its callee, or a lambda."""
    if not call.args and not call.keywords:
        return call.func
    return make_code("lambda: ", call)
