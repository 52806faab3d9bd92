"""Keeps all that the analysis has found out about the program so far."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time.diagnostics import Diagnostics
from migrate.program.binding_time.layer_numbers import LayerNumbers
from migrate.program.functions import FunctionTimes
from migrate.program.graph_functions import GraphFunctions
from migrate.program.ir import Flow, Kind, Lift
from migrate.program.scope_defaults import ScopeDefaults
from migrate.source.nodes import walk_breadth_first
from migrate.tables import contrib_graph, keras_graphs
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS
from migrate.tables.recurrent import CELLS

if TYPE_CHECKING:
    from migrate.program.binding_time.sharing import StagedCall


class State:
    """The names, kinds and lists that were found so far.

    `Analysis` is built up from here, with a class per module. Each class knows those before
    it: lists, lifts, sharing, user_functions, layers, optimizers, calls, expressions,
    assignments, blocks, analysis.
    """

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        functions: dict[ast.FunctionDef, FunctionTimes] | None = None,
        taken_names: set[str] | None = None,
    ) -> None:
        self.scopes = scopes
        self.diagnostics = diagnostics
        # Functions of the loop that run the session. They are not part of the graph.
        self.helpers: frozenset[ast.AST] = frozenset()
        # Classes of the program's own hooks.
        self.own_hooks: frozenset[ast.AST] = frozenset()
        self.functions = functions if functions is not None else {}
        self.taken = (
            taken_names if taken_names is not None else find_all_names(scopes.tree)
        )
        self.environment: dict[str, Kind] = {}
        # Kinds of the elements of a name that is a tuple; class of a name that is an object.
        self.elements: dict[str, tuple[Kind, ...]] = {}
        self.instances: dict[str, ast.ClassDef] = {}
        self.placeholders: dict[str, ir.Placeholder] = {}
        self.placeholder_calls: dict[ast.Call, str] = {}
        # The surroundings of get_variable: names and defaults of the open variable scopes.
        self.scope_names: list[str | None] = []
        self.scope_reuse: list[bool] = []
        self.scope_partitioners: list[ast.expr | None] = []
        # Uses of a step-time tensor for its static shape -> the tensor's key.
        self.static_reads: dict[ast.AST, str] = {}
        self.created: dict[str, str] = {}  # Full name of a variable or layer -> key.
        # Calls that make variables, by the name that holds the result.
        self.staged_calls: dict[str, StagedCall] = {}
        # Functions that make variables -> the function that calls each (None is the
        # driver), and the names that it makes in this call.
        self.sites: dict[
            ast.FunctionDef, list[tuple[ast.FunctionDef | None, frozenset[str] | None]]
        ] = {}
        # Full names of layers and variable scopes. TF1 numbered those without a name.
        self.layer_counts: dict[str, int] = {}
        # The number of scopes that were open at the beginning of each loop around a statement.
        self.loop_scopes: list[int] = []
        self._lifts: list[Lift] = []
        self._update: ir.Update | None = None
        # An optimizer's name -> the tensors of the step in its arguments.
        self.fed: dict[str, set[str]] = {}
        # Comparisons of graph objects. In TF1 they compared identity.
        self.identities: list[ast.Compare] = []
        # Calls that make a dataset of placeholders. Initialising its iterator feeds it.
        self.fed_datasets: set[ast.Call] = set()
        self.updates: set[str] = set()  # Names of operations that change variables.
        # Calls of get_variable for a variable that already exists -> its name.
        self.shared: dict[ast.Call, str] = {}
        # Scopes that are opened by their default names -> the names that TF1 gave them.
        self.scope_numbers: dict[ast.Call, str] = {}
        self.layer_numbers = LayerNumbers(scopes)
        self.lists: set[str] = set()  # Names of lists of variables.
        # The towers whose batches update the averages of batch normalisation; see ir.Towers.
        self.updated_by = ""
        self.tensor_gradients: set[ast.Call] = set()  # `tf.gradients(y, tensor)`.
        self.singles: set[str] = set()  # Names of one variable, not of a list.
        self._whole: ast.AST | None = None  # The whole node that is computed.

    # The program's own function that is being analysed; None in the driver.
    function: ast.FunctionDef | None = None

    @functools.cached_property
    def defaults(self) -> ScopeDefaults:
        """The initialisers of the file's variable scopes."""
        return ScopeDefaults(self.scopes)

    @functools.cached_property
    def graph(self) -> GraphFunctions:
        """The functions of the file that stay graph code."""
        return GraphFunctions(self.scopes)

    @functools.cached_property
    def listed(self) -> Kind:
        """The kind of a list of the program's variables.

        The list has the variables that exist when it is made. A Keras layer has its own only
        after a call in a step. Then the list is made in the step, too.
        """
        layers = {s for s, row in LAYER_FUNCTIONS.items() if row.has_weights}
        late = any(
            symbol in layers
            or symbol in LAYER_CLASSES
            or symbol in CELLS
            or keras_graphs.has_weights(symbol)
            or symbol in contrib_graph.MAKES
            for _, symbol in self.scopes.walk_uses()
        )
        return Kind.TENSOR if late else Kind.VARIABLE

    def choose_free_name(self, *wishes: str) -> str:
        """Returns the first wish that no name of the module uses, or a numbered one."""
        for wish in wishes:
            if wish.isidentifier() and wish not in self.taken:
                self.taken.add(wish)
                return wish
        base, number = wishes[0], 2
        while f"{base}_{number}" in self.taken:
            number += 1
        self.taken.add(f"{base}_{number}")
        return f"{base}_{number}"

    _target_hint = ""

    @property
    def in_loop(self) -> bool:
        return bool(self.loop_scopes)

    @property
    def reusing(self) -> bool:
        return bool(self.scope_reuse) and self.scope_reuse[-1]

    def make_full_name(self, name: object) -> str | None:
        """Returns a variable's name with its scopes, None if it is not constant."""
        if not isinstance(name, str) or any(n is None for n in self.scope_names):
            return None
        return "/".join([*[n for n in self.scope_names if n], name])

    # -- what the classes above this one define, and those below them ask for -------

    def find_kind(self, node: ast.expr) -> Kind:
        raise NotImplementedError

    def _analyse_user_function(self, call: ast.Call) -> FunctionTimes | None:
        raise NotImplementedError

    def _find_tuple_kinds(self, value: ast.expr) -> tuple[Kind, ...]:
        raise NotImplementedError

    def analyse_statements(self, body: Sequence[ast.stmt]) -> list[Flow]:
        raise NotImplementedError

    def _bind(self, target: ast.expr, kind: Kind, elements: tuple[Kind, ...]) -> None:
        raise NotImplementedError

    def classify_expression(self, node: ast.expr) -> Kind:
        raise NotImplementedError

    def _classify_static_shape(self, tensor: ast.expr, kind: Kind) -> Kind:
        raise NotImplementedError

    def _classify_arguments(self, call: ast.Call) -> Kind:
        raise NotImplementedError

    def _may_reuse(self, node: ast.expr | None) -> bool:
        raise NotImplementedError


def find_all_names(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
    return found
