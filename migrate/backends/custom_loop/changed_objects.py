"""Refuses Python objects that the program changes in place while it builds the graph.

TF1 reads `mask` when the graph needs it. A step reads it later, when it is traced, or
computes it anew from the statement that defined it. If `mask[0] = 0` or
`np.random.shuffle(order)` stands in between, the step would have another value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.facts import names
from migrate.facts.aliases import Aliases, find_held, is_seen
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first

_RECIPE = "Bind the value to a name of its own that nothing changes later."


def refuse_changed_objects(
    program: ir.TrainingProgram, scopes: Scopes, diagnostics: Diagnostics
) -> None:
    """Refuses objects that steps would read, or compute anew, with another content."""
    included = {flow for step in program.steps for flow in step.flows}
    if included:
        _Order(program.flows, included, scopes, diagnostics).refuse()


class _Order:
    """The statements of the graph in their order, and those of them that the steps run."""

    def __init__(
        self,
        flows: Sequence[Flow],
        included: set[Flow],
        scopes: Scopes,
        diagnostics: Diagnostics,
    ) -> None:
        self._flows = list_every_flow(flows)
        self._place = {flow: place for place, flow in enumerate(self._flows)}
        self._included = included
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._around: dict[Flow, list[Flow]] = {}
        self._note_blocks(flows, [])

    def _note_blocks(self, flows: Sequence[Flow], around: list[Flow]) -> None:
        for flow in flows:
            self._around[flow] = around
            for suite in flow.suites.values():
                self._note_blocks(suite, [*around, flow])

    def refuse(self) -> None:
        told: set[str] = set()
        restated: set[str] = set()
        for flow in self._flows:
            if flow in self._included and (
                self._is_plain(flow) or self._may_hold_tensors(flow)
            ):
                for name in sorted(names.find_binds(flow.statement)):
                    restated.add(name)
                    change = self._find_change_of_restated(flow, name)
                    if change is not None and name not in told:
                        told.add(name)
                        self._refuse(
                            change,
                            f"this line may change `{name}` after its definition. A "
                            "step function would repeat the definition without the "
                            "change",
                        )
        # The written value is a number, a text or None, which nothing changes.
        made = restated | {
            name
            for flow in self._flows
            if isinstance(getattr(flow.statement, "value", None), ast.Constant)
            for name in names.find_binds(flow.statement)
        }
        made = made.union(*[f.binds for f in self._included if not f.suites])
        for flow in self._flows:
            if flow not in self._included:
                continue
            for name in sorted(self._list_reads(flow) - made - told):
                change = self._find_change_after_read(flow, name)
                if change is not None and name not in told:
                    told.add(name)
                    self._refuse(
                        change,
                        f"TensorFlow 1 read `{name}` when it built the graph. This "
                        "line may change it later, and a step function would read "
                        "the changed value",
                    )

    def _refuse(self, statement: ast.stmt, reason: str) -> None:
        self._diagnostics.refuse("G007", statement, reason, _RECIPE)

    def _is_plain(self, flow: Flow) -> bool:
        return flow.host and not flow.suites and flow.kind is Kind.HOST

    def _may_hold_tensors(self, flow: Flow) -> bool:
        """Whether a step computes it, so that it may be a list or dict of tensors."""
        return not flow.suites and (
            flow.kind in ir.STEP_KINDS or flow.kind is Kind.PURE
        )

    def _list_reads(self, flow: Flow) -> set[str]:
        return (
            names.find_header_reads(flow.statement) if flow.suites else set(flow.reads)
        )

    def _find_change_of_restated(self, flow: Flow, name: str) -> ast.stmt | None:
        """Returns a change between a definition and the last time that the graph reads it."""
        value = getattr(flow.statement, "value", None)
        if isinstance(value, ast.Constant) or not isinstance(
            flow.statement, (ast.Assign, ast.AnnAssign)
        ):
            return None
        last = self._find_last_read(flow, name)
        if last is None:
            return None
        plain = self._is_plain(flow)
        known = find_held(value) if isinstance(value, ast.Name) or not plain else set()
        changes = self._walk_changes(
            {name, *known}, self._place[flow] + 1, last + 1, strict=plain
        )
        for _, statement, _ in changes:
            if plain or not _adds_tensor(statement):
                return statement
        return None

    def _find_last_read(self, flow: Flow, name: str) -> int | None:
        loops = self._list_loops_around(flow)
        last: int | None = None
        for later in self._flows[self._place[flow] + 1 :]:
            if later in self._included and name in self._list_reads(later):
                last = max([self._place[later], *self._list_loop_ends(later, loops)])
            if (
                isinstance(later.statement, ast.Assign)
                and name in map(names.find_key, later.statement.targets)
                and set(self._around[later]) <= set(self._around[flow])
            ):
                break
        return last

    def _list_loops_around(self, flow: Flow) -> list[Flow]:
        return [
            f
            for f in self._around[flow]
            if isinstance(f.statement, (ast.For, ast.While))
        ]

    def _list_loop_ends(self, flow: Flow, but: Sequence[Flow]) -> list[int]:
        """Returns the ends of the loops around a statement, because their rounds repeat."""
        return [
            self._place[list_every_flow([loop])[-1]]
            for loop in self._list_loops_around(flow)
            if loop not in but
        ]

    def _walk_changes(
        self, known: set[str], first: int, end: int, strict: bool = False
    ) -> Iterator[tuple[int, ast.stmt, str]]:
        """Yields changes of an object between two places that the steps do not make."""
        aliases = Aliases(self._scopes, known, strict)
        for place in range(first, end):
            flow = self._flows[place]
            aliases.follow(flow.statement)
            if flow.suites or flow.dropped or flow in self._included:
                continue
            for change in aliases.find_changes(flow.statement):
                yield place, flow.statement, change

    def _find_change_after_read(self, flow: Flow, name: str) -> ast.stmt | None:
        """Returns a change after the graph has read an object that steps read when traced."""
        if flow.suites:
            header = flow.statement
            roots = [getattr(header, "iter", None) or getattr(header, "test", None)]
        else:
            roots = [flow.statement]
        kinds = {
            how for root in roots if root is not None for how in _find_reads(root, name)
        }
        if not kinds:
            return None
        loops = set(self._list_loops_around(flow))
        place = self._place[flow]
        for at, statement, change in self._walk_changes(
            {name}, place + 1, len(self._flows)
        ):
            shared = loops & set(self._list_loops_around(self._flows[at]))
            if any(is_seen(change, read) for read in kinds):
                if not (shared and change.startswith("[")):
                    return statement
        return None


def _adds_tensor(statement: ast.stmt) -> bool:
    """Whether it is `loss += penalty`, which gives a name another tensor."""
    return isinstance(statement, ast.AugAssign) and not isinstance(
        statement.value, (ast.List, ast.ListComp)
    )


def _find_reads(root: ast.AST, name: str) -> Iterator[str]:
    """Yields how a name is read: "" as a whole, "len" for its size, `[key]` for one entry."""
    above = {c: n for n in walk_breadth_first(root) for c in ast.iter_child_nodes(n)}
    for node in walk_breadth_first(root):
        if names.find_key(node) != name or not isinstance(
            getattr(node, "ctx", None), ast.Load
        ):
            continue
        parent = above.get(node)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            yield f"[{ast.unparse(parent.slice)}]"
        elif isinstance(parent, ast.Call) and names.get_last_part(parent.func) == "len":
            yield "len"
        elif not isinstance(parent, ast.Attribute):
            yield ""
