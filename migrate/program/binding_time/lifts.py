"""Finds parts of a step that are made once: variables, and numbers drawn by Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.facts import draws, effects, names
from migrate.program import ir
from migrate.program.binding_time.lists import Lists
from migrate.program.code import make_code
from migrate.program.ir import Kind, Lift
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import roles
from migrate.tables.optimizers import OPTIMIZERS
from migrate.tables.recurrent import CELLS, WRAPPERS


class Lifts(Lists):
    """Lifts creations out of step-time statements."""

    def _lift_creations(self, statement: ast.stmt) -> None:
        """Lifts creations: `tf.matmul(x, tf.get_variable("w", ...))` makes w at build time."""
        lifted = {n for lift in self._lifts for n in walk_breadth_first(lift.node)}
        work: list[ast.AST] = [statement]
        while work:
            node = work.pop(0)
            if node in lifted or isinstance(node, ast.Lambda):
                continue
            if not (isinstance(node, ast.Call) and self._creates_variable(node)):
                work[:0] = list_children(node)
                continue
            if self.scopes.resolve(node.func) in CELLS:
                name = self.choose_free_name("cell", "recurrent_cell")
                self._lifts.append(Lift(node, name, make_code(node), make_code(name)))
                continue
            literals = [
                value
                for argument in [*node.args, *[k.value for k in node.keywords]]
                if isinstance(value := names.read_literal(argument), str)
            ]
            wish = re.sub(r"\W", "_", literals[0]) if literals else "variable"
            full = self.make_full_name(literals[0] if literals else None)
            if full is not None and self.scopes.resolve(node.func) is None:
                full = f"{full} of {ast.unparse(node)}"  # A helper's variable.
            shared = self.created.get(full or "") if self.reusing else None
            name = shared or self.choose_free_name(wish, f"{wish}_variable")
            if full is not None:
                self.created[full] = name
            create = make_code() if shared else make_code(node)
            self._lifts.append(Lift(node, name, create, make_code(name)))

    def _lift_draws(self, statement: ast.stmt) -> None:
        """Lifts numbers that Python draws: once, because TF1 built the graph once."""
        # A part that makes variables or layers is made once as it is, with all its arguments.
        created = [node for lift in self._lifts for node in lift.create.walk_nodes()]
        built = {inner for node in created for inner in walk_breadth_first(node)}
        work: list[ast.AST] = [statement]
        while work:
            node = work.pop(0)
            if isinstance(node, (ast.Lambda, ast.comprehension)) or node in built:
                continue
            if not isinstance(node, ast.Call):
                work[:0] = list_children(node)
                continue
            if self.scopes.resolve(node.func) in OPTIMIZERS:
                continue  # The optimizer is made once, with its arguments.
            if self._draws(node) or (
                effects.consumes(node)
                and self.find_kind(node) not in (*ir.STEP_KINDS, Kind.VARIABLE)
                and not self._changes_graph_list(node)
            ):
                name = self.choose_free_name("drawn")
                self._lifts.append(Lift(node, name, make_code(node), make_code(name)))
                continue
            work[:0] = list_children(node)

    def _changes_graph_list(self, call: ast.Call) -> bool:
        """Whether a call changes a list of the step's values: `pairs.pop()`."""
        base = call.func.value if isinstance(call.func, ast.Attribute) else None
        kind = (
            self.environment.get(names.find_key(base) or "")
            if base is not None
            else None
        )
        return kind in (*ir.STEP_KINDS, Kind.VARIABLE)

    def _draws_in(self, statement: ast.stmt) -> bool:
        return any(
            isinstance(node, ast.Call) and self._draws(node)
            for node in walk_breadth_first(statement)
        )

    def _draws(self, call: ast.Call) -> bool:
        """Whether a call gives numbers that Python draws, or values made only from them."""
        if draws.draws_from_module(self.scopes, call):
            return True
        function = self._analyse_user_function(call)
        if function is not None:
            once = not function.staged and function.kind in (Kind.HOST, Kind.PURE)
            drawn = once and draws.draws_by_function(self.scopes, call)
        else:
            drawn = draws.draws_from_generator(self.scopes, call) or (
                self.scopes.resolve(call.func) is None
                and draws.draws_by_function(self.scopes, call)
            )
        return drawn and self.find_kind(call) in (Kind.HOST, Kind.PURE)

    def _check_repeated(self) -> None:
        """Refuses comprehensions that make variables: the step would make them only once."""
        for lift in self._lifts:
            node: ast.AST = lift.node
            if isinstance(node, ast.Call):
                times = self._analyse_user_function(node)
                if times is not None and times.reuses:
                    continue  # TF1 made it once, too.
            while lift.create.parts and isinstance(node, ast.expr):
                node = self.scopes.parents[node]
                if isinstance(node, ast.comprehension) or hasattr(node, "generators"):
                    self.diagnostics.refuse(
                        "N104",
                        lift.node,
                        "a comprehension makes variables or layers",
                        "Make them in a `for` loop.",
                    )
                    break

    def _creates_variable(self, call: ast.Call) -> bool:
        symbol = self.scopes.resolve(call.func)
        if symbol in roles.VARIABLES or (symbol in CELLS and symbol not in WRAPPERS):
            return True
        times = self._analyse_user_function(call)
        return (
            times is not None
            and times.creates
            and not times.staged
            and times.kind is Kind.VARIABLE
        )


def sort_lifts(statement: ast.stmt, lifts: list[Lift]) -> list[Lift]:
    """Sorts the lifts of a statement in the order in which Python evaluates them.

    This order decides the numbers of variables without names, and the values of draws.
    """
    if len(lifts) < 2:
        return lifts
    places = {
        node: place for place, node in enumerate(_walk_in_evaluation_order(statement))
    }
    return sorted(lifts, key=lambda lift: places.get(lift.node, len(places)))


def _walk_in_evaluation_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the parts of a node from left to right, and then the node itself."""
    if isinstance(node, ast.Dict):
        parts: list[ast.AST | None] = [
            part for item in zip(node.keys, node.values) for part in item
        ]
    elif isinstance(node, ast.Assign):
        parts = [node.value, *node.targets]
    else:
        parts = [*list_children(node)]
    for part in parts:
        if part is not None:
            yield from _walk_in_evaluation_order(part)
    yield node
