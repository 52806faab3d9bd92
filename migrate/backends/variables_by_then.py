"""Writes the variables that a list had when TF1 made it, by the objects that made them.

    hidden = tf.layers.dense(x, 3)                    # In the scope "actor".
    parts = tf.trainable_variables("actor")           # parts = hidden.trainable_weights

TF1 made a layer's variables when the layer was first called, and listed them in that order.
TF2 makes them when a step is traced.
"""

from __future__ import annotations

import ast
import dataclasses
import re

from migrate.backends.custom_loop.scope_names import ScopeNames
from migrate.backends.gradient_reach import find_reached, list_in_order
from migrate.backends.variable_lists import VariableLists
from migrate.facts import names, reach
from migrate.facts.constants import evaluate
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.code import Code, join_code, make_code
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_graphs, roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS
from migrate.tables.recurrent import CELLS

# Methods that make slots, powers or averages. TF1 listed these among all variables.
_MAKES_SLOTS = frozenset({"minimize", "apply_gradients", "apply"})


@dataclasses.dataclass(frozen=True)
class Made:
    """A layer or a variable that a statement makes.

    Attributes:
      flow: the statement.
      name: of the layer or of the variable.
      path: the variable scopes around it, and its own name if that is known.
      whole: whether `path` ends with its own name.
      layer: whether it is a layer.
      trainable: whether an optimizer may train it; of a layer, True if that is not known.
      node: the call.
    """

    flow: ir.Flow
    name: str
    path: str
    whole: bool
    layer: bool
    trainable: bool
    node: ast.Call


class _Unknown(Exception):
    """The objects that made the variables are not known."""


class VariablesByThen:
    """Writes lists of variables in a program of one process, by the objects that made them."""

    def __init__(self, program: ir.TrainingProgram, scopes: Scopes) -> None:
        self._program = program
        self._scopes = scopes
        self._names = ScopeNames(program, scopes)

    def find(self, call: ast.Call, which: str, scope: ast.expr | None) -> list[Made]:
        """Returns the objects that made a list's variables, in TF1's order; empty if unknown.

        Args:
          call: the list.
          which: "trainable" or "global".
          scope: by which it chooses, as in `tf.get_collection`; None if it does not.
        """
        program = self._program
        if program.cluster is not None or program.towers or program.partitioned:
            return []
        prefix = self._read_prefix(scope)
        if prefix is None or (which == "global" and not prefix):
            return []  # Counters of steps are among all variables.
        try:
            if which == "global":
                made, has_slots = self._list_global(call, prefix)
                return [] if has_slots and not self._is_cut(call, made) else made
            return [
                each
                for each in self._list_made(call, [])
                if self._is_in(each, prefix) and (each.layer or each.trainable)
            ]
        except _Unknown:
            return []

    def _list_global(self, call: ast.Call, prefix: str) -> tuple[list[Made], bool]:
        """What made the variables of a list of all, and whether it has slots behind them."""
        updates: list[ir.Flow] = []
        every = self._list_made(call, updates)
        made = [each for each in every if self._is_in(each, prefix)]
        for update in updates:
            # Counters of an optimizer, as Adam's, are under the scopes around it.
            path = self._names.read_path(self._names.list_around(update.statement))
            if "?" in path or f"{path}/".lstrip("/").startswith(prefix):
                raise _Unknown
        return made, any(self._trains(update, made) for update in updates)

    def _trains(self, update: ir.Flow, made: list[Made]) -> bool:
        """Whether an update may train some of these, which then have slots."""
        learned = find_reached(self._scopes, self._program, update)
        if learned is None or update.update is None:
            raise _Unknown
        trained = update.update.variables
        if trained is None:
            return any(each.trainable and each.flow in learned for each in made)
        lists = VariableLists(self._program, self._scopes)
        listed = lists.find_listing(trained)
        prefix = (
            self._read_prefix(self.find_scope(listed))
            if isinstance(listed, ast.Call)
            else None
        )
        if prefix is None:
            raise _Unknown
        return any(each.flow in learned and self._is_in(each, prefix) for each in made)

    def _is_cut(self, call: ast.Call, made: list[Made]) -> bool:
        """Whether a list goes only into a zip that ends before the slots of its variables.

        [tf.assign(t, e) for t, e in zip(target_variables, variables)]
        """
        lists = VariableLists(self._program, self._scopes)
        holders = list(lists.find_holders(call))
        for use in holders[1:] or holders:
            zipped = self._scopes.parents.get(use)
            if not (
                isinstance(zipped, ast.Call)
                and isinstance(zipped.func, ast.Name)
                and zipped.func.id == "zip"
                and any(
                    self._ends_before(lists.find_listing(other), made)
                    for other in zipped.args
                    if other is not use
                )
            ):
                return False
        return True

    def _ends_before(self, listed: ast.expr | None, made: list[Made]) -> bool:
        """Whether another list has no slots, and no more variables than these."""
        if not isinstance(listed, ast.Call):
            return False
        prefix = self._read_prefix(self.find_scope(listed))
        if not prefix:
            return False
        theirs, has_slots = self._list_global(listed, prefix)
        return (
            not has_slots
            and len(theirs) <= len(made)
            and all(map(self._has_as_many, made, theirs))
        )

    def _has_as_many(self, one: Made, other: Made) -> bool:
        """Whether two statements make as many variables, as far as their calls tell."""
        calls = (one.node, other.node)
        symbols = {self._scopes.resolve(call.func) for call in calls}
        biases = {
            ast.dump(given) if given is not None else ""
            for call in calls
            for given in [names.find_argument(call, "use_bias")]
        }
        return not one.layer and not other.layer or len(symbols) == len(biases) == 1

    def find_scope(self, listed: ast.Call) -> ast.expr | None:
        """The scope by which a list chooses."""
        symbol = self._scopes.resolve(listed.func)
        return names.find_argument(listed, "scope", int(symbol == "tf.get_collection"))

    def write(self, made: list[Made], which: str) -> Code:
        """Writes the list as an expression."""
        weights = "weights" if which == "global" else "trainable_weights"
        if len(made) == 1 and made[0].layer:
            return make_code(f"{made[0].name}.{weights}")
        parts = [
            make_code(f"*{each.name}.{weights}" if each.layer else each.name)
            for each in made
        ]
        return make_code("[", join_code(", ", parts), "]")

    def _read_prefix(self, scope: ast.expr | None) -> str | None:
        """Returns the prefix of chosen names; None if the scope is not plain text."""
        if scope is None or (isinstance(scope, ast.Constant) and scope.value is None):
            return ""
        kind, text = evaluate(self._scopes, scope, {})
        value = ast.literal_eval(text) if kind == "constant" else None
        if not isinstance(value, str) or not re.fullmatch(r"[\w/-]*", value):
            return None
        return value

    def _is_in(self, made: Made, prefix: str) -> bool:
        whole = made.path if made.whole and not made.layer else f"{made.path}/"
        if whole.lstrip("/").startswith(prefix):
            return True
        if not made.whole and prefix.startswith(whole.lstrip("/")):
            raise _Unknown
        if made.layer and prefix.startswith(whole.lstrip("/")):
            raise _Unknown  # It chooses among the variables of a layer.
        return False

    def _list_made(self, call: ast.Call, updates: list[ir.Flow]) -> list[Made]:
        """What made variables before a list, in order; adds the updates before it."""
        made: list[Made] = []
        for flow, is_plain in list_in_order(self._program.flows):
            inner = [s for _, suite in names.list_suites(flow.statement) for s in suite]
            own = not any(call in walk_breadth_first(s) for s in inner)
            if own and call in walk_breadth_first(flow.statement):
                return made
            if flow.update is not None or self._makes_slots(flow):
                updates.append(flow)
            if flow.suites:
                continue
            found = self._read(flow)
            if found and not is_plain:
                raise _Unknown
            made.extend(found)
        if any(call in walk_breadth_first(s) for s in self._program.tail):
            return made
        raise _Unknown

    def _makes_slots(self, flow: ir.Flow) -> bool:
        return not flow.suites and any(
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in _MAKES_SLOTS
            and self._scopes.resolve(n.func) is None
            for n in walk_breadth_first(flow.statement)
        )

    def _read(self, flow: ir.Flow) -> list[Made]:
        """Returns the layers and variables that a statement makes."""
        makers = [
            node
            for part in (
                flow.statement,
                *reach.find_reached(self._scopes, [flow.statement]),
            )
            for node in walk_breadth_first(part)
            if isinstance(node, ast.Call)
            and self._is_maker(self._scopes.resolve(node.func) or "")
        ]
        if flow.graph and makers:
            raise _Unknown
        found: list[Made] = []
        for lift in flow.lifts:
            if lift.node in makers:
                makers.remove(lift.node)
                if lift.create.parts:
                    found.append(self._describe(flow, lift.name, lift.node))
            elif lift.create.parts and not (
                isinstance(lift.node, ast.Call)
                and (self._scopes.resolve(lift.node.func) or "").startswith("tf.")
            ):
                raise _Unknown  # A function that makes layers.
        for node in makers:
            if node in self._program.shared:
                continue
            statement = flow.statement
            if not (
                isinstance(statement, ast.Assign)
                and statement.value is node
                and len(statement.targets) == 1
                and (name := names.find_key(statement.targets[0])) is not None
                and self._scopes.resolve(node.func) in roles.VARIABLES
            ):
                raise _Unknown
            found.append(self._describe(flow, name, node))
        return found

    def _is_maker(self, symbol: str) -> bool:
        return (
            symbol in roles.VARIABLES
            or symbol in LAYER_FUNCTIONS
            or symbol in LAYER_CLASSES
            or symbol in CELLS
            or keras_graphs.has_weights(symbol)
        )

    def _describe(self, flow: ir.Flow, name: str, node: ast.AST) -> Made:
        assert isinstance(node, ast.Call)
        symbol = self._scopes.resolve(node.func)
        layer = symbol in LAYER_FUNCTIONS
        if not layer and symbol not in roles.VARIABLES:
            raise _Unknown
        around = self._names.list_around(node)
        if symbol != "tf.Variable":
            around = [c for c in around if self._names.is_variable_scope(c)]
        path = self._names.read_path(around)
        if "?" in path:
            raise _Unknown
        if any(keyword.arg is None for keyword in node.keywords):
            raise _Unknown
        own = symbol == "tf.get_variable"
        given = names.find_argument(node, "name", 0 if own else None)
        kind, text = evaluate(self._scopes, given, {})
        value = ast.literal_eval(text) if kind == "constant" else None
        trainable = True
        chosen = names.find_argument(node, "trainable", 5 if own else 1)
        if layer:
            chosen = names.find_argument(node, "trainable")
        if chosen is not None:
            kind, text = evaluate(self._scopes, chosen, {})
            if kind != "constant" and not layer:
                raise _Unknown
            trainable = kind != "constant" or ast.literal_eval(text) is not False
        if isinstance(value, str):
            path = f"{path}/{value}" if path else value
        return Made(flow, name, path, isinstance(value, str), layer, trainable, node)
