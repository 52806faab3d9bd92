"""Assignments: what a name is from here on."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.program import ir
from migrate.program.binding_time.expressions import Expressions
from migrate.program.binding_time.lattice import join
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables.worker_state import MUTATORS


class Assignments(Expressions):
    """Binds names to kinds."""

    def _analyse_assignment(
        self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, flow: Flow
    ) -> None:
        if statement.value is None:
            return
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [statement.target]
        )
        self._target_hint = names.find_key(targets[0]) or ""
        kind = self.classify_expression(statement.value)
        elements = self._find_tuple_kinds(statement.value)
        self._target_hint = ""
        if isinstance(statement, ast.AugAssign):
            name = names.find_key(statement.target)
            kind = join(kind, self.environment.get(name or "", Kind.HOST))
            if kind in (Kind.VARIABLE, Kind.PLACEHOLDER, Kind.ELEMENT):
                kind = Kind.TENSOR
        if kind in (Kind.PLACEHOLDER, Kind.ELEMENT) and not isinstance(
            statement.value, ast.Call
        ):
            kind = Kind.TENSOR  # Another name for a feed, or a part of one.
            elements = tuple(Kind.TENSOR for _ in elements)
        flow.kind = kind
        self._check_parts(statement, elements)
        if self._update is not None and names.find_key(targets[0]):
            self._update = dataclasses.replace(
                self._update, target=names.find_key(targets[0]) or ""
            )
        if kind is Kind.OPTIMIZER and isinstance(statement.value, ast.Call):
            fed = self._find_fed_tensors(statement.value)
            self.fed.update({names.find_key(t) or "": fed for t in targets if fed})
        self._bind_popped_list(statement.value, flow)
        if kind is Kind.VARIABLE and self._is_list(statement.value):
            self.lists |= {name for t in targets if (name := names.find_key(t))}
        if kind is Kind.VARIABLE and self._is_one_variable(statement.value):
            self.singles |= {name for t in targets if (name := names.find_key(t))}
        for target in targets:
            self._bind(target, kind, elements)
            self._note_stored_item(target, kind, flow)
        if kind is Kind.PLACEHOLDER and isinstance(statement.value, ast.Call):
            self._note_placeholder(targets[0], statement.value)
        instance = self._find_instance_class(statement.value)
        if self._find_keras_subclass(statement.value) is not None:
            instance = None  # What it computes is Keras's to call.
        if instance is not None and names.find_key(targets[0]):
            self.instances[names.find_key(targets[0]) or ""] = instance

    def _check_parts(
        self,
        statement: ast.Assign | ast.AnnAssign | ast.AugAssign,
        elements: tuple[Kind, ...],
    ) -> None:
        """An update beside tensors, of which a run fetches some, would be made with them."""
        updates = [k in (Kind.OPERATION, Kind.ASSIGNMENT) for k in elements]
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            parts = [self.find_kind(v) for v in statement.value.values]
            updates = [k in (Kind.OPERATION, Kind.ASSIGNMENT) for k in parts]
        if not isinstance(statement, ast.Assign) or all(updates) or not any(updates):
            return
        for target in statement.targets:
            taken = isinstance(target, (ast.Tuple, ast.List)) or (
                isinstance(target, ast.Name)
                and any(
                    isinstance(node, ast.Subscript)
                    and names.find_key(node.value) == target.id
                    for node in walk_breadth_first(self.scopes.tree)
                )
            )
            if taken:
                self.diagnostics.refuse(
                    "N107",
                    statement.value,
                    "an update stands between tensors. A run that fetches one of "
                    "the tensors would make the update, too",
                    "Write each in a statement of its own, with a name of its own.",
                )
                return

    def _bind(self, target: ast.expr, kind: Kind, elements: tuple[Kind, ...]) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for index, item in enumerate(target.elts):
                item_kind = elements[index] if index < len(elements) else kind
                self._bind(item, item_kind, ())
            return
        name = names.find_key(target)
        if name is None:
            return
        self.environment[name] = kind
        if elements:
            self.elements[name] = elements
        else:
            self.elements.pop(name, None)

    def _bind_popped_list(self, value: ast.expr, flow: Flow) -> None:
        """`pair = pairs.pop()`: the list changes, too."""
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in MUTATORS
        ):
            name = names.find_key(value.func.value)
            if name is not None and self.environment.get(name) in ir.STEP_KINDS:
                flow.binds = flow.binds | {name}

    def _note_stored_item(self, target: ast.expr, kind: Kind, flow: Flow) -> None:
        """`pairs[i] = (gradient, variable)`: the list holds what was put into it."""
        base = target.value if isinstance(target, ast.Subscript) else None
        name = names.find_key(base) if base is not None else None
        if name is None:
            return
        assert isinstance(target, ast.Subscript)
        if self._is_dict(target.value) and self.find_kind(target.slice) in (
            *ir.STEP_KINDS,
            Kind.VARIABLE,
        ):
            self._hash_refused(target)
        if kind in ir.STEP_KINDS:
            self.environment[name] = Kind.TENSOR
        elif Kind.PURE in (kind, self.environment.get(name)) and self._is_plain(name):
            # `sizes = x.shape.as_list(); sizes[0] = -1`
            self.environment[name] = flow.kind = Kind.PURE
            flow.binds = flow.binds | self._find_object_names(target.value)
        if self.environment.get(name) in ir.STEP_KINDS:
            flow.binds = flow.binds | {name}
            if flow.kind not in ir.STEP_KINDS:
                flow.kind = Kind.TENSOR

    def _find_object_names(self, node: ast.expr | None) -> set[str]:
        """The names of what is changed in place: `sizes` of `shape`, which it was set to."""
        found = {name} if node is not None and (name := names.find_key(node)) else set()
        if isinstance(node, ast.Name):
            owner = self.scopes.find_scope(node).find_owner(node.id)
            for binding in owner.bindings[node.id] if owner else ():
                value = getattr(binding, "value", None)
                if isinstance(binding, ast.Assign) and isinstance(value, ast.Name):
                    found.add(value.id)
        return found

    def _is_plain(self, name: str) -> bool:
        """Whether a name holds what Python knows where the graph is built."""
        return self.environment.get(name, Kind.HOST) in (Kind.HOST, Kind.PURE)

    def _find_tuple_kinds(self, value: ast.expr) -> tuple[Kind, ...]:
        if isinstance(value, (ast.Tuple, ast.List)):
            return tuple(self.find_kind(e) for e in value.elts)
        if isinstance(value, ast.Call):
            times = self._analyse_user_function(value)
            if times is not None:
                return times.elements
        if isinstance(value, ast.Name):
            return self.elements.get(value.id, ())
        return ()
