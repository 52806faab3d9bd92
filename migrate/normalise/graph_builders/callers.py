"""The driver, brought to its one caller."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.calls.inliner import Call, NotInlinable
from migrate.normalise.graph_builders.inlining import Inlining
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles


class Callers(Inlining):
    """Brings the driver upward."""

    def _inline_constructor(
        self, owner: ast.ClassDef, constructor: ast.FunctionDef
    ) -> Text | None:
        """Inlines a constructor that opens the session where its object is made."""
        made = [
            node
            for node in walk_breadth_first(self.tree)
            if isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name)
            and self._find_definition(node.value.func) is owner
        ]
        if len(made) != 1 or owner.bases and ast.unparse(owner.bases[0]) != "object":
            return None
        statement = made[0]
        caller: ast.AST = statement
        while not isinstance(caller, (ast.FunctionDef, ast.Module)):
            caller = self.scopes.parents[caller]
        assert isinstance(statement.value, ast.Call)
        assert isinstance(statement.targets[0], ast.Name)
        receiver = statement.targets[0].id
        if receiver in self.instances:
            return None
        title = f"{owner.name}.__init__"
        call = Call(statement, statement.value, constructor, receiver, None, title)
        return self._inline(call, caller)

    def _join_caller(self, driver: ast.FunctionDef) -> Text | None:
        """Inlines the driver into its only caller, if it has one."""
        owner = self.scopes.parents.get(driver)
        if isinstance(owner, ast.ClassDef) and driver.name == "__init__":
            return self._inline_constructor(owner, driver)
        if self.instances and not isinstance(owner, ast.ClassDef):
            return None  # Its names are those of an object's attributes.
        calls: list[tuple[ast.stmt, ast.Call]] = []
        for node in walk_breadth_first(self.tree):
            if not isinstance(node, ast.Call):
                continue
            func = node.func
            if isinstance(func, ast.Name):
                if self._find_definition(func) is not driver:
                    continue
            elif not (
                isinstance(func, ast.Attribute)
                and isinstance(owner, ast.ClassDef)
                and func.attr == driver.name
                and isinstance(func.value, ast.Name)
                and not self._is_session(func.value)
            ):
                continue
            statement = names.find_statement(self.scopes.parents, node)
            calls.append((statement, node))
        others = sum(
            1
            for node in walk_breadth_first(self.tree)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id == driver.name
            and not isinstance(owner, ast.ClassDef)
        )
        if len(calls) != 1 or others > 1:
            return None
        statement, call = calls[0]
        caller: ast.AST = statement
        while not isinstance(caller, (ast.FunctionDef, ast.Module)):
            caller = self.scopes.parents[caller]
        if caller is driver:
            return None
        if isinstance(owner, ast.ClassDef):
            assert isinstance(call.func, ast.Attribute)
            assert isinstance(call.func.value, ast.Name)
            receiver = call.func.value.id
            if receiver not in self.instances:
                made = self._find_definition(call.func.value)
                if not (
                    isinstance(made, ast.Assign)
                    and isinstance(made.value, ast.Call)
                    and isinstance(made.value.func, ast.Name)
                    and made.value.func.id == owner.name
                ):
                    return None
                constructor = self._find_method(owner, "__init__")
                if constructor is None:
                    return None
                title = f"{owner.name}.__init__"
                first = Call(made, made.value, constructor, receiver, None, title)
                return self._inline(first, caller)
            title = f"{owner.name}.{driver.name}"
            instance = self.instances[receiver]
            found = Call(statement, call, driver, receiver, instance, title)
            return self._move_driver(found, caller)
        if isinstance(owner, ast.FunctionDef):
            return None
        return self._move_driver(
            Call(statement, call, driver, None, None, driver.name), caller
        )

    def _is_session(self, name: ast.Name) -> bool:
        """Whether a name is that of a session, whose `run` is no method of the file."""
        made = self._find_definition(name)
        values = [i.context_expr for i in getattr(made, "items", ())]
        value = getattr(made, "value", None)
        return any(
            isinstance(v, ast.Call) and self.scopes.resolve(v.func) in roles.SESSIONS
            for v in [*values, value]
        )

    def _move_driver(self, found: Call, caller: ast.FunctionDef | ast.Module) -> Text:
        """Inlines the driver into its caller, and removes its old text."""
        if found.callee.decorator_list:
            raise NotInlinable("the function is decorated")
        text = self._inline(found, caller)
        tree = parse_source(text.source)
        node = next(
            n
            for n in walk_breadth_first(tree)
            if isinstance(n, ast.FunctionDef)
            and n.name == found.callee.name
            and text.origins[n.lineno - 1] == self.text.origins[found.callee.lineno - 1]
        )
        indent = text.lines[node.lineno - 1][: node.col_offset]
        left = [f"{indent}pass"] if found.receiver is not None else []
        line = text.origins[node.lineno - 1]
        last = node.end_lineno or node.lineno
        while not left and last < len(text.lines) and not text.lines[last].strip():
            last += 1
        return text.splice(node.lineno, last, left, [line] * len(left))
