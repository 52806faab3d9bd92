"""Datasets whose order TF1 defined otherwise."""

from __future__ import annotations

import ast

from migrate.backends.expressions.optimizers import Optimizers
from migrate.facts import names
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
