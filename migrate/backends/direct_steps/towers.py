"""Reads the step of a program with towers: what each tower computes, and what follows.

    @replicas.step_function(...)                 @tf.function(input_signature=[...])
    def train_step(x, y):                        def train_step(x, y):
        loss = ...                                   def tower_step(x, y):
        losses = replicas.towers(loss)                   loss = ...
        mean = tf.add_n(losses) / 2                      return loss
        return mean
                                                     loss = strategy.run(tower_step, args=(x, y))
                                                     losses = strategy.experimental_local_results(loss)
                                                     mean = tf.add_n(losses) / 2
                                                     return mean

Each tower is a replica of `tf.distribute.MirroredStrategy`. What is computed of the values of
all towers is computed once, after them.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Sequence

from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.backends.direct_steps.program import Program
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import one_tensor
from migrate.tables.host_effects import PURE_BUILTINS

# Methods of replicas that give the values of all towers, or of the first.
_OF_VALUES = frozenset({"of_first", "towers"})
# Parts of the names of functions that draw numbers.
_DRAWING = ("dropout", "multinomial", "random")


@dataclasses.dataclass(eq=False)
class Tower:
    """A step, taken apart.

    Attributes:
      gathered: the calls `replicas.towers(loss)`, with the name of the value.
      after: the statements that gather values or compute of them, in order.
      dropped: statements that only say that a value is the first tower's.
      first: names of values that are the first tower's; others are the last one's.
    """

    gathered: dict[ast.Call, str] = dataclasses.field(default_factory=dict)
    after: list[ast.stmt] = dataclasses.field(default_factory=list)
    dropped: set[ast.stmt] = dataclasses.field(default_factory=set)
    first: set[str] = dataclasses.field(default_factory=set)


def read_tower(program: Program, function: ast.FunctionDef) -> Tower:
    """Takes a step apart.

    Raises:
      NotKnown: a tower goes on with what is computed of all towers, or the order in which
        names are bound matters.
    """
    return _Reader(program, function).run()


class _Reader:
    def __init__(self, program: Program, function: ast.FunctionDef) -> None:
        self._scopes: Scopes = program.scopes
        self._program = program
        self._calls = program.towers
        self._stored = {
            n.attr
            for n in program.scopes.walk()
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
        }
        self._function = function
        self._tower = Tower()
        self._outer: set[str] = set()

    def run(self) -> Tower:
        given = self._function.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs:
            raise NotKnown
        self._read_suite(self._function.body)
        return self._tower

    def _read_suite(self, suite: Sequence[ast.stmt]) -> None:
        for statement in suite:
            if isinstance(statement, ast.Return):
                continue
            calls = [c for c in self._calls if self._asks(c, statement)]
            if isinstance(statement, ast.With):
                for item in statement.items:
                    self._read_header(item)
                self._read_suite(statement.body)
            elif any(_name_method(c) == "of_first" for c in calls):
                self._read_first(statement)
            elif calls or self._outer & _find_loads(statement):
                self._read_after(statement, calls)
            else:
                self._read_inside(statement)

    def _read_header(self, item: ast.withitem) -> None:
        if self._outer & _find_loads(item):
            raise NotKnown
        self._read_inside(item)

    def _asks(self, call: ast.Call, statement: ast.stmt) -> bool:
        """Whether a statement asks for the values of all towers, or of the first."""
        return _name_method(call) in _OF_VALUES and any(
            node is call for node in walk_breadth_first(statement)
        )

    def _read_first(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(new)], value=ast.Call() as call) if (
                call in self._calls
            ):
                match call.args:
                    case [ast.Name(old)] if new == old and old not in self._outer:
                        self._tower.dropped.add(statement)
                        self._tower.first.add(old)
                        return
        raise NotKnown

    def _read_inside(self, part: ast.AST) -> None:
        """Checks that a part of the tower binds no name again that is used after it."""
        bound = _find_stores(part)
        if bound & (self._outer | set(self._tower.gathered.values())):
            raise NotKnown

    def _read_after(self, statement: ast.stmt, calls: Sequence[ast.Call]) -> None:
        """`mean = tf.add_n(losses) / N`, which reads nothing of one tower."""
        if not isinstance(statement, ast.Assign) or not self._has_no_effect(statement):
            raise NotKnown
        gathered = []
        for call in calls:
            (value,) = call.args
            if not isinstance(value, ast.Name) or value.id in self._outer:
                raise NotKnown
            if not self._is_own(value.id):
                raise NotKnown
            self._tower.gathered[call] = value.id
            gathered.append(value)
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if node not in gathered and not self._is_same_after(node):
                    raise NotKnown
        self._outer |= _find_stores(statement)
        self._tower.after.append(statement)

    def _has_no_effect(self, statement: ast.Assign) -> bool:
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.Call) and node not in self._calls:
                symbol = self._scopes.resolve(node.func) or ""
                builtin = (
                    isinstance(node.func, ast.Name)
                    and node.func.id in PURE_BUILTINS
                    and self._scopes.find_scope(node).find_owner(node.func.id) is None
                )
                if not builtin and (
                    symbol not in one_tensor.SYMBOLS
                    or any(part in symbol for part in _DRAWING)
                ):
                    return False
            elif isinstance(node, ast.Attribute):
                if not isinstance(node.ctx, ast.Load) or node.attr in self._stored:
                    return False
            elif isinstance(node, (ast.Lambda, ast.NamedExpr, ast.List)):
                return False  # `losses + [other]`: the values are in a tuple now.
        return True

    def _is_same_after(self, node: ast.Name) -> bool:
        """Whether a name has, after the towers, the value that it had in each of them.

        A variable has not: its update is between.
        """
        if node.id in self._outer:
            return True
        owner = self._scopes.find_scope(node).find_owner(node.id)
        if owner is None or self._scopes.import_path(node):
            return True
        bound = owner.bindings[node.id]
        if owner.node is self._function:
            return len(bound) == 1 and isinstance(bound[0], ast.arg)
        return not any(
            inner is at
            for block in self._program.blocks
            for inner in ast.walk(block)
            for at in bound
            if not isinstance(at, ast.arg)
        )

    def _is_own(self, name: str) -> bool:
        """Whether the step binds a name."""
        scope = self._scopes.scope_by_node[self._function]
        return bool(scope.bindings.get(name))


def find_values(
    program: Program,
    function: ast.FunctionDef,
    tower: Tower,
    results: Iterable[ast.expr],
) -> dict[str, None]:
    """The names of the values that a step takes from its towers, in order of their use.

    Args:
      results: what the step returns.

    Raises:
      NotKnown: a result is computed of a tower's value where it is returned.
    """
    found = dict.fromkeys(tower.gathered.values())
    outer = {name for statement in tower.after for name in _find_stores(statement)}
    bound = program.scopes.scope_by_node[function].bindings
    inner = {name for name in bound if bound[name]} - outer
    inner -= {a.arg for a in function.args.args if len(bound[a.arg]) == 1}
    for result in results:
        if isinstance(result, ast.Name) and result.id in inner:
            found[result.id] = None
        elif _find_loads(result) & inner:
            raise NotKnown
    # A name of both: what the tower has by it is taken before it is bound anew.
    if any(
        isinstance(r, ast.Name) and r.id in outer and r.id in tower.first
        for r in results
    ):
        raise NotKnown
    return found


def _find_loads(node: ast.AST) -> set[str]:
    return {
        n.id
        for n in walk_breadth_first(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }


def _find_stores(node: ast.AST) -> set[str]:
    return {
        n.id
        for n in walk_breadth_first(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _name_method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
