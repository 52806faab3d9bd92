"""Datasets whose order TF1 defined otherwise."""

from __future__ import annotations

import ast

from migrate.backends.expressions.optimizers import Optimizers
from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.program.code import Code, code
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
        return self.program.kinds.get(names.key(node) or "") is Kind.DATASET

    def _fed_dataset(self, call: ast.Call) -> None:
        """`make_dataset(x, y)` of placeholders: made of what is fed."""
        specs = self.program.fed_datasets[call]
        self.diagnostics.findings.append(
            Finding(
                call.lineno,
                call.col_offset + 1,
                "S182",
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
        self.plan.replace(call, code("fed_datasets.FedDataset(", *made, ")"))

    def _repeat(self, call: ast.Call, repeated: ast.expr) -> None:
        """`shuffle(seed=...).repeat()`: TF 1.15 made one operation of the two."""
        if not (
            isinstance(repeated, ast.Call)
            and isinstance(repeated.func, ast.Attribute)
            and repeated.func.attr == "shuffle"
        ):
            return
        bound = names.bound_arguments(
            repeated, ("buffer_size", "seed", "reshuffle_each_iteration")
        )
        seed = (bound or {}).get("seed")
        if seed is None or (isinstance(seed, ast.Constant) and seed.value is None):
            return
        self.diagnostics.findings.append(
            Finding(
                repeated.lineno,
                repeated.col_offset + 1,
                "I112",
                Outcome.KEPT,
                "tf.data.Dataset.shuffle",
                "by this seed TF 1.15 ordered the elements of every epoch otherwise: it "
                "made one operation of shuffle and the repeat that follows",
                "For an order that both have put another transformation between them, "
                "as batch().",
            )
        )
