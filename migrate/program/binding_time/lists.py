"""Lists, dicts and tuples of what the graph is made of."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.program import ir
from migrate.program.binding_time.state import State
from migrate.program.ir import Kind
from migrate.tables import roles


class Lists(State):
    """Tells a list of variables from one variable."""

    def _is_one_variable(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            symbol = self.scopes.resolve(value.func) or ""
            if symbol in roles.VARIABLES or symbol in roles.GLOBAL_STEPS:
                return True
            # A helper that returns what it makes.
            return symbol == "" and not self._find_tuple_kinds(value)
        return names.find_key(value) in self.singles

    def _is_dict(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name):
            return False
        owner = self.scopes.find_scope(node).find_owner(node.id)
        return owner is not None and any(
            isinstance(bound, ast.Assign) and isinstance(bound.value, ast.Dict)
            for bound in owner.bindings.get(node.id, [])
        )

    def _is_list_of_variables(self, node: ast.expr) -> bool:
        """`first + second` and `variables[2:]` of lists."""
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Slice) and self._is_list(node.value)
        return (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and self._is_list(node.left)
            and self._is_list(node.right)
        )

    def _is_list(self, node: ast.expr) -> bool:
        if isinstance(node, (ast.List, ast.ListComp)):
            return True
        if isinstance(node, ast.Call):
            symbol = self.scopes.resolve(node.func)
            return symbol in roles.TRAINABLE or symbol == "tf.get_collection"
        if isinstance(node, (ast.BinOp, ast.Subscript)):
            return self._is_list_of_variables(node)
        return names.find_key(node) in self.lists

    def _rewrite_identity(self, node: ast.Compare) -> None:
        """`v in variables`: TF1 compared objects, TF2 compares values."""
        if not isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Eq, ast.NotEq)):
            return
        of_graph = (*ir.STEP_KINDS, Kind.VARIABLE)
        left = self.find_kind(node.left)
        right = self.find_kind(node.comparators[0])
        if left in of_graph and (right in of_graph or right is Kind.HOST):
            if isinstance(node.ops[0], (ast.In, ast.NotIn)) or right in of_graph:
                self.identities.append(node)

    def _check_hashed_keys(self, keys: list[ast.expr]) -> None:
        for key in keys:
            if self.find_kind(key) is Kind.VARIABLE:
                self._hash_refused(key)

    def _hash_refused(self, node: ast.expr) -> None:
        self.diagnostics.refuse(
            "V127",
            node,
            "the program uses variables as keys of a dict or elements of a set, "
            "but variables of TensorFlow 2 cannot be hashed",
            "Use the variables' names, their ref(), or their positions in a list.",
        )
