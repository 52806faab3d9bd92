"""Writes build time: the code that runs once, under the strategy's scope."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from migrate.backends.custom_loop.changed_collections import check_collections
from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.items import is_empty
from migrate.backends.custom_loop.specs import Followed, Specs
from migrate.backends.custom_loop.synchronisation import SyncHooks
from migrate.facts import effects, names
from migrate.frontends.cluster.placement import names_task
from migrate.plan import Block, Dropped, Item, Keep, New
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.program.code import make_code
from migrate.program.functions import FunctionTimes
from migrate.program.ir import Flow, Kind
from migrate.program.lost_values import is_of_steps, refuse_lost_value
from migrate.program.rounds import (
    InTurn,
    find_objects_in_turn,
    find_reads_of_steps,
    list_lifts_of_round,
    list_round_statements,
)
from migrate.program.slices import build_closure
from migrate.source.nodes import JUMPS, walk_breadth_first
from migrate.tables import roles


class BuildTime:
    """Writes the build-time part of statements of the graph.

    Attributes:
      pure: pure statements whose values build-time statements use, so that they stay there.
      followed: statements that give followed names their tensors, and these names; see
        `Specs`.
      in_turn: statements that make objects which the steps take in turn.
    """

    def __init__(self, context: Context, sync: SyncHooks) -> None:
        self._context = context
        self._program = context.program
        self._scopes = context.scopes
        self._diagnostics = context.diagnostics
        self._plan = context.plan
        self._sync = sync
        self._lists: dict[tuple[ast.stmt, str], str] = {}
        self.pure = build_closure(context.program.flows) | self._find_shape_flows()
        self.followed: Mapping[Flow, Sequence[str]] = {}
        self.in_turn: dict[Flow, InTurn] = find_objects_in_turn(context.program.flows)
        for staged in context.program.staged:
            assert isinstance(staged, FunctionTimes)
            self.in_turn.update(find_objects_in_turn(staged.flows))
        self._in_loops = {
            flow
            for one in self.in_turn.values()
            for flow in list_every_flow([one.loop])
        }

    def _find_shape_flows(self) -> set[Flow]:
        """Returns statements that compute numbers from shapes, for the loop or a helper."""
        wanted = set().union(
            set(),
            *[names.find_reads(s) for s in self._program.tail],
            *[names.find_reads(helper) for helper in self._program.helpers],
        )
        found: set[Flow] = set()
        for flow in reversed(list_every_flow(self._program.flows)):
            plain = flow.pure and not flow.suites and flow.binds & wanted
            if plain and not any(
                isinstance(n, (ast.Name, ast.Attribute))
                and (self._scopes.resolve(n) or "").startswith("tf.")
                for n in walk_breadth_first(flow.statement)
            ):
                found.add(flow)
                wanted |= flow.reads
        return self._exclude_tensor_flows(found)

    def _exclude_tensor_flows(self, found: set[Flow]) -> set[Flow]:
        """Excludes statements that use tensors which the steps make: `tf.constant(2) + 1`."""
        kept = build_closure(self._program.flows)
        while True:
            unmade: set[str] = set().union(
                *[
                    flow.binds
                    for flow in list_every_flow(self._program.flows)
                    if flow.pure
                    and not flow.suites
                    and flow not in found
                    and flow not in kept
                ]
            )
            numbers = {flow for flow in found if not flow.reads & unmade}
            if numbers == found:
                return found
            found = numbers

    def write_suite(self, flows: Sequence[Flow]) -> list[Item]:
        items: list[Item] = []
        for flow in flows:
            items.extend(self.list_comments_before(flow.statement))
            items.extend(self.write_flow(flow))
        return items

    def list_comments_before(self, statement: ast.stmt) -> list[Item]:
        """Returns the comments of blocks of which nothing else is left."""
        return [Dropped(block) for block in self._program.dissolved.get(statement, ())]

    def write_flow(self, flow: Flow) -> list[Item]:
        items = self._write_flow(flow)
        items += [Followed(flow, key) for key in self.followed.get(flow, ())]
        if flow in self.in_turn:
            items += [
                New(make_code(f"{self.name_list(flow.statement, n)}.append({n})"))
                for n in self.in_turn[flow].names
            ]
        return items

    def list_in_turn(
        self, loop: Flow, made: Collection[Flow]
    ) -> list[tuple[Flow, str]]:
        """Returns which of some statements a loop's steps take from in turn, and the names.

        Each statement has its own list: a step may need one of them, and not another.
        """
        return [
            (flow, name)
            for flow, one in self.in_turn.items()
            if one.loop is loop and flow in made
            for name in one.names
        ]

    def takes_in_turn(self, loop: Flow) -> bool:
        """Whether steps take in turn what a loop makes, or a loop around it."""
        return loop in self._in_loops

    def name_iterator(self, made: Flow, name: str) -> str:
        """Returns the name of the iterator from which a step takes what a statement made."""
        key = made.statement, f"made {name}"
        if key not in self._lists:
            self._lists[key] = self._context.choose_free_name(f"made_{name}")
        return self._lists[key]

    def _write_flow(self, flow: Flow) -> list[Item]:
        statement = flow.statement
        if statement in self._program.sync_statements:
            required, total = self._program.aggregation
            return [
                *self._unwrap_optimizer(statement),
                New(
                    make_code(
                        "replicas.check_aggregation(",
                        required or "None",
                        ", ",
                        total or "None",
                        ")",
                    ),
                    statement,
                ),
            ]
        if statement in self._program.moved and statement not in self._program.copied:
            return [Dropped(statement)]
        planned = self._plan.statements.get(statement)
        if planned is not None and flow.dropped and not flow.suites:
            return planned  # So is the spec of a feed.
        if planned is not None and all(isinstance(i, Dropped) for i in planned):
            return planned
        if flow.suites:
            return self._build_compound(flow)
        if flow.lifts:
            return [
                New(make_code(f"{lift.name} = ", lift.create))
                for lift in flow.lifts
                if lift.create.parts
            ]
        if flow.dropped or self.is_only_setup(flow):
            return [Dropped(statement)]
        if flow.step:
            return []
        if flow.pure and flow not in self.pure:
            return []
        if flow.pure:
            self._check_tower(statement)
            return [Keep(statement)]
        if self._sync.mentions(statement):
            return [self._sync.drop_hook(statement)]
        sharded = self._find_partitioner(statement, ("tf.get_variable",), 8)
        if sharded is not None:
            return [
                Block(
                    make_code(
                        "with training_session.partitioner.sharding(", sharded, "):"
                    ),
                    [Keep(statement)],
                )
            ]
        return [Keep(statement)]

    def _check_tower(self, statement: ast.stmt) -> None:
        """Refuses variables that depend on one tower: they are made once for all towers."""
        value = getattr(statement, "value", None)
        if (
            self._program.cluster is None
            and isinstance(value, ast.Call)
            and ast.unparse(value) == roles.TOWER_INDEX
        ):
            self._diagnostics.refuse(
                "N126",
                statement,
                "a variable or layer is made once for all towers, but the program "
                "makes it from a tower's number",
                "Make it in the same way for every tower, or share it by "
                "reuse=tf.AUTO_REUSE.",
            )

    def _unwrap_optimizer(self, statement: ast.stmt) -> list[Item]:
        """Writes `sync = inner` for `sync = SyncReplicasOptimizer(inner)`."""
        if not isinstance(statement, ast.Assign):
            return []
        target, call = statement.targets[0], statement.value
        inner = (
            names.find_argument(call, "opt", 0) if isinstance(call, ast.Call) else None
        )
        if inner is None or ast.unparse(inner) == ast.unparse(target):
            return []
        return [New(make_code(target, " = ", inner))]

    def is_only_setup(self, flow: Flow) -> bool:
        """Whether a statement is only a session configuration or a device function."""
        if flow.kind is Kind.DEVICE:
            return True
        if flow.kind is Kind.CONFIG or (
            isinstance(flow.statement, ast.Assign)
            and isinstance(flow.statement.targets[0], ast.Attribute)
            and self._is_config_target(flow.statement.targets[0])
        ):
            return not self._is_config_used(flow)
        return False

    def _is_config_target(self, target: ast.expr) -> bool:
        while isinstance(target, ast.Attribute):
            name = names.find_key(target)
            if name and self._program.kinds.get(name) is Kind.CONFIG:
                return True
            target = target.value
        return (
            isinstance(target, ast.Name)
            and self._program.kinds.get(target.id) is Kind.CONFIG
        )

    def _is_config_used(self, flow: Flow) -> bool:
        bound = names.find_binds(flow.statement) | names.find_mutations(flow.statement)
        if any(map(self._is_shown, bound)):
            return True
        if self._program.cluster is None:
            return False
        config = names.find_argument(self._program.cluster.server_call, "config", 4)
        return config is not None and bool(names.find_reads(config) & bound)

    def _is_shown(self, name: str) -> bool:
        """Whether the program prints a configuration, beside giving it to a session."""
        return any(
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(call := self._scopes.parents.get(node), ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "print"
            for node in walk_breadth_first(self._program.driver)
        )

    def _find_partitioner(
        self, node: ast.AST, symbols: tuple[str, ...], position: int
    ) -> ast.expr | None:
        """Returns the partitioner that a call in `node` gets, if shards are kept at all."""
        if (
            not self._program.partitioned
            or not self._program.replication.has_coordinator
        ):
            return None
        for call in walk_breadth_first(node):
            if (
                isinstance(call, ast.Call)
                and self._scopes.resolve(call.func) in symbols
            ):
                value = names.find_argument(call, "partitioner", position)
                if (
                    value is not None
                    and names.read_literal(value) is None
                    and not isinstance(value, ast.Constant)
                ):
                    return value
        return None

    def _build_compound(self, flow: Flow) -> list[Item]:
        statement = flow.statement
        if isinstance(statement, (ast.For, ast.While)):
            check_collections(flow, self._scopes, self._diagnostics)
        inner = list_every_flow([flow])[1:]
        follows = any(f in self.followed for f in inner)
        plain = inner
        if isinstance(
            statement, (ast.For, ast.While)
        ):  # Its own jumps do nothing else.
            plain = [
                f for f in inner if not isinstance(f.statement, (*JUMPS, ast.Pass))
            ]
        of_steps = not flow.build and is_of_steps(self._program, flow)
        if of_steps or (isinstance(statement, ast.Try) and flow.step):
            refuse_lost_value(self._program, self._scopes, self._diagnostics, flow)
        if of_steps or not (
            flow.build
            or follows
            or any(f.host or f in self.pure for f in plain if not f.suites)
        ):
            return []
        if isinstance(statement, ast.With) and self._is_dissolved_at_build(statement):
            return [Dropped(statement), *self.write_suite(flow.suites["body"])]
        if isinstance(statement, ast.For) and flow not in self._in_loops:
            lifts = list_lifts_of_round(flow)
            kept = self.list_loop_names(flow)
            if lifts or kept:
                return self._build_loop(flow, statement, lifts, kept)
        suites = {
            field: self.write_suite(suite) for field, suite in flow.suites.items()
        }
        if all(is_empty(items) for items in suites.values()):
            return [Dropped(statement)] if not flow.step else []
        block = Keep(statement, suites)
        lists = self.list_in_turn(flow, self.in_turn)
        if lists:
            self._check_names(statement, [name for _, name in lists])
            self._check_headers(flow)
        if lists:
            begin = [f"{self.name_list(f.statement, name)} = []" for f, name in lists]
            return [*[New(make_code(text)) for text in begin], block]
        if isinstance(statement, ast.With):
            for item in statement.items:
                sharded = self._find_partitioner(
                    item.context_expr, ("tf.variable_scope",), 6
                )
                if sharded is not None:
                    header = make_code(
                        "with training_session.partitioner.sharding(", sharded, "):"
                    )
                    return [Block(header, [block])]
        return [block]

    def _check_names(self, loop: ast.stmt, made: Sequence[str]) -> None:
        """Refuses attributes that a round of a loop may or may not set."""
        for name in made:
            if "." in name:
                self._diagnostics.refuse(
                    "N104",
                    loop,
                    f"a round of this loop may make `{name}` or not, and sets an "
                    "attribute to it. A step takes such objects in turn, into local "
                    "names",
                    "Set a local name in the loop, and the attribute after the loop.",
                )

    def _check_headers(self, loop: Flow) -> None:
        """Refuses loops whose tests see what making an object changes."""
        asked: set[str] = set()
        changed: set[str] = set()
        for flow in list_every_flow([loop]):
            asked |= names.find_header_reads(flow.statement)
            if flow in self.in_turn:
                changed |= names.find_mutations(flow.statement)
                changed |= _find_consumed(flow.statement)
        for name in sorted(asked & changed):
            self._diagnostics.refuse(
                "N116",
                loop.statement,
                f"the loop asks for `{name}`, and each variable that it makes changes "
                f"`{name}`. A step would find it changed already",
                f"Loop over a list that stays as it is: `for item in list({name}):`.",
            )

    def _build_loop(
        self, flow: Flow, statement: ast.For, lifts: list[ir.Lift], kept: list[str]
    ) -> list[Item]:
        lists = [*[lift.name for lift in lifts], *kept]
        list_of = {name: self.name_list(statement, name) for name in lists}
        items: list[Item] = [
            New(make_code(f"{kept_in} = []")) for kept_in in list_of.values()
        ]
        body: list[Item] = []
        direct = [
            lift
            for f in flow.suites["body"]
            for lift in f.lifts
            if f not in self.followed
        ]
        kept = [*[lift.name for lift in lifts if lift not in direct], *kept]
        for inner in flow.suites["body"]:
            if inner.lifts and inner not in self.followed:
                for lift in inner.lifts:
                    if lift.create.parts:
                        body.append(
                            New(
                                make_code(
                                    f"{list_of[lift.name]}.append(", lift.create, ")"
                                )
                            )
                        )
            else:
                body.extend(self.write_flow(inner))
        body.extend(New(make_code(f"{list_of[name]}.append({name})")) for name in kept)
        items.append(Keep(statement, {"body": body}))
        return items

    def name_list(self, loop: ast.stmt, name: str) -> str:
        """Returns the name of the list for a loop's values; each loop has its own."""
        if (loop, name) not in self._lists:
            self._lists[loop, name] = self._context.choose_free_name(f"{name}_list")
        return self._lists[loop, name]

    def list_loop_names(self, flow: Flow) -> list[str]:
        """Returns variables that each round of a loop makes, and that its step reads."""
        made: list[str] = []
        for inner in list_round_statements(flow.suites["body"]):
            if inner.build and not inner.lifts and not inner.suites:
                made.extend(sorted(inner.binds))
        read = find_reads_of_steps(flow)
        return [name for name in dict.fromkeys(made) if name in read]

    def _is_dissolved_at_build(self, statement: ast.With) -> bool:
        """Whether a block only opens local devices or control dependencies."""
        if self._program.connected is not None and any(
            names_task(self._scopes, i.context_expr) for i in statement.items
        ):
            return False
        return all(
            isinstance(i.context_expr, ast.Call)
            and self._scopes.resolve(i.context_expr.func)
            in ("tf.device", "tf.control_dependencies")
            for i in statement.items
        )

    def make_specs(self, early: Mapping[str, str]) -> Specs:
        """Returns specs of the driver's tensors: declared feeds, and elements of datasets.

        Args:
          early: names of specs that are made where the feeds were, by key.
        """
        program = self._program
        known = {key: p.spec for key, p in program.placeholders.items()}
        for key, (iterator, flow) in program.elements.items():
            target = flow.statement.targets[0]  # type: ignore[attr-defined]
            spec = program.write_element_spec(iterator)
            known[key] = make_code(spec, _find_path(target, key) or "")
        specs = Specs(
            program.flows,
            program.static_reads,
            known,
            program.kinds,
            self._context.choose_free_name,
            self._diagnostics,
        )
        specs.take_early(early)
        self.followed = specs.followed
        self.pure |= build_closure(program.flows, specs.followed)
        return specs


def _find_path(target: ast.expr, key: str) -> str | None:
    """Returns the path to a name in an unpacked target: "[1][0]"; None if it is not there."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return "" if names.find_key(target) == key else None
    for index, element in enumerate(target.elts):
        path = _find_path(element, key)
        if path is not None:
            return f"[{index}]{path}"
    return None


def _find_consumed(statement: ast.stmt) -> set[str]:
    """Returns the names of lists and iterators from which a statement takes something."""
    return {
        key
        for node in walk_breadth_first(statement)
        if isinstance(node, ast.Call)
        and effects.consumes(node)
        and isinstance(node.func, ast.Attribute)
        and (key := names.find_key(node.func.value)) is not None
    }
