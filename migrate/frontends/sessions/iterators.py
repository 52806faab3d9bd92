"""A program's dataset iterators, and the elements it draws of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.reach import find_reached, methods
from migrate.facts.scopes import Scopes
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_DEFINES = (ast.FunctionDef, ast.ClassDef)


def check_elsewhere(
    scopes: Scopes, diagnostics: Diagnostics, driver: ast.FunctionDef | ast.Module
) -> None:
    """Refuses iterators that other code of the program than its driver makes.

    TF1 ran that code once, to build the graph. A step function that calls it would begin
    the dataset anew in every step; one that is given what it returned would have the same
    element for ever.
    """
    if isinstance(driver, ast.Module):
        roots: list[ast.AST] = [s for s in driver.body if not isinstance(s, _DEFINES)]
    else:
        roots = [driver]
    own_get_next = "get_next" in methods(scopes)
    for definition in [*roots, *find_reached(scopes, roots)]:
        for node in walk_breadth_first(definition):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            ):
                continue
            method = node.func.attr
            symbol = scopes.resolve(node.func)
            if method not in roles.ITERATES or (method == "get_next" and own_get_next):
                continue
            if symbol is not None and not symbol.startswith(roles.DATASET_PREFIXES):
                continue
            if _find_function(scopes, node) is not driver:
                diagnostics.refuse(
                    "I101",
                    node,
                    "an iterator that is not made where the session is opened",
                    "Return the dataset, and make its iterator there.",
                )


def _find_function(scopes: Scopes, node: ast.AST) -> ast.AST:
    while not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.Module)):
        node = scopes.parents[node]
    return node


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
        self._check_branches(self.flows)
        for flow in list_every_flow(self.flows):
            value = getattr(flow.statement, "value", None)
            if not isinstance(flow.statement, ast.Assign) or value is None:
                continue
            if flow.kind is Kind.ITERATOR:
                name = names.key(flow.statement.targets[0])
                dataset = self._find_dataset(value)
                if name is None or dataset is None:
                    self.diagnostics.refuse(
                        "I101",
                        value,
                        "an iterator without a dataset",
                        "Keep dataset and iterator each in a variable: "
                        "iterator = dataset.make_one_shot_iterator().",
                    )
                    continue
                self.iterators[name] = dataset
            elif flow.kind is Kind.ELEMENT:
                self._element(flow, value)

    def _check_branches(self, flows: Sequence[Flow], inside: bool = False) -> None:
        """That elements are taken where they always are."""
        for flow in flows:
            if (
                inside
                and flow.kind in (Kind.ITERATOR, Kind.ELEMENT)
                and not flow.suites
            ):
                self.diagnostics.refuse(
                    "I101",
                    flow.statement,
                    "only a branch or a loop takes this iterator's element",
                    "Choose the dataset in the branch, and take its element after it.",
                )
            nested = not isinstance(flow.statement, ast.With)
            for suite in flow.suites.values():
                self._check_branches(suite, inside or nested)

    def _find_dataset(self, value: ast.expr) -> ast.expr | None:
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
            dataset = self._find_dataset(source)
            if dataset is None:
                self.diagnostics.refuse(
                    "I101",
                    value,
                    "get_next of an unknown iterator",
                    "Keep the iterator in a variable: "
                    "iterator = dataset.make_one_shot_iterator(); x = iterator.get_next().",
                )
                return
            name = self.analysis.fresh("iterator", "batches")
            self.iterators[name] = dataset
            self.unnamed[name] = dataset
        assert isinstance(flow.statement, ast.Assign)
        bound = names.binds(flow.statement)
        for target in flow.statement.targets:
            for node in walk_breadth_first(
                target
            ):  # In the order in which they are written.
                if (key := names.key(node)) is not None and key in bound:
                    self.elements[key] = (name, flow)
