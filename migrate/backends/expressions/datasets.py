"""Datasets whose order TF1 defined otherwise."""

from __future__ import annotations

import ast

from migrate.backends.expressions.optimizers import Optimizers
from migrate.facts import names, reach
from migrate.findings import Finding, Outcome
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles


class Datasets(Optimizers):
    """Plans methods of datasets."""

    def _is_dataset(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Call):
            symbol = self.scopes.resolve(node.func)
            if symbol is not None:
                return symbol.startswith(roles.DATASET_PREFIXES)
            if not isinstance(node.func, ast.Attribute):
                return False
            node = node.func.value
        return self.program.kinds.get(names.find_key(node) or "") is Kind.DATASET

    def _keep_on_demand(self, call: ast.Call) -> None:
        """`from_generator(f, ...)`, `data.map(f)` of Python code: run when a step asks.

        As in TensorFlow 1. So it shares its state with the loop in the same order.
        """
        if not self.program.replication.alone or not self._runs_python(call):
            return
        if any(isinstance(a, ast.Starred) for a in call.args):
            return
        given = [make_code(a) for a in call.args] + [
            make_code(f"{k.arg}=" if k.arg else "**", k.value) for k in call.keywords
        ]
        self.program.runs_generators = True
        self.plan.support.add("plain_session.py")
        self.plan.imports.append("import plain_session")
        self.plan.replace(
            call,
            make_code(
                "plain_session.when_asked(",
                call.func,
                make_code("(", join_code(", ", given), "))"),
            ),
        )

    def _runs_python(self, call: ast.Call) -> bool:
        """Whether the elements of a dataset are made by Python code."""
        symbol = self.scopes.resolve(call.func)
        if symbol is not None:
            return symbol == "tf.data.Dataset.from_generator"
        if not (
            isinstance(call.func, ast.Attribute)
            and call.func.attr in ("map", "flat_map", "interleave")
            and self._is_dataset(call)
        ):
            return False
        given = [*call.args, *(k.value for k in call.keywords)]
        return any(
            isinstance(node, ast.Call)
            and self.scopes.resolve(node.func) in roles.PYTHON_FUNCTIONS
            for part in [*given, *reach.find_reached(self.scopes, given)]
            for node in walk_breadth_first(part)
        )

    def _rewrite_fed_dataset(self, call: ast.Call) -> None:
        """`make_dataset(x, y)` of placeholders: made of what is fed."""
        specs = self.program.fed_datasets[call]
        self.diagnostics.findings.append(
            Finding(
                call.lineno,
                call.col_offset + 1,
                "I111",
                Outcome.REWRITTEN,
                "",
                "a dataset of placeholders: made of what the iterator's initializer is fed",
            )
        )
        self.plan.support.add("fed_datasets.py")
        self.plan.imports.append("import fed_datasets")
        made: list[str | ast.AST | Code] = [call.func]
        for spec in specs:
            made += [", ", spec]
        self.plan.replace(call, make_code("fed_datasets.FedDataset(", *made, ")"))
