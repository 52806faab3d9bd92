"""Datasets whose order TF1 defined otherwise."""

from __future__ import annotations

import ast

from migrate.backends.expressions.optimizers import Optimizers
from migrate.facts import names, python_data
from migrate.findings import Finding, Outcome
from migrate.program.code import Code, make_code
from migrate.program.ir import Kind
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
        self.program.runs_generators = True
        self.plan.support.add("plain_session.py")
        self.plan.imports.append("import plain_session")
        self.plan.replace(call, python_data.write(call, "plain_session.when_asked"))

    def _runs_python(self, call: ast.Call) -> bool:
        """Whether the elements of a dataset are made by Python code."""
        made = self.scopes.resolve(call.func) is not None or self._is_dataset(call)
        return made and python_data.runs_python(call, self.scopes)

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
