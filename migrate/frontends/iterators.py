"""A program's dataset iterators, and the elements it draws of them."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.binding_time import Analysis, Diagnostics, every
from migrate.program.ir import Flow, Kind


class Iterators:
    """Dataset iterators, and the names their elements are bound to.

    Attributes:
      iterators: the dataset of each iterator, by the iterator's name.
      unnamed: those among them that the program never named, by the name they get.
      elements: the iterator and the statement of each name bound to an element.
    """

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
        self.iterators: dict[str, ast.expr] = {}
        self.unnamed: dict[str, ast.expr] = {}
        self.elements: dict[str, tuple[str, Flow]] = {}

    def find(self) -> None:
        """Dataset iterators, and the names their elements are bound to."""
        for flow in every(self.flows):
            value = getattr(flow.statement, "value", None)
            if not isinstance(flow.statement, ast.Assign) or value is None:
                continue
            if flow.kind is Kind.ITERATOR:
                name = names.key(flow.statement.targets[0])
                dataset = self._dataset_of(value)
                if name is None or dataset is None:
                    self.diagnostics.refuse(
                        "I101", value, "an iterator without a dataset"
                    )
                    continue
                self.iterators[name] = dataset
            elif flow.kind is Kind.ELEMENT:
                self._element(flow, value)

    def _dataset_of(self, value: ast.expr) -> ast.expr | None:
        if isinstance(value, ast.Call):
            if isinstance(value.func, ast.Attribute) and value.func.attr in (
                "make_one_shot_iterator",
                "make_initializable_iterator",
            ):
                if self.scopes.resolve(value.func) is None:
                    return value.func.value
            if value.args:
                return value.args[0]
        return None

    def _element(self, flow: Flow, value: ast.expr) -> None:
        """`x, y = iterator.get_next()`."""
        if not (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr == "get_next"
        ):
            return
        source = value.func.value
        name = names.key(source)
        if name is None or name not in self.iterators:
            dataset = self._dataset_of(source)
            if dataset is None:
                self.diagnostics.refuse(
                    "I102", value, "get_next of an unknown iterator"
                )
                return
            name = self.analysis.fresh("iterator", "batches")
            self.iterators[name] = dataset
            self.unnamed[name] = dataset
        assert isinstance(flow.statement, ast.Assign)
        for bound in names.binds(flow.statement):
            self.elements[bound] = (name, flow)
