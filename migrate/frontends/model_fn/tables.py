"""Lookup tables of a model_fn: what a Keras model makes once, and its steps look up in.

A table is made of plain values, so that nothing that is fed decides what it holds: of
parameters, of names around the model_fn, or of names that are bound once to such values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.reach import find_reached
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, Straight
from migrate.program.keras_layers import Table
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table


class Tables:
    """Finds the tables of one model_fn.

    Args:
      known: parameters that the model is made with.
      values: what is known in each mode.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        known: set[str],
        values: dict[str, ModeValues],
    ) -> None:
        self._function, self._scopes = function, scopes
        self._known = known
        self._decided = {n for v in values.values() for n in v.decided}
        self._local = scopes.scope_by_node[function]

    def take_tables(self, lines: dict[str, Straight]) -> tuple[Table, ...]:
        """The tables; what makes them is taken off the lines.

        Raises:
          NotSplit: one is made of what is fed, or used otherwise than to look up.
        """
        found: dict[str, Table] = {}
        gone: set[ast.stmt] = set()
        for line in lines.values():
            for unit in line.units:
                if unit.statement in gone or not self._makes(unit.statement):
                    continue
                made = self._make_table(unit, line.units[: line.units.index(unit)])
                before = found.setdefault(made.name, made)
                if ast.dump(before.call) != ast.dump(made.call):
                    raise NotSplit(
                        unit.statement,
                        f"`{made.name}` is the name of several lookup tables",
                    )
                gone.add(unit.statement)
        for name in found:
            self._check_uses(name, gone)
        for line in lines.values():
            line.units = [u for u in line.units if u.statement not in gone]
        return tuple(found.values())

    def _makes(self, statement: ast.stmt) -> bool:
        value = statement.value if isinstance(statement, ast.Assign) else None
        return (
            isinstance(value, ast.Call)
            and self._scopes.resolve(value.func) in table.TABLES
        )

    def _make_table(self, unit: Unit, before: list[Unit]) -> Table:
        statement = unit.statement
        assert isinstance(statement, ast.Assign)
        call = statement.value
        assert isinstance(call, ast.Call)
        target = statement.targets[0]
        if len(statement.targets) > 1 or not isinstance(target, ast.Name):
            raise NotSplit(statement, "a lookup table is not assigned to one name")
        return Table(
            target.id, call, unit, tuple(self._find_plain_statements(call, before))
        )

    def _find_plain_statements(self, call: ast.expr, before: list[Unit]) -> list[Unit]:
        """Statements that bind what a table is made of, in their order.

        Args:
          before: what the mode runs before.
        """
        self._check_value(call)
        found: list[Unit] = []
        for name in sorted(self._read(call)):
            makers = [u for u in before if name in names.find_binds(u.statement)]
            value = getattr(makers[0].statement, "value", None) if makers else None
            if (
                len(makers) != 1
                or not isinstance(makers[0].statement, ast.Assign)
                or not isinstance(value, ast.expr)
                or len(self._local.bindings[name]) != 1
                or self._is_changed(name)
            ):
                raise NotSplit(
                    call,
                    f"a lookup table is made from `{name}`, which the tool "
                    "cannot compute before the step",
                )
            earlier = before[: before.index(makers[0])]
            found += [*self._find_plain_statements(value, earlier), makers[0]]
        return [u for u in before if u in found]

    def _is_changed(self, name: str) -> bool:
        """Whether something adds to what a name holds."""
        return any(
            name == changed.partition(".")[0]
            for statement in self._function.body
            for changed in names.find_mutations(statement)
        )

    def _read(self, node: ast.expr) -> set[str]:
        """Returns the model_fn's own names that a value reads, without known ones."""
        read = {
            n.id
            for n in walk_breadth_first(node)
            if isinstance(n, ast.Name)
            and isinstance(n.ctx, ast.Load)
            and self._scopes.find_scope(n).find_owner(n.id) is self._local
        }
        return {
            n for n in read if n not in self._known or len(self._local.bindings[n]) > 1
        }

    def _check_value(self, node: ast.expr) -> None:
        """Fails if a value is not known before there is anything fed."""
        read = names.find_reads(node) & self._decided
        if read:
            raise NotSplit(
                node,
                f"a lookup table is made from `{sorted(read)[0]}`, which "
                "depends on the mode or the step",
            )
        functions = find_reached(self._scopes, [node])
        for part in (node, *functions):
            for _, symbol in find_uses(part, self._scopes):
                plain = symbol in table.VALUES or symbol.startswith(table.HOST)
                if not plain and symbol not in table.OF_TABLES:
                    raise NotSplit(node, f"a lookup table is made with {symbol}")

    def _check_uses(self, name: str, made: Iterable[ast.stmt]) -> None:
        """Fails if a table has other uses than look-ups, or may be another thing."""
        own = {id(n) for statement in made for n in statement.targets}  # type: ignore[attr-defined]
        for node in walk_breadth_first(self._function):
            if not isinstance(node, ast.Name) or node.id != name:
                continue
            if id(node) in own:
                continue
            if self._scopes.find_scope(node).find_owner(node.id) is not self._local:
                continue
            above = self._scopes.parents.get(node)
            call = self._scopes.parents.get(above) if above is not None else None
            if (
                not isinstance(node.ctx, ast.Load)
                or not isinstance(above, ast.Attribute)
                or above.attr not in table.TABLE_METHODS
                or not isinstance(call, ast.Call)
                or call.func is not above
            ):
                raise NotSplit(
                    node, f"it uses the lookup table `{name}` for more than lookups"
                )
