"""Writes static shapes at build time: a `tf.TensorSpec` replaces a step-time tensor.

TF1 code makes variables by the shape of a tensor (`w = get_variable("w",
[x.get_shape()[1], n])`). Variables are made before any step is traced, so the tensor does
not exist yet. But its spec is known. A feed's spec is written out. A computed tensor's spec
is traced from the specs of its inputs.
"""

from __future__ import annotations

import ast
import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from migrate.facts import names
from migrate.plan import Block, Dropped, Item, New
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import roles


class Specs:
    """The names and definitions of the specs that one build suite needs.

    Args:
      flows: the region's statements.
      reads: uses of a tensor for its static shape, and the tensor's key.
      known: code of specs that exist already (feeds, a function's parameters), by key.
      kinds: the kinds of the region's names.
      fresh: returns a name that is free.
    """

    def __init__(
        self,
        flows: Sequence[Flow],
        reads: Mapping[ast.AST, str],
        known: Mapping[str, Code],
        kinds: Mapping[str, Kind],
        fresh: Callable[[str], str],
        diagnostics: Diagnostics,
    ) -> None:
        self._reads = reads
        self._known = known
        self._kinds = kinds
        self._fresh = fresh
        self._diagnostics = diagnostics
        self.names: dict[str, str] = {}
        self._bound: dict[str, list[Flow]] = {}
        for flow in list_every_flow(flows):
            if not flow.suites:
                for name in flow.binds:
                    self._bound.setdefault(name, []).append(flow)
        self._straight = dict(_walk_straight_flows(flows))
        self._loops = [
            set(walk_breadth_first(flow.statement))
            for flow in list_every_flow(flows)
            if isinstance(flow.statement, (ast.For, ast.While))
        ]

    def take_early(self, made: Mapping[str, str]) -> None:
        """Adds specs that already exist, by the keys of their tensors."""
        for key, name in made.items():
            self.names[key] = name
            for flow in self._bound.get(key, []):
                self.names[f"{key}@{flow.statement.lineno}"] = name

    def insert_specs(self, items: list[Item]) -> list[Item]:
        """Returns the items with specs for tensors, each defined before its first use."""
        found: list[Item] = []
        for item in items:
            found.extend(self._insert_specs_before(item))
        return found

    def define_specs(self, tensors: set[str]) -> list[Item]:
        """Defines the specs of tensors that steps are fed; `names` has them."""
        before: list[Item] = []
        for key in sorted(tensors):
            after = ast.Name(key, ast.Load(), lineno=sys.maxsize, col_offset=0)
            name = self._name_spec(key, after, before)
            if name is not None:
                self.names[key] = name
        return before

    def _insert_specs_before(self, item: Item) -> list[Item]:
        before: list[Item] = []
        if isinstance(item, Dropped):
            return [item]
        if isinstance(item, Block):
            item.replace.update(self._make_edits(list(item.code.walk_nodes()), before))
            item.items = self.insert_specs(item.items)
            item.orelse = self.insert_specs(item.orelse)
        elif isinstance(item, New):
            item.replace.update(self._make_edits(list(item.code.walk_nodes()), before))
        elif item.suites:
            header = [
                child
                for child in list_children(item.statement)
                if not isinstance(child, (ast.stmt, ast.ExceptHandler))
            ]
            item.replace.update(self._make_edits(header, before))
            if isinstance(item.statement, ast.With):
                item.suites = {f: self.insert_specs(s) for f, s in item.suites.items()}
            else:
                for field, suite in item.suites.items():
                    # A definition in a branch does not exist if the branch is not taken.
                    known = dict(self.names)
                    item.suites[field] = self.insert_specs(suite)
                    self.names.clear()
                    self.names.update(known)
        else:
            item.replace.update(self._make_edits([item.statement], before))
        return [*before, item]

    def _make_edits(
        self, roots: Sequence[ast.AST], before: list[Item]
    ) -> dict[ast.AST, Code]:
        edits: dict[ast.AST, Code] = {}
        for root in roots:
            for node in walk_breadth_first(root):
                key = self._reads.get(node) or self._find_parameter(node)
                if key is None:
                    continue
                name = self._name_spec(key, node, before)
                if name is not None:
                    edits[node] = make_code(name)
        return edits

    def _name_spec(self, key: str, node: ast.AST, before: list[Item]) -> str | None:
        """Returns the name of a tensor's spec; a new definition goes to `before`."""
        binding = self._find_last_binding(key, node)
        made = f"{key}@{binding.flow.statement.lineno}" if binding else key
        if made in self.names:
            return self.names[made]
        known = self._known.get(key)
        if known is not None and (changes := self._list_changes(key, node)):
            if binding is None or any(f not in self._straight for f in changes):
                self._refuse(node, key)
                return None
            known = None
        if known is not None and known.parts == (key,):
            return None  # The parameter already is a spec.
        name = self._fresh(key.replace(".", "_") + "_spec")
        value = known or self._write_traced_spec(key, node, binding, before)
        if value is None:
            return None
        self.names[made] = name
        before.append(
            value if isinstance(value, New) else New(make_code(f"{name} = ", value))
        )
        if isinstance(value, New):
            value.code = make_code(f"{name} = ", value.code)
        return name

    def _find_parameter(self, node: ast.AST) -> str | None:
        """Returns the function's parameter that is read whole and is a spec, if it is one."""
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            return None
        known = self._known.get(node.id)
        return node.id if known is not None and known.parts == (node.id,) else None

    def _list_changes(self, key: str, node: ast.AST) -> list[Flow]:
        """Returns statements that give a fed tensor's name another tensor before a read.

        A later statement of a loop counts, too: in the next round it was before.
        """
        loops = self._list_loops_around(node)
        return [
            flow
            for flow in self._bound.get(key, [])
            if flow.kind not in (Kind.PLACEHOLDER, Kind.ELEMENT)
            and (
                flow.statement.lineno < getattr(node, "lineno", 0)
                or any(flow.statement in nodes for nodes in loops)
            )
        ]

    def _list_loops_around(self, node: ast.AST) -> list[set[ast.AST]]:
        return [nodes for nodes in self._loops if node in nodes]

    def _find_last_binding(self, key: str, node: ast.AST) -> _Binding | None:
        """Returns the last binding of a name before a read; None if it is not clear."""
        line = getattr(node, "lineno", 0)
        flows = self._bound.get(key, [])
        before = [f for f in flows if f.statement.lineno < line]
        if len(flows) == 1:
            before = flows
        if any(
            flow.statement in nodes
            for nodes in self._list_loops_around(node)
            for flow in flows
        ):
            return None  # A tensor of an earlier round may have another shape.
        if not before or any(f not in self._straight for f in before):
            return None
        flow = max(before, key=lambda f: f.statement.lineno)
        return _Binding(flow, self._straight[flow])

    def _write_traced_spec(
        self, key: str, node: ast.AST, binding: _Binding | None, before: list[Item]
    ) -> New | None:
        """Writes `training_session.spec_of(lambda x: ..., x_spec)` for a computed tensor."""
        flow = binding.flow if binding is not None else None
        value = getattr(flow.statement, "value", None) if flow else None
        if (
            flow is None
            or binding is None
            or not isinstance(flow.statement, ast.Assign)
            or (place := _find_place(flow.statement.targets[0], key)) is None
            or not isinstance(value, ast.expr)
        ):
            self._refuse(node, key)
            return None
        arguments = [
            n
            for n in dict.fromkeys(_list_reads_in_order(value))
            if self._kinds.get(n) in ir.STEP_KINDS
        ]
        if binding.test is not None and key not in arguments:
            arguments.append(key)
        if any("." in a for a in arguments):
            self._refuse(node, key)
            return None
        if self._reads_anew(value, flow.statement, node):
            self._refuse(node, key)
            return None
        specs: list[str | Code] = []
        for argument in arguments:
            name = self._name_spec(argument, flow.statement, before)
            specs.append(name or make_code(argument))
        lifts: dict[ast.AST, Code] = {lift.node: lift.use for lift in flow.lifts}
        lifts.update(
            {n: make_code("0") for n in walk_breadth_first(value) if self._is_tower(n)}
        )
        whole = next((x for x in flow.lifts if x.node is value), None)
        if whole is not None and whole.use.parts[0] == whole.name and arguments:
            inside = whole.use.parts[2]
            plain = isinstance(inside, Code) and len(inside.parts) == 1
            if plain and len(arguments) == 1:
                call = make_code(
                    "training_session.spec_of(", whole.name, ", ", specs[0], ")"
                )
                return New(call)
        return New(
            make_code(
                f"training_session.spec_of(lambda {', '.join(arguments)}: ",
                make_code("(", value, ")") if isinstance(value, ast.Tuple) else value,
                make_code(" if ", binding.test, f" else {key}")
                if binding.test
                else make_code(),
                ", ",
                join_code(", ", specs),
                f"){place}",
            ),
            replace=lifts,
        )

    def _reads_anew(self, value: ast.expr, statement: ast.stmt, node: ast.AST) -> bool:
        """Whether a variable or number in a tensor's value is another one at `node`."""
        return any(
            statement.lineno < flow.statement.lineno < getattr(node, "lineno", 0)
            for name in names.find_reads(value)
            if self._kinds.get(name) not in ir.STEP_KINDS
            for flow in self._bound.get(name, [])
        )

    def _is_tower(self, node: ast.AST) -> bool:
        """Whether a node is a tower's number. The first tower has the shapes of all."""
        flows = self._bound.get(node.id, []) if isinstance(node, ast.Name) else []
        return len(flows) == 1 and (
            ast.unparse(getattr(flows[0].statement, "value", None) or ast.Pass())
            == roles.TOWER_INDEX
        )

    def _refuse(self, node: ast.AST, key: str) -> None:
        self._diagnostics.refuse(
            "N104",
            node,
            f"a variable gets its shape from `{key}`, and no single plain "
            f"assignment computes `{key}`",
            "Compute the shape from Python values.",
        )


def _find_place(target: ast.expr, key: str) -> str | None:
    """Returns the place of a name in a target: "" for all of it, `[1]` in a tuple."""
    if names.find_key(target) == key:
        return ""
    if isinstance(target, (ast.Tuple, ast.List)):
        for index, element in enumerate(target.elts):
            if names.find_key(element) == key:
                return f"[{index}]"
    return None


@dataclasses.dataclass(frozen=True)
class _Binding:
    """A statement that binds a name, with the Python condition under which it does."""

    flow: Flow
    test: ast.expr | None


def _walk_straight_flows(
    flows: Sequence[Flow],
) -> Iterator[tuple[Flow, ast.expr | None]]:
    """Yields flows that run at most once, with their condition: not in a loop or in `else`."""
    for flow in flows:
        if not flow.suites:
            yield flow, None
        elif isinstance(flow.statement, ast.With):
            yield from _walk_straight_flows(flow.suites["body"])
        elif isinstance(flow.statement, ast.If) and set(flow.suites) == {"body"}:
            body = flow.suites["body"]
            if all(isinstance(f.statement, ast.Assign) for f in body):
                yield from ((f, flow.statement.test) for f in body)


def _list_reads_in_order(node: ast.AST) -> list[str]:
    return [
        name
        for child in walk_breadth_first(node)
        if isinstance(child, (ast.Name, ast.Attribute))
        and isinstance(child.ctx, ast.Load)
        and (name := names.find_key(child)) is not None
    ]
