"""Finds the functions that a name may stand for, if the program chooses among them.

if params["activation"] == "relu":          loss_fn = {"huber": tf.losses.huber_loss,
    activation = tf.nn.relu                            "hinge": tf.losses.hinge_loss}[name]
else:
    activation = tf.nn.tanh                 loss = loss_fn(labels, logits)
net = activation(net)
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.facts.trees.joined import Joined
from migrate.frontends.model_fn.choices import Given
from migrate.frontends.model_fn.modes import NotSplit

# A symbol of TensorFlow, or a function of the file.
Chosen = str | ast.FunctionDef


def find_chosen_functions(node: ast.expr, scopes: Scopes) -> set[Chosen]:
    """The functions that an expression may be; empty if that is not known."""
    try:
        found = _Search(scopes).run(node)
    except NotSplit:
        return set()
    return set() if found is None else found


class _Search:
    """One search, which follows every option."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes, self._given = scopes, Given(scopes)
        self._seen: set[ast.AST] = set()

    def run(self, node: ast.expr) -> set[Chosen] | None:
        """The functions; None if one is not known."""
        if node in self._seen:
            return None
        self._seen.add(node)
        if isinstance(node, ast.Constant) and node.value is None:
            return set()  # No function: it is not called.
        if (symbol := self._scopes.resolve(node)) is not None:
            return {symbol} if symbol.startswith("tf.") else None
        if not self._is_told(node) and (options := self._given.list_options(node)):
            return self._search_all(options)
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            bound = owner.bindings[node.id] if owner is not None else []
            if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
                return {bound[0]}
            if len(bound) == 1 and isinstance(bound[0], ast.Assign):
                (target, *others) = bound[0].targets
                if not others and isinstance(target, ast.Name):
                    return self.run(bound[0].value)
        if isinstance(node, ast.Call):
            function = self._scopes.find_function(node.func)
            if isinstance(function, ast.FunctionDef):
                return self._search_all(_find_returned_values(function))
        return None

    def _is_told(self, node: ast.expr) -> bool:
        """Whether it is a parameter whose function other files may call."""
        if not isinstance(self._scopes, Joined) or not isinstance(node, ast.Name):
            return False
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings[node.id] if owner is not None else []
        return any(isinstance(one, ast.arg) for one in bound)

    def _search_all(self, options: list[ast.expr]) -> set[Chosen] | None:
        every: set[Chosen] = set()
        for option in options:
            found = self.run(option)
            if found is None:
                return None
            every |= found
        return every


def _find_returned_values(function: ast.FunctionDef) -> list[ast.expr]:
    """Lists the expressions that a function returns."""
    return [
        node.value
        for node in names.walk_scope_of_function(function)
        if isinstance(node, ast.Return) and node.value is not None
    ]
