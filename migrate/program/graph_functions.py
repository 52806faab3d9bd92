"""Finds functions whose bodies stay graph code: those that make layers of contrib or slim.

Layers of contrib make their variables through the graph's variable scopes, under argument
scopes that callers open. If a function's body is nothing but such a graph, the step
functions call it as it is, and `graph_variables.py` gives every step function the same
variables by their names.
"""

from __future__ import annotations

import ast
import functools
import re
from typing import TypeGuard

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.source.nodes import walk_breadth_first
from migrate.tables import contrib_graph as table
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS
from migrate.tables.optimizers import OPTIMIZERS, SCHEDULES
from migrate.tables.recurrent import TARGETS

# Symbols that a graph function must not have: they are made or run once, by the session.
_FORBIDDEN = (
    roles.PLACEHOLDERS
    | roles.SESSIONS
    | roles.GLOBAL_STEPS
    | roles.SYNC_OPTIMIZERS
    | roles.INITIALIZER_OPS
    | roles.PARTITIONERS
    | roles.PYTHON_FUNCTIONS
    | frozenset(OPTIMIZERS)
    | frozenset(SCHEDULES)
    | frozenset(LAYER_CLASSES)
    | frozenset(TARGETS)
    | {"tf.layers.batch_normalization"}
    | {"tf.Variable", "tf.gradients", "tf.train.Saver", "tf.summary.merge_all"}
    | {"tf.GraphKeys.UPDATE_OPS", "tf.get_default_session", "tf.get_local_variable"}
    | {"tf.train.ExponentialMovingAverage", "tf.placeholder", "tf.make_template"}
    | {"tf.while_loop", "tf.contrib.slim.learning.create_train_op"}
    | {s for s in table.GRAPH if s.endswith((".optimize_loss", ".create_train_op"))}
)
_FORBIDDEN_PREFIXES = (
    "tf.metrics.",
    "tf.contrib.metrics.",
    "tf.train.",
    "tf.estimator.",
)
_LOSSES = ("tf.losses.", "tf.contrib.losses.")
# tf.layers that may be mixed with layers of contrib: their variables are in the scopes, too.
LAYERS = frozenset(LAYER_FUNCTIONS) - {"tf.layers.batch_normalization"}
_WITH_WEIGHTS = frozenset(
    s for s, row in LAYER_FUNCTIONS.items() if row.has_weights and s in LAYERS
)
# Functions that return the values that were collected so far.
GIVES_COLLECTED = frozenset(
    f"{module}{name}"
    for module in _LOSSES
    for name in ("get_losses", "get_regularization_losses", "get_total_loss")
) | {
    "tf.losses.get_regularization_loss",
    *(
        symbol
        for symbol, home in table.GRAPH.items()
        if home.startswith(f"{table.FRAMEWORK_MODULE}.get_")
        or home.endswith("convert_collection_to_dict")
    ),
}
# Names by which layers without a name are numbered, in small letters without `_`.
_DEFAULT_NAMES = frozenset(
    symbol.rpartition(".")[2].replace("_", "").lower()
    for symbol in table.GRAPH.keys() | LAYERS
) | {"conv"}
_LISTS = roles.TRAINABLE | roles.GLOBAL | {"tf.get_collection", "tf.model_variables"}


class GraphFunctions:
    """The functions of a file that are graph code, and the code that depends on them."""

    def __init__(self, scopes: Scopes, in_module: bool = False) -> None:
        """`in_module` says that the file is one that a session's program imports."""
        self._scopes = scopes
        self._in_module = in_module
        self._seeds = table.MAKES | ({"tf.get_variable"} if in_module else set())
        # Functions of modules that stay graph code, as the file spells them -> whether
        # their layers have default names.
        self._imported = scopes.graph_imports
        # Obstacles in each function, without those in the functions that it calls.
        self._obstacles: dict[ast.AST, str] = {}

    @functools.cached_property
    def used(self) -> bool:
        """Whether the file makes layers of contrib, or calls a function that does."""
        if any(symbol in self._seeds for _, symbol in self._scopes.walk_uses()):
            return True
        return any(self._find_import(call) for call in _list_calls(self._scopes.tree))

    def _find_import(self, call: ast.Call) -> str:
        """Returns the spelling of a graph function of another module that a call calls."""
        if not self._imported or not isinstance(call.func, (ast.Name, ast.Attribute)):
            return ""
        spelled = ast.unparse(call.func)
        if spelled not in self._imported:
            return ""
        root = next(n for n in walk_breadth_first(call.func) if isinstance(n, ast.Name))
        owner = self._scopes.find_scope(root).find_owner(root.id)
        own = owner is not None and all(
            isinstance(b, (ast.Import, ast.ImportFrom)) for b in owner.bindings[root.id]
        )
        return spelled if own else ""

    def _is_layer(self, call: ast.Call) -> bool:
        """Whether a call makes layers, by itself or by a function that it calls."""
        return (
            self._scopes.resolve(call.func) in table.MAKES
            or self.find_function(call) is not None
            or bool(self._find_import(call))
        )

    @functools.cached_property
    def nodes(self) -> dict[ast.FunctionDef, bool]:
        """Graph functions -> whether they compute (not only open argument scopes)."""
        if not self.used:
            return {}
        candidates = [
            n
            for n in walk_breadth_first(self._scopes.tree)
            if isinstance(n, ast.FunctionDef)
        ]
        makes = {f for f in candidates if self._holds(f, self._seeds)}
        # Add the functions that name one of these. Those that are more than graph code
        # drop out below.
        todo = True
        while todo:
            more = {
                f
                for f in candidates
                if f not in makes
                and any(g in makes for g in self._find_named_definitions(f))
            }
            makes |= more
            todo = bool(more)
        found = {f: self._computes(f) for f in makes if not self.find_obstacle(f)}
        return found

    @functools.cached_property
    def alone(self) -> bool:
        """Whether all code of a module that makes variables is in graph functions."""
        inside = self.inside
        return bool(self.nodes) and all(
            use in inside
            for use, symbol in self._scopes.walk_uses()
            if symbol in self._seeds
            or symbol in _FORBIDDEN
            or symbol.startswith(_FORBIDDEN_PREFIXES)
        )

    @functools.cached_property
    def inside(self) -> frozenset[ast.AST]:
        """Every node of the graph functions, and of functions that they call in the file."""
        roots = list(self.nodes)
        every = [*roots, *reach.find_reached(self._scopes, roots)]
        return frozenset(
            n
            for f in every
            if isinstance(f, ast.FunctionDef)
            for n in walk_breadth_first(f)
        )

    @functools.cached_property
    def _symbols(self) -> dict[ast.AST, list[str]]:
        """The TensorFlow symbols in each function of the file, and in its nested functions."""
        found: dict[ast.AST, list[str]] = {}
        for use, symbol in self._scopes.walk_uses():
            node: ast.AST | None = use
            while node is not None:
                if isinstance(node, ast.FunctionDef):
                    found.setdefault(node, []).append(symbol)
                node = self._scopes.parents.get(node)
        return found

    def _holds(self, function: ast.FunctionDef, symbols: frozenset[str]) -> bool:
        return any(symbol in symbols for symbol in self._symbols.get(function, ()))

    def _find_named_definitions(self, function: ast.AST) -> list[ast.AST]:
        return [
            definition
            for node in walk_breadth_first(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            for definition in reach.find_definitions(self._scopes, node)
        ]

    def find_obstacle(self, function: ast.FunctionDef) -> str:
        """Returns a symbol because of which a function is more than a graph, or ""."""
        for root in [function, *reach.find_reached(self._scopes, [function])]:
            if root not in self._obstacles:
                self._obstacles[root] = self._find_obstacle_in(root)
            if self._obstacles[root]:
                return self._obstacles[root]
        return ""

    def _find_obstacle_in(self, root: ast.AST) -> str:
        """Returns such a symbol of a function itself, without those that it calls."""
        if not isinstance(root, ast.FunctionDef):
            return ""
        for symbol in self._symbols.get(root, ()):
            if symbol in _FORBIDDEN or symbol.startswith(_FORBIDDEN_PREFIXES):
                return symbol
            if self._in_module and symbol.startswith(("tf.layers.", "tf.summary.")):
                return symbol
        for node in walk_breadth_first(root):
            called = node.func if isinstance(node, ast.Call) else None
            if called is not None and self._has_penalty(called):
                return "kernel_regularizer"
            if isinstance(called, ast.Attribute) and called.attr in (
                *("minimize", "compute_gradients", "apply_gradients", "eval"),
            ):
                return called.attr
        return ""

    def _has_penalty(self, called: ast.expr) -> bool:
        """Whether a layer of tf.layers has a penalty, which is added at every call."""
        call = self._scopes.parents.get(called)
        return (
            isinstance(call, ast.Call)
            and self._scopes.resolve(called) in LAYERS
            and any(
                (k.arg or "regularizer").endswith("regularizer") for k in call.keywords
            )
        )

    def _computes(self, function: ast.FunctionDef) -> bool:
        for root in [function, *reach.find_reached(self._scopes, [function])]:
            for node in walk_breadth_first(root):
                if (
                    isinstance(node, ast.Call)
                    and self._scopes.resolve(node.func) in self._seeds
                ):
                    return True
        return False

    def find_function(self, call: ast.Call) -> ast.FunctionDef | None:
        """Returns the graph function that a call calls."""
        if isinstance(call.func, ast.Name):
            for definition in reach.find_definitions(self._scopes, call.func):
                if isinstance(definition, ast.FunctionDef) and definition in self.nodes:
                    return definition
        return None

    # -- what a statement has to do with the graph's collections and names -------------

    def collects(self, node: ast.AST) -> bool:
        """Whether a node makes layers or losses, which are listed in collections."""
        return any(
            self._is_layer(call)
            or (self._scopes.resolve(call.func) or "").startswith(_LOSSES)
            for call in _list_calls(node)
        )

    def repeats(self, node: ast.AST) -> bool:
        """Whether a node surely collects no penalty of a new variable."""
        return not self._penalises or self.shares(node)

    def shares(self, node: ast.AST) -> bool:
        """Whether all layers of a node use the variables of earlier ones."""
        return all(
            self._shares(call) for call in _list_calls(node) if self._is_layer(call)
        )

    @functools.cached_property
    def _penalises(self) -> bool:
        if any(self._find_import(call) for call in _list_calls(self._scopes.tree)):
            return True  # The arguments in the other module are not in sight.
        return any(
            isinstance(node, ast.keyword)
            and (node.arg or "regularizer").endswith("regularizer")
            and not (isinstance(node.value, ast.Constant) and node.value.value is None)
            for node in walk_breadth_first(self._scopes.tree)
        )

    def _shares(self, call: ast.Call) -> bool:
        """Whether `network(images, reuse=True)` passes `reuse` on to its variable scope."""
        reuse = next((k.value for k in call.keywords if k.arg == "reuse"), None)
        if not (isinstance(reuse, ast.Constant) and reuse.value is True):
            return False
        if self._find_import(call):
            return True  # A call that shares the variables adds no penalty.
        function = self.find_function(call)
        return function is None or any(
            self._scopes.resolve(inner.func) == "tf.variable_scope"
            and any(
                k.arg == "reuse"
                and isinstance(k.value, ast.Name)
                and k.value.id == "reuse"
                for k in inner.keywords
            )
            for inner in _list_calls(function)
        )

    def asks(self, node: ast.AST) -> bool:
        """Whether a node reads a collection."""
        return any(
            self._scopes.resolve(call.func) in GIVES_COLLECTED | _LISTS
            for call in _list_calls(node)
        )

    def layers(self, node: ast.AST) -> bool:
        """Whether a node computes layers."""
        return any(self._is_layer(call) for call in _list_calls(node))

    def has_unnamed_layer(self, node: ast.AST) -> bool:
        """Whether a layer in a node gets a number by the count of layers before it."""
        for call in _list_calls(node):
            function = self.find_function(call)
            if function is not None and self._opens_unnamed(function, frozenset()):
                return True
            if self._imported.get(self._find_import(call)):
                return True
            symbol = self._scopes.resolve(call.func)
            if symbol in table.MAKES and not _is_named(call):
                return True
        return False

    def find_count(self, statement: ast.stmt) -> str:
        """Names the count that numbers a statement's layers without a name.

        Each variable scope has a count of its own. Scopes that may be entered again, or whose
        names are not known, share one count with all others.
        """
        path: list[str] = []
        if not self._enters_scopes_by_name:
            return ir.NUMBERED
        for above in self._scopes.walk_above(statement):
            if isinstance(above, ast.FunctionDef):
                break
            for item in reversed(above.items) if isinstance(above, ast.With) else ():
                if self._opens_scope(item.context_expr):
                    name = names.find_argument(item.context_expr, "name_or_scope", 0)
                    path.insert(0, str(names.read_literal(name)))
        return ir.NUMBERED + "/".join(path)

    @functools.cached_property
    def _enters_scopes_by_name(self) -> bool:
        """Whether every variable scope has a name that is written out, and none is reused.

        A scope with the name of a layer, `fully_connected`, counts as such a layer.
        """
        for node in self._scopes.walk():
            if isinstance(node, ast.Attribute) and node.attr == "reuse_variables":
                return False
            if not self._opens_scope(node):
                continue
            name = names.read_literal(names.find_argument(node, "name_or_scope", 0))
            reuse = names.find_argument(node, "reuse", 8)
            if not isinstance(name, str) or names.is_given(reuse):
                return False
            plain = re.sub(r"_\d+$", "", name).replace("_", "").lower()
            if "/" in name or plain in _DEFAULT_NAMES:
                return False
        return not self._imported

    def _opens_scope(self, node: ast.AST) -> TypeGuard[ast.Call]:
        return isinstance(node, ast.Call) and (
            self._scopes.resolve(node.func)
            in ("tf.variable_scope", "tf.variable_op_scope")
        )

    def opens_unnamed(self, function: ast.FunctionDef) -> bool:
        """Whether a function's layers have default names below no scope of its own."""
        return self._opens_unnamed(function, frozenset())

    def _opens_unnamed(
        self, function: ast.FunctionDef, seen: frozenset[ast.AST]
    ) -> bool:
        """Whether a function's layers have default names below no scope of its own."""
        for call in _list_calls(function):
            if self._is_in_named_scope(call, function):
                continue
            inner = self.find_function(call)
            if inner is not None and inner is not function and inner not in seen:
                if self._opens_unnamed(inner, seen | {function}):
                    return True
            symbol = self._scopes.resolve(call.func)
            if symbol in table.MAKES and not _is_named(call):
                return True
            if symbol in _WITH_WEIGHTS and not _is_named(call, "name"):
                return True
            if symbol == "tf.variable_scope" and not self._names_scope(call, function):
                return True
        return False

    def _is_in_named_scope(self, node: ast.AST, function: ast.FunctionDef) -> bool:
        current = self._scopes.parents.get(node)
        while current is not None and current is not function:
            if isinstance(current, ast.With) and any(
                isinstance(item.context_expr, ast.Call)
                and item.context_expr is not node
                and self._scopes.resolve(item.context_expr.func) == "tf.variable_scope"
                and self._names_scope(item.context_expr, function)
                for item in current.items
            ):
                return True
            current = self._scopes.parents.get(current)
        return False

    def _names_scope(self, call: ast.Call, function: ast.FunctionDef) -> bool:
        """Whether a variable scope is opened by a name, and not numbered by default."""
        name = names.find_argument(call, "name_or_scope", 0)
        if isinstance(name, ast.Name):
            arguments = function.args
            named = [*arguments.posonlyargs, *arguments.args]
            defaults = dict(
                zip(
                    [a.arg for a in named][-len(arguments.defaults) :],
                    arguments.defaults,
                )
            )
            name = defaults.get(name.id) if arguments.defaults else None
        return isinstance(name, ast.Constant) and isinstance(name.value, str)


def _list_calls(node: ast.AST) -> list[ast.Call]:
    return [n for n in walk_breadth_first(node) if isinstance(n, ast.Call)]


def _is_named(call: ast.Call, by: str = "scope") -> bool:
    scope = next((k.value for k in call.keywords if k.arg == by), None)
    return scope is not None and not (
        isinstance(scope, ast.Constant) and scope.value is None
    )
