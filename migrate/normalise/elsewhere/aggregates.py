"""Results that are one object: a dict, a tuple, a namedtuple."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.elsewhere.callers import Callers
from migrate.normalise.elsewhere.state import simple_statements
from migrate.normalise.text import Edit, Text


class Aggregates(Callers):
    """Takes one object of results apart."""

    def _aggregate(self, driver: ast.FunctionDef | ast.Module) -> Text | None:
        """`graph = {"loss": loss}; graph["loss"]`, and the same with a namedtuple."""
        for statement in simple_statements(driver.body):
            if not (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
                and statement.targets[0].id in self.aggregates
                and self.text.alone(statement)
            ):
                continue
            name = statement.targets[0].id
            members = self._members(statement.value)
            if not members:
                continue
            uses = self._member_uses(driver, name, members)
            if uses is None:
                continue
            return self._scattered(driver, statement, name, members, uses)
        return None

    def _members(self, value: ast.expr) -> dict[str | int, ast.expr]:
        """What a display or a namedtuple holds, by key, field or index."""
        if isinstance(value, ast.Dict):
            keys = [names.literal(k) for k in value.keys]
            if all(isinstance(k, str) for k in keys):
                return dict(zip(map(str, keys), value.values))
        if isinstance(value, (ast.Tuple, ast.List)):
            if not any(isinstance(e, ast.Starred) for e in value.elts):
                return dict(enumerate(value.elts))
        if isinstance(value, ast.Call):
            if (
                isinstance(value.func, ast.Name)
                and value.func.id == "dict"
                and not value.args
            ):
                return {k.arg: k.value for k in value.keywords if k.arg}
            fields = self._fields(value.func)
            if fields is not None:
                bound = names.bound_arguments(value, fields)
                if bound is not None and len(bound) == len(fields):
                    return {field: bound[field] for field in fields}
        return {}

    def _fields(self, func: ast.expr) -> tuple[str, ...] | None:
        """The fields of a namedtuple class made in the module."""
        path = self.scopes.dotted(func) or ast.unparse(func)
        if path in ("types.SimpleNamespace", "argparse.Namespace"):
            return None
        if not isinstance(func, ast.Name):
            return None
        made = self._definition(func)
        if not (isinstance(made, ast.Assign) and isinstance(made.value, ast.Call)):
            return None
        if not ast.unparse(made.value.func).endswith("namedtuple"):
            return None
        fields = names.literal(names.argument(made.value, "field_names", 1))
        if isinstance(fields, str):
            fields = fields.replace(",", " ").split()
        if isinstance(fields, (list, tuple)) and all(
            isinstance(f, str) for f in fields
        ):
            return tuple(fields)
        return None

    def _member_uses(
        self,
        driver: ast.AST,
        name: str,
        members: dict[str | int, ast.expr],
    ) -> list[tuple[ast.expr, str | int]] | None:
        """Every use of the object; None if one is not of a single member."""
        uses: list[tuple[ast.expr, str | int]] = []
        for node in ast.walk(driver):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            if isinstance(node.ctx, ast.Store):
                continue
            above = self.scopes.parents[node]
            member: object = None
            if isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load):
                member = above.attr
            elif isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Load):
                member = names.literal(above.slice)
            if not isinstance(member, (str, int)) or member not in members:
                return None
            assert isinstance(above, (ast.Attribute, ast.Subscript))
            uses.append((above, member))
        return uses

    def _scattered(
        self,
        driver: ast.AST,
        statement: ast.Assign,
        name: str,
        members: dict[str | int, ast.expr],
        uses: list[tuple[ast.expr, str | int]],
    ) -> Text:
        taken = self._names_in(driver)
        indent = self.text.lines[statement.lineno - 1][: statement.col_offset]
        own: dict[str | int, str] = {}
        lines: list[str] = []
        for member, value in members.items():
            if isinstance(value, ast.Name):
                own[member] = value.id
                continue
            wish = str(member) if isinstance(member, str) else f"{name}_{member}"
            new = (
                wish
                if wish.isidentifier() and wish not in taken
                else f"{name}_{member}"
            )
            while new in taken:
                new += "_"
            taken.add(new)
            own[member] = new
            flat = " ".join(
                part.strip() for part in self.text.segment(value).split("\n")
            )
            lines.append(f"{indent}{new} = {flat}")
        changed = self.text.edited([Edit(node, own[member]) for node, member in uses])
        origin = self.text.origins[statement.lineno - 1]
        return changed.spliced(
            statement.lineno, statement.end_lineno or 0, lines, [origin] * len(lines)
        )
