"""Writes static shapes at build time: a `tf.TensorSpec` replaces a step-time tensor.

TF1 code makes variables by the shape of a tensor (`w = get_variable("w",
[x.get_shape()[1], n])`). Variables are made before any step is traced, so the tensor does
not exist yet. But its spec is known. A feed's spec is written out. A computed tensor's spec
is traced from the specs of its inputs.

If a name gets its tensors in a loop or in branches, no one statement says which tensor a
read sees. Then build time follows the name: it keeps the spec in a variable, and each
statement that gives the name a tensor gives the variable this tensor's spec.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence

from migrate.backends.custom_loop.context import parenthesise
from migrate.plan import Block, Dropped, Item, New
from migrate.program.binding_time import Diagnostics
from migrate.program.code import Code, make_code
from migrate.program.ir import Flow, Kind
from migrate.program.tensor_bindings import (
    Binding,
    TensorBindings,
    find_place,
)
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import roles


class Followed(New):
    """The place at build time where a followed name gets another tensor's spec.

    Args:
      flow: the statement that gives the name its tensor.
      key: the name.
    """

    def __init__(self, flow: Flow, key: str) -> None:
        super().__init__(make_code())
        self.flow = flow
        self.key = key


class Specs:
    """The names and definitions of the specs that one build suite needs.

    Args:
      flows: the region's statements.
      reads: uses of a tensor for its static shape, and the tensor's key.
      known: code of specs that exist already (feeds, a function's parameters), by key.
      kinds: the kinds of the region's names.
      fresh: returns a name that is free.

    Attributes:
      names: of the specs that are made, by the tensors' keys.
      followed: statements at which build time follows names, and these names.
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
        self._bindings = TensorBindings(flows, reads, known, kinds)
        self.names: dict[str, str] = {}
        self._variables: dict[str, str] = {}
        self.followed: dict[Flow, list[str]] = {}
        for key, bound in self._bindings.find_followed().items():
            own = self._is_parameter(key)
            self._variables[key] = key if own else self._choose_name(key)
            for flow in bound:
                self.followed.setdefault(flow, []).append(key)

    def take_early(self, made: Mapping[str, str]) -> None:
        """Adds specs that already exist, by the keys of their tensors."""
        for key, name in made.items():
            self.names[key] = name
            for flow in self._bindings.list_bindings(key):
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
        if isinstance(item, Followed):
            self._follow(item, before)
            return [*before, item]
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
        if key in self._variables:
            return None if self._is_parameter(key) else self._variables[key]
        binding = self._bindings.find_last(key, node)
        made = f"{key}@{binding.flow.statement.lineno}" if binding else key
        if made in self.names:
            return self.names[made]
        known = self._known.get(key)
        if known is not None and (changes := self._bindings.list_changes(key, node)):
            if binding is None or not all(map(self._bindings.is_straight, changes)):
                self._refuse(node, key)
                return None
            known = None
        if known is not None and self._is_parameter(key):
            return None
        name = self._choose_name(key)
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
        return node.id if self._is_parameter(node.id) else None

    def _is_parameter(self, key: str) -> bool:
        """Whether a name is the function's parameter, which already is a spec."""
        known = self._known.get(key)
        return known is not None and known.parts == (key,)

    def _choose_name(self, key: str) -> str:
        return self._fresh(key.replace(".", "_") + "_spec")

    def _follow(self, item: Followed, before: list[Item]) -> None:
        """Writes what a followed name's spec is at a statement that gives it a tensor."""
        flow, key = item.flow, item.key
        if flow.kind in (Kind.PLACEHOLDER, Kind.ELEMENT):
            early = self.names.get(key)
            value = New(make_code(early) if early else self._known[key])
        else:
            spec = self._write_spec(key, flow, flow.statement, None, before)
            if spec is None:
                return
            value = spec
        item.code = make_code(f"{self._variables[key]} = ", value.code)
        item.replace = value.replace

    def _write_traced_spec(
        self, key: str, node: ast.AST, binding: Binding | None, before: list[Item]
    ) -> New | None:
        """Writes the spec of a computed tensor, at a read of it."""
        statement = binding.flow.statement if binding is not None else None
        if (
            binding is None
            or not isinstance(statement, ast.Assign)
            or find_place(statement.targets[0], key) is None
            or self._bindings.reads_anew(statement.value, statement, node)
            or self._variables.keys()
            & set(self._bindings.list_tensors(statement.value))
        ):
            self._refuse(node, key)
            return None
        return self._write_spec(key, binding.flow, node, binding.test, before)

    def _write_spec(
        self,
        key: str,
        flow: Flow,
        node: ast.AST,
        test: ast.expr | None,
        before: list[Item],
    ) -> New | None:
        """Writes `training_session.spec_of(lambda x: ..., x_spec)` for a computed tensor."""
        assert isinstance(flow.statement, ast.Assign | ast.AugAssign)
        value, place = flow.statement.value, ""
        computed: ast.expr | Code = value
        if isinstance(flow.statement, ast.AugAssign):
            sign = _write_sign(flow.statement.op)
            computed = make_code(key, f" {sign} ", parenthesise(value))
        else:
            place = find_place(flow.statement.targets[0], key) or ""
            if isinstance(value, ast.Tuple):
                computed = make_code("(", value, ")")
        arguments = self._bindings.list_needed(flow)
        if test is not None and key not in arguments:
            arguments.append(key)
        if any("." in a for a in arguments):
            self._refuse(node, key)
            return None
        specs: list[str | Code] = []
        for argument in arguments:
            name = self._name_spec(argument, flow.statement, before)
            specs.append(name or make_code(argument))
        if (
            arguments == [ast.unparse(value)]
            and isinstance(flow.statement, ast.Assign)
            and not flow.lifts
            and test is None
        ):
            return New(make_code(specs[0], place))  # Another name of the same tensor.
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
                    "training_session.spec_of(", whole.name, ", ", specs[0], f"){place}"
                )
                return New(call)
        parameters = f" {', '.join(arguments)}" if arguments else ""
        return New(
            make_code(
                f"training_session.spec_of(lambda{parameters}: ",
                computed,
                make_code(" if ", test, f" else {key}") if test else make_code(),
                *[make_code(", ", spec) for spec in specs],
                f"){place}",
            ),
            replace=lifts,
        )

    def _is_tower(self, node: ast.AST) -> bool:
        """Whether a node is a tower's number. The first tower has the shapes of all."""
        flows = (
            self._bindings.list_bindings(node.id) if isinstance(node, ast.Name) else []
        )
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


def _write_sign(operator: ast.operator) -> str:
    return ast.unparse(ast.BinOp(ast.Name("a"), operator, ast.Name("b"))).split()[1]
