"""The user's functions that create and compute: split into the two times."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from migrate.backends.custom_loop.build_time import BuildTime
from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.specs import Specs
from migrate.backends.custom_loop.statements import Statements
from migrate.facts import names
from migrate.plan import Block, Item, Keep, New
from migrate.program.binding_time import list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.functions import FunctionTimes
from migrate.program.ir import Flow
from migrate.program.rounds import find_objects_in_turn
from migrate.program.slices import build_closure, find_rebound_names, list_jumps


class StagedFunctions:
    """`def model(x)` becomes a function that creates and returns one that computes."""

    def __init__(
        self, context: Context, build: BuildTime, statements: Statements
    ) -> None:
        self._context = context
        self._program = context.program
        self._scopes = context.scopes
        self._diagnostics = context.diagnostics
        self._plan = context.plan
        self._build = build
        self._statements = statements

    def plan(self, times: FunctionTimes) -> None:
        """`def model(x)` that creates and computes: creates once, returns what computes."""
        node = times.node
        flows = times.flows
        documentation: list[Item] = []
        if flows and names.is_docstring(flows[0].statement):
            documentation = [Keep(flows[0].statement)]
            flows = flows[1:]
        specs = Specs(
            flows,
            self._program.static_reads,
            {p: make_code(p) for p in times.spec_parameters},
            times.kinds,
            self._context.choose_free_name,
            self._diagnostics,
        )
        pure = build_closure(flows, specs.followed)
        host_at_build = self._find_host_for_build(flows, specs.followed)
        saved = self._build.pure, self._build.followed
        self._build.followed = specs.followed
        self._build.pure = self._build.pure | pure | host_at_build
        build: list[Item] = []
        for flow in flows:
            if isinstance(flow.statement, ast.Return):
                build.extend(
                    New(make_code(f"{lift.name} = ", lift.create))
                    for lift in flow.lifts
                    if lift.create.parts
                )
                continue
            if flow.host and not flow.suites and flow not in host_at_build:
                continue
            build.extend(self._build.write_flow(flow))
        self._build.pure, self._build.followed = saved
        build = specs.insert_specs(build)
        several = find_rebound_names(flows)
        for one in find_objects_in_turn(flows).values():
            several.update(one.names)
        included = {
            f
            for f in list_every_flow(flows)
            if f.step
            or f in self._build.in_turn
            or isinstance(f.statement, ast.Return)
            or (f.pure and f not in pure)
            or (
                f.host
                and not f.suites
                and (f not in host_at_build or f.binds & several)
            )
            or (f.suites and self._has_step(f))
        }
        for flow in list_every_flow(flows):
            if flow in included and isinstance(flow.statement, (ast.For, ast.While)):
                included.update(list_jumps(flow.suites["body"]))
        step = self._statements.write_items(flows, included)
        inner = "apply" if "apply" not in times.step_parameters else "apply_layers"
        defaults = self._map_defaults(node)

        def write_signature(parameters: Sequence[str], method: bool) -> Code:
            parts: list[Code] = [make_code(node.args.args[0].arg)] if method else []
            for parameter in parameters:
                default = defaults.get(parameter)
                parts.append(
                    make_code(parameter, "=", default)
                    if default is not None
                    else make_code(parameter)
                )
            return join_code(", ", parts)

        body: list[Item] = [
            *documentation,
            *build,
            Block(
                make_code(
                    f"\ndef {inner}(",
                    write_signature(times.step_parameters, False),
                    "):",
                ),
                step,
            ),
            New(make_code(f"return {inner}")),
        ]
        self._plan.statements[node] = [
            Block(
                make_code(
                    f"def {node.name}(",
                    write_signature(times.build_parameters, times.is_method),
                    "):",
                ),
                body,
                node,
            )
        ]

    def _has_step(self, flow: Flow) -> bool:
        return any(
            f.step or f in self._build.in_turn or isinstance(f.statement, ast.Return)
            for f in list_every_flow([flow])[1:]
        )

    def _find_host_for_build(
        self, flows: Sequence[Flow], followed: Collection[Flow]
    ) -> set[Flow]:
        """Plain Python in a staged function that its build-time part reads."""
        needed: set[str] = set()
        found: set[Flow] = set()
        for flow in reversed(list_every_flow(flows)):
            if flow.lifts:
                for lift in flow.lifts:
                    for node in lift.create.walk_nodes():
                        needed |= names.find_reads(node)
            if flow in followed or (flow.build and not flow.lifts):
                needed |= flow.reads
            elif flow.host and not flow.suites and flow.binds & needed:
                found.add(flow)
                needed |= flow.reads
        return found

    def _map_defaults(self, node: ast.FunctionDef) -> dict[str, ast.expr]:
        arguments = node.args
        named = [*arguments.posonlyargs, *arguments.args]
        found = dict(
            zip(
                [a.arg for a in named[len(named) - len(arguments.defaults) :]],
                arguments.defaults,
            )
        )
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
            if default is not None:
                found[argument.arg] = default
        return found
