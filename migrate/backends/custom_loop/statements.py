"""A step's statements: the user's own, blocks included."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.custom_loop.build_time import BuildTime
from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.created import Created
from migrate.backends.custom_loop.step_expressions import StepExpressions
from migrate.backends.custom_loop.updates import Updates
from migrate.backends.custom_loop.used_iterators import UsedIterators
from migrate.plan import Block, Item, Keep, New
from migrate.program.binding_time import list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Flow
from migrate.program.rounds import list_lifts_of_round


class Statements:
    """Lays out the part of flows that belongs to a step function."""

    def __init__(
        self,
        context: Context,
        build: BuildTime,
        expressions: StepExpressions,
        updates: Updates,
    ) -> None:
        self._scopes = context.scopes
        self._build = build
        self._expressions = expressions
        self._updates = updates
        self._created = Created(context)
        self._iterators = UsedIterators(context)

    def write_items(self, flows: Sequence[Flow], included: set[Flow]) -> list[Item]:
        """The statements of those flows that are included."""
        items: list[Item] = []
        for flow in flows:
            if flow not in included and flow.part_of not in included:
                continue
            self._iterators.check(flow, included)
            items += self._take_objects(flow)
            if flow in self._build.in_turn and not flow.lifts:
                continue
            if flow.step_code is not None:
                items.append(New(flow.step_code))
            elif flow.suites:
                items += self._begin_taking(flow, included)
                items.append(self._write_compound(flow, included))
            elif flow.update is not None:
                items.extend(self._updates.write_items(flow, included))
            else:
                self._created.check(flow)
                items.append(
                    Keep(
                        flow.statement,
                        replace=self._expressions.make_edits(flow.statement, flow),
                    )
                )
        return items

    def _begin_taking(self, loop: Flow, included: set[Flow]) -> list[Item]:
        """Writes iterators over what a loop made, for the steps to take it in turn."""
        return [
            New(
                make_code(
                    f"{self._build.name_iterator(made, name)} = "
                    f"iter({self._build.name_list(made.statement, name)})"
                )
            )
            for made, name in self._build.list_in_turn(loop, included)
        ]

    def _take_objects(self, flow: Flow) -> list[Item]:
        """Writes `w = next(made_w)` where build time made one."""
        one = self._build.in_turn.get(flow)
        if one is None:
            return []
        return [
            New(make_code(f"{n} = next({self._build.name_iterator(flow, n)})"))
            for n in one.names
        ]

    def _write_compound(self, flow: Flow, included: set[Flow]) -> Item:
        suites = {
            field: self.write_items(suite, included)
            for field, suite in flow.suites.items()
        }
        statement = flow.statement
        if flow.header is not None:
            return Block(flow.header, suites["body"], statement)
        if isinstance(statement, ast.For) and not self._build.takes_in_turn(flow):
            each = [
                *[lift.name for lift in list_lifts_of_round(flow)],
                *self._build.list_loop_names(flow),
            ]
            if each:
                lists = [self._build.name_list(statement, name) for name in each]
                return Block(
                    make_code(
                        "for ",
                        "(" if isinstance(statement.target, ast.Tuple) else "",
                        statement.target,
                        ")" if isinstance(statement.target, ast.Tuple) else "",
                        ", " + ", ".join(each) + " in zip(",
                        statement.iter,
                        ", " + ", ".join(lists) + "):",
                    ),
                    suites["body"],
                    statement,
                )
        graph = any(f.graph for f in list_every_flow([flow]))
        return Keep(statement, suites, self._edit_header(statement, graph))

    def _edit_graph_scope(self, node: ast.expr) -> dict[ast.AST, Code]:
        """`tf.variable_scope` around layers of contrib names them, as in a graph."""
        if not isinstance(node, ast.Call):
            return {}
        if self._scopes.resolve(node.func) != "tf.variable_scope":
            return {}
        given: list[str | ast.AST | Code] = [*node.args]
        given += [make_code(f"{k.arg}=", k.value) for k in node.keywords]
        return {
            node: make_code("tf.compat.v1.variable_scope(", join_code(", ", given), ")")
        }

    def _edit_header(
        self, statement: ast.stmt, graph: bool = False
    ) -> dict[ast.AST, Code]:
        edits: dict[ast.AST, Code] = {}
        if isinstance(statement, ast.With):
            for item in statement.items:
                edits.update(self._expressions.make_edits(item.context_expr, None))
                if graph:
                    edits.update(self._edit_graph_scope(item.context_expr))
        return edits
