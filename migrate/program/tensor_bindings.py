"""Which statements give a name its tensors, and which of them a read sees."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Container, Iterator, Mapping, Sequence

from migrate.facts import names
from migrate.program import ir
from migrate.program.binding_time.every import list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import JUMPS, walk_breadth_first

_FED = (Kind.PLACEHOLDER, Kind.ELEMENT)
# Of each suite around a statement, its number in its block and the statement's in it.
_Place = tuple[tuple[int, int], ...]


@dataclasses.dataclass(frozen=True)
class Binding:
    """A statement that binds a name, with the Python condition under which it does."""

    flow: Flow
    test: ast.expr | None


class TensorBindings:
    """The statements of one region that bind names.

    Args:
      flows: the region's statements.
      reads: uses of a tensor for its static shape, and the tensor's key.
      known: keys of tensors whose specs exist already.
      kinds: the kinds of the region's names.
    """

    def __init__(
        self,
        flows: Sequence[Flow],
        reads: Mapping[ast.AST, str],
        known: Container[str],
        kinds: Mapping[str, Kind],
    ) -> None:
        self._reads = reads
        self._known = known
        self._kinds = kinds
        self._bound: dict[str, list[Flow]] = {}
        for flow in list_every_flow(flows):
            if not flow.suites:
                for name in flow.binds:
                    self._bound.setdefault(name, []).append(flow)
        self._places: dict[Flow, _Place] = {}
        self._homes: dict[ast.AST, Flow] = {}  # Of nodes, the innermost statements.
        self._place_flows(flows, (), 0)
        # Statements whose value build time traces at a read of what they bind.
        self._traced: dict[Flow, None] = {}
        self._straight = dict(_walk_straight_flows(flows))
        self._plain = set(self._walk_plain_flows(flows))
        self._loops = [
            set(walk_breadth_first(flow.statement))
            for flow in list_every_flow(flows)
            if isinstance(flow.statement, (ast.For, ast.While))
        ]

    def list_bindings(self, key: str) -> list[Flow]:
        return self._bound.get(key, [])

    def is_straight(self, flow: Flow) -> bool:
        """Whether a statement runs at most once: in no loop, and in no `else`."""
        return flow in self._straight

    def list_changes(self, key: str, node: ast.AST) -> list[Flow]:
        """Returns statements that give a fed tensor's name another tensor before a read.

        A later statement of a loop counts, too: in the next round it was before.
        """
        loops = self._list_loops_around(node)
        return [
            flow
            for flow in self.list_bindings(key)
            if flow.kind not in _FED
            and (
                flow.statement.lineno < getattr(node, "lineno", 0)
                or any(flow.statement in nodes for nodes in loops)
            )
        ]

    def find_last(self, key: str, node: ast.AST) -> Binding | None:
        """Returns the last binding of a name before a read; None if it is not clear."""
        line = getattr(node, "lineno", 0)
        flows = self.list_bindings(key)
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
        return Binding(flow, self._straight[flow])

    def list_tensors(self, value: ast.expr) -> list[str]:
        """Returns the keys of the tensors that an expression reads, in its order."""
        found = [
            names.find_key(node)
            for node in walk_breadth_first(value)
            if isinstance(node, (ast.Name, ast.Attribute))
            and isinstance(node.ctx, ast.Load)
        ]
        return [
            key
            for key in dict.fromkeys(found)
            if key is not None and self._kinds.get(key) in ir.STEP_KINDS
        ]

    def reads_anew(self, value: ast.expr, statement: ast.stmt, node: ast.AST) -> bool:
        """Whether a variable or number in a tensor's value is another one at `node`."""
        return any(
            statement.lineno < flow.statement.lineno < getattr(node, "lineno", 0)
            for name in names.find_reads(value)
            if self._kinds.get(name) not in ir.STEP_KINDS
            for flow in self.list_bindings(name)
        )

    def find_followed(self) -> dict[str, dict[Flow, None]]:
        """Returns the names that build time follows, and where they get their tensors."""
        found: dict[str, dict[Flow, None]] = {}
        while True:  # What is computed from a followed name is followed, too.
            size = sum(map(len, found.values()))
            self._follow_reads(found)
            if size == sum(map(len, found.values())):
                return found

    def find_traced_reads(self) -> set[str]:
        """Returns the names that build time reads to know the shapes that are asked for."""
        followed = {flow for flows in self.find_followed().values() for flow in flows}
        found: set[str] = set()
        for flow in followed | self._traced.keys():
            if flow.kind not in _FED:
                found |= flow.reads
        for flow in self._places:
            if flow.suites and followed & set(list_every_flow([flow])):
                found |= names.find_header_reads(flow.statement)
        return found

    def _follow_reads(self, found: dict[str, dict[Flow, None]]) -> None:
        """Adds names and statements that the static reads need, given those found so far."""
        work = [(k, node) for node, k in self._reads.items() if node in self._homes]
        seen: set[tuple[str, ast.AST]] = set()
        while work:
            key, node = work.pop(0)
            if (key, node) in seen:
                continue
            seen.add((key, node))
            if key not in found:
                if key in self._known and not self.list_changes(key, node):
                    continue
                flow = self._find_traced(key, node)
                if flow is not None and not found.keys() & set(self.list_needed(flow)):
                    self._traced[flow] = None
                    work += [(k, flow.statement) for k in self.list_needed(flow)]
                    continue
            flows = self._list_seen(key, node)
            if not flows or not all(self._may_follow(flow, key) for flow in flows):
                continue  # Whoever needs the spec refuses it.
            found.setdefault(key, {}).update(dict.fromkeys(flows))
            for flow in flows:
                if flow.kind not in _FED:
                    work += [(k, flow.statement) for k in self.list_needed(flow)]

    def _find_traced(self, key: str, node: ast.AST) -> Flow | None:
        """Returns the one statement that computes a tensor, if it still would at a read."""
        binding = self.find_last(key, node)
        statement = binding.flow.statement if binding is not None else None
        if binding is None or not isinstance(statement, ast.Assign):
            return None
        if self.reads_anew(statement.value, statement, node):
            return None
        return binding.flow

    def _place_flows(self, flows: Sequence[Flow], around: _Place, suite: int) -> None:
        for index, flow in enumerate(flows):
            place = (*around, (suite, index))
            self._places[flow] = place
            self._homes.update(dict.fromkeys(walk_breadth_first(flow.statement), flow))
            for number, inner in enumerate(flow.suites.values()):
                # A `with` block's statements run as if they stood in its place.
                same = isinstance(flow.statement, ast.With)
                self._place_flows(inner, place, -1 if same else number)

    def _precedes(self, flow: Flow, node: ast.AST) -> bool:
        """Whether a statement always runs before a read, in the same round of each loop."""
        own = [*self._places[flow]]
        while own and own[-1][0] == -1:  # Of `with` blocks.
            own.pop()
        place = self._places[self._homes[node]]
        depth = len(own) - 1
        return (
            len(place) > depth
            and own[:depth] == [*place[:depth]]
            and own[depth][0] == place[depth][0]
            and self._places[flow] < place
            and flow is not self._homes[node]
        )

    def _list_seen(self, key: str, node: ast.AST) -> list[Flow]:
        """Returns the statements whose tensor a read of a name may see."""
        bound, line = self.list_bindings(key), getattr(node, "lineno", 0)
        before = [f for f in bound if f.statement.lineno < line]
        last = max(
            (f for f in before if self._precedes(f, node)),
            key=lambda f: f.statement.lineno,
            default=None,
        )
        if last is not None:
            before = [f for f in before if f.statement.lineno >= last.statement.lineno]
        loops = [
            nodes
            for nodes in self._list_loops_around(node)
            if last is None or last.statement not in nodes
        ]
        later = [f for f in bound if any(f.statement in nodes for nodes in loops)]
        return list(dict.fromkeys([*before, *later]))

    def list_needed(self, flow: Flow) -> list[str]:
        """Returns the tensors that a followed statement computes with."""
        statement = flow.statement
        assert isinstance(statement, ast.Assign | ast.AugAssign)
        tensors = self.list_tensors(statement.value)
        if isinstance(statement, ast.AugAssign):
            tensors.insert(0, ast.unparse(statement.target))
        return [k for k in dict.fromkeys(tensors) if not self._is_made(k, statement)]

    def _is_made(self, key: str, node: ast.AST) -> bool:
        """Whether a name is a variable at a read: build time has it. Elsewhere it may be a tensor."""
        flows = self._list_seen(key, node)
        return bool(flows) and all(f.build and not f.lifts for f in flows)

    def _may_follow(self, flow: Flow, key: str) -> bool:
        """Whether build time can do what a statement does: it is plain, and always known."""
        if flow.kind in _FED:
            return key in self._known
        match flow.statement:
            case ast.Assign(targets=[target]) if find_place(target, key) is not None:
                pass
            case ast.AugAssign(target=ast.Name()):
                pass
            case _:
                return False
        made = flow.build and not flow.lifts
        return (
            flow in self._plain
            and not made
            and not any("." in k for k in [key, *self.list_needed(flow)])
        )

    def _walk_plain_flows(self, flows: Sequence[Flow]) -> Iterator[Flow]:
        """Yields flows that run as often at build time as in a step, under Python's tests."""
        for flow in flows:
            statement = flow.statement
            if not flow.suites:
                yield flow
            elif isinstance(statement, ast.With):
                yield from self._walk_plain_flows(flow.suites["body"])
            elif isinstance(statement, (ast.For, ast.If, ast.While)):
                if self._is_plain(flow) and not self._has_unknown_jump(flow):
                    for suite in flow.suites.values():
                        yield from self._walk_plain_flows(suite)

    def _is_plain(self, flow: Flow) -> bool:
        """Whether Python alone decides how often a block's suites run."""
        if isinstance(flow.statement, ast.With):
            return True
        return isinstance(
            flow.statement, (ast.For, ast.If, ast.While)
        ) and not asks_tensors(flow, self._kinds, self._reads)

    def _has_unknown_jump(self, flow: Flow) -> bool:
        """Whether a jump in a block stands in another block that build time does not run."""
        return any(
            not self._is_plain(inner)
            and any(isinstance(n, JUMPS) for n in walk_breadth_first(inner.statement))
            for inner in list_every_flow([flow])[1:]
            if inner.suites
        ) or any(isinstance(n, ast.Return) for n in walk_breadth_first(flow.statement))

    def _list_loops_around(self, node: ast.AST) -> list[set[ast.AST]]:
        return [nodes for nodes in self._loops if node in nodes]


def asks_tensors(
    flow: Flow, kinds: Mapping[str, Kind], static_reads: Container[ast.AST]
) -> bool:
    """Whether a loop or branch uses values that only a step has.

    A static shape is known before: `for size in x.shape[1:]`.

    Args:
      flow: the loop or branch.
      kinds: of the names around it.
      static_reads: uses of a tensor for its static shape.
    """
    return flow.asks or any(
        kinds.get(names.find_key(node) or "") in ir.STEP_KINDS
        for header in names.list_headers(flow.statement)
        for node in walk_breadth_first(header)
        if isinstance(node, (ast.Name, ast.Attribute)) and node not in static_reads
    )


def find_place(target: ast.expr, key: str) -> str | None:
    """Returns the place of a name in a target: "" for all of it, `[1]` in a tuple."""
    if names.find_key(target) == key:
        return ""
    if isinstance(target, (ast.Tuple, ast.List)):
        for index, element in enumerate(target.elts):
            if names.find_key(element) == key:
                return f"[{index}]"
    return None


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
