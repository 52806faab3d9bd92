"""Analyses the program's own functions once, and stages those that build and compute."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import draws, names
from migrate.program import ir
from migrate.program.binding_time.every import list_every_flow
from migrate.program.binding_time.lattice import join
from migrate.program.binding_time.numbered_scopes import NumberedScopes
from migrate.program.binding_time.sharing import map_defaults
from migrate.program.code import Code, join_code, make_code
from migrate.program.functions import FunctionTimes, list_parameter_names
from migrate.program.ir import Flow, Kind, Lift
from migrate.program.tensor_bindings import TensorBindings
from migrate.rules.mistakes.replicas import gives_dataset
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles


class UserFunctions(NumberedScopes):
    """The binding times of functions and of their calls."""

    def _find_instance_class(self, value: ast.expr) -> ast.ClassDef | None:
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            definition = self._find_definition(value.func)
            if isinstance(definition, ast.ClassDef):
                return definition
        return None

    def _makes_fed_dataset(self, call: ast.Call) -> bool:
        """Whether a call is `make_dataset(x, y)` of placeholders; see `fed_datasets`."""
        return (
            isinstance(call.func, ast.Name)
            and bool(call.args)
            and not call.keywords
            and all(names.find_key(a) in self.placeholders for a in call.args)
            and gives_dataset(self.scopes, call)
        )

    def _analyse_user_function(self, call: ast.Call) -> FunctionTimes | None:
        if self._makes_fed_dataset(call):
            return None
        definition: ast.AST | None = None
        method = ""
        owner = self.instances.get(names.find_key(call.func) or "")
        if owner is not None:  # `net(x)` of an object.
            method = "__call__"
        elif isinstance(call.func, ast.Name):
            definition = self._find_definition(call.func)
        elif isinstance(call.func, ast.Attribute):
            owner = self.instances.get(names.find_key(call.func.value) or "")
            method = call.func.attr if owner is not None else ""
        if method and owner is not None:
            definition = next(
                (
                    f
                    for f in owner.body
                    if isinstance(f, ast.FunctionDef) and f.name == method
                ),
                None,
            )
        if not isinstance(definition, ast.FunctionDef):
            return None
        if definition in self.functions:
            if not self.functions[definition].analysed:
                self.functions[definition].recursive = call
            return self.functions[definition]
        if definition in self.graph.nodes:
            kind = Kind.TENSOR if self.graph.nodes[definition] else Kind.HOST
            self.functions[definition] = FunctionTimes(definition, [], kind)
            return self.functions[definition]
        builds = self._builds_graph(definition)
        if not builds and not draws.draws_by_function(self.scopes, call):
            return None
        kinds = self._map_parameter_kinds(call, definition, bool(method))
        if not builds and not any(kind in ir.STEP_KINDS for kind in kinds.values()):
            return None
        return self._analyse_function(definition, kinds, bool(method))

    def _builds_graph(self, definition: ast.FunctionDef) -> bool:
        """Whether the body names a TensorFlow symbol, or a function that names one."""
        seen: set[ast.AST] = set()
        work: list[ast.AST] = [definition]
        while work:
            current = work.pop()
            if current in seen:
                continue
            seen.add(current)
            for node in walk_breadth_first(current):
                if isinstance(node, (ast.Attribute, ast.Name)) and isinstance(
                    node.ctx, ast.Load
                ):
                    symbol = self.scopes.resolve(node)
                    if symbol is not None and symbol.startswith("tf."):
                        if not roles.has_prefix(symbol, roles.HOST_PREFIXES):
                            return True
                    elif isinstance(node, ast.Name):
                        called = self._find_definition(node)
                        if isinstance(called, ast.FunctionDef):
                            work.append(called)
        return False

    def _map_parameter_kinds(
        self, call: ast.Call, definition: ast.FunctionDef, method: bool
    ) -> dict[str, Kind]:
        parameters = list_parameter_names(definition)
        if method:
            parameters = parameters[1:]
        bound = names.bind_arguments(call, tuple(parameters)) or {}
        return {p: self.find_kind(bound[p]) for p in parameters if p in bound}

    def _analyse_function(
        self, definition: ast.FunctionDef, kinds: dict[str, Kind], method: bool
    ) -> FunctionTimes:
        inner = type(self)(self.scopes, self.diagnostics, self.functions, self.taken)
        inner.environment = {
            name: kind
            for name, kind in self.environment.items()
            if "." not in name or name.startswith("self.")
        }
        inner.instances = dict(self.instances)
        inner.static_reads = self.static_reads
        inner.identities = self.identities
        inner.shared = self.shared
        inner.scope_numbers = self.scope_numbers
        inner.layer_numbers = self.layer_numbers
        inner.sites = self.sites
        inner.scope_reuse = [True] if self.reusing else []
        inner.own_hooks = self.own_hooks
        inner.graph, inner.function = self.graph, definition
        inner.updated_by = self.updated_by
        for parameter in list_parameter_names(definition):
            kind = kinds.get(parameter, Kind.HOST)
            inner.environment[parameter] = (
                Kind.TENSOR if kind in (Kind.PLACEHOLDER, Kind.ELEMENT) else kind
            )
        times = FunctionTimes(
            definition, [], Kind.HOST, is_method=method, analysed=False
        )
        self.functions[definition] = times  # A recursive call sees a host function.
        times.flows = inner.analyse_statements(definition.body)
        for flow in list_every_flow(times.flows):
            if (
                isinstance(flow.statement, ast.Return)
                and flow.statement.value is not None
            ):
                times.kind = join(times.kind, flow.kind)
                times.elements = inner._find_tuple_kinds(flow.statement.value)
        if times.kind is Kind.PLACEHOLDER:
            self.diagnostics.refuse(
                "S105",
                definition,
                "a function makes placeholders for its caller",
                "Make the placeholder where you call the function.",
            )
        if any(f.update is not None for f in list_every_flow(times.flows)):
            self.diagnostics.refuse(
                "N107",
                definition,
                f"{ir.IN_HELPER} makes the training operation",
                "Make the optimizer and its update where you run the session.",
            )
        times.analysed = True
        times.kinds = inner.environment
        times.creates = any(f.build for f in list_every_flow(times.flows))
        steps = any(
            f.step and not isinstance(f.statement, ast.Return)
            for f in list_every_flow(times.flows)
        ) or any(
            isinstance(f.statement, ast.Return)
            and f.kind in ir.STEP_KINDS
            and not _has_only_names(f.statement.value)
            for f in list_every_flow(times.flows)
        )
        times.staged = times.creates and steps
        times.reuses = any(
            isinstance(node, ast.Call)
            and self.scopes.resolve(node.func) == "tf.variable_scope"
            and self._may_reuse(names.find_argument(node, "reuse", 8))
            for node in walk_breadth_first(definition)
        )
        if times.staged and times.recursive is not None:
            self.diagnostics.refuse(
                "N104",
                times.recursive,
                f"`{definition.name}` makes variables and computes, and it calls "
                "itself. The tool has to split it in two, and the half that makes "
                "variables would not know the inner call",
                "Write a function for one layer, and call it once for each layer.",
            )
        if times.staged:
            self._split_parameters(times, inner.environment)
        return times

    def _split_parameters(self, times: FunctionTimes, kinds: dict[str, Kind]) -> None:
        built: set[str] = set()
        stepped: set[str] = set()
        reused: set[str] = set()
        pure_bound: dict[str, Flow] = {}
        for flow in list_every_flow(times.flows):
            if flow.suites:
                header: set[str] = set().union(
                    *[
                        names.find_reads(node)
                        for node in ast.iter_child_nodes(flow.statement)
                        if not isinstance(node, (ast.stmt, ast.ExceptHandler))
                    ]
                )
                if isinstance(flow.statement, ast.With):
                    only, header = self._split_reads(flow.statement)
                    reused |= only
                if flow.build:
                    built |= header
                if flow.step:
                    stepped |= header
                continue
            if flow.lifts:
                for lift in flow.lifts:
                    for node in lift.create.walk_nodes():
                        built |= names.find_reads(node)
                    lifted = {id(n) for n in walk_breadth_first(lift.node)}
                    for node in lift.use.walk_nodes():
                        stepped |= names.find_reads(node)
                    stepped |= {
                        n.id
                        for n in walk_breadth_first(flow.statement)
                        if isinstance(n, ast.Name) and id(n) not in lifted
                    }
            elif flow.build:
                built |= flow.reads
            elif flow.step or isinstance(flow.statement, ast.Return):
                stepped |= flow.reads
            elif flow.host:  # It belongs to the build part.
                built |= flow.reads
            elif flow.pure:
                for name in flow.binds:
                    pure_bound[name] = flow
        # A flag that only controls sharing, which is resolved here, belongs to the step
        # if the step uses it too.
        built |= reused - stepped
        given = {p for p, kind in kinds.items() if kind in ir.STEP_KINDS}
        given &= set(list_parameter_names(times.node))
        bindings = TensorBindings(times.flows, self.static_reads, given, kinds)
        built |= bindings.find_traced_reads()
        # The build part also needs every name that it computes from.
        work = list(built)
        while work:
            name = work.pop()
            source = pure_bound.pop(name, None)
            if source is not None:
                new = set(source.reads) - built
                built |= new
                work.extend(new)
        parameters = list_parameter_names(times.node)
        if times.is_method:
            parameters = parameters[1:]
        times.build_parameters = tuple(p for p in parameters if p in built)
        # If the build part asks for a tensor's shape, it gets a tf.TensorSpec in its place.
        times.spec_parameters = tuple(
            p for p in times.build_parameters if kinds.get(p) in ir.STEP_KINDS
        )
        times.step_parameters = tuple(
            p
            for p in parameters
            if p not in built or (p in times.spec_parameters and p in stepped)
        )

    def _split_reads(self, block: ast.With) -> tuple[set[str], set[str]]:
        """Returns the names that a block reads only for `reuse`, and its other names."""
        reused: set[str] = set()
        others: set[str] = set()
        for item in block.items:
            call = item.context_expr
            reuse = self.reuse_argument(call) if isinstance(call, ast.Call) else None
            if reuse is None:
                others |= names.find_reads(item)
                continue
            reused |= names.find_reads(reuse)
            for node in ast.walk(item):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    if all(node is not inner for inner in ast.walk(reuse)):
                        others.add(node.id)
        return reused - others, others

    def _classify_user_call(self, call: ast.Call, times: FunctionTimes) -> Kind:
        self._classify_arguments(call)
        if not times.staged:
            if times.creates and times.kind is Kind.VARIABLE:
                self._check_made_variables(call, times)
            if times.kind is Kind.HOST:
                kinds = {f.kind for f in list_every_flow(times.flows) if f.step}
                if Kind.SUMMARY in kinds:
                    return Kind.SUMMARY  # A helper that only writes summaries.
                if kinds:
                    return Kind.OPERATION
            if times.kind in (Kind.HOST, Kind.PURE):
                inside = self._classify_arguments_quietly(call)
                if inside in ir.STEP_KINDS:
                    return Kind.TENSOR
            return times.kind
        parameters = list_parameter_names(times.node)
        if times.is_method:
            parameters = parameters[1:]
        bound = names.bind_arguments(call, tuple(parameters))
        if bound is None or times.node.args.vararg or times.node.args.kwarg:
            self.diagnostics.refuse(
                "N151",
                call,
                "the tool cannot tell this call's arguments apart",
                "Write the arguments out, without * and **, in the call and in the "
                "function's definition.",
            )
            return times.kind
        static = [p for p in times.build_parameters if p in bound]
        for parameter in times.spec_parameters:
            if parameter in bound:
                self._note_spec_argument(call, bound[parameter])
        given = {**map_defaults(times.node), **bound}
        staged, shared = self.find_shared_call(
            call,
            times.node,
            {
                p: given[p]
                for p in times.build_parameters
                if p in given
                and p not in times.spec_parameters
                and not self.is_only_for_reuse(times.node, p, ())
            },
            self.make_environment(call, times.node, {}),
        )
        name = staged.name
        if not shared:
            self._check_numbered(call, times.node)
            hint = self._target_hint.rpartition(".")[2] or times.node.name
            name = self.choose_free_name(f"{hint}_of", f"{times.node.name}_of")
            self.staged_calls[name] = dataclasses.replace(staged, name=name)
        create = make_code(
            call.func,
            "(",
            join_code(", ", [make_code(f"{p}=", bound[p]) for p in static]),
            ")",
        )
        dynamic: list[Code] = []
        positional = True
        for parameter in times.step_parameters:
            if parameter not in bound:
                positional = False
                continue
            prefix = "" if positional else f"{parameter}="
            dynamic.append(make_code(prefix, bound[parameter]))
        use = make_code(name, "(", join_code(", ", dynamic), ")")
        self._lifts.append(Lift(call, name, make_code() if shared else create, use))
        return times.kind if times.kind in ir.STEP_KINDS else Kind.TENSOR

    def _check_made_variables(self, call: ast.Call, times: FunctionTimes) -> None:
        """Refuses a call of a function whose variables another call made."""
        bound = (
            names.bind_arguments(call, tuple(list_parameter_names(times.node))) or {}
        )
        given = {**map_defaults(times.node), **bound}
        made, shared = self.find_shared_call(
            call,
            times.node,
            {
                p: v
                for p, v in given.items()
                if not self.is_only_for_reuse(times.node, p, ())
            },
            self.make_environment(call, times.node, {}),
        )
        if not shared:
            self._check_numbered(call, times.node)
            self.staged_calls[f"{len(self.staged_calls)} {times.node.name}"] = made
        elif made.call is not call and not self.reusing:
            self.refuse_sharing(call, "each call makes a variable")

    def _note_spec_argument(self, call: ast.Call, argument: ast.expr) -> None:
        """Notes a tensor that a staged function gets for its static shape."""
        kind = self.find_kind(argument)
        if kind not in ir.STEP_KINDS:
            return
        name = names.find_key(argument)
        if name is None:
            self.diagnostics.refuse(
                "N104",
                call,
                "a function makes variables by the shape of this tensor, and the "
                "tensor has no name",
                "Assign the tensor to a name in a statement before.",
            )
            return
        self.static_reads[argument] = name

    def _classify_arguments_quietly(self, call: ast.Call) -> Kind:
        kind = Kind.HOST
        for argument in [*call.args, *[k.value for k in call.keywords]]:
            if isinstance(argument, ast.Starred):
                argument = argument.value
            kind = join(kind, self.find_kind(argument))
        return kind


def _has_only_names(node: ast.expr | None) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(_has_only_names(e) for e in node.elts)
    return names.find_key(node) is not None if node is not None else True
