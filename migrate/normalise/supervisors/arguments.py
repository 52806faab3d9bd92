"""Reads a Supervisor's arguments: those that a session needs, and the others."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.initial_operations import does_more, feeds_first_values
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import supervisor as table
from migrate.tables.scaffolds import OPERATIONS


class Unclear(Exception):
    """The program uses its Supervisor in a way that has no such form."""


class Arguments:
    """Reads the arguments of a program's Supervisor."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes

    def select_arguments(self, statement: ast.Assign) -> dict[str, ast.expr]:
        """The arguments that a session needs, by name."""
        assert isinstance(statement.value, ast.Call)
        bound = names.bind_arguments(statement.value, table.PARAMETERS)
        if bound is None:
            raise Unclear
        kept: dict[str, ast.expr] = {}
        for name, value in bound.items():
            if name in OPERATIONS and does_more(value, name, self._scopes):
                kept[name] = value  # The session's Scaffold says what is lost.
                continue
            if name in table.DROPPED:
                continue
            if name == "graph" and self._is_the_graph(value):
                continue
            if name == "session_manager" and self._is_plain_manager(value):
                continue
            if name == "init_feed_dict" and not feeds_first_values(value, self._scopes):
                continue
            if name in table.REFUSED_UNLESS:
                if names.read_literal(value) not in table.REFUSED_UNLESS[name] or not (
                    isinstance(value, ast.Constant)
                ):
                    raise Unclear
                continue
            kept[name] = value
        return kept

    def _is_plain_manager(self, value: ast.expr) -> bool:
        """`tf.train.SessionManager()`, which waits and restores as the session does."""
        return (
            isinstance(value, ast.Call)
            and self._scopes.resolve(value.func) == "tf.train.SessionManager"
            and not value.args
            and all(k.arg in table.MANAGER_DROPPED for k in value.keywords)
        )

    def _is_the_graph(self, value: ast.expr) -> bool:
        """Whether a value is the one graph of the program."""
        made = self._scopes.list_calls("tf.Graph")
        if isinstance(value, ast.Call):
            return not made and (
                self._scopes.resolve(value.func) == "tf.get_default_graph"
            )
        if isinstance(value, ast.Attribute) and len(made) == 1:
            return self._is_kept_graph(value.attr, made[0])
        if not isinstance(value, ast.Name) or len(made) > 1:
            return False
        owner = self._scopes.find_scope(value).find_owner(value.id)
        bindings = owner.bindings[value.id] if owner is not None else []
        graphs = ("tf.Graph", "tf.get_default_graph")
        return len(bindings) == 1 and (
            isinstance(bindings[0], ast.Assign)
            and isinstance(bindings[0].value, ast.Call)
            and self._scopes.resolve(bindings[0].value.func) in graphs
        )

    def _is_kept_graph(self, attribute: str, made: ast.Call) -> bool:
        """Whether an attribute is always the graph that the program's one object made."""
        whose: ast.AST = made
        while not isinstance(whose, (ast.ClassDef, ast.Module)):
            whose = self._scopes.parents[whose]
        stores = [
            self._scopes.parents[node]
            for node in walk_breadth_first(self._scopes.tree)
            if isinstance(node, ast.Attribute)
            and node.attr == attribute
            and isinstance(node.ctx, ast.Store)
        ]
        objects = [
            node
            for node in walk_breadth_first(self._scopes.tree)
            if isinstance(whose, ast.ClassDef)
            and isinstance(node, ast.Name)
            and node.id == whose.name
        ]
        return len(objects) == 1 and stores == [self._scopes.parents[made]]

    def merges_all(self, value: ast.expr) -> bool:
        """Whether it is the merged summary of everything, made before."""
        if not isinstance(value, ast.Name):
            return False
        owner = self._scopes.find_scope(value).find_owner(value.id)
        bindings = owner.bindings[value.id] if owner is not None else []
        return bool(bindings) and all(
            isinstance(b, ast.Assign)
            and isinstance(b.value, ast.Call)
            and self._scopes.resolve(b.value.func)
            in ("tf.summary.merge_all", "tf.merge_all_summaries")
            for b in bindings
        )
