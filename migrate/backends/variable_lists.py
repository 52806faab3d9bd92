"""Lists of a program's variables: what they are made of, and when they are complete."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.facts import effects, names, reach
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import keras_graphs, roles
from migrate.tables.direct_savers import OPTIMIZERS
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS
from migrate.tables.recurrent import CELLS

# Functions of a list that give the same for another order.
_WITHOUT_ORDER = frozenset({"all", "any", "frozenset", "len", "set", "sorted", "sum"})
_KEEPING_ORDER = frozenset({"tf.concat", "tf.parallel_stack", "tf.stack", "tf.tuple"})


class VariableLists:
    """Tells lists of variables from other expressions."""

    def __init__(self, program: ir.TrainingProgram, scopes: Scopes) -> None:
        self._program = program
        self._scopes = scopes
        self._in_order: dict[str, bool] = {}

    def is_complete(self, node: ast.AST) -> bool:
        """Whether all variables that TF1 had by then are there when this is computed."""
        if any(
            node in walk_breadth_first(statement) for statement in self._program.tail
        ):
            return True
        if any(
            symbol in LAYER_FUNCTIONS
            or symbol in LAYER_CLASSES
            or symbol in CELLS
            or keras_graphs.has_weights(symbol)
            for _, symbol in self._scopes.walk_uses()
        ):
            return False
        return self._makes_no_slots() or not any(
            flow.update is not None and flow.statement.lineno < node.lineno  # type: ignore[attr-defined]
            for flow in list_every_flow(self._program.flows)
        )

    def _makes_no_slots(self) -> bool:
        """Whether the program names its optimizers, and none keeps variables of its own."""
        named = {s for _, s in self._scopes.walk_uses() if "optimiz" in s.lower()}
        return bool(named) and all(OPTIMIZERS.get(s) is False for s in named)

    def is_of_its_step(
        self, listed: ast.Call, makers: set[ir.Flow] | None = None
    ) -> bool:
        """Whether a list that steps make has, in each of them, what TF1's had.

        Steps are traced in turn, and a layer makes its variables in the first that calls
        it. So a list lacks those of layers that only later steps call, and has those of
        layers that TF1 made after the list, if an earlier step calls them.

        Args:
          makers: the statements that make its variables, where it names these.
        """
        flows = list_every_flow(self._program.flows)
        at = next((i for i, f in enumerate(flows) if self._holds(f, listed)), None)
        if at is None or (makers is None and self._is_for_gradients(listed)):
            return True
        made = {
            i: f for i, f in enumerate(flows) if not f.suites and self._makes_layer(f)
        }
        before = {f for i, f in made.items() if i < at}
        after = {f for i, f in made.items() if i > at}
        if makers is not None:
            before, after = before & makers, set()
        earlier: set[ir.Flow] = set()
        for step in self._program.steps:
            ran = set(step.flows)
            if flows[at] in ran and (before - ran - earlier or after & earlier):
                return False
            earlier |= ran
        return True

    def _makes_layer(self, flow: ir.Flow) -> bool:
        """Whether a statement of a step has a layer of its own, not one that there is."""
        if flow.graph:
            return not flow.shares
        lifted = [lift.node for lift in flow.lifts if lift.create.parts]
        return any(
            not isinstance(node, ast.Call)
            or not (symbol := self._scopes.resolve(node.func))
            or self._is_layer(symbol)
            for node in lifted
        )

    def trace_last(self) -> None:
        """Has steps that only look at lists of variables traced after all others.

        Those that train keep their order, by which optimizers are numbered.
        """
        listing = {
            flow
            for flow in list_every_flow(self._program.flows)
            for node in walk_breadth_first(flow.statement)
            if isinstance(node, ast.Call)
            and self._lists(node)
            and self._holds(flow, node)
            and not self.is_of_its_step(node)
        }
        self._program.steps.sort(
            key=lambda step: (
                not any(flow.update is not None for flow in step.flows)
                and bool(listing & set(step.flows))
            )
        )

    def _holds(self, flow: ir.Flow, listed: ast.Call) -> bool:
        """Whether a statement computes the list, itself or in its header."""
        suites = [s for _, suite in names.list_suites(flow.statement) for s in suite]
        return any(n is listed for n in walk_breadth_first(flow.statement)) and not any(
            n is listed for s in suites for n in walk_breadth_first(s)
        )

    def _is_for_gradients(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether a list only says what gradients are of: of others there are none.

        optimizer.minimize(loss, var_list=[v for v in variables if "top" in v.name])
        """
        above = self._scopes.parents.get(node)
        while isinstance(above, (ast.comprehension, ast.ListComp, ast.List, ast.BinOp)):
            above = self._scopes.parents.get(above)
        if isinstance(above, ast.keyword):
            return above.arg in ("var_list", "xs")
        if isinstance(above, ast.Call):
            symbol = self._scopes.resolve(above.func)
            zips = isinstance(above.func, ast.Name) and above.func.id == "zip"
            return symbol == "tf.gradients" or (zips and not self._is_place(node))
        if depth > 3 or not isinstance(above, ast.Assign):
            return False
        target = above.targets[0]
        if not isinstance(target, ast.Name) or len(above.targets) > 1:
            return False
        owner = self._scopes.find_scope(target).find_owner(target.id)
        uses = [
            n
            for n in self._scopes.walk()
            if isinstance(n, ast.Name)
            and n.id == target.id
            and isinstance(n.ctx, ast.Load)
            and self._scopes.find_scope(n).find_owner(n.id) is owner
        ]
        return bool(uses) and all(self._is_for_gradients(n, depth + 1) for n in uses)

    def is_in_order(self, which: str) -> bool:
        """Whether TF2 makes the variables of a list in the order in which TF1 did.

        Those of layers and optimizers are made when a step is traced, after all others.

        Args:
          which: "trainable" or "global".
        """
        if which not in self._in_order:
            self._in_order[which] = self._has_order(which)
        return self._in_order[which]

    def _has_order(self, which: str) -> bool:
        flows = list_every_flow(self._program.flows)
        layers = {f for f in flows if self._makes(f, self._is_layer)}
        layers |= {f for f in flows if f.graph and not (f.shares or f.suites)}
        made = {f for f in flows if self._makes(f, self._is_variable)}
        if layers & made:
            return False  # In one loop, or one helper.
        late = set(layers)
        if which == "global":
            late |= {f for f in flows if f.update is not None}
        traced: dict[ir.Flow, None] = {}
        for step in self._program.steps:
            ran = {*step.flows}
            traced.update((f, None) for f in flows if f in late and f in ran)
        order = [flows.index(f) for f in (*(f for f in flows if f in made), *traced)]
        return order == sorted(order)

    def _makes(self, flow: ir.Flow, makes: Callable[[str], bool]) -> bool:
        """Whether a statement, or a function that it calls, makes variables of a kind."""
        statement = flow.statement
        if flow.suites and not isinstance(statement, (ast.For, ast.While)):
            return False  # Its statements are flows of their own.
        return any(
            isinstance(node, ast.Call) and makes(self._scopes.resolve(node.func) or "")
            for part in (statement, *reach.find_reached(self._scopes, [statement]))
            for node in walk_breadth_first(part)
        )

    def _is_variable(self, symbol: str) -> bool:
        return symbol in roles.VARIABLES or symbol in roles.GLOBAL_STEPS

    def _is_layer(self, symbol: str) -> bool:
        return (
            symbol in LAYER_FUNCTIONS
            or symbol in LAYER_CLASSES
            or symbol in CELLS
            or keras_graphs.has_weights(symbol)
        )

    def goes_by_place(self, listed: ast.expr) -> bool:
        """Whether a program takes something of a list by where it stands there."""
        return any(map(self._is_place, self._list_forms(listed, chosen=False)))

    def needs_order(self, listed: ast.expr) -> bool:
        """Whether a program does something with a list for which its order matters."""
        return (
            self.goes_by_place(listed)
            or self.is_shown(listed)
            or self.is_computed(listed)
        )

    def is_computed(self, listed: ast.expr) -> bool:
        """Whether a program computes a value in which a list's order is kept."""
        for node in self._list_forms(listed):
            above = self._scopes.parents.get(node)
            while isinstance(above, (ast.List, ast.Tuple, ast.Starred, ast.keyword)):
                above = self._scopes.parents.get(above)
            if isinstance(above, ast.Call):
                if self._scopes.resolve(above.func) in _KEEPING_ORDER:
                    return True
        return False

    def _list_forms(
        self, listed: ast.expr, chosen: bool = True, depth: int = 0
    ) -> Iterator[ast.expr]:
        """Where a list is used, also what a comprehension makes of each of its parts.

        Args:
          chosen: whether comprehensions that leave out some of it count.
        """
        if self._is_without_order(listed):
            return
        for holder in self.find_holders(listed):
            if self._is_without_order(holder):
                continue
            above = self._scopes.parents.get(holder)
            yield holder
            if isinstance(above, (ast.ListComp, ast.GeneratorExp)) and depth < 3:
                over = [g for g in above.generators if g.iter is holder]
                if over and (chosen or not over[0].ifs):
                    yield from self._list_forms(above, chosen, depth + 1)

    def _is_without_order(self, node: ast.expr) -> bool:
        """Whether a list goes into a function for which its order does not matter."""
        above = self._scopes.parents.get(node)
        return (
            isinstance(above, ast.Call)
            and isinstance(above.func, ast.Name)
            and above.func.id in _WITHOUT_ORDER
        )

    def is_shown(self, listed: ast.expr) -> bool:
        """Whether a program shows a list, in its order."""
        for node in self._list_forms(listed):
            above: ast.AST | None = node
            while above is not None and not isinstance(above, ast.stmt):
                above = self._scopes.parents.get(above)
            parts = [above] if isinstance(above, (ast.Expr, ast.For)) else []
            if any(
                effects.is_shown(n, self._scopes)
                for p in parts
                for n in walk_breadth_first(p)
            ):
                return True
        return False

    def find_holders(self, listed: ast.expr) -> Iterator[ast.expr]:
        """A list, then the names that hold it or what a run gave of it."""
        yield listed
        above = self._scopes.parents.get(listed)
        while isinstance(above, (ast.Call, ast.keyword, ast.List, ast.Tuple)):
            if isinstance(above, ast.Call) and self._scopes.resolve(above.func):
                return  # What TensorFlow computes of it has no such parts.
            above = self._scopes.parents.get(above)
        if not isinstance(above, ast.Assign) or not isinstance(
            above.targets[0], ast.Name
        ):
            return
        owner = self._scopes.find_scope(above.targets[0]).find_owner(
            above.targets[0].id
        )
        for node in self._scopes.walk():
            if (
                isinstance(node, ast.Name)
                and node.id == above.targets[0].id
                and isinstance(node.ctx, ast.Load)
                and self._scopes.find_scope(node).find_owner(node.id) is owner
            ):
                yield node

    def _is_place(self, node: ast.expr) -> bool:
        """`variables[2]`, `enumerate(variables)`, `zip(variables, others)`."""
        above = self._scopes.parents.get(node)
        while isinstance(above, ast.BinOp):
            above = self._scopes.parents.get(above)
        if isinstance(above, ast.Subscript):
            return above.value is node
        if isinstance(above, ast.Attribute):
            return above.attr in ("index", "pop")
        if isinstance(above, ast.Starred):
            return True
        if not (isinstance(above, ast.Call) and isinstance(above.func, ast.Name)):
            return False
        if above.func.id in ("zip", "map"):
            # Gradients of a list are in its order.
            return sum(map(self._is_listing, above.args)) > 1
        return above.func.id in ("enumerate", "next")

    def _is_listing(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp):
            return self._is_listing(node.left) or self._is_listing(node.right)
        return self.find_listing(node) is not None

    def find_listing(self, node: ast.expr) -> ast.expr | None:
        """The expression that lists variables for this one; None if it is no such.

        All, chosen ones by a comprehension, a dict of them by name; or the name of one
        that is bound once.
        """
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            bindings = owner.bindings.get(node.id, []) if owner is not None else []
            if len(bindings) == 1 and isinstance(bindings[0], ast.Assign):
                made = bindings[0]
                if isinstance(made.targets[0], ast.Name) and not self._is_changed(
                    node.id
                ):
                    return self.find_listing(made.value)
            return None
        return node if self._lists(node) else None

    def find_sources(self, listed: ast.expr) -> Iterator[ast.Call]:
        """The calls that list variables for an expression, behind the names in it."""
        found = self.find_listing(listed)
        if isinstance(found, ast.Call):
            yield found
        elif isinstance(found, ast.BinOp):
            yield from self.find_sources(found.left)
            yield from self.find_sources(found.right)
        elif isinstance(found, (ast.ListComp, ast.DictComp)):
            yield from self.find_sources(found.generators[0].iter)

    def is_steady(self, listed: ast.expr) -> bool:
        """Whether what chooses a list's variables is the same whenever it is evaluated."""
        found = self.find_listing(listed)
        if found is None:
            return True
        chosen = find_plain_names(found, ast.Store)
        steady = all(
            node.id in chosen or self._is_steady_name(node)
            for node in walk_breadth_first(found)
            if isinstance(node, ast.Name)
        )
        if isinstance(found, ast.BinOp):
            return steady and self.is_steady(found.left) and self.is_steady(found.right)
        if isinstance(found, (ast.ListComp, ast.DictComp)):
            return steady and self.is_steady(found.generators[0].iter)
        return steady

    def _is_steady_name(self, node: ast.Name) -> bool:
        """Whether a name is bound once and for all, and not to what is changed."""
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        if not bound or (self._scopes.resolve(node) or "").startswith("tf"):
            return True
        above: ast.AST | None = bound[0]
        while above is not None and not isinstance(above, (ast.For, ast.While)):
            above = self._scopes.parents.get(above)
        return len(bound) == 1 and above is None and not self._is_changed(node.id)

    def goes_through_name(self, listed: ast.expr) -> bool:
        """Whether a list is chosen from one that has a name."""
        return any(
            isinstance(node, ast.comprehension) and isinstance(node.iter, ast.Name)
            for node in walk_breadth_first(listed)
        )

    def has_other_uses(self, chosen: ast.expr) -> bool:
        """Whether a list that a Saver gets by its name is used for more than Savers."""
        if not isinstance(chosen, ast.Name):
            return False
        owner = self._scopes.find_scope(chosen).find_owner(chosen.id)
        return any(
            isinstance(node, ast.Name)
            and node.id == chosen.id
            and isinstance(node.ctx, ast.Load)
            and self._scopes.find_scope(node).find_owner(node.id) is owner
            and not self._is_of_saver(node)
            for node in self._scopes.walk()
        )

    def _is_of_saver(self, node: ast.AST) -> bool:
        above = self._scopes.parents.get(node)
        if isinstance(above, ast.keyword):
            above = self._scopes.parents.get(above)
        return (
            isinstance(above, ast.Call)
            and self._scopes.resolve(above.func) == "tf.train.Saver"
        )

    def _is_changed(self, name: str) -> bool:
        return any(
            name in names.find_mutations(statement)
            for statement in walk_breadth_first(self._scopes.tree)
            if isinstance(statement, ast.stmt) and not names.list_suites(statement)
        )

    def _lists(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            symbol = self._scopes.resolve(node.func) or ""
            if symbol == "tf.get_collection" and node.args:
                return self._scopes.resolve(node.args[0]) in roles.LISTING_KEYS
            return symbol in roles.TRAINABLE | roles.GLOBAL
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._lists(node.left) and self._lists(node.right)
        if isinstance(node, (ast.ListComp, ast.DictComp)):
            value = node.elt if isinstance(node, ast.ListComp) else node.value
            first = node.generators[0]
            return (
                len(node.generators) == 1
                and isinstance(first.target, ast.Name)
                and isinstance(value, ast.Name)
                and value.id == first.target.id
                and (
                    self._program.kinds.get(names.find_key(first.iter) or "")
                    is ir.Kind.VARIABLE
                    or self.find_listing(first.iter) is not None
                )
            )
        return False

    def is_early(self, node: ast.AST, listed: ast.expr) -> bool:
        """Whether the program makes variables after `node` that the list may have."""
        line = node.lineno  # type: ignore[attr-defined]
        every_variable = self.has_every(listed)
        for flow in list_every_flow(self._program.flows):
            if flow.suites or flow.statement.lineno <= line:
                continue
            if flow.update is not None and every_variable:
                return True
            if any(
                isinstance(n, ast.Call)
                and self._scopes.resolve(n.func)
                in (roles.VARIABLES | set(LAYER_FUNCTIONS) | set(LAYER_CLASSES))
                for n in walk_breadth_first(flow.statement)
            ):
                return True
        return False

    def has_every(self, listed: ast.expr) -> bool:
        """Whether a list is of all variables, not of the trainable ones."""
        return any(
            isinstance(n, ast.Call)
            and (
                self._scopes.resolve(n.func) in roles.GLOBAL
                or any(
                    self._scopes.resolve(a) == "tf.GraphKeys.GLOBAL_VARIABLES"
                    for a in n.args
                )
            )
            for n in walk_breadth_first(listed)
        )
