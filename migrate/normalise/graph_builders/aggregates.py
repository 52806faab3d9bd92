"""Results that are one object: a dict, a tuple, a namedtuple."""

from __future__ import annotations

import ast
import keyword

from migrate.facts import names
from migrate.normalise.graph_builders.callers import Callers
from migrate.normalise.graph_builders.state import walk_simple_statements
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first


class Aggregates(Callers):
    """Takes one object of results apart."""

    def _dissolve_aggregate(self, driver: ast.FunctionDef | ast.Module) -> Text | None:
        """`graph = {"loss": loss}; graph["loss"]`, and the same with a namedtuple."""
        for statement in walk_simple_statements(driver.body):
            if not (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
                and statement.targets[0].id in self.aggregates
                and self.text.is_alone(statement)
            ):
                continue
            name = statement.targets[0].id
            members = self._map_members(statement.value)
            if not members:
                new = self._dissolve_filled_dict(driver, statement, name)
                if new is not None:
                    return new
                continue
            uses = self._find_member_uses(driver, name, members)
            if uses is None:
                continue
            return self._scatter_members(driver, statement, name, members, uses)
        return None

    def _dissolve_filled_dict(
        self, driver: ast.FunctionDef | ast.Module, made: ast.Assign, name: str
    ) -> Text | None:
        """`model = {}; model["x"] = x; model["x"]`: each entry by a name of its own."""
        if not _is_empty_dict(made.value):
            return None
        if len(self.scopes.scope_by_node[driver].bindings[name]) != 1:
            return None
        stores: dict[str, ast.Assign] = {}
        reads: list[tuple[ast.Subscript, str]] = []
        suite = names.find_suite(self.scopes.parents[made], made) or []
        for node in self._list_uses(made.targets[0]):
            above = self.scopes.parents[node]
            if not (isinstance(above, ast.Subscript) and above.value is node):
                return None
            key = names.read_literal(above.slice)
            if not isinstance(key, str):
                return self._walk_entries(above)
            if isinstance(above.ctx, ast.Load):
                reads.append((above, key))
                continue
            statement = self.scopes.parents[above]
            if not (
                isinstance(statement, ast.Assign)
                and statement.targets == [above]
                and statement in suite
                and key not in stores
                and self.text.is_alone(statement)
            ):
                return None
            stores[key] = statement
        if not stores or any(
            key not in stores or node.lineno <= stores[key].lineno
            for node, key in reads
        ):
            return None
        taken = self._find_names(driver)
        own: dict[str, str] = {}
        for key in stores:
            wish = key if key.isidentifier() and key not in taken else f"{name}_{key}"
            if not wish.isidentifier() or keyword.iskeyword(wish):
                return None
            while wish in taken:
                wish += "_"
            taken.add(wish)
            own[key] = wish
        edits = [Edit(node, own[key]) for node, key in reads]
        edits += [Edit(s.targets[0], own[key]) for key, s in stores.items()]
        changed = self.text.apply_edits(edits)
        return changed.splice(made.lineno, made.end_lineno or made.lineno, [], [])

    def _list_uses(self, name: ast.expr) -> list[ast.Name]:
        """Lists the reads of a name of the driver's, also those in functions."""
        assert isinstance(name, ast.Name)
        owner = self.scopes.find_scope(name).find_owner(name.id)
        return [
            node
            for node in walk_breadth_first(self.tree)
            if isinstance(node, ast.Name)
            and node.id == name.id
            and isinstance(node.ctx, ast.Load)
            and self.scopes.find_scope(node).find_owner(name.id) is owner
        ]

    def _walk_entries(self, entry: ast.Subscript) -> Text | None:
        """`for k in ("w", "b"): f(model[k])` as `for k in (model["w"], model["b"]): f(k)`."""
        key, listed = entry.slice, self.text.find_segment(entry.value)
        loop = next(
            (a for a in self.scopes.walk_above(entry) if isinstance(a, ast.For)), None
        )
        match loop:
            case ast.For(
                target=ast.Name(id=target),
                iter=ast.Tuple() | ast.List() as over,
                orelse=[],
            ) if isinstance(key, ast.Name) and key.id == target:
                pass
            case _:
                return None
        if not isinstance(entry.value, ast.Name) or not all(
            isinstance(above := self.scopes.parents[node], ast.Subscript)
            and above.value is node
            and (isinstance(above.ctx, ast.Load) or above.lineno < loop.lineno)
            for node in self._list_uses(entry.value)
        ):
            return None
        words = [names.read_literal(item) for item in over.elts]
        uses = [
            node
            for node in walk_breadth_first(self.tree)
            if isinstance(node, ast.Name)
            and node.id == target
            and node is not loop.target
        ]
        entries = [self.scopes.parents[node] for node in uses]
        if not all(isinstance(word, str) for word in words) or any(
            not isinstance(e, ast.Subscript)
            or e.slice is not node
            or not isinstance(e.ctx, ast.Load)
            or self.text.find_segment(e.value) != listed
            or not loop.lineno < e.lineno <= (loop.end_lineno or loop.lineno)
            for node, e in zip(uses, entries, strict=True)
        ):
            return None
        shown = ", ".join(f"{listed}[{word!r}]" for word in words)
        edits = [Edit(e, target) for e in entries]
        return self.text.apply_edits([Edit(over, f"[{shown}]"), *edits])

    def _map_members(self, value: ast.expr) -> dict[str | int, ast.expr]:
        """Maps the members of a display or namedtuple by key, field or index."""
        if isinstance(value, ast.Dict):
            keys = [names.read_literal(k) for k in value.keys]
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
            fields = self._map_fields(value.func)
            if fields is not None:
                bound = names.bind_arguments(value, tuple(fields))
                known = {f: default for f, default in fields.items() if default}
                if bound is not None and set(fields) <= {*bound, *known}:
                    return {field: (known | bound)[field] for field in fields}
        return {}

    def _map_fields(self, func: ast.expr) -> dict[str, ast.expr | None] | None:
        """The fields of a class of the module that only holds them, with their defaults."""
        if not isinstance(func, ast.Name):
            return None
        made = self._find_definition(func)
        if isinstance(made, ast.ClassDef):
            return _map_class_fields(made)
        if isinstance(made, ast.Assign) and isinstance(made.value, ast.Call):
            return _map_tuple_fields(made.value)
        return None

    def _find_member_uses(
        self,
        driver: ast.AST,
        name: str,
        members: dict[str | int, ast.expr],
    ) -> list[tuple[ast.expr, str | int]] | None:
        """Lists every use of the object; None if one is not of a single member."""
        uses: list[tuple[ast.expr, str | int]] = []
        for node in walk_breadth_first(driver):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            if isinstance(node.ctx, ast.Store):
                continue
            above = self.scopes.parents[node]
            member: object = None
            if isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load):
                member = above.attr
            elif isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Load):
                member = names.read_literal(above.slice)
            if not isinstance(member, (str, int)) or member not in members:
                return None
            assert isinstance(above, (ast.Attribute, ast.Subscript))
            uses.append((above, member))
        return uses

    def _scatter_members(
        self,
        driver: ast.AST,
        statement: ast.Assign,
        name: str,
        members: dict[str | int, ast.expr],
        uses: list[tuple[ast.expr, str | int]],
    ) -> Text:
        taken = self._find_names(driver)
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
                part.strip() for part in self.text.find_segment(value).split("\n")
            )
            lines.append(f"{indent}{new} = {flat}")
        changed = self.text.apply_edits(
            [Edit(node, own[member]) for node, member in uses]
        )
        origin = self.text.origins[statement.lineno - 1]
        return changed.splice(
            statement.lineno, statement.end_lineno or 0, lines, [origin] * len(lines)
        )


def _is_empty_dict(value: ast.expr) -> bool:
    """`{}`, `dict()`, `collections.OrderedDict()`."""
    if isinstance(value, ast.Dict):
        return not value.keys
    return (
        isinstance(value, ast.Call)
        and _get_plain_name(value.func) in ("dict", "OrderedDict")
        and not (value.args or value.keywords)
    )


def _map_tuple_fields(made: ast.Call) -> dict[str, ast.expr | None] | None:
    """`namedtuple("Graph", ["x", "loss"])`, `NamedTuple("Graph", [("x", tf.Tensor)])`."""
    name = (names.find_key(made.func) or "").rpartition(".")[2]
    listed = made.args[1] if len(made.args) > 1 else None
    if name == "NamedTuple" and isinstance(listed, (ast.List, ast.Tuple)):
        fields: object = [
            names.read_literal(e.elts[0])
            if isinstance(e, ast.Tuple) and e.elts
            else None
            for e in listed.elts
        ]
    elif name == "namedtuple" and names.find_argument(made, "defaults") is None:
        fields = names.read_literal(names.find_argument(made, "field_names", 1))
    else:
        return None
    if isinstance(fields, str):
        fields = fields.replace(",", " ").split()
    if isinstance(fields, (list, tuple)) and all(isinstance(f, str) for f in fields):
        return dict.fromkeys(fields)
    return None


def _map_class_fields(made: ast.ClassDef) -> dict[str, ast.expr | None] | None:
    """Maps the fields of a dataclass or a named tuple to their defaults."""
    if made.keywords or len(made.bases) > 1:
        return None
    base = made.bases[0] if made.bases else None
    decorated = [_get_plain_name(d) for d in made.decorator_list]
    if isinstance(base, ast.Call) and not decorated:
        return _map_tuple_fields(base) if _read_annotations(made) == {} else None
    if decorated == ["dataclass"] and base is None:
        return _read_annotations(made)
    if _get_plain_name(base) == "NamedTuple" and not decorated:
        return _read_annotations(made)
    return None


def _read_annotations(made: ast.ClassDef) -> dict[str, ast.expr | None] | None:
    """The annotated names of a class; None if it has anything else."""
    found: dict[str, ast.expr | None] = {}
    for statement in made.body:
        if isinstance(statement, ast.AnnAssign):
            if not isinstance(statement.target, ast.Name):
                return None
            value = statement.value
            if value is not None and not isinstance(value, ast.Constant):
                return None
            found[statement.target.id] = value
        elif isinstance(statement, ast.Assign):
            if names.find_binds(statement) != {"__slots__"}:
                return None
        elif not (
            isinstance(statement, ast.Pass)
            or (
                isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Constant)
            )
        ):
            return None
    return found


def _get_plain_name(node: ast.expr | None) -> str:
    """`NamedTuple` of `typing.NamedTuple`."""
    return (names.find_key(node) or "").rpartition(".")[2] if node is not None else ""
