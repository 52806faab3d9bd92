"""Reads a program's uses of its queues: each is removed, or is unclear."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.normalise.server_queues.kinds import Kind
from migrate.normalise.server_queues.program import Program, Unclear
from migrate.normalise.text import Edit
from migrate.source.nodes import walk_breadth_first

_FINAL = frozenset({"tf.train.FinalOpsHook", "tf.estimator.FinalOpsHook"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Uses(Program):
    """Reads every statement that is about a queue."""

    def _check_place(self, maker: ast.Call) -> None:
        """Refuses a shared queue that is not on a parameter server."""
        devices = [
            item.context_expr
            for block in self._scopes.walk_above(maker)
            if isinstance(block, ast.With)
            for item in block.items
            if isinstance(item.context_expr, ast.Call)
            and self._scopes.resolve(item.context_expr.func) == "tf.device"
        ]
        on_server = bool(devices) and any(
            isinstance(n, ast.Constant)
            and isinstance(n.value, str)
            and "job:ps" in n.value
            for n in walk_breadth_first(devices[0])
        )
        if not on_server and not self._serves(maker):
            raise Unclear(maker, "a shared queue that is not on a parameter server")

    def _read_suite(self, suite: Iterable[ast.stmt]) -> None:
        for statement in suite:
            self._read_statement(statement)

    def _read_statement(self, statement: ast.stmt) -> None:
        """Notes what of a statement goes.

        Raises:
          Unclear: it does something else with a queue.
        """
        if (
            isinstance(statement, _FUNCTIONS)
            and statement.name in self._kinds.functions
        ):
            self._check_makes_only(statement)
            self._drop_statement(statement)
            return
        suites = names.list_suites(statement)
        if suites:
            self._read_compound(statement)
            for _, suite in suites:
                self._read_suite(suite)
            return
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            self._read_suite(statement.body)
            return
        if not self._is_about(statement):
            return
        if isinstance(statement, ast.Assign) and not self._runs(statement.value):
            value = statement.value
            empty = isinstance(value, ast.List) and not value.elts
            if (self._kinds.classify(value) or empty) and all(
                self._kinds.make_key(t) is not None for t in statement.targets
            ):
                self._drop_statement(statement)
                return
            self._drop_hook(statement)
            return
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            if self._kinds.is_run(call) or self._is_evaluated(call):
                self._run(statement, call)
                return
            func = call.func
            if (
                isinstance(func, ast.Attribute)
                and func.attr in ("append", "extend")
                and self._kinds.classify(call.args[0] if call.args else None)
            ):
                self._drop_statement(statement)
                return
            if self._kinds.find_called_function(call) is not None:
                self._read_call(call)
                return
        self._drop_hook(statement)

    def _runs(self, value: ast.expr) -> bool:
        return any(self._kinds.is_run(n) for n in walk_breadth_first(value))

    def _is_evaluated(self, call: ast.Call) -> bool:
        """`queue.enqueue(1).run()` is a run as well."""
        return isinstance(call.func, ast.Attribute) and call.func.attr in (
            "run",
            "eval",
        )

    def _run(self, statement: ast.Expr, call: ast.Call) -> None:
        assert isinstance(call.func, ast.Attribute)
        kinds = self._kinds.classify(call.func.value)
        if not kinds and call.args and len(call.args) == 1 and not call.keywords:
            kinds = self._classify_fetches(call.args[0])
        if kinds == {Kind.WAITS}:
            self._waits.append(statement)
        elif kinds != {Kind.TELLS}:
            raise Unclear(statement, "a run of it together with something else")
        self._drop_statement(statement)

    def _classify_fetches(self, fetches: ast.expr) -> set[Kind]:
        """Returns the kinds of the fetches; none if other things are fetched."""
        if isinstance(fetches, (ast.List, ast.Tuple)):
            each = [self._kinds.classify(e) for e in fetches.elts]
            return set().union(*each) if all(each) else set()
        return self._kinds.classify(fetches)

    def _read_call(self, call: ast.Call) -> None:
        """Reads a call with queues as arguments, and replaces these by None."""
        for value in [*call.args, *[k.value for k in call.keywords]]:
            if self._kinds.classify(value):
                self._edits.append(Edit(value, "None"))
            elif self._is_about(value):
                raise Unclear(call, "it is passed on with something else")

    def _read_compound(self, statement: ast.stmt) -> None:
        """Checks the head of a loop, a branch or a block.

        Raises:
          Unclear: the head does something with a queue itself.
        """
        heads: list[ast.AST] = []
        if isinstance(statement, ast.For):
            if self._kinds.classify(statement.iter):
                if not all(self._is_about(s) for s in statement.body):
                    raise Unclear(statement, "a loop that does something else too")
                return
            heads = [statement.iter]
        elif isinstance(statement, (ast.If, ast.While)):
            heads = [statement.test]
        elif isinstance(statement, ast.With):
            heads = [item.context_expr for item in statement.items]
        for head in heads:
            if self._is_about(head):
                self._drop_hook(head)

    def _drop_hook(self, node: ast.AST) -> None:
        """Lists of hooks without the one that tells at the end.

        Raises:
          Unclear: a queue is used in another way.
        """
        for display in walk_breadth_first(node):
            if not isinstance(display, ast.List):
                continue
            kept = [e for e in display.elts if not self._kinds.classify(e)]
            lost = [e for e in display.elts if self._kinds.classify(e)]
            if lost and all(self._kinds.classify(e) == {Kind.TELLS} for e in lost):
                if not all(self._is_hook(e) for e in lost):
                    raise Unclear(display, "a list of it and something else")
                new = ", ".join(" ".join(ast.unparse(e).split("\n")) for e in kept)
                self._edits.append(Edit(display, f"[{new}]"))
                return
        raise Unclear(node, "it is used for something else")

    def _is_hook(self, element: ast.expr) -> bool:
        if isinstance(element, ast.Call):
            return self._scopes.resolve(element.func) in _FINAL
        if isinstance(element, ast.Name):
            owner = self._scopes.find_scope(element).find_owner(element.id)
            bound = owner.bindings[element.id] if owner is not None else []
            return all(
                isinstance(b, ast.Assign)
                and isinstance(b.value, ast.Call)
                and self._scopes.resolve(b.value.func) in _FINAL
                for b in bound
            )
        return False

    def _check_makes_only(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> None:
        """Checks that a function makes queues, and nothing else.

        Raises:
          Unclear: something else is lost with it.
        """
        for node in walk_breadth_first(function):
            if isinstance(node, ast.Call) and self._kinds.is_run(node):
                raise Unclear(node, "a function that makes queues runs something too")
            if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
                text = self._text.find_segment(node)
                call = node.value
                plain = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
                if not (plain and text.startswith("print(")) and not self._is_about(
                    node
                ):
                    raise Unclear(node, "a function that makes queues does more")
