"""Finds variables that a graph makes after a place in it.

A TF1 `Saver`, or an operation that initialises all variables, has the variables that exist
where it is made. Its replacement in TF2 looks them up later, and would find more.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Sequence

from migrate.facts import names, one_of, reach
from migrate.facts.scopes import Scopes
from migrate.program.binding_time.every import list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_graphs, roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS
from migrate.tables.optimizers import OPTIMIZERS
from migrate.tables.recurrent import CELLS

_AVERAGES = "tf.train.ExponentialMovingAverage"
_LOCAL = ("tf.GraphKeys.LOCAL_VARIABLES", "tf.GraphKeys.METRIC_VARIABLES")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_OPTIMIZERS = frozenset(OPTIMIZERS) | roles.SYNC_OPTIMIZERS | {"tf.train.Optimizer"}
# Optimizers that keep nothing for a variable, and those that pass updates on to others.
_WITHOUT_SLOTS = roles.SYNC_OPTIMIZERS | {
    "tf.train.GradientDescentOptimizer",
    "tf.train.ProximalGradientDescentOptimizer",
}


class MadeLater:
    """Finds the code of a graph that makes variables, in the program's order.

    Args:
      shared: calls that return a variable that already exists.
    """

    def __init__(
        self, scopes: Scopes, flows: Sequence[Flow], shared: Collection[ast.Call] = ()
    ) -> None:
        self._scopes = scopes
        self._leaves = [
            f
            for f in list_every_flow(flows)
            if not f.suites and not isinstance(f.statement, _DEFINITIONS)
        ]
        # A loop around the whole graph does not count: each round has a graph of its own.
        self._loops = {
            f.statement
            for f in list_every_flow(flows)
            if isinstance(f.statement, (ast.For, ast.While))
        }
        self._shared = shared

    def find(self, node: ast.AST, trainable: bool = False) -> ast.AST | None:
        """Returns the first code that makes variables after `node` was computed, or None.

        Args:
          trainable: whether only trainable variables count.
        """
        at = self._find_place(node)
        if at is None:
            return None
        inner = self._find_function_below(node, self._leaves[at].statement)
        if inner is not None:
            for statement in walk_breadth_first(inner):
                after = isinstance(statement, ast.stmt) and (
                    statement.lineno > node.lineno  # type: ignore[attr-defined]
                )
                if after and not names.list_suites(statement):  # type: ignore[arg-type]
                    made = self._find_maker_in(
                        statement, trainable
                    ) or self._find_update_in(statement, trainable)
                    if made and not one_of.are_exclusive(self._scopes, node, statement):
                        return made
        loops = self._find_loops(self._leaves[at].statement)
        for index, leaf in enumerate(self._leaves):
            again = bool(loops & self._find_loops(leaf.statement))
            if index == at or (index < at and not again):
                continue
            if one_of.are_exclusive(self._scopes, node, leaf.statement):
                continue
            made = self._find_maker(leaf, trainable)
            if made is not None and not self._is_known_step(made, at):
                return made
        return None

    def find_earlier(self, node: ast.AST) -> list[ast.Name] | None:
        """Returns the names of all variables that exist at `node`; None if one has no name."""
        at = self._find_place(node)
        if at is None or self._find_function_below(node, self._leaves[at].statement):
            return None
        found: list[ast.Name] = []
        for leaf in self._leaves[:at]:
            made = self._find_maker(leaf, trainable=False)
            if made is None or one_of.are_exclusive(self._scopes, node, leaf.statement):
                continue
            statement = leaf.statement
            if not (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(target := statement.targets[0], ast.Name)
                and statement.value is made
                and leaf.kind is Kind.VARIABLE
                and self._is_plain(made)
                and self._has_always_run(statement, node)
            ):
                return None
            owner = self._scopes.find_scope(target).find_owner(target.id)
            if owner is None or len(owner.bindings[target.id]) != 1:
                return None
            found.append(target)
        return found or None

    def _is_plain(self, made: ast.AST) -> bool:
        symbol = self._find_symbol(made)
        return symbol in roles.VARIABLES or symbol in roles.GLOBAL_STEPS

    def _has_always_run(self, statement: ast.stmt, node: ast.AST) -> bool:
        """Whether a statement has run, once, wherever `node` is computed."""
        around: set[ast.AST] = set()
        above: ast.AST | None = node
        while above is not None:
            around.add(above)
            above = self._scopes.parents.get(above)
        above = statement
        while (above := self._scopes.parents.get(above)) is not None:
            if isinstance(above, (*_FUNCTIONS, ast.Module)):
                return above in around
            if above in self._loops:
                return False
            if not isinstance(above, ast.With) and above not in around:
                return False
        return False

    def _find_place(self, node: ast.AST) -> int | None:
        """Returns the index of the statement that computes `node`, itself or in a function."""
        for index, leaf in enumerate(self._leaves):
            if any(n is node for n in walk_breadth_first(leaf.statement)):
                return index
        above: ast.AST | None = node
        outer: set[ast.AST] = set()
        while (above := self._scopes.parents.get(above)) is not None:  # type: ignore[arg-type]
            if isinstance(above, (*_FUNCTIONS, ast.ClassDef)):
                outer.add(above)
        for index, leaf in enumerate(self._leaves):
            if outer & set(self._find_reached(leaf.statement)):
                return index
        return None

    def _find_function_below(
        self, node: ast.AST, statement: ast.stmt
    ) -> ast.AST | None:
        """Returns the function that computes `node`, if a statement calls the function."""
        above: ast.AST | None = node
        inner: ast.AST | None = None
        while above is not None and above is not statement:
            if inner is None and isinstance(above, _FUNCTIONS):
                inner = above
            above = self._scopes.parents.get(above)
        return inner if above is None else None

    def _find_loops(self, statement: ast.AST) -> set[ast.AST]:
        found: set[ast.AST] = set()
        above: ast.AST | None = statement
        while (above := self._scopes.parents.get(above)) is not None:  # type: ignore[arg-type]
            if isinstance(above, (*_FUNCTIONS, ast.Module)):
                break
            if above in self._loops:
                found.add(above)
        return found

    def _find_reached(self, statement: ast.stmt) -> list[ast.AST]:
        return reach.find_reached(self._scopes, [statement])

    def _find_maker(self, leaf: Flow, trainable: bool) -> ast.AST | None:
        """Returns the code that makes a variable in a statement, or in a function it calls."""
        if leaf.update is not None and not trainable and self._has_slots:
            return leaf.statement
        for part in (leaf.statement, *self._find_reached(leaf.statement)):
            made = self._find_maker_in(part, trainable)
            if made is not None:
                return made
        return None

    def _find_maker_in(self, part: ast.AST, trainable: bool) -> ast.AST | None:
        for node in walk_breadth_first(part):
            if not isinstance(node, ast.Call) or node in self._shared:
                continue
            symbol = self._find_symbol(node)
            if symbol in roles.VARIABLES:
                if not self._is_local(node) and not self._is_reused(node):
                    if not (trainable and self._is_frozen(node)):
                        return node
            elif symbol in roles.GLOBAL_STEPS:
                if not trainable and not symbol.endswith("get_global_step"):
                    return node
            elif (
                symbol in LAYER_FUNCTIONS
                or symbol in LAYER_CLASSES
                or symbol in CELLS
                or keras_graphs.has_weights(symbol)
            ):
                if not self._is_reused(node):
                    return node
            elif self._is_of_another_file(node):
                return node
            elif self._moves_averages(node) and not trainable:
                return node
        return None

    def _find_update_in(self, statement: ast.AST, trainable: bool) -> ast.AST | None:
        if trainable or not self._has_slots:
            return None
        return next(
            (
                n
                for n in walk_breadth_first(statement)
                if isinstance(n, ast.Attribute)
                and n.attr in ("minimize", "apply_gradients")
            ),
            None,
        )

    def _find_symbol(self, node: ast.AST) -> str:
        return (
            self._scopes.resolve(node.func) or "" if isinstance(node, ast.Call) else ""
        )

    def _is_local(self, call: ast.Call) -> bool:
        """Whether a variable is in collections that no Saver saves."""
        given = next((k.value for k in call.keywords if k.arg == "collections"), None)
        return (
            isinstance(given, (ast.List, ast.Tuple))
            and bool(given.elts)
            and all(self._scopes.resolve(e) in _LOCAL for e in given.elts)
        )

    def _is_frozen(self, call: ast.Call) -> bool:
        return any(
            k.arg == "trainable" and names.read_literal(k.value) is False
            for k in call.keywords
        )

    def _is_reused(self, call: ast.Call) -> bool:
        """Whether code finds existing variables, by `reuse=True`."""
        if self._find_symbol(call) == "tf.Variable":
            return False
        above: ast.AST | None = call
        while above is not None:
            calls = [above] if isinstance(above, ast.Call) else []
            if isinstance(above, ast.With):
                calls = [
                    i.context_expr
                    for i in above.items
                    if isinstance(i.context_expr, ast.Call)
                ]
            for one in calls:
                for keyword in one.keywords:
                    if (
                        keyword.arg == "reuse"
                        and names.read_literal(keyword.value) is True
                    ):
                        return True
            above = self._scopes.parents.get(above)
        return False

    def _is_of_another_file(self, call: ast.Call) -> bool:
        """Whether code calls a function of another file that makes layers."""
        if not isinstance(call.func, (ast.Name, ast.Attribute)):
            return False
        imported = self._scopes.graph_imports
        return bool(imported) and ast.unparse(call.func) in imported

    def _moves_averages(self, call: ast.Call) -> bool:
        return (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "apply"
            and self._has_averages
        )

    def _is_known_step(self, made: ast.AST, at: int) -> bool:
        """Whether code gives the counter of steps, which was made before."""
        if self._find_symbol(made) not in roles.GLOBAL_STEPS:
            return False
        return any(
            self._find_symbol(node) in roles.GLOBAL_STEPS
            or (
                isinstance(node, ast.Call)
                and self._find_symbol(node) in roles.VARIABLES
                and any(
                    names.read_literal(p) == "global_step" for p in _list_parts(node)
                )
            )
            for leaf in self._leaves[:at]
            for node in walk_breadth_first(leaf.statement)
        )

    @functools.cached_property
    def _has_averages(self) -> bool:
        return any(symbol == _AVERAGES for _, symbol in self._scopes.walk_uses())

    @functools.cached_property
    def _has_slots(self) -> bool:
        """Whether an update may make variables, such as slots of an optimizer."""
        used = {
            symbol for _, symbol in self._scopes.walk_uses() if symbol in _OPTIMIZERS
        }
        return not used or bool(used - _WITHOUT_SLOTS)


def _list_parts(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *[k.value for k in call.keywords]]
