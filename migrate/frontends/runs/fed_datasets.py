"""Datasets that functions make of placeholders, fed at their iterator's initializer."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.code import Code, make_code
from migrate.program.ir import Flow, Kind


class FedDatasets:
    """Finds such datasets.

    Attributes:
      made: each dataset's name -> the call that makes it of placeholders.
    """

    def __init__(
        self, diagnostics: Diagnostics, analysis: Analysis, flows: list[Flow]
    ) -> None:
        self._diagnostics = diagnostics
        self._analysis = analysis
        self.made: dict[str, ast.Call] = {}
        for flow in list_every_flow(flows):
            statement = flow.statement
            if flow.kind is Kind.DATASET and isinstance(statement, ast.Assign):
                call = statement.value
                if isinstance(call, ast.Call) and call in analysis.fed_datasets:
                    self.made[names.find_key(statement.targets[0]) or ""] = call

    def write_specs(self) -> dict[ast.Call, tuple[Code, ...]]:
        """Returns the specs of each of these calls' arguments."""
        return {
            call: tuple(
                self._analysis.placeholders[names.find_key(a) or ""].spec
                for a in call.args
            )
            for call in self.made.values()
        }

    def write_dataset(
        self, run: ast.Call, dataset: ast.expr, feed: dict[str, ast.expr]
    ) -> Code | None:
        """The dataset that a run of an iterator's initializer begins.

        None, with a refusal, if a placeholder is not fed.
        """
        call = self.made.get(names.find_key(dataset) or "")
        if call is None:
            return make_code(dataset)
        values: list[ast.expr] = []
        for argument in call.args:
            name = names.find_key(argument) or ""
            value = feed.get(name, self._analysis.placeholders[name].default)
            if value is None:
                self._diagnostics.refuse(
                    "S111",
                    run,
                    f"the dataset needs the placeholder `{name}`, but this call "
                    "does not feed it",
                    f"Feed it in this call: `{{{name}: value}}`.",
                )
                return None
            values.append(value)
        parts: list[str | ast.AST | Code] = [dataset, ".fed("]
        for index, value in enumerate(values):
            parts += [", ", value] if index else [value]
        return make_code(*parts, ")")
