"""A program's dataset iterators, and the elements it draws of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.facts import names
from migrate.facts.reach import find_methods, find_reached
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, make_refusal
from migrate.program.binding_time import Analysis, Diagnostics, list_every_flow
from migrate.program.code import Code, make_code
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_DEFINES = (ast.FunctionDef, ast.ClassDef)
_HANDLED = ("string_handle", "output_types", "output_shapes", "output_classes")
_STRUCTURE = ("output_types", "output_shapes", "shared_name", "output_classes")

# Methods of a dataset, and functions of tf.data, that make an iterator.
MAKES_ITERATORS = roles.ITERATES - {"get_next"}
ITERATORS = (
    frozenset(f"tf.data.{name}" for name in MAKES_ITERATORS)
    | roles.REINITIALIZABLE
    | roles.FEEDABLE
)
_ELSEWHERE = "the program does not make this iterator where it opens the session"
_MAKE_THERE = "Return the dataset, and make its iterator where the session is opened."


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
    own_get_next = "get_next" in find_methods(scopes)
    for definition in [*roots, *find_reached(scopes, roots)]:
        for node in walk_breadth_first(definition):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            ):
                continue
            method = node.func.attr
            symbol = scopes.resolve(node.func)
            if symbol not in roles.REINITIALIZABLE | roles.FEEDABLE and (
                method not in roles.ITERATES or (method == "get_next" and own_get_next)
            ):
                continue
            if symbol is not None and not symbol.startswith(roles.DATASET_PREFIXES):
                continue
            if _find_function(scopes, node) is not driver:
                diagnostics.refuse("I101", node, _ELSEWHERE, _MAKE_THERE)


def refuse_in_module(scopes: Scopes) -> Iterator[Finding]:
    """Refuses iterators of a file without a session, which session programs import.

    TensorFlow 2 would take one element when the program begins, and no other in its steps.
    """
    for node in scopes.walk():
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        symbol = scopes.resolve(node.func)
        if symbol in ITERATORS or (
            symbol is None and node.func.attr in MAKES_ITERATORS
        ):
            yield make_refusal(node, "I101", symbol or "", _ELSEWHERE, _MAKE_THERE)


def _find_function(scopes: Scopes, node: ast.AST) -> ast.AST:
    while not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.Module)):
        node = scopes.parents[node]
    return node


def find_bindings(flows: list[Flow], name: str) -> list[Flow]:
    """The innermost statements that bind a name."""
    return [
        flow
        for flow in list_every_flow(flows)
        if name in flow.binds
        and not any(name in f.binds for suite in flow.suites.values() for f in suite)
    ]


class Iterators:
    """Dataset iterators, and the names their elements are bound to.

    Attributes:
      iterators: the dataset of each iterator, by the iterator's name; of an iterator that is
        given several, the one whose elements are as declared, or the first.
      begun: the datasets of iterators that are given theirs by initializers.
      handles: the placeholder of the handle that decides which iterator one stands for.
      structures: the specs of the elements of an iterator that declares them by itself.
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
        self.begun: tuple[ast.expr, ...] = ()
        self.handles: dict[str, str] = {}
        self.structures: dict[str, tuple[Code, ...]] = {}
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
                name = names.find_key(flow.statement.targets[0])
                symbol = self._find_symbol(value)
                if name is not None and symbol in roles.REINITIALIZABLE:
                    self._read_structure(flow, name, value)
                    continue
                if name is not None and symbol in roles.FEEDABLE:
                    self._read_handle(flow, name, value)
                    continue
                dataset = self._find_dataset(value)
                if name is None or dataset is None:
                    self.diagnostics.refuse(
                        "I101",
                        value,
                        "the tool cannot tell from which dataset this iterator is made",
                        "Keep the dataset and the iterator in variables of their "
                        "own: iterator = dataset.make_one_shot_iterator().",
                    )
                    continue
                self.iterators[name] = dataset
            elif flow.kind is Kind.ELEMENT:
                self._note_element(flow, value)

    def _check_branches(self, flows: Sequence[Flow], inside: bool = False) -> None:
        """Refuses iterators and elements in branches and loops."""
        for flow in flows:
            if (
                inside
                and flow.kind in (Kind.ITERATOR, Kind.ELEMENT)
                and not flow.suites
            ):
                self.diagnostics.refuse(
                    "I101",
                    flow.statement,
                    "the program takes this iterator's element only in a branch or "
                    "a loop",
                    "Choose the dataset in the branch, and take its element after "
                    "the branch.",
                )
            nested = not isinstance(flow.statement, ast.With)
            for suite in flow.suites.values():
                self._check_branches(suite, inside or nested)

    def find_given_later(self) -> set[str]:
        """The iterators that nothing makes before an initializer is run."""
        return {
            names.find_key(flow.statement.targets[0]) or ""
            for flow in list_every_flow(self.flows)
            if isinstance(flow.statement, ast.Assign)
            and self._find_symbol(flow.statement.value) in roles.REINITIALIZABLE
        }

    def find_initializer(self, call: ast.Call) -> tuple[str, ast.expr] | None:
        """The iterator and the dataset of `iterator.make_initializer(dataset)`."""
        if not (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "make_initializer"
        ):
            return None
        name = names.find_key(call.func.value)
        dataset = names.find_argument(call, "dataset", 0)
        if name not in self.iterators or dataset is None:
            return None
        return name or "", dataset

    def _find_symbol(self, value: ast.expr) -> str:
        if not isinstance(value, ast.Call):
            return ""
        return self.scopes.resolve(value.func) or ""

    def _read_structure(self, flow: Flow, name: str, call: ast.expr) -> None:
        """`iterator = tf.data.Iterator.from_structure(types, shapes)`.

        The runs of its initializers make the iterator, nothing does before.
        """
        assert isinstance(call, ast.Call)
        made = [
            (other, node)
            for other in list_every_flow(self.flows)
            if not other.suites
            for node in walk_breadth_first(other.statement)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "make_initializer"
            and names.find_key(node.func.value) == name
        ]
        datasets = [
            (use, names.find_argument(node, "dataset", 0)) for use, node in made
        ]
        named = [d for use, d in datasets if d is not None and self._is_settled(d, use)]
        structure = self._find_declared(flow, call, _STRUCTURE)
        if not named or len(named) < len(datasets) or structure is None:
            self.diagnostics.refuse(
                "I101",
                call,
                "the iterator gets its dataset later, and the tool cannot tell "
                "which datasets it gets, or what their elements are",
                "Keep each dataset in a variable of its own, and make the iterator "
                "from `dataset.output_types, dataset.output_shapes`.",
            )
            return
        flow.dropped = "the runs of its initializers make it"
        self._declare(name, structure, named[0])
        self.begun += tuple(named)

    def _read_handle(self, flow: Flow, name: str, call: ast.expr) -> None:
        """`iterator = tf.data.Iterator.from_string_handle(handle, types, shapes)`."""
        assert isinstance(call, ast.Call)
        handle = names.find_argument(call, "string_handle", 0)
        key = names.find_key(handle) if handle is not None else None
        structure = self._find_declared(flow, call, _HANDLED)
        if key not in self.analysis.placeholders or structure is None:
            self.diagnostics.refuse(
                "I101",
                call,
                "a handle chooses the iterator, and the handle is not a "
                "placeholder, or the tool cannot tell what the elements are",
                "Make the iterator from `dataset.output_types, dataset.output_shapes`.",
            )
            return
        flow.dropped = "a run draws from the iterator whose handle it is fed"
        self.handles[name] = key or ""
        self._declare(name, structure, ast.Constant(None))

    def _declare(
        self, name: str, structure: ast.expr | tuple[Code, ...], dataset: ast.expr
    ) -> None:
        if isinstance(structure, tuple):
            self.structures[name] = structure
            self.iterators[name] = dataset
        else:
            self.iterators[name] = structure

    def _is_settled(self, dataset: ast.expr, use: Flow) -> bool:
        """Whether it is a name that keeps, from `use` on, the dataset it has there."""
        name = names.find_key(dataset)
        if name is None:
            return False
        found = find_bindings(self.flows, name)
        flows = list_every_flow(self.flows)
        before = flows[: flows.index(use)]
        around = self._find_loops(use)
        return bool(found) and all(
            flow in before and around.isdisjoint(self._find_loops(flow))
            for flow in found
        )

    def _find_loops(self, flow: Flow) -> set[ast.AST]:
        """The loops that a statement is in."""
        loops: set[ast.AST] = set()
        node: ast.AST = flow.statement
        while node in self.scopes.parents and not isinstance(node, ast.FunctionDef):
            if isinstance(node, (ast.For, ast.While)):
                loops.add(node)
            node = self.scopes.parents[node]
        return loops

    def _find_declared(
        self, use: Flow, call: ast.Call, parameters: tuple[str, ...]
    ) -> ast.expr | tuple[Code, ...] | None:
        """The dataset that has such elements, or their specs; None if not known."""
        bound = names.bind_arguments(call, parameters)
        if bound is None or not {"output_types", "output_shapes"} <= set(bound):
            return None
        if "shared_name" in bound:
            return None
        types, shapes = bound["output_types"], bound["output_shapes"]
        described = self._find_described(types, "output_types")
        other = self._find_described(shapes, "output_shapes")
        if described is not None and other is not None:
            same = names.find_key(described) == names.find_key(other)
            return described if same and self._is_settled(described, use) else None
        if described is not None or other is not None:
            return None
        parts = types.elts if isinstance(types, (ast.Tuple, ast.List)) else [types]
        sizes = [shapes]
        if parts != [types]:
            if not isinstance(shapes, (ast.Tuple, ast.List)):
                return None
            sizes = shapes.elts
        if len(parts) != len(sizes):
            return None
        specs = []
        for part, size in zip(parts, sizes):
            if self.scopes.resolve(part) is None:
                return None
            if (
                isinstance(size, ast.Call)
                and self.scopes.resolve(size.func) == "tf.TensorShape"
                and len(size.args) == 1
            ):
                size = size.args[0]
            if not isinstance(size, (ast.List, ast.Tuple)):
                return None
            specs.append(make_code("tf.TensorSpec(", size, ", ", part, ")"))
        return tuple(specs)

    def _find_described(self, node: ast.expr, what: str) -> ast.expr | None:
        """The dataset of `dataset.output_types`, or of the function that gives it."""
        if isinstance(node, ast.Attribute) and node.attr == what:
            return node.value if self.scopes.resolve(node) is None else None
        if isinstance(node, ast.Call) and len(node.args) == 1:
            symbol = self.scopes.resolve(node.func) or ""
            if symbol.endswith(f"data.get_{what}"):
                return node.args[0]
        return None

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

    def _note_element(self, flow: Flow, value: ast.expr) -> None:
        """`x, y = iterator.get_next()`."""
        if not (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr == "get_next"
        ):
            return
        source = value.func.value
        name = names.find_key(source)
        if name is None or name not in self.iterators:
            dataset = self._find_dataset(source)
            if dataset is None:
                self.diagnostics.refuse(
                    "I101",
                    value,
                    "the tool cannot tell which iterator this get_next belongs to",
                    "Keep the iterator in a variable: "
                    "iterator = dataset.make_one_shot_iterator(); x = iterator.get_next().",
                )
                return
            name = self.analysis.choose_free_name("iterator", "batches")
            self.iterators[name] = dataset
            self.unnamed[name] = dataset
        assert isinstance(flow.statement, ast.Assign)
        bound = names.find_binds(flow.statement)
        for target in flow.statement.targets:
            for node in walk_breadth_first(
                target
            ):  # In the order in which they are written.
                if (key := names.find_key(node)) is not None and key in bound:
                    self.elements[key] = (name, flow)
