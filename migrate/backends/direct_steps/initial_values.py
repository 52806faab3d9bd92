"""Writes the list of the variables' initial values, and the loops that assign these again.

    initial_values = [(variable, variable.numpy()) for variable in [w, b]]
    ...
    for variable, value in initial_values:
        variable.assign(value)

Where no step has run since, the variables still have these values, and nothing is written.
"""

from __future__ import annotations

import ast

from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.backends.direct_steps.program import Program
from migrate.backends.direct_steps.savers import Saved
from migrate.backends.direct_steps.written_savers import write_list
from migrate.facts import names
from migrate.plan import Dropped, Item, New
from migrate.program.code import make_code

_LIST = "initial_values"
# Names for one of these, of which the first is taken that the program does not have.
_VALUES = ("value", "initial_value", "initial")


class InitialValues:
    """The initial values of a program's variables.

    Args:
      statement: where they are kept.
      column: where its lines will begin.
      width: of the lines.
    """

    def __init__(
        self, program: Program, statement: ast.Expr, column: int, width: int
    ) -> None:
        self._program = program
        self._scopes = program.scopes
        self._statement = statement
        self._column, self._width = column, width

    def write(self, saved: Saved) -> dict[ast.stmt, list[Item]]:
        """Writes the statement that keeps them, and those that assign them again.

        Raises:
          NotKnown: the variables are not known there, or the list is not where they begin
            anew; or the program has its names.
        """
        taken = {n.id for n in self._scopes.walk() if isinstance(n, ast.Name)}
        name = next((n for n in _VALUES if n not in taken), None)
        if name is None or taken & {_LIST, "variable"} or saved.moved is not None:
            raise NotKnown
        parts = ["(variable, variable.numpy())", f"for variable in {write_list(saved)}"]
        kept = f"{_LIST} = [{' '.join(parts)}]"
        if self._column + len(kept) > self._width:
            kept = f"{_LIST} = [\n    {parts[0]}\n    {parts[1]}\n]"
        lines = "\n".join([*saved.before, kept])
        again = f"for variable, {name} in {_LIST}:\n    variable.assign({name})"
        new: dict[ast.stmt, list[Item]] = {
            self._statement: [New(make_code("\n", lines), self._statement)]
        }
        begins = sorted(self._program.initialized, key=lambda s: s.lineno)
        for place, at in enumerate(begins):
            if not self._sees_list(at) or at.lineno < self._statement.lineno:
                raise NotKnown
            first = place == 0 and self._is_first(at)
            new[at] = [Dropped(at) if first else New(make_code(again), at)]
        return new

    def _sees_list(self, statement: ast.Expr) -> bool:
        """Whether a statement stands in the list's scope, or this is the module."""
        home = self._scopes.find_scope(self._statement.value).node
        if isinstance(home, ast.Module):
            return True
        return self._scopes.find_scope(statement.value).node is home

    def _is_first(self, statement: ast.stmt) -> bool:
        """Whether a statement runs once, below the list, with no step in between."""
        other = self._statement
        suite = names.find_suite(self._scopes.parents[other], other)
        at: ast.AST = statement
        while suite is not None and at not in suite:
            at = self._scopes.parents[at]
            if not isinstance(at, ast.With):
                return False
        between = [
            n
            for n in self._scopes.walk()
            if isinstance(n, ast.Call)
            and other.lineno < n.lineno < statement.lineno
            # What a function calls is known where the function is called.
            and self._scopes.find_scope(n) is self._scopes.find_scope(other)
        ]
        return suite is not None and all(map(self._is_foreign, between))

    def _is_foreign(self, call: ast.Call) -> bool:
        """Whether it calls a built-in function, or one of an imported module."""
        if isinstance(call.func, ast.Name):
            scope = self._scopes.find_scope(call.func)
            if scope.find_owner(call.func.id) is None:
                return True
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "Session":
            return True
        return bool(self._scopes.import_path(call.func))
