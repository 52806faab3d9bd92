"""Refuses runs that ask of a step function what it cannot give."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.program.slices import Slice
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import roles
from migrate.tables.optimizers import SCHEDULES

_GLOBAL_STEP = "tf.train.get_global_step()"
_OF_VARIABLES = (Kind.VARIABLE, Kind.TENSOR, Kind.PURE)
_CONDS = ("tf.cond", "tf.compat.v1.cond")


class StepChecks:
    """Refuses steps whose values would not be those of TF1's run."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        analysis: Analysis,
        flows: list[Flow],
    ) -> None:
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.analysis = analysis
        self.flows = flows

    def check_assigned(self, part: Slice) -> None:
        """Refuses reads of a variable after the same run assigns to it.

        TF1 read a variable once in a run, before any of its assignments had come back
        from the parameter server (measured with TF 1.15.5).
        """
        assigned: set[str] = set()
        # Functions that only a `tf.cond` calls: what each assigns to, and its nodes.
        branches: dict[str, tuple[set[str], list[ast.AST]]] = {}
        for flow in [
            f for f in list_every_flow(self.flows) if f in part.flows and not f.suites
        ]:
            assigns = self._find_assignments(flow.statement)
            inner = {n for call, _ in assigns for n in walk_breadth_first(call)}
            within: list[tuple[ast.AST, set[str]]] = []
            done: set[str] = set()
            for call, target in assigns:
                nested = {
                    n
                    for c, _ in assigns
                    if c is not call
                    for n in walk_breadth_first(c)
                } & set(walk_breadth_first(call))
                own = [n for n in walk_breadth_first(call) if n not in nested]
                within += [(n, (assigned | done) - {target}) for n in own]
                done.add(target)
            rest = [n for n in walk_breadth_first(flow.statement) if n not in inner]
            within += [
                (
                    n,
                    assigned
                    | {
                        t
                        for c, t in assigns
                        if _ends_before(c, n) and not self._is_in_other_branch(c, n)
                    },
                )
                for n in rest
            ]
            for branch in names.find_reads(flow.statement) & set(branches):
                targets, body = branches[branch]
                within += [(n, assigned) for n in body]
                done |= targets
            again = {
                name
                for node, changed in within
                if isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and (name := names.find_key(node)) in changed
                and not isinstance(self.scopes.parents.get(node), ast.Attribute)
            }
            if again and flow.update is None:
                self.diagnostics.refuse(
                    "S136",
                    flow.statement,
                    f"a run assigns to `{sorted(again)[0]}` and reads it "
                    "afterwards. TensorFlow 1 gave the value from before the "
                    "assignment",
                    "For the new value, use what the assignment returns. For the "
                    "old value, read it before the assignment.",
                )
            made = flow.statement
            if isinstance(made, ast.FunctionDef) and self._is_only_branch(made):
                branches[made.name] = (done, list(walk_breadth_first(made)))
            else:
                assigned |= done

    def check_rates(self, part: Slice) -> None:
        """Updates whose learning rate depends on what an earlier update has counted.

        TF1 computed a rate once in a run, before any update that needed it counted. An
        optimizer of the step function computes its rate when it updates.
        """
        counted: set[str] = set()
        for flow in list_every_flow(self.flows):
            update = flow.update
            if update is None or flow not in part.flows or flow.suites:
                continue
            if counted & set(self._find_counters(flow.statement, set())):
                self.diagnostics.refuse(
                    "S136",
                    flow.statement,
                    "its learning rate depends on the global step, which an update "
                    "before it in the same run has already counted up. TensorFlow 1 "
                    "computed the rate before that, once for the whole run",
                    "Leave `global_step` out of the updates. Count in a statement behind "
                    "them, under tf.control_dependencies of all of them: "
                    "tf.assign_add(global_step, 2).",
                )
            if update.global_step is not None:
                counted.add(self._name_counter(update.global_step))

    def check_initialisers(self, part: Slice) -> None:
        """Refuses steps that would give a variable its initial value again.

        A migrated variable gets it when it is made, and has no operation for it.
        """
        for flow in list_every_flow(self.flows):
            if flow not in part.flows:
                continue
            code: list[ast.AST] = [flow.statement]
            if flow.suites:
                items = getattr(flow.statement, "items", ())
                code = [i.context_expr for i in items]
                code += names.list_headers(flow.statement)
            nodes = [n for one in code for n in walk_breadth_first(one)]
            listed = {
                name
                for node in nodes
                if isinstance(node, ast.comprehension)
                for name in find_plain_names(node.target)
            }
            for node in nodes:
                if isinstance(node, ast.Name):
                    # A function of the module that returns such operations.
                    function = self.scopes.find_function(node)
                    inside = walk_breadth_first(function) if function else []
                    found = any(
                        _is_initialiser(n)
                        and isinstance(n.value, ast.Name)
                        and n.value.id not in ("cls", "self")
                        for n in inside
                    )
                else:
                    found = _is_initialiser(node) and (
                        isinstance(node.value, ast.Name)
                        and node.value.id in listed
                        or self.analysis.find_kind(node.value) in _OF_VARIABLES
                    )
                if found:
                    self.diagnostics.refuse(
                        "S122",
                        node,
                        "a run would give the variable its initial value again, and "
                        "a variable of TensorFlow 2 has no operation that does this",
                        "Assign the initial value to the variable, for example by "
                        "`zero = tf.assign(total, tf.zeros_like(total))`.",
                    )

    def _find_counters(self, node: ast.AST, seen: set[str]) -> Iterator[str]:
        """The counters that schedules in a statement, or in its optimizers, read."""
        for inner in walk_breadth_first(node):
            if isinstance(inner, ast.Call):
                if self.scopes.resolve(inner.func) in SCHEDULES:
                    for given in (*inner.args, *(k.value for k in inner.keywords)):
                        yield self._name_counter(given)
            elif isinstance(inner, (ast.Name, ast.Attribute)):
                name = names.find_key(inner) or ""
                kind = self.analysis.environment.get(name)
                if kind in (Kind.OPTIMIZER, Kind.SCHEDULE) and name not in seen:
                    seen.add(name)
                    for flow in list_every_flow(self.flows):
                        if name in flow.binds:
                            yield from self._find_counters(flow.statement, seen)

    def _name_counter(self, given: ast.expr) -> str:
        """One name for all ways to say the global step, and a variable's own name."""
        if isinstance(given, ast.Call):
            known = self.scopes.resolve(given.func) in roles.GLOBAL_STEPS
            return _GLOBAL_STEP if known else ""
        name = names.find_key(given) or ""
        for flow in list_every_flow(self.flows):
            made = flow.statement
            if name in flow.binds and isinstance(made, ast.Assign):
                if isinstance(made.value, ast.Call):
                    return self._name_counter(made.value) or name
        return name

    def _is_only_branch(self, function: ast.FunctionDef) -> bool:
        """Whether all that is done with a function is to give it to `tf.cond`."""
        uses = [
            node
            for node in walk_breadth_first(self.scopes.tree)
            if isinstance(node, ast.Name) and node.id == function.name
        ]
        for use in uses:
            call = self.scopes.parents.get(use)
            if isinstance(call, ast.keyword):
                call = self.scopes.parents.get(call)
            if not (
                isinstance(call, ast.Call)
                and call.func is not use
                and self.scopes.resolve(call.func) in _CONDS
            ):
                return False
        return bool(uses)

    def _is_in_other_branch(self, call: ast.Call, node: ast.AST) -> bool:
        """Whether a `tf.cond` computes either an assignment or a read, and never both."""
        above = dict(self._list_branches(call))
        return any(
            cond in above and above[cond] is not branch
            for cond, branch in self._list_branches(node)
        )

    def _list_branches(self, node: ast.AST) -> Iterator[tuple[ast.Call, ast.Lambda]]:
        """The calls of `tf.cond` around a node, with the branch that it stands in."""
        inner, outer = node, self.scopes.parents.get(node)
        branch: ast.Lambda | None = None
        while outer is not None and not isinstance(outer, ast.stmt):
            if isinstance(outer, ast.Lambda) and inner is outer.body:
                branch = outer
            elif isinstance(outer, ast.Call) and branch is not None:
                if self.scopes.resolve(outer.func) in _CONDS:
                    yield outer, branch
            inner, outer = outer, self.scopes.parents.get(outer)

    def list_assigned(
        self, part: Slice
    ) -> list[tuple[Flow, list[tuple[ast.Call, str]]]]:
        """Lists a run's statements in order, each with its assignments and their variables."""
        return [
            (flow, self._find_assignments(flow.statement))
            for flow in list_every_flow(self.flows)
            if flow in part.flows and not flow.suites
        ]

    def changes(self, part: Slice, run: ast.Call) -> bool:
        """Whether a run changes variables."""
        return (
            part.trains
            or any(
                flow.update is not None or bool(self._find_assignments(flow.statement))
                for flow in part.flows
                if not flow.suites
            )
            or bool(self._find_assignments(ast.Expr(run)))
        )

    def _find_assignments(self, statement: ast.stmt) -> list[tuple[ast.Call, str]]:
        """A statement's assignments and their variables, in the order they are done."""
        found = [
            (node, target)
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.Call)
            and (target := self._find_assigned_variable(node))
        ]
        return sorted(found, key=lambda f: (f[0].end_lineno, f[0].end_col_offset))

    def _find_assigned_variable(self, value: ast.expr | None) -> str | None:
        """The variable that `tf.assign(v, ...)` or `v.assign(...)` changes."""
        if not isinstance(value, ast.Call):
            return None
        symbol = self.scopes.resolve(value.func)
        if roles.KIND_OF_CALL.get(symbol or "") is Kind.ASSIGNMENT and value.args:
            return names.find_key(value.args[0])
        if isinstance(value.func, ast.Attribute) and value.func.attr in (
            "assign",
            "assign_add",
            "assign_sub",
        ):
            return names.find_key(value.func.value)
        return None


def _is_initialiser(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether it reads `variable.initializer`."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "initializer"
        and isinstance(node.ctx, ast.Load)
    )


def _ends_before(call: ast.Call, node: ast.AST) -> bool:
    start = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    return (call.end_lineno or 0, call.end_col_offset or 0) <= start
