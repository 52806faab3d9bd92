"""Writes the variables of a program's savers as lists.

TF1's saver took all variables of the graph, under their names there. Without a graph it
gets a list: the program's variables, those of its layers, and the optimizer's slots. It
uses the variables' names, which must therefore be TF1's. Layers and optimizers make their
variables when a step is traced. So the step is traced before.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.backends.direct_steps.chosen_variables import choose
from migrate.backends.direct_steps.made_variables import (
    Made,
    NotKnown,
    is_unconditional,
    read_block,
)
from migrate.backends.direct_steps.program import Program
from migrate.backends.direct_steps.tensors import find_made_function
from migrate.facts import names
from migrate.source.nodes import walk_breadth_first
from migrate.tables import direct_savers as table
from migrate.tables.recurrent import MODULE as CELLS

_RESET = ".compat.v1.reset_default_graph()"


@dataclasses.dataclass
class Saved:
    """The variables that one saver saves.

    Attributes:
      before: the code before the saver, with the reason.
      variables: elements of the list of variables.
      given: the list or dict that the program itself gives, or None.
      moved: the block of the variables, if the saver stands in it and moves to its end.
    """

    before: list[str]
    variables: list[str]
    given: ast.expr | None = None
    moved: ast.With | None = None


@dataclasses.dataclass
class Savers:
    """The variables of all savers of a program, and the variables that get TF1's names.

    The call that keeps initial values is among the savers.
    """

    saved: dict[ast.Call, Saved]
    named: dict[ast.Call, str]


def find_saved(program: Program) -> Savers:
    """Finds the variables of each saver.

    Raises:
      NotKnown: for one of them they are not known.
    """
    return _Savers(program).find()


def list_builders(program: Program) -> list[str]:
    """The steps whose traces make the variables of the program's layers, in their order.

    Raises:
      NotKnown: a layer's variables may be made by none of them.
    """
    return _Savers(program).list_builders()


class _Savers:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._scopes = program.scopes
        self._made: dict[ast.With, Made] = {}

    def find(self) -> Savers:
        found = {}
        prepared: set[ast.With] = set()
        savers = [*self._program.savers.items(), *self._program.kept.items()]
        for call, statement in sorted(savers, key=lambda item: item[1].lineno):
            block, saved = self._read_saver(call, statement)
            if block in prepared:
                saved.before = []  # The saver above has done it.
            elif saved.given is None:
                prepared.add(block)
            found[call] = saved
        self._check_resets(found)
        named: dict[ast.Call, str] = {}
        for made in self._made.values():
            for call, name in made.renamed.items():
                if named.setdefault(call, name) != name:
                    raise NotKnown
        return Savers(found, named)

    def _check_resets(self, found: dict[ast.Call, Saved]) -> None:
        """Checks that an optimizer's steps are all traced before another graph begins.

        An optimizer whose steps are traced on both sides would have slots on each side.
        """
        if not any(_RESET in line for saved in found.values() for line in saved.before):
            return
        savers = {**self._program.savers, **self._program.kept}
        traced = {
            self._find_block(savers[call])
            for call, saved in found.items()
            if saved.given is None
        }
        for block in self._program.blocks:
            if block not in traced and len(list(self._list_steps(block))) > 1:
                raise NotKnown

    def _read_saver(
        self, call: ast.Call, statement: ast.stmt
    ) -> tuple[ast.With, Saved]:
        """Returns the block of a saver's variables, and the variables."""
        block = self._find_block(statement)
        if block not in self._made:
            self._made[block] = read_block(self._program, block)
            if self._made[block].unnamed:
                raise NotKnown
        made = self._made[block]
        self._check_bindings(made, block, statement)
        before, listed = self._list_all(made, block, statement)
        moved = block if statement in block.body else None
        given = names.find_argument(call, "var_list", 0)
        if given is None or names.is_none_constant(given):
            return block, Saved(before, listed, moved=moved)
        if moved is not None:
            raise NotKnown
        match given:
            case ast.Lambda(body=ast.ListComp() as chosen):
                return block, Saved(before, choose(chosen, made, listed))
            case ast.List(elts) | ast.Tuple(elts):
                pass
            case ast.Dict(keys, elts) if all(
                isinstance(k, ast.Constant) and isinstance(k.value, str) for k in keys
            ):
                pass
            case _:
                raise NotKnown
        if not elts or not all(
            isinstance(e, ast.Name) and e.id in made.variables for e in elts
        ):
            raise NotKnown
        return block, Saved([], [], given)

    # -- of which graph a saver is -----------------------------------------------------

    def _find_block(self, statement: ast.stmt) -> ast.With:
        """Returns the block that made the variables of a saver and of its sessions."""
        if len(self._program.blocks) == 1:
            if isinstance(statement, ast.Assign):
                self._check_alone(statement)
            return self._find_only_block(statement)
        if not isinstance(statement, ast.Assign):
            raise NotKnown
        suite = self._find_suite(statement)
        at = suite.index(statement)
        blocks = [i for i, s in enumerate(suite) if s in self._program.blocks]
        earlier = [i for i in blocks if i < at]
        if not earlier:
            raise NotKnown
        first = earlier[-1]
        block = suite[first]
        assert isinstance(block, ast.With)
        home = self._scopes.find_scope(block).node
        # If there are several graphs, it is the last one built before the saver.
        if any(
            self._scopes.find_scope(b).node is home
            and b not in suite
            and not self._excludes(statement, b)
            for b in self._program.blocks
        ):
            raise NotKnown
        end = min([i for i in blocks if i > first], default=len(suite))
        for use in self._list_uses(statement):
            place = self._find_place(use, suite)
            if (
                place is None
                or not at <= place < end
                or self._scopes.find_scope(use).node is not home
            ):
                raise NotKnown
            self._check_session(use, suite, first, place)
        return block

    def _find_only_block(self, statement: ast.stmt) -> ast.With:
        """Returns the only block, if the saver is surely made in or below it, and once."""
        (block,) = self._program.blocks
        if statement in block.body:
            if any(
                use.lineno <= (block.end_lineno or 0)
                for use in self._find_uses(statement)
            ):
                raise NotKnown
            return block
        suite = self._find_suite(block)
        at: ast.stmt = statement
        while at not in suite:
            parent = self._scopes.parents[at]
            if not isinstance(parent, ast.With):
                raise NotKnown
            at = parent
        if suite.index(at) <= suite.index(block):
            raise NotKnown
        return block

    def _check_alone(self, statement: ast.Assign) -> None:
        """Checks that a name stands for one saver only, wherever it is used."""
        target = statement.targets[0]
        assert isinstance(target, ast.Name)
        owner = self._scopes.find_scope(target).find_owner(target.id)
        if owner is None or len(owner.bindings[target.id]) != 1:
            raise NotKnown

    def _find_uses(self, statement: ast.stmt) -> list[ast.Name]:
        """Returns the reads of the name that a statement binds."""
        assert isinstance(statement, ast.Assign)
        target = statement.targets[0]
        assert isinstance(target, ast.Name)
        return [
            node
            for node in self._scopes.walk()
            if isinstance(node, ast.Name)
            and node.id == target.id
            and isinstance(node.ctx, ast.Load)
        ]

    def _list_uses(self, statement: ast.Assign) -> list[ast.Name]:
        """Returns the uses of a statement's saver; elsewhere the name may be another's."""
        target = statement.targets[0]
        assert isinstance(target, ast.Name)
        owner = self._scopes.find_scope(target).find_owner(target.id)
        assert owner is not None
        suite = self._find_suite(statement)
        begins = []
        for other in owner.bindings[target.id]:
            if other in suite:
                assert isinstance(other, ast.stmt)
                begins.append(suite.index(other))
            elif not self._excludes(statement, other):
                raise NotKnown
        at = suite.index(statement)
        end = min([i for i in begins if i > at], default=len(suite))
        found = []
        for node in self._scopes.list_reads(target):
            place = self._find_place(node, suite)
            if place is None and not self._excludes(statement, node):
                raise NotKnown
            if place is not None and at <= place < end:
                found.append(node)
        return found

    def _check_session(
        self, use: ast.Name, suite: list[ast.stmt], first: int, place: int
    ) -> None:
        """Checks that a saver gets a session of the same graph."""
        for call in self._program.saved:
            if not any(n is use for n in walk_breadth_first(call.func)):
                continue
            session = call.args[0]
            if not isinstance(session, ast.Name):
                raise NotKnown
            owner = self._scopes.find_scope(session).find_owner(session.id)
            assert owner is not None
            opened = [
                self._find_place(b, suite)
                for b in owner.bindings[session.id]
                if not self._excludes(use, b)
            ]
            before = [i for i in opened if i is not None and i <= place]
            if None in opened or not before or max(before) <= first:
                raise NotKnown

    def _excludes(self, one: ast.AST, other: ast.AST) -> bool:
        """Whether two nodes are in different branches of one `if`."""
        above: dict[ast.AST, ast.AST] = {}
        at: ast.AST | None = one
        while at is not None:
            parent = self._scopes.parents.get(at)
            if parent is not None:
                above[parent] = at
            at = parent
        at = other
        while at is not None:
            parent = self._scopes.parents.get(at)
            if parent in above:
                return (
                    isinstance(parent, ast.If)
                    and (at in parent.body) != (above[parent] in parent.body)
                    and parent.test not in (at, above[parent])
                )
            at = parent
        return False

    def _find_suite(self, statement: ast.stmt) -> list[ast.stmt]:
        suite = names.find_suite(self._scopes.parents[statement], statement)
        if suite is None:
            raise NotKnown
        return suite

    def _find_place(self, node: ast.AST, suite: list[ast.stmt]) -> int | None:
        at: ast.AST | None = node
        while at is not None:
            if at in suite:
                assert isinstance(at, ast.stmt)
                return suite.index(at)
            at = self._scopes.parents.get(at)
        return None

    def _check_bindings(self, made: Made, block: ast.With, statement: ast.stmt) -> None:
        """Checks that the names still have the block's objects at the saver."""
        scope = self._scopes.find_scope(block)
        until = max(statement.lineno, block.end_lineno or 0)
        for name in (
            *(*made.variables, *made.groups, *made.layers, *made.optimizers),
            *made.networks,
        ):
            owner = self._scopes.find_scope(statement).find_owner(name)
            if owner is not scope.find_owner(name) or owner is None:
                raise NotKnown
            if any(name in s.outer_names for s in self._scopes.scope_by_node.values()):
                raise NotKnown
            lines = [getattr(at, "lineno", 0) for at in owner.bindings[name]]
            if sum(block.lineno <= line <= until for line in lines) != 1:
                raise NotKnown

    # -- what is traced before ---------------------------------------------------------

    def _list_all(
        self, made: Made, block: ast.With, statement: ast.stmt
    ) -> tuple[list[str], list[str]]:
        """Returns the code before the saver, and the list of all variables."""
        home = self._scopes.find_scope(block).node
        slots = [name for name, has_slots in made.optimizers.items() if has_slots]
        once = self._program.runs_once(block)
        lazy = {*made.layers, *slots, *made.networks}
        traced: list[str] = []
        chosen: list[str] = []
        listed: list[str] = []
        applied: list[str] = []
        for step in sorted(self._list_steps(block), key=lambda s: s.lineno):
            every, surely = self._reach(step, made)
            new = lazy & every
            lazy -= new - set(slots)  # Another step may update other variables.
            if not new:
                continue
            networks = new & set(made.networks)
            if not networks <= surely:
                raise NotKnown
            applied += [name for name in slots if name in new]
            if networks:
                listed.append(f"*{step.name}.get_concrete_function().variables")
            else:
                traced.append(f"{step.name}.get_concrete_function()")
            chosen.append(f"{step.name}.get_concrete_function()")
        # In their order.
        traced = chosen if traced and not self._program.traced_in_place else []
        applied = list(dict.fromkeys(applied))
        if lazy - set(slots) or (len(applied) > 1 and self._program.savers):
            raise NotKnown  # Two optimizers number their slots together.
        ordered = {*made.layers, *made.networks}
        for step in self._list_steps(block) if ordered else ():
            for run in self._program.steps[step].runs:
                inside = self._scopes.find_scope(run).node
                if run.lineno < statement.lineno and inside is home:
                    raise NotKnown  # The runs traced it in their order.
        listed += made.variables
        listed += made.groups.values()
        listed += [f"*{name}.variables" for name in made.layers]
        listed += [f"*{name}.variables()" for name in applied]
        if not listed:
            raise NotKnown
        before = []
        if applied and not once and self._program.savers:
            if self._program.traced_in_place:
                raise NotKnown  # The slots have their numbers before.
            tf = self._program.tensorflow
            before += [
                "# Slots are numbered anew, as in a graph of their own.",
                f"{tf}{_RESET}",
            ]
        if traced:
            what = [
                *(["layers' variables"] if made.layers else []),
                *(
                    ["the optimizer's slots" if made.layers else "optimizer's slots"]
                    if applied
                    else []
                ),
            ]
            steps = "step is" if len(traced) == 1 else "steps are"
            before.append(
                f"# The {' and '.join(what)} are made when the {steps} traced."
            )
            before += traced
        return before, listed

    def list_builders(self) -> list[str]:
        if len(self._program.blocks) != 1:
            raise NotKnown
        (block,) = self._program.blocks
        made = read_block(self._program, block, named=False)
        lazy = set(made.layers)
        found = []
        for step in sorted(self._list_steps(block), key=lambda s: s.lineno):
            every, _ = self._reach(step, made)
            if lazy & every:
                found.append(step.name)
            lazy -= every
        if lazy:
            raise NotKnown
        return found

    def _list_steps(self, block: ast.With) -> Iterator[ast.FunctionDef]:
        for step in self._program.steps:
            at: ast.AST | None = step
            while at is not None and at is not block:
                at = self._scopes.parents.get(at)
            if at is block:
                yield step

    def _reach(self, step: ast.FunctionDef, made: Made) -> tuple[set[str], set[str]]:
        """Returns names of the block that a step's code reads, and those it surely reads."""
        every: set[str] = set()
        surely: set[str] = set()
        seen: dict[ast.FunctionDef, bool] = {}
        work = [(step, True)]
        while work:
            function, sure = work.pop()
            if seen.get(function, False) or (function in seen and not sure):
                continue
            seen[function] = sure
            for statement in function.body:
                for node in walk_breadth_first(statement):
                    if isinstance(node, ast.Call) and _may_make(node, self._program):
                        raise NotKnown
                    if not isinstance(node, ast.Name):
                        continue
                    if not isinstance(node.ctx, ast.Load):
                        continue
                    certain = sure and is_unconditional(node, function, self._program)
                    every.add(node.id)
                    if certain:
                        surely.add(node.id)
                    if node.id in made.networks:
                        inner = find_made_function(made.networks[node.id])
                        assert inner is not None
                        work.append((inner, certain))
                    owner = self._scopes.find_scope(node).find_owner(node.id)
                    match owner.bindings[node.id] if owner else []:
                        case [ast.FunctionDef() as called]:
                            work.append((called, certain))
        return every, surely


def _may_make(call: ast.Call, program: Program) -> bool:
    """Whether a call of a step's code may make a variable.

    Besides TensorFlow and the module of cells, a step calls no other modules (`tracing.py`).
    """
    symbol = program.scopes.resolve(call.func) or ""
    path = program.scopes.import_path(call.func)
    return symbol.startswith(table.MAKE_VARIABLES) or path.startswith(f"{CELLS}.")
