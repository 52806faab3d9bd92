"""Checks that a step does nothing that tracing would change."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.half_migrated.tapes import find_tapes
from migrate.rules.mistakes.mistake import find_binding, find_method
from migrate.source.nodes import walk_breadth_first

PLAIN = "Write the step with assignments, a tape, apply_gradients and a return."
_TELLS = "Return the values, and do this in the loop."
# Calls with another value in every step, which a trace would call only once.
_ANEW = ("numpy.random.", "random.", "time.")
# They print where the step is made, in every step.
_IN_GRAPH = frozenset({"tf.print", "tf.debugging.check_numerics", "tf.ensure_shape"})


class BodyChecks:
    """Checks the statements of one step.

    Args:
      function: the function that makes it; None if it stands in the loop.
      counts: calls that update metrics.
    """

    def __init__(
        self,
        scopes: Scopes,
        body: Sequence[ast.stmt],
        function: ast.FunctionDef | None,
        counts: Collection[ast.expr],
    ) -> None:
        self._scopes = scopes
        self._body = body
        self._function = function
        self._counts = counts
        self._known: set[str] = set()
        self._bound = {n for s in body for n in names.find_binds(s)}
        # If TensorFlow traced the function before, its prints also ran only once.
        self._traced = function is not None and bool(function.decorator_list)

    def run(self) -> None:
        """Raises Refused if a step does more than compute and update."""
        for index, statement in enumerate(self._body):
            self._check(statement, index == 0, statement is self._body[-1])
        for node in (n for s in self._body for n in walk_breadth_first(s)):
            if isinstance(node, ast.Call) and self._takes_value(node):
                raise Refused(
                    "D125",
                    node,
                    "the step reads a value that does not exist yet or that "
                    "changes from step to step. The migrated step would keep the "
                    "value that it had when the step was traced",
                    PLAIN,
                )

    def _takes_value(self, call: ast.Call) -> bool:
        if find_method(call) == "numpy":
            return True
        if (self._scopes.find_dotted_path(call.func) or "").startswith(
            _ANEW
        ) and not self._traced:
            return True
        if not isinstance(call.func, ast.Name):
            return False
        return call.func.id in ("float", "int") or (
            call.func.id == "print" and not self._traced
        )

    def _check(self, statement: ast.stmt, first: bool, last: bool) -> None:
        if isinstance(statement, ast.Return):
            if self._function is None or not last:
                raise Refused(
                    "D125", statement, "the step returns before its end", PLAIN
                )
        elif isinstance(statement, ast.Expr):
            self._check_call(statement, first)
        elif isinstance(statement, ast.AugAssign):
            if names.find_key(statement.target) not in self._known:
                raise Refused(
                    "D125", statement, "the step counts in a Python variable", PLAIN
                )
        elif isinstance(statement, ast.Assign):
            self._check_assign(statement)
        elif isinstance(statement, ast.With):
            if not find_tapes(self._scopes, statement):
                raise Refused("D125", statement, "the step contains a block", PLAIN)
            for item in statement.items:
                self._known |= names.find_item_binds(item)
            self._check_suite(statement.body)
        elif isinstance(statement, ast.If):
            self._check_if(statement)
        elif not isinstance(statement, ast.Pass):
            raise Refused(
                "D125",
                statement,
                "the step has control flow around its update, and a distributed "
                "step cannot have that",
                PLAIN,
            )

    def _check_suite(self, suite: list[ast.stmt]) -> None:
        for statement in suite:
            self._check(statement, False, False)

    def _check_call(self, statement: ast.Expr, first: bool) -> None:
        value = statement.value
        if isinstance(value, ast.Constant) and first:
            return  # Its docstring.
        if isinstance(value, ast.Call):
            prints = isinstance(value.func, ast.Name) and value.func.id == "print"
            if (
                value in self._counts
                or find_method(value) == "apply_gradients"
                or self._scopes.resolve(value.func) in _IN_GRAPH
                or (prints and self._traced)
            ):
                return
        raise Refused(
            "D125",
            statement,
            f"the step does `{ast.unparse(statement)[:60]}`. This would happen "
            "once, when the step is traced, or not in every worker",
            _TELLS,
        )

    def _check_assign(self, statement: ast.Assign) -> None:
        stored = [t for t in statement.targets if not _are_names(t)]
        early: set[str] = set()
        if self._function is None:
            early = names.find_reads(statement.value) & self._bound - self._known
        if stored or early:
            raise Refused(
                "D125", statement, "the step changes an object of the loop", PLAIN
            )
        self._known |= names.find_binds(statement)

    def _check_if(self, statement: ast.If) -> None:
        """Refuses a condition that may change between steps, or guards an update."""
        if not self._is_fixed(statement.test):
            raise Refused(
                "D125",
                statement,
                "the step has a condition or loop that depends on a changing "
                "value, and a distributed step cannot branch",
                PLAIN,
            )
        for node in (
            n
            for s in [*statement.body, *statement.orelse]
            for n in walk_breadth_first(s)
        ):
            if isinstance(node, ast.Call) and find_method(node) in (
                *("gradient", "apply_gradients"),
            ):
                raise Refused(
                    "D125",
                    statement,
                    "the step does not make this update in every case",
                    PLAIN,
                )
        self._check_suite(statement.body)
        self._check_suite(statement.orelse)

    def _is_fixed(self, test: ast.expr) -> bool:
        """Whether a test reads flags, and names that are assigned once, and no tensor."""
        for node in walk_breadth_first(test):
            if isinstance(node, (ast.Call, ast.Subscript)):
                return False
            if isinstance(node, ast.Name) and not self._is_once(node):
                return False
        return True

    def _is_once(self, node: ast.Name) -> bool:
        if node.id in self._bound:
            return False
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        if self._function is not None and node.id in {
            a.arg
            for a in walk_breadth_first(self._function.args)
            if isinstance(a, ast.arg)
        }:
            return False
        if len(bound) != 1:
            return False
        made = find_binding(self._scopes, node)
        if made is None:  # `FLAGS, _ = parser.parse_known_args()`, or an import.
            return isinstance(bound[0], (ast.Import, ast.ImportFrom, ast.Assign))
        symbol = self._scopes.resolve(made.func) if isinstance(made, ast.Call) else ""
        return isinstance(
            made, (ast.Constant, ast.Call, ast.Attribute, ast.Compare)
        ) and (
            not (symbol or "").startswith("tf.")
            or (symbol or "").startswith("tf.flags")
        )


def _are_names(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_are_names(e) for e in target.elts)
    return isinstance(target, ast.Name)
