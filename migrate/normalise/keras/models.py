"""Keras's models and layers in a program's text, as the steps that write them out see them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.normalise.feeds.view import View
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_graphs

_UPDATES = frozenset({"add_update", "assign", "assign_add", "assign_sub", "add_metric"})
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.alias)


class Models:
    """One text's models and layers of `tf.keras`."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._scopes: Scopes = view.scopes
        used = {symbol for _, symbol in view.scopes.walk_uses()}
        # Whether a layer may have updates to run: batch normalisation, say.
        self.updates = bool(
            used & (keras_graphs.UPDATING | keras_graphs.RECURRENT)
        ) or (
            any(s.startswith("tf.keras.applications.") for s in used)
            or any(
                isinstance(n, ast.Attribute) and n.attr in _UPDATES
                for owner in self._classes
                for n in walk_breadth_first(owner)
            )
        )
        # Whether a layer may compute another thing while training.
        self.by_phase = self.updates or bool(used & keras_graphs.BY_PHASE)
        self.tensorflow = next(
            (
                name
                for name in self._scopes.module.bindings
                if self._scopes.find_imported_path(name) == "tensorflow"
            ),
            None,
        )

    @functools.cached_property
    def _classes(self) -> list[ast.ClassDef]:
        """The program's own classes of models and layers."""
        return [
            node
            for node in walk_breadth_first(self._view.tree)
            if isinstance(node, ast.ClassDef)
            and any(
                (symbol := self._scopes.resolve(base) or "") in keras_graphs.MODELS
                or keras_graphs.makes_layer(symbol)
                for base in node.bases
            )
        ]

    def _asks(self, owner: ast.ClassDef) -> bool:
        """Whether a class of layers may compute another thing while training."""
        own = {c.name for c in self._classes}
        return any(
            self._scopes.resolve(node) in keras_graphs.BY_PHASE | keras_graphs.UPDATING
            or isinstance(node, ast.Name)
            and (node.id in own - {owner.name} or self._names_keras(node))
            for node in walk_breadth_first(owner)
            if isinstance(node, (ast.Name, ast.Attribute))
        )

    def find_binding(self, node: ast.expr) -> ast.Assign | None:
        """The only statement that binds a name, if it is a plain assignment to it."""
        if not isinstance(node, ast.Name):
            return None
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        if len(bound) != 1 or not isinstance(bound[0], ast.Assign):
            return None
        targets = bound[0].targets
        single = len(targets) == 1 and isinstance(targets[0], ast.Name)
        return bound[0] if single else None

    def find_definition(self, node: ast.expr) -> ast.FunctionDef | None:
        """The function of the file that is called by a name."""
        if not isinstance(node, ast.Name):
            return None
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        found = bound[0] if len(bound) == 1 else None
        return found if isinstance(found, ast.FunctionDef) else None

    def makes_model(self, node: ast.expr | None) -> bool:
        """Whether an expression makes a model, itself or by a function of the file."""
        if not isinstance(node, ast.Call):
            return False
        symbol = self._scopes.resolve(node.func) or ""
        if symbol in keras_graphs.MODELS or symbol.startswith("tf.keras.applications."):
            return True
        function = self.find_definition(node.func)
        if function is None:
            return False
        returns = [
            n.value
            for n in walk_breadth_first(function)
            if isinstance(n, ast.Return) and self._view.find_function(n) is function
        ]
        return bool(returns) and all(
            value is not None and (self.makes_model(value) or self.is_model(value))
            for value in returns
        )

    def is_model(self, node: ast.expr) -> bool:
        made = self.find_binding(node)
        return made is not None and self.makes_model(made.value)

    def _is_layer(self, node: ast.expr) -> bool:
        """Whether it is a layer, or makes one, that is another one while training."""
        made = node if isinstance(node, ast.Call) else None
        if made is None:
            bound = self.find_binding(node)
            value = bound.value if bound is not None else None
            made = value if isinstance(value, ast.Call) else None
        if made is None:
            return False
        symbol = self._scopes.resolve(made.func)
        return symbol in keras_graphs.BY_PHASE | keras_graphs.UPDATING

    def find_applications(self) -> Iterator[ast.Call]:
        """Calls of models, and of layers, that may compute another thing while training."""
        if not self.by_phase:
            return
        for node in walk_breadth_first(self._view.tree):
            if isinstance(node, ast.Call) and node.args:
                if self._is_symbolic(node):
                    continue  # A part of a model, which is told when it is called.
                if self._is_layer(node.func) or (
                    self.is_model(node.func) or self.makes_model(node.func)
                ):
                    yield node

    def _is_symbolic(self, node: ast.AST) -> bool:
        """Whether it is computed from the inputs of a model that is being made."""
        return any(
            (
                isinstance(inner, ast.Call)
                and self._scopes.resolve(inner.func) in keras_graphs.INPUTS
            )
            or (
                isinstance(inner, ast.Name)
                and (self._view.find_function(inner), inner.id) in self._symbolic_names
            )
            for inner in walk_breadth_first(node)
        )

    @functools.cached_property
    def _symbolic_names(self) -> set[tuple[ast.AST, str]]:
        """Finds names of values computed from model inputs, with their functions."""
        found: set[tuple[ast.AST, str]] = set()
        self.__dict__["_symbolic_names"] = found  # What is known of them so far.
        assigned = [
            n for n in walk_breadth_first(self._view.tree) if isinstance(n, ast.Assign)
        ]
        count = -1
        while count != len(found):
            count = len(found)
            for statement in assigned:
                if self.makes_model(statement.value):
                    continue
                if self._is_symbolic(statement.value):
                    function = self._view.find_function(statement)
                    found |= {(function, name) for name in names.find_binds(statement)}
        return found

    def has_unseen(self) -> bool:
        """Whether a model or layer may be called that is not seen to be one."""
        kept = {
            target.attr
            for node in walk_breadth_first(self._view.tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Attribute)
        }
        if any(self._asks(owner) for owner in self._classes):
            return True
        inside = {n for owner in self._classes for n in walk_breadth_first(owner)}
        quiet = {owner.name for owner in self._classes}
        for node in walk_breadth_first(self._view.tree):
            if not isinstance(node, ast.Call) or not node.args or node in inside:
                continue
            func = node.func
            if isinstance(func, ast.Subscript):
                return True
            if isinstance(func, ast.Attribute) and (
                func.attr in kept or func.attr in ("call", "get_layer")
            ):
                return True
            if isinstance(func, ast.Name):
                owner = self._scopes.find_scope(func).find_owner(func.id)
                bound = owner.bindings.get(func.id, []) if owner is not None else []
                made = self.find_binding(func)
                value = made.value if made is not None else None
                if isinstance(value, ast.Call) and names.find_key(value.func) in quiet:
                    continue
                if any(not isinstance(b, _DEFINITIONS) for b in bound) and not (
                    self.is_model(func) or self._is_keras_class(func)
                ):
                    return True
        return any(
            isinstance(node, ast.Attribute)
            and node.attr in ("input", "output", "inputs", "outputs")
            for node in walk_breadth_first(self._view.tree)
        )

    def _is_keras_class(self, name: ast.Name) -> bool:
        """Whether a name is that of a layer's class, or of a layer that is seen."""
        made = self.find_binding(name)
        if made is None:
            return False
        value = made.value.func if isinstance(made.value, ast.Call) else made.value
        symbol = self._scopes.resolve(value) or self._scopes.resolve(name) or ""
        return symbol.startswith("tf.") or symbol in ("tf",)

    def may_make(self, call: ast.Call) -> bool:
        """Whether a call may make or apply a layer."""
        symbol = self._scopes.resolve(call.func) or ""
        if symbol.startswith("tf.keras."):
            return not symbol.startswith(keras_graphs.PLAIN)
        return symbol == "" and (
            self.find_definition(call.func) is None
            and isinstance(call.func, ast.Name)
            and self.find_binding(call.func) is not None
            or self._names_keras(call.func)
        )

    def _names_keras(self, node: ast.expr) -> bool:
        """Whether it is a function of the file that names Keras."""
        function = self.find_definition(node)
        return function is not None and any(
            (self._scopes.resolve(n) or "").startswith("tf.keras.")
            for n in walk_breadth_first(function)
            if isinstance(n, (ast.Name, ast.Attribute))
        )
