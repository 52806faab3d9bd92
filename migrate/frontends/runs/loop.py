"""Reads the session's own statements: the runs, and the session's names."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.helpers import Helper
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions import plain as plain_sessions
from migrate.source.nodes import walk_breadth_first


class Loop:
    """The code after the graph: the session's statement, and the functions that run the session.

    Attributes:
      session: the call that opens the session.
      name: the session's name.
      session_names: the names of all the file's sessions.
      driver: the function, or the module, that opens the session.
      tail: the session's statement, the statements after it, and the helpers.
    """

    def __init__(
        self,
        scopes: Scopes,
        session: ast.Call,
        name: str,
        tail: list[ast.stmt],
        others: tuple[ast.Call, ...] = (),
        helpers: tuple[Helper, ...] = (),
    ) -> None:
        self._scopes = scopes
        self.session = session
        self.name = name
        self._others = others
        more = [plain_sessions.find_name(scopes, call) for call in others]
        self.session_names = frozenset([name, *[n for n in more if n]])
        self.driver = next(
            node
            for node in self._scopes.walk_above(session)
            if isinstance(node, (ast.FunctionDef, ast.Module))
        )
        self.tail = [*tail, *[helper.node for helper in helpers]]
        self._helper_of = {n: h for h in helpers for n in walk_breadth_first(h.node)}

    def is_run(self, node: ast.Call) -> bool:
        """Whether a call runs the session."""
        helper = self._helper_of.get(node)
        sessions = helper.sessions if helper is not None else self.session_names
        return (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in ("run", "run_step_fn")
            and names.find_key(node.func.value) in sessions
        )

    def is_in_another(self, node: ast.Call) -> bool:
        """Whether a call stands in the block of a session behind the first one."""
        openings = {
            self._scopes.parents[self._scopes.parents[call]] for call in self._others
        }
        return any(above in openings for above in self._scopes.walk_above(node))

    def list_calls(self) -> list[ast.Call]:
        """Lists every call that runs the session, in the order of the tree."""
        return [
            node
            for statement in self.tail
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.Call) and self.is_run(node)
        ]

    def is_of_comprehension(self, node: ast.AST) -> bool:
        """Whether a node's name is the loop variable of a comprehension."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        owner = self._scopes.find_scope(node).find_owner(node.id)
        return owner is not None and hasattr(owner.node, "generators")

    def find_own_names(self, node: ast.AST) -> set[str]:
        """The local names of the functions around a run, without the driver's."""
        found: set[str] = set()
        while node in self._scopes.parents:
            node = self._scopes.parents[node]
            if isinstance(node, ast.FunctionDef) and node is not self.driver:
                found |= Helper(node, frozenset()).find_own_names()
        return found

    def find_statement(self, call: ast.Call) -> ast.stmt:
        """The statement that a call stands in."""
        return names.find_statement(self._scopes.parents, call)

    def repeats(self, node: ast.AST) -> bool:
        """Whether a node is in a loop."""
        parent = self._scopes.parents.get(node)
        while parent is not None and not isinstance(parent, ast.FunctionDef):
            if isinstance(parent, (ast.For, ast.While)):
                return True
            parent = self._scopes.parents.get(parent)
        return False
