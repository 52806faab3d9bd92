"""Writes the reads of fetched variables before a step updates them."""

from __future__ import annotations

import ast

from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.step_expressions import StepExpressions
from migrate.facts import names
from migrate.facts.resource_variables import uses_resource_variables
from migrate.findings import Finding, Outcome
from migrate.plan import Item, New
from migrate.program import ir
from migrate.program.code import Code, make_code
from migrate.program.ir import Kind


class ReadFirst:
    """The names that such values have in the current step function."""

    def __init__(self, context: Context, expressions: StepExpressions) -> None:
        self._context = context
        self._expressions = expressions
        self._names: dict[str, str] = {}

    @property
    def gives_after(self) -> bool:
        """Whether a run that fetches a variable gives its value from after the update.

        It does not if the client's session is on a server, which sends the value.
        """
        program = self._context.program
        return (
            program.replication.alone
            and program.connected is None
            and not uses_resource_variables(self._context.scopes)
        )

    def clear(self) -> None:
        """Forgets all names, because the next function is no step function of a run."""
        self._names = {}

    def write_items(self, step: ir.StepFunction) -> list[Item]:
        """Writes reads of fetched variables: TF 1.15 gives their value from before the update.

        Measured with variables on a parameter server: 300 of 300 fetches of the global step
        beside the training operation. In one process it gave the value after the update (200
        of 200), because it gave the variable's own buffer; but not for resource variables.
        """
        items: list[Item] = []
        self._names = {}
        if not step.trains:
            return items
        for node in [n for fetch in step.fetches for n in fetch.walk_nodes()]:
            name = names.find_key(node)
            if name in self._names:
                continue
            kind = self._context.program.kinds.get(name or "")
            if name is None or kind not in (Kind.VARIABLE, Kind.SCHEDULE):
                continue
            if self.gives_after and kind is Kind.VARIABLE:
                continue
            if self._context.program.clustered is not None and kind is Kind.VARIABLE:
                self._warn_of_other_value(node, name)
            value = name.replace("self.", "").replace(".", "_") + "_value"
            self._names[name] = value
            comment = (
                ""
                if items
                else "# A fetched variable has its value before the update.\n"
            )
            if kind is Kind.SCHEDULE:
                now = self._expressions.call_schedule_first(node)
            elif name in self._context.program.singles:
                now = make_code(node, ".read_value()")
            else:
                now = make_code("training_session.read(", node, ")")
            items.append(New(make_code(comment + f"{value} = ", now)))
        return items

    def _warn_of_other_value(self, node: ast.AST, name: str) -> None:
        self._context.diagnostics.findings.append(
            Finding(
                getattr(node, "lineno", 0),
                getattr(node, "col_offset", 0) + 1,
                "N191",
                Outcome.WARNED,
                "",
                f"without a cluster TensorFlow 1 gave the value of {name} after the "
                "update, with one the value from before it. The migrated program gives "
                "the value from before it in both cases",
                f"If the value matters, fetch {name} in a run of its own.",
            )
        )

    def write_fetch(self, fetch: Code) -> Code:
        """Writes a fetch, or a structure of fetches, as the step function returns it."""
        parts: list[str | ast.AST | Code] = []
        for part in fetch.parts:
            if isinstance(part, Code):
                parts.append(self.write_fetch(part))
            elif (
                isinstance(part, ast.AST)
                and (names.find_key(part) or "") in self._names
            ):
                parts.append(self._names[names.find_key(part) or ""])
            else:
                parts.append(
                    self._expressions.write_expression(part)
                    if isinstance(part, ast.AST)
                    else part
                )
        return Code(tuple(parts))
