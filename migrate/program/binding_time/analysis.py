"""Analyses statements in order: their kind, and when they run."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.program import ir
from migrate.program.binding_time.blocks import Blocks
from migrate.program.binding_time.lattice import join
from migrate.program.binding_time.lifts import sort_lifts
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables.worker_state import MUTATORS


class Analysis(Blocks):
    """Analyses statements in order, and keeps the kind of each name."""

    def analyse_statements(self, body: Sequence[ast.stmt]) -> list[Flow]:
        return [self.analyse_statement(s) for s in body]

    def analyse_statement(self, statement: ast.stmt) -> Flow:
        self._lifts, self._update = [], None
        self._whole = getattr(statement, "value", None)
        if isinstance(statement, (ast.With, ast.If, ast.For, ast.While, ast.Try)):
            return self._analyse_compound(statement)
        flow = Flow(
            statement,
            Kind.HOST,
            frozenset(names.find_reads(statement)),
            frozenset(names.find_binds(statement)),
        )
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self._analyse_assignment(statement, flow)
        elif isinstance(statement, (ast.Expr, ast.Return)):
            if statement.value is not None:
                flow.kind = self.classify_expression(statement.value)
                self._note_method_effects(statement, flow)
        elif statement in self.helpers:
            flow.reads = frozenset()
        elif isinstance(statement, ast.FunctionDef):
            flow.kind = self._classify_closure(statement)
            self.environment[statement.name] = flow.kind
        elif isinstance(statement, (ast.ClassDef, ast.Import)):
            pass
        else:
            for child in list_children(statement):
                if isinstance(child, ast.expr):
                    flow.kind = join(flow.kind, self.classify_expression(child))
            self._note_method_effects(statement, flow)
        if flow.kind is Kind.HOST and self._asks_tensor(statement):
            flow.kind, flow.asks = Kind.TENSOR, True
        if (
            flow.kind in ir.STEP_KINDS
            and flow.kind not in (Kind.PLACEHOLDER, Kind.ELEMENT)
            and not isinstance(statement, ast.FunctionDef)  # It has its own scopes.
        ):
            self._lift_creations(statement)
            self._lift_draws(statement)
            self._check_repeated()
        flow.lifts, flow.update = sort_lifts(statement, self._lifts), self._update
        if flow.kind in (Kind.OPERATION, Kind.ASSIGNMENT):
            self.updates |= flow.binds
        if flow.update is not None:
            flow.reads = flow.reads | frozenset(flow.update.fed)
        self._classify_time(flow)
        self._check_symbolic(flow)
        if flow.step:
            self._note_built_layers(flow)
        if self.graph.used:
            self._analyse_graph_code(flow)
        return flow

    def _note_built_layers(self, flow: Flow) -> None:
        """Notes the variables of layers that a statement is the first to call.

        h = layer(x)
        penalty = tf.nn.l2_loss(layer.kernel)   # A step with this has the line above, too.
        """
        for node in walk_breadth_first(flow.statement):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if self.environment.get(node.func.id) is not Kind.LAYER:
                continue
            made = {f"{node.func.id}.{name}" for name in ir.WEIGHTS_OF_LAYERS}
            if made.isdisjoint(self.environment):
                flow.binds |= made
                self.environment.update(dict.fromkeys(made, Kind.TENSOR))

    def _analyse_graph_code(self, flow: Flow) -> None:
        """Notes the state that a statement shares with other graph code without a name."""
        statement = flow.statement
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return
        flow.graph = self.graph.layers(statement)
        flow.shares = self.reusing or self.graph.shares(statement)
        if self.graph.collects(statement):
            flow.binds |= {ir.COLLECTED}
            flow.repeats = self.reusing or self.graph.repeats(statement)
        if self.graph.asks(statement) or flow.kind is Kind.UPDATE_OPS:
            flow.reads |= {ir.COLLECTED}
        if self.graph.has_unnamed_layer(statement):
            count = self.graph.find_count(statement)
            flow.binds |= {count}
            flow.reads |= {count}

    def _asks_tensor(self, statement: ast.stmt) -> bool:
        """Whether plain Python asks what only a step has: `print(loss.dtype)`."""
        return not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and any(
            isinstance(node, (ast.Name, ast.Attribute))
            and isinstance(node.ctx, ast.Load)
            and self.environment.get(names.find_key(node) or "") in ir.STEP_KINDS
            and node not in self.static_reads
            and not self._is_gone_through(node)
            for node in walk_breadth_first(statement)
        )

    def _is_gone_through(self, node: ast.AST) -> bool:
        """Whether a name belongs to a comprehension or lambda, and not to the code outside."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        owner = self.scopes.find_scope(node).find_owner(node.id)
        return owner is not None and (
            hasattr(owner.node, "generators") or isinstance(owner.node, ast.Lambda)
        )

    def _classify_time(self, flow: Flow) -> None:
        kind = flow.kind
        if kind in ir.BUILD_KINDS:
            flow.build = True
        elif kind is Kind.PURE and self._draws_in(flow.statement):
            flow.build = True  # Numbers that are drawn once.
        elif kind is Kind.PURE:
            flow.pure = True
        elif kind is Kind.PLACEHOLDER:
            flow.dropped = "a feed is a parameter of the step function"
        elif kind is Kind.INITIALIZER_OP:
            flow.dropped = "variables are initialised when they are created"
        elif kind is Kind.ELEMENT:
            flow.dropped = "the loop draws the element and passes it to the step"
        elif kind in ir.STEP_KINDS:
            flow.step = True
        if flow.lifts:
            flow.build = True

    def _note_method_effects(self, statement: ast.stmt, flow: Flow) -> None:
        """Notes changes of objects: `losses.append(loss)`, `del variables[0]`, `tape.watch(x)`."""
        value = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(statement, ast.Delete):
            objects = [
                target.value
                for target in statement.targets
                if isinstance(target, ast.Subscript)
            ]
            inside = Kind.HOST
        elif (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in (*MUTATORS, "set_shape")
        ):
            objects = [value.func.value]
            inside = self._classify_arguments_quietly(value)
        elif (tape := self._find_watching_tape(value)) is not None:
            objects, inside = [tape], Kind.TENSOR
        else:
            return
        for changed in objects:
            name = names.find_key(changed)
            if name is None or "." in name and name not in self.environment:
                continue
            kind = self.environment.get(name, Kind.HOST)
            if inside is Kind.HOOK and kind in (Kind.HOST, Kind.HOOK):
                flow.kind = Kind.HOOK
            elif kind in ir.STEP_KINDS or (
                inside in ir.STEP_KINDS and kind in (Kind.HOST, Kind.VARIABLE)
            ):
                self.environment[name] = Kind.TENSOR
                flow.kind = Kind.TENSOR
                flow.binds = flow.binds | {name}
            elif Kind.PURE in (kind, inside) and self._is_plain(name):
                if inside in (Kind.HOST, Kind.PURE):
                    self.environment[name] = flow.kind = Kind.PURE
                    flow.binds = flow.binds | self._find_object_names(changed)
            elif Kind.VARIABLE in (kind, inside) and kind in (Kind.HOST, Kind.VARIABLE):
                self.environment[name] = Kind.VARIABLE
                self.lists.add(name)
                flow.kind = Kind.VARIABLE
                flow.binds = flow.binds | {name}

    def _find_watching_tape(self, value: ast.expr | None) -> ast.Name | None:
        """Returns the tape of `tape.watch(x)`, a `tf.GradientTape` of the program."""
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return None
        tape = value.func.value
        if value.func.attr != "watch" or not isinstance(tape, ast.Name):
            return None
        owner = self.scopes.find_scope(tape).find_owner(tape.id)
        for binding in owner.bindings.get(tape.id, ()) if owner is not None else ():
            made: list[ast.expr | None] = [getattr(binding, "value", None)]
            if isinstance(binding, ast.With):
                made = [item.context_expr for item in binding.items]
            for call in made:
                if isinstance(call, ast.Call):
                    if self.scopes.resolve(call.func) == "tf.GradientTape":
                        return tape
        return None
