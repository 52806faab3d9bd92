"""`tf.gradients`: by variables it becomes the tape's, and by tensors of a step it stays."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.reach import find_definitions
from migrate.program import ir
from migrate.program.binding_time.optimizers import Optimizers
from migrate.program.code import make_code
from migrate.program.ir import Kind
from migrate.source.nodes import list_children
from migrate.tables import roles


class Gradients(Optimizers):
    """Calls of `tf.gradients`, and what the program does with their results."""

    def _classify_gradients(self, call: ast.Call) -> Kind:
        self._classify_arguments(call)
        bound = names.bind_arguments(call, roles.GRADIENTS_PARAMETERS)
        if bound is None or not {"ys", "xs"} <= set(bound):
            self.diagnostics.refuse(
                "N151",
                call,
                "the tool cannot tell this call's arguments apart",
                "Write its arguments out, without * and **.",
            )
        elif self._lists_tensors(bound["xs"]):
            # A step function is traced into a graph, where tf.gradients works.
            self.tensor_gradients.add(call)
            return Kind.TENSOR
        elif self.find_kind(
            bound["xs"]
        ) is not Kind.VARIABLE and not self._lists_variables(bound["xs"]):
            self.diagnostics.refuse(
                "O117",
                call,
                "the tool cannot tell by which variables or tensors the program "
                "computes these gradients",
                "Name them, and give variables and tensors to calls of their own: "
                "`tf.gradients(y, [w, b])`, `tf.gradients(y, [x])`.",
                "tf.gradients",
            )
        elif self.find_kind(bound["xs"]) is not Kind.VARIABLE and self._may_go_by_place(
            call
        ):
            self.diagnostics.refuse(
                "O117",
                call,
                "the program takes gradients by all trainable variables, and uses "
                "the list for more than zip and clipping. Layers make their "
                "variables in the first steps, so the list may be shorter or in "
                "another order",
                "Name the variables in tf.gradients, or use the gradients only by "
                "zip(gradients, variables).",
                "tf.gradients",
            )
        elif names.is_given(bound.get("stop_gradients")):
            self.diagnostics.refuse(
                "O117",
                call,
                "a tape has no stop_gradients",
                "Use tf.stop_gradient where you compute the tensors.",
                "tf.gradients",
            )
        self._update = ir.Update(
            "gradients",
            make_code(),
            names.find_argument(call, "ys", 0),
            None,
            None,
            None,
            "",
        )
        return Kind.GRADIENTS

    def _lists_tensors(self, node: ast.expr) -> bool:
        """Whether it is a tensor that a step computes or gets, or a list of such."""
        elements = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
        of_a_step = {Kind.TENSOR, Kind.PLACEHOLDER, Kind.ELEMENT}
        return bool(elements) and all(
            self.find_kind(e) in of_a_step and not self._may_list_variables(e, set())
            for e in elements
        )

    def _may_list_variables(self, node: ast.AST, seen: set[ast.AST]) -> bool:
        """Whether a value may be taken from a list of the graph's variables.

        xs = [v for v in variables if "top" in v.name][1:]
        """
        if node in seen:
            return False
        seen.add(node)
        if isinstance(node, ast.Call):
            symbol = self.scopes.resolve(node.func)
            if symbol is not None:
                listed = roles.TRAINABLE | roles.GLOBAL | {"tf.get_collection"}
                return symbol in listed
            made = (
                find_definitions(self.scopes, node.func)
                if isinstance(node.func, ast.Name)
                else []
            )
            inside = [n for f in made for n in ast.walk(f) if isinstance(n, ast.Call)]
            return any(self._may_list_variables(n, seen) for n in inside)
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant)):
            return False  # It computes a tensor.
        if isinstance(node, ast.Name):
            owner = self.scopes.find_scope(node).find_owner(node.id)
            bound = owner.bindings.get(node.id, []) if owner is not None else []
            return any(
                self._may_list_variables(b.value, seen)
                for b in bound
                if isinstance(b, ast.Assign)
            )
        return any(
            self._may_list_variables(child, seen) for child in list_children(node)
        )

    def _lists_variables(self, node: ast.expr) -> bool:
        """Whether it is a list of all trainable variables, which the step makes late.

        xs = tf.trainable_variables()
        """
        if isinstance(node, ast.Name):
            owner = self.scopes.find_scope(node).find_owner(node.id)
            bound = owner.bindings.get(node.id, []) if owner is not None else []
            if len(bound) != 1 or not isinstance(bound[0], ast.Assign):
                return False
            node = bound[0].value
        return (
            isinstance(node, ast.Call)
            and self.scopes.resolve(node.func) in roles.TRAINABLE
            and self.find_kind(node) is self.listed
        )

    def _may_go_by_place(self, gradients: ast.expr) -> bool:
        """Whether a list of gradients may be used by its length or its order."""
        seen: set[str] = set()
        uses: list[ast.AST] = [gradients]
        while uses:
            node = uses.pop()
            above = self.scopes.parents.get(node)
            while isinstance(above, ast.Call) and self._keeps_pairs(above, node):
                if isinstance(above.func, ast.Attribute) and (
                    above.func.attr == "apply_gradients"
                ):
                    break
                node, above = above, self.scopes.parents.get(above)
            if isinstance(above, ast.Call) and self._keeps_pairs(above, node):
                continue  # Applied.
            if isinstance(above, ast.For) and above.iter is node:
                continue
            if isinstance(above, ast.comprehension):
                listed = self.scopes.parents.get(above)
                if not isinstance(listed, ast.ListComp) or above.ifs:
                    return True
                uses.append(listed)
                continue
            if not isinstance(above, ast.Assign):
                return True
            clipped = (
                isinstance(node, ast.Call)
                and self.scopes.resolve(node.func) == "tf.clip_by_global_norm"
            )
            for target in above.targets:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                name = names.find_key(parts[0])
                if (len(parts) > 1) is not clipped or name is None:
                    return True
                if name not in seen:
                    seen.add(name)
                    uses.extend(
                        n
                        for n in self.scopes.walk()
                        if isinstance(n, (ast.Name, ast.Attribute))
                        and isinstance(n.ctx, ast.Load)
                        and names.find_key(n) == name
                    )
        return False

    def _keeps_pairs(self, call: ast.Call, argument: ast.AST) -> bool:
        """Whether a call takes each gradient with its variable, in any order."""
        if argument not in call.args:
            return False
        if isinstance(call.func, ast.Name) and call.func.id == "zip":
            # With the variables that they are of, which the step lists like them.
            others = [a for a in call.args if a is not argument]
            return all(self._lists_variables(a) for a in others)
        if isinstance(call.func, ast.Name):
            return call.func.id == "list"
        if isinstance(call.func, ast.Attribute) and call.func.attr == "apply_gradients":
            return True
        return self.scopes.resolve(call.func) == "tf.clip_by_global_norm"
