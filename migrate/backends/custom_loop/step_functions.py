"""Writes step functions: the slice of the graph that a run call asked for, as a function."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends import moving_averages
from migrate.backends.custom_loop import forward
from migrate.backends.custom_loop.build_time import BuildTime
from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.named_parts import NamedParts
from migrate.backends.custom_loop.random_streams import find_streams
from migrate.backends.custom_loop.read_first import ReadFirst
from migrate.backends.custom_loop.statements import Statements
from migrate.backends.custom_loop.step_expressions import StepExpressions
from migrate.backends.custom_loop.tapes import Tapes
from migrate.backends.custom_loop.unmade_layers import find_unmade_layers
from migrate.backends.custom_loop.updates import Updates, update_last
from migrate.facts import names
from migrate.plan import Block, Item, New
from migrate.program import ir, own_hooks
from migrate.program.binding_time import list_every_flow
from migrate.program.code import Code, join_code, make_code, quote_text
from migrate.program.ir import Flow, Kind
from migrate.tables import contrib_graph


class StepFunctions:
    """Writes step functions.

    Attributes:
      spec_names: names of the specs that feeds have at build time, by key.
      statements: writes the statements of a step.
    """

    def __init__(self, context: Context, build: BuildTime) -> None:
        self._context = context
        self._program = context.program
        self._scopes = context.scopes
        self._diagnostics = context.diagnostics
        self._forward: forward.Forward | None = None
        self.spec_names: dict[str, str] = {}
        self._expressions = StepExpressions(context)
        self._updates = Updates(context, self._expressions)
        self.statements = Statements(context, build, self._expressions, self._updates)
        self._tapes = Tapes(context, self.statements, self._expressions, self._updates)
        self._read_first = ReadFirst(context, self._expressions)
        self._named_parts = NamedParts(context)

    def write_functions(self, spec_names: dict[str, str]) -> list[Item]:
        """Writes all of the program's step functions, and the forward pass they share."""
        self.spec_names = spec_names
        streams = find_streams(self._program, self._scopes)
        self._diagnostics.findings.extend(streams)
        unmade = find_unmade_layers(self._program, self._scopes)
        self._diagnostics.findings.extend(unmade)
        self._forward = self.share_forward()
        items: list[Item] = []
        if self._forward is not None:
            items.append(self.write_forward_function(self._forward))
        return [*items, *[self.write_function(step) for step in self._program.steps]]

    def write_function(self, step: ir.StepFunction) -> Item:
        included = set(step.flows)
        self._updates.begin_function()
        parameters: list[str] = []
        specs: list[Code] = []
        body: list[Item] = []
        for source in step.sources:
            dataset = self._program.iterators[source]
            declared = self._program.structures.get(source)
            target = self.find_element_target(source)
            if isinstance(target, (ast.Tuple, ast.List)) and all(
                isinstance(e, ast.Name) for e in target.elts
            ):
                parameters.extend(e.id for e in target.elts)  # type: ignore[attr-defined]
                specs += declared or (make_code("*", dataset, ".element_spec"),)
            else:
                name = names.find_key(target) or "batch"
                parameters.append(name.replace(".", "_"))
                specs.append(self._program.write_element_spec(source))
        for name in step.feeds:
            placeholder = self._program.placeholders[name]
            parameters.append(placeholder.parameter)
            named = self.spec_names.get(name)
            specs.append(make_code(named) if named else placeholder.spec)
        parameters.extend(step.given)
        specs.extend(make_code(self.spec_names[name]) for name in step.given)
        for name, placeholder in self._program.placeholders.items():
            used = any(name in f.reads for f in included) or any(
                name in names.find_reads(n)
                for f in step.fetches
                for n in f.walk_nodes()
            )
            if used and name not in step.feeds and placeholder.default is not None:
                body.append(
                    New(
                        make_code(
                            f"{placeholder.parameter} = tf.convert_to_tensor(",
                            placeholder.default,
                            ")",
                        )
                    )
                )
        body.extend(self._read_first.write_items(step))
        body.extend(moving_averages.read_first(step, self._context, self._expressions))
        variables = self._write_observed_variables(step)
        if not self._read_first.gives_after:
            body.extend(variables)
        flows = self._open_update_blocks(self._program.flows, included)
        if self._forward is not None and step in self._forward.steps:
            rest = flows[len(self._forward.flows) :]
            call = self._forward.make_call(forward.read_after(step, rest))
            included.add(call)
            flows = [call, *rest]
        tensors = self._find_observed(step, of_variables=False)
        if tensors:
            flows.append(self._make_observation(tensors))
            included.add(flows[-1])
        body.extend(self._tapes.write_body(update_last(flows), included))
        if self._read_first.gives_after:
            body.extend(variables)
        body.append(New(self._write_return(step)))
        separator = ",\n    " if len(specs) > 1 else ", "
        function = Block(
            make_code(
                "\n@replicas.step_function(\n    "
                if len(specs) > 1
                else "\n@replicas.step_function(",
                join_code(separator, specs),
                ")\n",
                f"def {step.name}({', '.join(parameters)}):",
            ),
            body,
        )
        test = self._find_condition(step)
        if test is None:
            return function
        return Block(make_code("\nif ", test, ":"), [function])

    def _find_condition(self, step: ir.StepFunction) -> ast.expr | None:
        """Returns Python's test without which the graph does not have what a step fetches.

        None if a run of it stands under no test: then the graph always has it.
        """
        runs = [run.call for run in self._program.runs if run.step is step]
        if not runs or not all(map(self._is_conditional, runs)):
            return None
        fetched = {
            name
            for fetch in step.fetches
            for node in fetch.walk_nodes()
            for name in names.find_reads(node)
        }
        for flow in self._program.flows:
            if not isinstance(flow.statement, ast.If) or flow.asks:
                continue
            inside = list_every_flow(flow.suites["body"])
            bound = set().union(*[f.binds for f in inside if f.step]) & fetched
            others = [
                f
                for f in list_every_flow(self._program.flows)
                if f not in inside and not f.suites
            ]
            tests = names.find_reads(flow.statement.test)
            if any(self._program.kinds.get(n) in ir.STEP_KINDS for n in tests):
                continue
            if bound and not any(f.binds & bound for f in others):
                return flow.statement.test
        return None

    def _is_conditional(self, run: ast.AST) -> bool:
        """Whether a run stands under a test of the program's own."""
        at: ast.AST | None = run
        while at is not None:
            if isinstance(at, ast.If) and "__name__" not in names.find_reads(at.test):
                return True
            at = self._scopes.parents.get(at)
        return False

    def _find_observed(
        self, step: ir.StepFunction, of_variables: bool
    ) -> dict[str, ast.expr]:
        """Returns the values that hooks observe: variables, or tensors."""
        kinds = self._program.kinds
        return {
            key: value
            for key, value in step.observed.items()
            if (kinds.get(names.find_key(value) or "") is Kind.VARIABLE) is of_variables
        }

    def _write_observed_variables(self, step: ir.StepFunction) -> list[Item]:
        """Writes observed variables as the step returns them, before or after the update."""
        observed = self._find_observed(step, of_variables=True)
        pairs = [
            make_code(quote_text(k), ": ", self._write_observed_value(v))
            for k, v in observed.items()
        ]
        if step.gives_step and own_hooks.GLOBAL_STEP not in observed:
            step_name = quote_text(own_hooks.GLOBAL_STEP)
            pairs.append(make_code(f"{step_name}: replicas.global_step"))
        if not pairs:
            return []
        return [New(make_code("replicas.observe({", join_code(", ", pairs), "})"))]

    def _write_observed_value(self, value: ast.expr) -> Code:
        own = self._program.own_hooks
        if own is None or value not in own.edits:
            return self._expressions.write_expression(value)
        # The name that the hook has for it stands in its place.
        if isinstance(value, ast.Call):
            return make_code("training_session.summary.merge_all()")
        text = ast.unparse(value)
        if self._program.kinds.get(text) is Kind.SCHEDULE:
            return self._expressions.call_schedule_first(value)
        return make_code(text)

    def _make_observation(self, observed: dict[str, ast.expr]) -> Flow:
        """Makes a statement of the step that passes observed values to hooks."""
        pairs = [
            make_code(quote_text(key), ": ", self._write_observed_value(value))
            for key, value in observed.items()
        ]
        return Flow(
            ast.Pass(),
            Kind.TENSOR,
            frozenset().union(*[names.find_reads(v) for v in observed.values()]),
            frozenset(),
            step=True,
            step_code=make_code("replicas.observe({", join_code(", ", pairs), "})"),
        )

    def share_forward(self) -> forward.Forward | None:
        program = self._program
        # A fed tensor is computed by other statements.
        steps = [step for step in program.steps if not step.given]
        bodies = {
            s: self._open_update_blocks(program.flows, set(s.flows)) for s in steps
        }
        name = next(
            (n for n in ("forward", "forward_pass") if n not in self._context.taken),
            None,
        )
        if name is None:
            return None
        inputs = [
            *program.elements,
            *[p.parameter for k, p in program.placeholders.items() if p.parameter == k],
        ]
        if any(p.parameter != k for k, p in program.placeholders.items()):
            return None  # Attributes of `self`.
        return forward.find_shared_forward(steps, bodies, inputs, name)

    def write_forward_function(self, shared: forward.Forward) -> Item:
        self._read_first.clear()
        included = set(shared.steps[0].flows)
        body = self.statements.write_items(shared.flows, included)
        body.append(New(make_code(f"return {', '.join(shared.results)}")))
        return Block(
            make_code(f"\ndef {shared.name}({', '.join(shared.parameters)}):"), body
        )

    def find_element_target(self, source: str) -> ast.expr:
        """What the program binds an iterator's element to."""
        for iterator, flow in self._program.elements.values():
            if iterator == source:
                return flow.statement.targets[0]  # type: ignore[attr-defined,no-any-return]
        raise AssertionError(source)

    def _write_return(self, step: ir.StepFunction) -> Code:
        values = [self._read_first.write_fetch(fetch) for fetch in step.fetches]
        if step.structure == "none":
            return make_code("return None")
        if step.structure == "single":
            return make_code("return ", values[0])
        if step.structure == "dict":
            pairs = [make_code(k, ": ", v) for k, v in zip(step.keys, values)]
            return make_code("return {", join_code(", ", pairs), "}")
        if step.structure == "list":
            return make_code("return [", join_code(", ", values), "]")
        return make_code("return ", join_code(", ", values))

    def _open_update_blocks(
        self, flows: Sequence[Flow], included: set[Flow]
    ) -> list[Flow]:
        """Returns included flows, with blocks around the update opened for the tape."""
        found: list[Flow] = []
        for flow in flows:
            if flow not in included:
                continue
            holds_update = any(
                f.update is not None for f in list_every_flow([flow])[1:]
            )
            if flow.suites and holds_update and isinstance(flow.statement, ast.With):
                if flow.updates:
                    found.append(_make_updates_block())
                    included.add(found[-1])
                inner = self._open_update_blocks(flow.suites["body"], included)
                found.extend(self._named_parts.keep_scope(flow, inner))
            else:
                found.append(flow)
        return found


def _make_updates_block() -> Flow:
    """Returns `with tf.control_dependencies(tf.get_collection(UPDATE_OPS))`, opened."""
    return Flow(
        ast.Pass(),
        Kind.OPERATION,
        frozenset({ir.COLLECTED}),
        frozenset(),
        step=True,
        step_code=make_code(f"{contrib_graph.FRAMEWORK_MODULE}.updates()"),
    )
