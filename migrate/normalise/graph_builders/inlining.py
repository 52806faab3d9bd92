"""A call of the driver, replaced by what it calls."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.changed_values import ChangedValues, list_parts_before
from migrate.facts.late_attributes import find_late_attributes
from migrate.facts.scopes import build_scopes
from migrate.normalise.calls.inliner import (
    Call,
    Inliner,
    Instance,
    NotInlinable,
)
from migrate.normalise.graph_builders.callees import Callees
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source, walk_breadth_first


class Inlining(Callees):
    """Brings one callee to the driver; objects become plain names."""

    def _inline(self, found: Call, driver: ast.FunctionDef | ast.Module) -> Text:
        home = self.scopes.parents.get(found.callee)
        if home is not driver and isinstance(home, ast.FunctionDef):
            raise NotInlinable("a function within a function")
        if found.callee is driver:
            raise NotInlinable("the function calls itself")
        taken = self._find_names(driver)
        if found.title.endswith(".__init__") and found.receiver is not None:
            owner = self.scopes.parents[found.callee]
            assert isinstance(owner, ast.ClassDef)
            constants = frozenset().union(
                *[names.find_binds(i) for i in owner.body if isinstance(i, ast.Assign)]
            )
            attributes, wishes = self._name_attributes(owner, found, taken, driver)
            first = self._write_constants(owner, attributes, taken)
            late = find_late_attributes(self.tree, owner) & set(attributes)
            first += tuple(f"{attributes[name]} = None" for name in sorted(late))
            methods = {m.name for m in owner.body if isinstance(m, ast.FunctionDef)}
            instance = Instance(
                owner.name, constants, attributes, frozenset(methods), frozenset(late)
            )
            self.instances[found.receiver] = instance
            found = dataclasses.replace(
                found, instance=instance, wishes=wishes, first=first
            )
            self.inlined.add(owner.name)
            if (
                len(self.scopes.scope_by_node[driver].bindings[found.receiver or ""])
                != 1
            ):
                raise NotInlinable("the object's name is bound more than once")
        elif found.receiver is None:
            self.inlined.add(found.callee.name)
        line = self.text.origins[found.callee.lineno - 1]
        self.brought.append((found.title, line))
        shadowing = self._find_bound_names(driver)
        changed = self._find_changed_values(found.callee)
        inliner = Inliner(self.text, self.scopes, taken, shadowing, changed)
        statement, call = found.statement, found.call
        whole = getattr(statement, "value", None) is call and isinstance(
            statement, (ast.Assign, ast.AnnAssign, ast.Expr)
        )
        if not whole:
            try:
                return self._rename_uses(inliner.inline_expression(found), driver)
            except NotInlinable:
                return self._give_own_statement(found, taken)
        if isinstance(statement, ast.Assign) and isinstance(
            statement.targets[0], ast.Name
        ):
            self.aggregates.add(statement.targets[0].id)
        return self._rename_uses(inliner.inline_statement(found), driver)

    def _give_own_statement(self, found: Call, taken: set[str]) -> Text:
        """`print(m.step(x))`: the call gets a statement of its own, before.

        Raises:
          NotInlinable: something else would be computed before it, or it is not always.
        """
        statement, call = found.statement, found.call
        if not isinstance(
            statement, (ast.Expr, ast.Assign, ast.AugAssign)
        ) or not self.text.is_alone(statement):
            raise NotInlinable("the call's value is used in a larger statement")
        before = list_parts_before(self.scopes.parents, statement, call)
        if before is None:
            raise NotInlinable("the call is not made exactly once")
        changed = self._find_changed_values(found.callee)
        target = getattr(statement, "target", None)
        if target is not None and changed.needs_name(target, call):
            raise NotInlinable("the call may change what its statement adds to")
        first = [part for part in before if changed.needs_name(part, call)]
        line = self.text.lines[statement.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        origin = self.text.origins[statement.lineno - 1]
        edits, lines = [], []
        for part in (*first, call):
            name = self._choose_name(_name_part(part, statement), taken)
            source = self.text.find_segment(part)
            if "\n" in source:
                source = ast.unparse(part)
            edits.append(Edit(part, name))
            lines.append(f"{indent}{name} = {source}")
        text = self.text.apply_edits(edits)
        self.brought.pop()
        return text.splice(
            statement.lineno, statement.lineno - 1, lines, [origin] * len(lines)
        )

    def _find_changed_values(self, callee: ast.FunctionDef) -> ChangedValues:
        """The values that a call of the function may change."""
        taken_apart = {
            (name, attribute)
            for instance in self.instances.values()
            for attribute, name in instance.attributes.items()
        }
        return ChangedValues(self.scopes, callee, taken_apart)

    def _choose_name(self, wish: str, taken: set[str]) -> str:
        name, number = wish, 2
        while name in taken:
            name, number = f"{wish}_{number}", number + 1
        taken.add(name)
        return name

    def _name_attributes(
        self,
        owner: ast.ClassDef,
        found: Call,
        taken: set[str],
        driver: ast.FunctionDef | ast.Module,
    ) -> tuple[dict[str, str], dict[str, str]]:
        """A name for every attribute of the class, and names for the constructor's arguments.

        An attribute that only ever holds an argument is that argument.
        """
        stores: dict[str, list[ast.AST]] = {}
        for method in owner.body:
            if not isinstance(method, ast.FunctionDef) or not method.args.args:
                continue
            own = method.args.args[0].arg
            for node in walk_breadth_first(method):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, (ast.Store, ast.Del))
                    and isinstance(node.value, ast.Name)
                    and node.value.id == own
                ):
                    stores.setdefault(node.attr, []).append(self.scopes.parents[node])
        scope = self.scopes.scope_by_node[found.callee]
        parameters = tuple(a.arg for a in found.callee.args.args[1:])
        bound = names.bind_arguments(found.call, parameters) or {}
        locals_ = self.scopes.scope_by_node[driver].bindings
        attributes: dict[str, str] = {}
        wishes: dict[str, str] = {}
        for attribute, places in stores.items():
            value = getattr(places[0], "value", None) if len(places) == 1 else None
            parameter = (
                value.id
                if isinstance(value, ast.Name)
                and value.id in parameters
                and len(scope.bindings[value.id]) == 1
                and places[0] in found.callee.body
                else None
            )
            argument = bound.get(parameter) if parameter else None
            if (
                isinstance(argument, ast.Name)
                and len(locals_.get(argument.id, ())) <= 1
            ):
                attributes[attribute] = argument.id
                continue
            plain = attribute.strip("_")
            name = plain if plain not in taken else f"{found.receiver}_{plain}"
            while name in taken:
                name += "_"
            taken.add(name)
            attributes[attribute] = name
            if parameter and argument is not None:
                wishes[parameter] = name
        return attributes, wishes

    def _write_constants(
        self, owner: ast.ClassDef, attributes: dict[str, str], taken: set[str]
    ) -> tuple[str, ...]:
        """Assignments of the class's literal constants that its methods read."""
        read = {
            n.attr
            for n in walk_breadth_first(owner)
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
        }
        lines: list[str] = []
        for item in owner.body:
            if not (
                isinstance(item, ast.Assign)
                and len(item.targets) == 1
                and isinstance(item.targets[0], ast.Name)
                and isinstance(item.value, ast.Constant)
            ):
                continue
            attribute = item.targets[0].id
            if attribute not in read or attribute in attributes:
                continue
            name = attribute if attribute not in taken else f"{owner.name}_{attribute}"
            taken.add(name)
            attributes[attribute] = name
            lines.append(f"{name} = {self.text.find_segment(item.value)}")
        return tuple(lines)

    def _rename_uses(self, text: Text, driver: ast.FunctionDef | ast.Module) -> Text:
        """`model.loss` becomes `loss` wherever the object's name means the object.

        A function's parameter of that name does not, until its body is brought here.
        """
        if not self.instances:
            return text
        tree = parse_source(text.source)
        scopes = build_scopes(tree)
        home = self._find_driver(tree, driver)
        own = scopes.scope_by_node[home] if home is not None else None
        edits = []
        for node in walk_breadth_first(tree):
            if not (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in self.instances
            ):
                continue
            instance = self.instances[node.value.id]
            name = instance.find_name(node, scopes.parents[node])
            owner = scopes.find_scope(node).find_owner(node.value.id)
            if name is not None and owner in (own, scopes.module, None):
                edits.append(Edit(node, name))
        return text.apply_edits(edits)

    def _find_driver(
        self, tree: ast.Module, driver: ast.FunctionDef | ast.Module
    ) -> ast.AST | None:
        """Finds the driver in a later text, by its name and its class's."""
        if isinstance(driver, ast.Module):
            return tree
        owner = self.scopes.parents.get(driver)
        inside = owner.name if isinstance(owner, ast.ClassDef) else None
        for node in walk_breadth_first(tree):
            if isinstance(node, ast.ClassDef) and node.name == inside:
                return self._find_method(node, driver.name)
        found = [
            n
            for n in walk_breadth_first(tree)
            if isinstance(n, ast.FunctionDef) and n.name == driver.name
        ]
        return found[0] if len(found) == 1 else None


def _name_part(part: ast.expr, statement: ast.stmt) -> str:
    """A name for a part of a statement that is computed before it: `step_value`."""
    if isinstance(part, ast.Call):
        key = names.find_key(part.func)
        if key is not None:
            return f"{key.split('.')[-1].strip('_')}_value"
    if isinstance(part, (ast.Name, ast.Attribute)):
        key = names.find_key(part)
        if key is not None:
            return f"{key.split('.')[-1].strip('_')}_before"
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    target = targets[0]
    return f"partial_{target.id}" if isinstance(target, ast.Name) else "partial"
