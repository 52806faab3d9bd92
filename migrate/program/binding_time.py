"""Binding-time analysis: what of a graph-building region happens once, and what every step.

Feeds and dataset elements are the roots of step time; what depends on them, or
reads a variable's value, is step time. Variables, layers, optimizers and
schedules are build time. An operation with neither (an initial value, a constant)
is pure: it goes wherever it is needed.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Sequence

from migrate.facts import effects, names
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.program import ir, scope_defaults
from migrate.program.functions import FunctionTimes, parameter_names
from migrate.program.ir import Flow, Kind, Lift, code
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS
from migrate.tables.worker_state import GENERATORS, MUTATORS

_LAZY = ir.STEP_KINDS
_SETUP_KINDS = frozenset(
    {Kind.CLUSTER, Kind.SERVER, Kind.DEVICE, Kind.CONFIG, Kind.INITIALIZER_OP}
)
_SHAPE_METHODS = frozenset({"get_shape", "shape"})
_OPTIMIZER_METHODS = frozenset({"minimize", "compute_gradients", "apply_gradients"})
_BUILT_LAYER = frozenset(
    {"kernel", "bias", "weights", "variables", "trainable_weights", "losses"}
    | {"trainable_variables", "non_trainable_variables", "updates", "count_params"}
    | {"gamma", "beta", "moving_mean", "moving_variance", "get_weights"}
)
_ASSIGNMENTS = frozenset({"assign", "assign_add", "assign_sub", "scatter_update"})


class Diagnostics:
    """Refusals gathered on the way; a program with any is not rewritten."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    @property
    def refused(self) -> bool:
        return any(f.outcome is Outcome.REFUSED for f in self.findings)

    def refuse(
        self, code_: str, node: ast.AST, reason: str, recipe: str = "", symbol: str = ""
    ) -> None:
        finding = Finding(
            getattr(node, "lineno", 1),
            getattr(node, "col_offset", 0) + 1,
            code_,
            Outcome.REFUSED,
            symbol,
            reason,
            recipe,
        )
        if finding not in self.findings:
            self.findings.append(finding)


class Analysis:
    """Analyses statements in order, keeping what each name is."""

    def __init__(
        self,
        scopes: Scopes,
        diagnostics: Diagnostics,
        functions: dict[ast.FunctionDef, FunctionTimes] | None = None,
        taken_names: set[str] | None = None,
    ) -> None:
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.functions = functions if functions is not None else {}
        self.taken = taken_names if taken_names is not None else all_names(scopes.tree)
        self.environment: dict[str, Kind] = {}
        # Kinds of a tuple-valued name's elements, a class instance's class.
        self.elements: dict[str, tuple[Kind, ...]] = {}
        self.instances: dict[str, ast.ClassDef] = {}
        self.placeholders: dict[str, ir.Placeholder] = {}
        self.placeholder_calls: dict[ast.Call, str] = {}
        # get_variable's surroundings: names and defaults of the open variable scopes.
        self.scope_names: list[str | None] = []
        self.scope_reuse: list[bool] = []
        self.scope_initializers: list[ast.expr | None] = []
        self.scope_partitioners: list[ast.expr | None] = []
        # Uses of a step-time tensor for its static shape: the tensor's name -> its key.
        self.static_reads: dict[ast.AST, str] = {}
        self.created: dict[str, str] = {}  # Full name of a variable or layer -> key.
        self.staged_calls: dict[str, str] = {}  # Function + static arguments -> name.
        self.layer_counts: dict[str, int] = {}
        self.in_loop = 0
        self._lifts: list[Lift] = []
        self._update: ir.Update | None = None
        # An optimizer's name -> the step's tensors that it is made with.
        self.fed: dict[str, set[str]] = {}
        # Comparisons of graph objects, which were by identity in TF1.
        self.identities: list[ast.Compare] = []
        self.updates: set[str] = set()  # Names of operations that change variables.
        # get_variable of a variable that there is by then: the name it has.
        self.shared: dict[ast.Call, str] = {}
        self.lists: set[str] = set()  # Names of lists of variables.
        self.singles: set[str] = set()  # Names of one variable, not of a list of them.
        self._whole: ast.AST | None = None  # All that the statement computes.

    @functools.cached_property
    def listed(self) -> Kind:
        """What a list of the program's variables is.

        Those there are by then, when the list is made. But a Keras layer has its own
        only when it was called in a step: then the list is made there, too.
        """
        layers = {s for s, row in LAYER_FUNCTIONS.items() if row.has_weights}
        late = any(
            symbol in layers or symbol in LAYER_CLASSES
            for _, symbol in self.scopes.walk_uses()
        )
        return Kind.TENSOR if late else Kind.VARIABLE

    # -- names ---------------------------------------------------------------

    def fresh(self, *wishes: str) -> str:
        """A name not used anywhere in the module, the first wish that is free."""
        for wish in wishes:
            if wish.isidentifier() and wish not in self.taken:
                self.taken.add(wish)
                return wish
        base, number = wishes[0], 2
        while f"{base}_{number}" in self.taken:
            number += 1
        self.taken.add(f"{base}_{number}")
        return f"{base}_{number}"

    # -- statements ----------------------------------------------------------

    def statements(self, body: Sequence[ast.stmt]) -> list[Flow]:
        return [self.statement(s) for s in body]

    def statement(self, statement: ast.stmt) -> Flow:
        self._lifts, self._update = [], None
        self._whole = getattr(statement, "value", None)
        if isinstance(statement, (ast.With, ast.If, ast.For, ast.While, ast.Try)):
            return self._compound(statement)
        flow = Flow(
            statement,
            Kind.HOST,
            frozenset(names.reads(statement)),
            frozenset(names.binds(statement)),
        )
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self._assignment(statement, flow)
        elif isinstance(statement, (ast.Expr, ast.Return)):
            if statement.value is not None:
                flow.kind = self.expression(statement.value)
                self._method_effects(statement, flow)
        elif isinstance(statement, ast.FunctionDef):
            flow.kind = self._closure(statement)
            self.environment[statement.name] = flow.kind
        elif isinstance(statement, (ast.ClassDef, ast.Import)):
            pass
        else:
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.expr):
                    flow.kind = _join(flow.kind, self.expression(child))
            self._method_effects(statement, flow)
        if (
            flow.kind in ir.STEP_KINDS
            and flow.kind not in (Kind.PLACEHOLDER, Kind.ELEMENT)
            and not isinstance(statement, ast.FunctionDef)  # It has scopes of its own.
        ):
            self._lift_creations(statement)
            self._lift_draws(statement)
        flow.lifts, flow.update = self._lifts, self._update
        if flow.kind in (Kind.OPERATION, Kind.ASSIGNMENT):
            self.updates |= flow.binds
        if flow.update is not None:
            flow.reads = flow.reads | frozenset(flow.update.fed)
        self._time(flow)
        return flow

    def _lift_creations(self, statement: ast.stmt) -> None:
        """`tf.matmul(x, tf.get_variable("w", ...))`: the variable is made at build time."""
        lifted = {n for lift in self._lifts for n in ast.walk(lift.node)}
        work: list[ast.AST] = [statement]
        while work:
            node = work.pop(0)
            if node in lifted or isinstance(node, ast.Lambda):
                continue
            if not (isinstance(node, ast.Call) and self._creates_variable(node)):
                work.extend(ast.iter_child_nodes(node))
                continue
            literals = [
                value
                for argument in [*node.args, *[k.value for k in node.keywords]]
                if isinstance(value := names.literal(argument), str)
            ]
            wish = re.sub(r"\W", "_", literals[0]) if literals else "variable"
            full = self.full_name(literals[0] if literals else None)
            if full is not None and self.scopes.resolve(node.func) is None:
                full = f"{full} of {ast.unparse(node)}"  # Of a helper function's call.
            shared = self.created.get(full or "") if self.reusing else None
            name = shared or self.fresh(wish, f"{wish}_variable")
            if full is not None:
                self.created[full] = name
            create = code() if shared else code(node)
            self._lifts.append(Lift(node, name, create, code(name)))

    def _lift_draws(self, statement: ast.stmt) -> None:
        """Numbers drawn by Python: once, as the graph was built once."""
        work: list[ast.AST] = [statement]
        while work:
            node = work.pop(0)
            if isinstance(node, (ast.Lambda, ast.comprehension)):
                continue
            if isinstance(node, ast.Call) and (
                self._draws(node)
                or (
                    effects.consumes(node)
                    and self._quietly(node) not in (*ir.STEP_KINDS, Kind.VARIABLE)
                    and not self._changes_graph_list(node)
                )
            ):
                name = self.fresh("drawn")
                self._lifts.append(Lift(node, name, code(node), code(name)))
                continue
            work.extend(ast.iter_child_nodes(node))

    def _changes_graph_list(self, call: ast.Call) -> bool:
        """`pairs.pop()` of what a step makes."""
        base = call.func.value if isinstance(call.func, ast.Attribute) else None
        kind = self.environment.get(names.key(base) or "") if base is not None else None
        return kind in (*ir.STEP_KINDS, Kind.VARIABLE)

    def _draws_in(self, statement: ast.stmt) -> bool:
        return any(
            isinstance(node, ast.Call) and self._draws(node)
            for node in ast.walk(statement)
        )

    def _draws(self, call: ast.Call) -> bool:
        path = self.scopes.dotted(call.func) or ""
        return any(path.startswith(f"{module}.") for module in GENERATORS)

    def _creates_variable(self, call: ast.Call) -> bool:
        if self.scopes.resolve(call.func) in roles.VARIABLES:
            return True
        times = self._user_function(call)
        return (
            times is not None
            and times.creates
            and not times.staged
            and times.kind is Kind.VARIABLE
        )

    def _time(self, flow: Flow) -> None:
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

    def _assignment(
        self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, flow: Flow
    ) -> None:
        if statement.value is None:
            return
        targets = (
            statement.targets
            if isinstance(statement, ast.Assign)
            else [statement.target]
        )
        self._target_hint = names.key(targets[0]) or ""
        kind = self.expression(statement.value)
        elements = self._tuple_kinds(statement.value)
        self._target_hint = ""
        if isinstance(statement, ast.AugAssign):
            name = names.key(statement.target)
            kind = _join(kind, self.environment.get(name or "", Kind.HOST))
            if kind in (Kind.VARIABLE, Kind.PLACEHOLDER, Kind.ELEMENT):
                kind = Kind.TENSOR
        if kind in (Kind.PLACEHOLDER, Kind.ELEMENT) and not isinstance(
            statement.value, ast.Call
        ):
            kind = Kind.TENSOR  # Another name for a feed, or a part of one.
            elements = tuple(Kind.TENSOR for _ in elements)
        flow.kind = kind
        if self._update is not None and names.key(targets[0]):
            self._update = dataclasses.replace(
                self._update, target=names.key(targets[0]) or ""
            )
        if kind is Kind.OPTIMIZER and isinstance(statement.value, ast.Call):
            fed = self._fed_to(statement.value)
            self.fed.update({names.key(t) or "": fed for t in targets if fed})
        self._popped(statement.value, flow)
        if kind is Kind.VARIABLE and self._is_list(statement.value):
            self.lists |= {name for t in targets if (name := names.key(t))}
        if kind is Kind.VARIABLE and self._is_one_variable(statement.value):
            self.singles |= {name for t in targets if (name := names.key(t))}
        for target in targets:
            self._bind(target, kind, elements, statement.value)
            self._stored(target, kind, flow)
        if kind is Kind.PLACEHOLDER and isinstance(statement.value, ast.Call):
            self._placeholder(targets[0], statement.value)
        instance = self._instance_class(statement.value)
        if instance is not None and names.key(targets[0]):
            self.instances[names.key(targets[0]) or ""] = instance

    _target_hint = ""

    def _bind(
        self,
        target: ast.expr,
        kind: Kind,
        elements: tuple[Kind, ...],
        value: ast.expr | None,
    ) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for index, item in enumerate(target.elts):
                item_kind = elements[index] if index < len(elements) else kind
                self._bind(item, item_kind, (), None)
            return
        name = names.key(target)
        if name is None:
            return
        self.environment[name] = kind
        if elements:
            self.elements[name] = elements
        else:
            self.elements.pop(name, None)

    def _is_one_variable(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            symbol = self.scopes.resolve(value.func) or ""
            if symbol in roles.VARIABLES or symbol in roles.GLOBAL_STEPS:
                return True
            # A helper that returns what it makes.
            return symbol == "" and not self._tuple_kinds(value)
        return names.key(value) in self.singles

    def _popped(self, value: ast.expr, flow: Flow) -> None:
        """`pair = pairs.pop()`: the list changes, too."""
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in MUTATORS
        ):
            name = names.key(value.func.value)
            if name is not None and self.environment.get(name) in ir.STEP_KINDS:
                flow.binds = flow.binds | {name}

    def _stored(self, target: ast.expr, kind: Kind, flow: Flow) -> None:
        """`pairs[i] = (gradient, variable)`: the list holds what was put into it."""
        base = target.value if isinstance(target, ast.Subscript) else None
        name = names.key(base) if base is not None else None
        if name is None:
            return
        assert isinstance(target, ast.Subscript)
        if self._is_dict(target.value) and self._quietly(target.slice) in (
            *ir.STEP_KINDS,
            Kind.VARIABLE,
        ):
            self._hash_refused(target)
        if kind in ir.STEP_KINDS:
            self.environment[name] = Kind.TENSOR
        if self.environment.get(name) in ir.STEP_KINDS:
            flow.binds = flow.binds | {name}
            if flow.kind not in ir.STEP_KINDS:
                flow.kind = Kind.TENSOR

    def _is_dict(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name):
            return False
        owner = self.scopes.scope_of(node).owner(node.id)
        return owner is not None and any(
            isinstance(bound, ast.Assign) and isinstance(bound.value, ast.Dict)
            for bound in owner.bindings.get(node.id, [])
        )

    def _tuple_kinds(self, value: ast.expr) -> tuple[Kind, ...]:
        if isinstance(value, (ast.Tuple, ast.List)):
            return tuple(self._quietly(e) for e in value.elts)
        if isinstance(value, ast.Call):
            times = self._user_function(value)
            if times is not None:
                return times.elements
        if isinstance(value, ast.Name):
            return self.elements.get(value.id, ())
        return ()

    def _quietly(self, node: ast.expr) -> Kind:
        """The kind of an expression already analysed, without effects."""
        lifts, update = self._lifts, self._update
        count = len(self.diagnostics.findings)
        layer_counts = dict(self.layer_counts)
        taken, staged, created = (
            set(self.taken),
            dict(self.staged_calls),
            dict(self.created),
        )
        self._lifts, self._update = [], None
        kind = self.expression(node)
        self._lifts, self._update = lifts, update
        del self.diagnostics.findings[count:]
        self.layer_counts, self.taken = layer_counts, taken
        self.staged_calls, self.created = staged, created
        return kind

    def _method_effects(self, statement: ast.stmt, flow: Flow) -> None:
        """`losses.append(loss)`, `pairs.pop()`, `del variables[0]`: a list changes."""
        value = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(statement, ast.Delete):
            changed = [
                names.key(target.value)
                for target in statement.targets
                if isinstance(target, ast.Subscript)
            ]
            inside = Kind.HOST
        elif (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in (*MUTATORS, "set_shape")
        ):
            changed = [names.key(value.func.value)]
            inside = self._arguments_quietly(value)
        else:
            return
        for name in changed:
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
            elif Kind.VARIABLE in (kind, inside) and kind in (Kind.HOST, Kind.VARIABLE):
                self.environment[name] = Kind.VARIABLE
                self.lists.add(name)
                flow.kind = Kind.VARIABLE
                flow.binds = flow.binds | {name}

    def _compound(self, statement: ast.stmt) -> Flow:
        flow = Flow(
            statement,
            Kind.HOST,
            frozenset(names.reads(statement)),
            frozenset(names.binds(statement)),
        )
        scopes = 0
        if isinstance(statement, ast.With):
            for item in statement.items:
                scopes += self._with_item(item, statement)
        elif isinstance(statement, ast.For):
            iterated = self.expression(statement.iter)
            self._bind(
                statement.target,
                _element_kind(iterated),
                (),
                None,
            )
            if iterated in ir.STEP_KINDS:
                flow.step = True
            self.in_loop += 1
        elif isinstance(statement, (ast.If, ast.While)):
            if isinstance(statement, ast.While):
                self.in_loop += 1
            condition = self.expression(statement.test)
            flow.step = any(
                self.environment.get(name) in ir.STEP_KINDS
                for name in names.reads(statement.test)
            )
            if condition in (Kind.TENSOR, Kind.PLACEHOLDER, Kind.ELEMENT):
                self.diagnostics.refuse(
                    "N103",
                    statement,
                    "a Python branch on a step-time tensor; TF1 would have tested "
                    "the graph node, not its value",
                )
        header_lifts = self._lifts
        behind = isinstance(statement, ast.With) and any(
            isinstance(item.context_expr, ast.Call)
            and self.scopes.resolve(item.context_expr.func) == "tf.control_dependencies"
            and names.reads(item.context_expr) & self.updates
            for item in statement.items
        )
        if behind and isinstance(statement, ast.With):
            self._check_reads(statement)
        for field, suite in names.suites(statement):
            flow.suites[field] = self.statements(suite)
        if isinstance(statement, (ast.For, ast.While)):
            self.in_loop -= 1
        for _ in range(scopes):
            for stack in (
                self.scope_names,
                self.scope_reuse,
                self.scope_initializers,
                self.scope_partitioners,
            ):
                stack.pop()
        children = [f for suite in flow.suites.values() for f in suite]
        flow.build = any(f.build for f in children)
        if flow.build and isinstance(statement, ast.While):
            self.diagnostics.refuse(
                "N109",
                statement,
                "variables or layers made in a `while` loop",
                "Use a `for` loop.",
            )
        flow.step = flow.step or any(f.step for f in children)
        flow.pure = not (flow.build or flow.step) and any(f.pure for f in children)
        if children and all(f.dropped for f in children):
            flow.dropped = children[0].dropped
        if header_lifts:
            self.diagnostics.refuse(
                "N104", statement, "variables created in the header of a statement"
            )
        return flow

    def _check_reads(self, block: ast.With) -> None:
        """Values of variables that a block behind an update computes with.

        Measured with TF 1.15.5: 0 for a counter that was raised before, in every run;
        `read_value()` in the block gives what was written.
        """
        for node in ast.walk(block):
            if not (
                isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and self.environment.get(names.key(node) or "") is Kind.VARIABLE
            ):
                continue
            parent = self.scopes.parents.get(node)
            if isinstance(parent, (ast.Attribute, ast.keyword, ast.withitem)):
                continue  # w.assign(...), w.read_value(), global_step=step
            if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
                symbol = self.scopes.resolve(parent.func) or ""
                if roles.KIND_OF_CALL.get(symbol) is Kind.ASSIGNMENT:
                    continue
            self.diagnostics.refuse(
                "S136",
                node,
                "read behind an update: TF1 gave the value from before it",
                "Read w.read_value() in the block for the new value, or compute outside "
                "of the block for the old one.",
            )

    def _with_item(self, item: ast.withitem, statement: ast.With) -> int:
        call = item.context_expr
        symbol = self.scopes.resolve(call.func) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and symbol == "tf.variable_scope":
            name = names.argument(call, "name_or_scope", 0)
            value = names.literal(name)
            if value is None and name is not None:
                default = names.argument(call, "default_name", 1)
                value = names.literal(default)
            reuse = names.argument(call, "reuse", 8)
            self.scope_names.append(value if isinstance(value, str) else None)
            self.scope_reuse.append(
                (self.scope_reuse[-1] if self.scope_reuse else False)
                or self._may_reuse(reuse)
            )
            outer_init = (
                self.scope_initializers[-1] if self.scope_initializers else None
            )
            outer_part = (
                self.scope_partitioners[-1] if self.scope_partitioners else None
            )
            self.scope_initializers.append(
                names.argument(call, "initializer", 3) or outer_init
            )
            self.scope_partitioners.append(
                names.argument(call, "partitioner", 6) or outer_part
            )
            for unsupported in (
                "custom_getter",
                "regularizer",
                "dtype",
                "caching_device",
            ):
                if _given(names.argument(call, unsupported)):
                    self.diagnostics.refuse(
                        "V108",
                        call,
                        f"variable_scope({unsupported}=...) changes every variable "
                        "created inside it",
                        f"Give {unsupported} to each variable instead.",
                        "tf.variable_scope",
                    )
            if _given(names.argument(call, "initializer", 3)):
                unseen = scope_defaults.reached_by_initializer(self.scopes, statement)
                if unseen is not None:
                    self.diagnostics.refuse(
                        "V108",
                        call,
                        "variable_scope(initializer=...) gives its initial values to "
                        f"`{ast.unparse(unseen.func)}` too",
                        "Give the initializer to each variable and layer instead.",
                        "tf.variable_scope",
                    )
            if item.optional_vars is not None:
                bound = names.key(item.optional_vars)
                uses = sum(
                    1
                    for n in ast.walk(statement)
                    if isinstance(n, ast.Name)
                    and n.id == bound
                    and isinstance(n.ctx, ast.Load)
                )
                if uses:
                    self.diagnostics.refuse(
                        "V109",
                        call,
                        "the variable scope object itself is used",
                        "Name the scope where it is opened again.",
                        "tf.variable_scope",
                    )
            return 1
        self.expression(call)
        return 0

    def _closure(self, node: ast.FunctionDef | ast.Lambda) -> Kind:
        """A function that needs the step's tensors, as `tf.cond` takes it, is made there."""
        own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                own |= names.binds(statement)
        free = names.reads(node) - own
        step = any(self.environment.get(name) in ir.STEP_KINDS for name in free)
        return Kind.TENSOR if step else Kind.HOST

    def _may_reuse(self, node: ast.expr | None) -> bool:
        return (
            node is not None
            and names.literal(node) is not False
            and not (isinstance(node, ast.Constant) and node.value is None)
        )

    # -- expressions ---------------------------------------------------------

    def expression(self, node: ast.expr) -> Kind:
        """What the expression evaluates to; records lifts on the way."""
        if isinstance(node, ast.Constant):
            return Kind.HOST
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._reference(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Lambda):
            return self._closure(node)
        if isinstance(node, ast.Dict):
            self._hashed([key for key in node.keys if key is not None])
        kind = Kind.HOST
        for generator in getattr(node, "generators", ()):
            source = self.expression(generator.iter)
            each = _element_kind(source)
            self._bind(generator.target, each, (), None)
            kind = _join(kind, each)
            for condition in generator.ifs:
                self.expression(condition)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                kind = _join(kind, self.expression(child))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            self._identity(node)
        if isinstance(node, ast.Compare) and all(
            isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops
        ):
            return Kind.HOST  # Whether there is a tensor is known before its value.
        if kind is Kind.VARIABLE and self._is_list_of_variables(node):
            return kind
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript)):
            if kind in (Kind.VARIABLE, Kind.PLACEHOLDER, Kind.ELEMENT, Kind.SCHEDULE):
                return Kind.TENSOR
        elif kind in (Kind.PLACEHOLDER, Kind.ELEMENT) and isinstance(
            node, (ast.Tuple, ast.List, ast.Dict)
        ):
            return Kind.TENSOR
        return kind

    def _reference(self, node: ast.Name | ast.Attribute) -> Kind:
        symbol = self.scopes.resolve(node)
        if symbol is not None:
            if symbol.startswith("tf."):
                if roles.is_initializer(symbol):
                    return Kind.HOST
                return Kind.HOST
            return Kind.HOST
        name = names.key(node)
        if name is not None and name in self.environment:
            return self.environment[name]
        if isinstance(node, ast.Attribute):
            base = self.expression(node.value)
            if base is Kind.ITERATOR and node.attr == "initializer":
                return Kind.INITIALIZER_OP
            if base in (Kind.VARIABLE, Kind.PLACEHOLDER, Kind.TENSOR, Kind.ELEMENT):
                if node.attr in ("name", "dtype", "op", "graph", "device"):
                    return Kind.HOST
                if node.attr == "shape":
                    return self._static_shape(node.value, base)
                return Kind.TENSOR
            if base is Kind.LAYER and node.attr in _BUILT_LAYER:
                self.diagnostics.refuse(
                    "L122",
                    node,
                    "what a layer has when it is built is asked for, but it is built in "
                    "the first step",
                    "Ask the variables of the program instead.",
                )
            if base is Kind.OPTIMIZER:
                is_init = node.attr.endswith("init_op")
                return Kind.INITIALIZER_OP if is_init else Kind.HOST
            return Kind.HOST if base in _SETUP_KINDS or base is Kind.HOST else base
        return Kind.HOST

    def _is_list_of_variables(self, node: ast.expr) -> bool:
        """`first + second` and `variables[2:]` of lists."""
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Slice) and self._is_list(node.value)
        return (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and self._is_list(node.left)
            and self._is_list(node.right)
        )

    def _is_list(self, node: ast.expr) -> bool:
        if isinstance(node, (ast.List, ast.ListComp)):
            return True
        if isinstance(node, ast.Call):
            symbol = self.scopes.resolve(node.func)
            return symbol in roles.TRAINABLE or symbol == "tf.get_collection"
        if isinstance(node, (ast.BinOp, ast.Subscript)):
            return self._is_list_of_variables(node)
        return names.key(node) in self.lists

    def _identity(self, node: ast.Compare) -> None:
        """`v in variables`: TF1 compared objects, TF2 compares values."""
        if not isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Eq, ast.NotEq)):
            return
        of_graph = (*ir.STEP_KINDS, Kind.VARIABLE)
        left = self._quietly(node.left)
        right = self._quietly(node.comparators[0])
        if left in of_graph and (right in of_graph or right is Kind.HOST):
            if isinstance(node.ops[0], (ast.In, ast.NotIn)) or right in of_graph:
                self.identities.append(node)

    def _hashed(self, keys: list[ast.expr]) -> None:
        for key in keys:
            if self._quietly(key) is Kind.VARIABLE:
                self._hash_refused(key)

    def _hash_refused(self, node: ast.expr) -> None:
        self.diagnostics.refuse(
            "V127",
            node,
            "variables as keys of a dict or in a set: TF2's cannot be hashed",
            "Use their names, their ref(), or positions in a list.",
        )

    def _static_shape(self, tensor: ast.expr, kind: Kind) -> Kind:
        """`x.shape`: known when the step is traced, before any value is."""
        if kind is Kind.VARIABLE:
            return Kind.HOST
        name = names.key(tensor)
        if name is None:
            return Kind.TENSOR
        self.static_reads[tensor] = name
        return Kind.PURE

    def _arguments(self, call: ast.Call) -> Kind:
        kind = Kind.HOST
        for argument in [*call.args, *[k.value for k in call.keywords]]:
            if isinstance(argument, ast.Starred):
                argument = argument.value
            kind = _join(kind, self.expression(argument))
        return kind

    def _call(self, call: ast.Call) -> Kind:
        symbol = self.scopes.resolve(call.func)
        if symbol is not None:
            return self._symbol_call(call, symbol)
        times = self._user_function(call)
        if times is not None:
            return self._user_call(call, times)
        if isinstance(call.func, ast.Attribute):
            return self._method_call(call, call.func)
        if isinstance(call.func, ast.Name):
            kind = self.environment.get(call.func.id)
            if kind is Kind.LAYER:
                self._arguments(call)
                return Kind.TENSOR
            if kind is Kind.SCHEDULE:
                return Kind.TENSOR
        if isinstance(call.func, ast.Name) and call.func.id in ("len", "type", "id"):
            self._arguments(call)
            if self._arguments_quietly(call) is Kind.VARIABLE:
                return Kind.HOST
        made = self.expression(call.func)
        if isinstance(call.func, ast.Name) and call.func.id in ("set", "frozenset"):
            for argument in call.args:
                if self._quietly(argument) in (Kind.VARIABLE, Kind.TENSOR):
                    self._hash_refused(argument)
        inside = self._arguments(call)
        if made is Kind.LAYER and isinstance(call.func, ast.Call):
            self._applied_at_once(call.func)
            return Kind.TENSOR
        if inside in (Kind.PLACEHOLDER, Kind.ELEMENT, Kind.VARIABLE):
            return Kind.TENSOR
        return inside if inside in ir.STEP_KINDS or inside is Kind.PURE else Kind.HOST

    def _symbol_call(self, call: ast.Call, symbol: str) -> Kind:
        if symbol in LAYER_FUNCTIONS:
            return self._layer(call, symbol)
        if symbol in roles.PYTHON_FUNCTIONS:
            self._arguments(call)
            self.diagnostics.refuse(
                "N115",
                call,
                "a Python function in the graph: the worker that makes the step is "
                "another process, which does not have it",
                "Compute it by TensorFlow, or in the loop, and feed it.",
                symbol,
            )
            return Kind.TENSOR
        if symbol == "tf.get_collection":
            key = self.scopes.resolve(call.args[0]) if call.args else None
            if key == "tf.GraphKeys.UPDATE_OPS":
                return Kind.UPDATE_OPS
            if key in (
                "tf.GraphKeys.TRAINABLE_VARIABLES",
                "tf.GraphKeys.GLOBAL_VARIABLES",
            ):
                return self.listed
            if key is not None:
                self.diagnostics.refuse(
                    "N105",
                    call,
                    "TF2 keeps no graph collections",
                    "Keep what you collected in a list of your own.",
                    "tf.get_collection",
                )
            return Kind.TENSOR
        if symbol == "tf.add_to_collection" and len(call.args) == 2:
            if self._quietly(call.args[1]) is Kind.INITIALIZER_OP:
                return Kind.INITIALIZER_OP
            if self.scopes.resolve(call.args[0]) == "tf.GraphKeys.UPDATE_OPS":
                self.diagnostics.refuse(
                    "N105",
                    call,
                    "TF2 keeps no graph collections: the update would be lost",
                    "Keep it in a list, and run it under tf.control_dependencies.",
                    symbol,
                )
        kind = roles.KIND_OF_CALL.get(symbol)
        if kind is Kind.VARIABLE and symbol not in roles.GLOBAL_STEPS:
            inside = self._arguments(call)
            self._check_initial_value(call, inside)
            return self._variable(call, symbol)
        if symbol == "tf.group" and call.args and not call.keywords:
            if all(self._quietly(a) is Kind.INITIALIZER_OP for a in call.args):
                return Kind.INITIALIZER_OP
        if kind in (Kind.OPERATION, Kind.ASSIGNMENT, Kind.SUMMARY):
            self._arguments(call)
            return kind
        if kind is not None:
            inside = self._arguments(call)
            if kind is Kind.SCHEDULE and inside in ir.STEP_KINDS:
                self.diagnostics.refuse(
                    "O118",
                    call,
                    "the schedule is given a tensor that a step computes",
                    "Compute the learning rate from it by other functions.",
                    symbol,
                )
            return kind
        if symbol in roles.TRAINABLE or symbol in (
            "tf.global_variables",
            "tf.all_variables",
        ):
            return self.listed
        if symbol == "tf.gradients":
            self._arguments(call)
            bound = names.bound_arguments(call, roles.GRADIENTS_PARAMETERS)
            if bound is None or not {"ys", "xs"} <= set(bound):
                self.diagnostics.refuse(
                    "N108", call, "this call's arguments cannot be told apart"
                )
            elif self._quietly(bound["xs"]) is not Kind.VARIABLE:
                self.diagnostics.refuse(
                    "O117",
                    call,
                    "gradients with respect to what is not a list of variables",
                    "Write the step with a tape that watches the tensor.",
                    symbol,
                )
            elif _given(bound.get("stop_gradients")):
                self.diagnostics.refuse(
                    "O117",
                    call,
                    "a tape has no stop_gradients",
                    "Use tf.stop_gradient where the tensors are computed.",
                    symbol,
                )
            self._update = ir.Update(
                "gradients", code(), names.argument(call, "ys", 0), None, None, None, ""
            )
            return Kind.GRADIENTS
        if roles.has_prefix(symbol, roles.HOST_PREFIXES):
            self._arguments(call)
            return Kind.HOST
        if symbol.startswith(roles.DATASET_PREFIXES):
            inside = self._arguments(call)
            if symbol.endswith("make_one_shot_iterator") or symbol.endswith(
                "make_initializable_iterator"
            ):
                return Kind.ITERATOR
            if inside in ir.STEP_KINDS:
                self.diagnostics.refuse(
                    "I105",
                    call,
                    "a dataset made from placeholders",
                    "Give the arrays to from_tensor_slices directly.",
                    symbol,
                )
            return Kind.DATASET
        if not symbol.startswith("tf."):
            inside = self._arguments(call)
            if inside is Kind.PURE:
                return Kind.PURE
            return Kind.TENSOR if inside in ir.STEP_KINDS else Kind.HOST
        if roles.is_initializer(symbol):
            self._arguments(call)
            return Kind.HOST
        inside = self._arguments(call)
        if inside in ir.STEP_KINDS or inside in (Kind.VARIABLE, Kind.SCHEDULE):
            return Kind.TENSOR
        if symbol in ("tf.control_dependencies", "tf.device", *roles.SCOPES):
            return Kind.HOST
        return Kind.PURE

    def _check_initial_value(self, call: ast.Call, inside: Kind) -> None:
        if inside in ir.STEP_KINDS:
            self.diagnostics.refuse(
                "V107",
                call,
                "a variable's initial value or shape depends on a step-time tensor",
                "Compute it from Python values.",
                self.scopes.resolve(call.func) or "",
            )

    def _variable(self, call: ast.Call, symbol: str) -> Kind:
        """`tf.Variable` and `get_variable`; sharing is resolved by name here."""
        if symbol != "tf.get_variable":
            return Kind.VARIABLE
        full = self.full_name(names.literal(names.argument(call, "name", 0)))
        if full is not None and full in self.created and self.reusing:
            self.shared[call] = self.created[full]
            return Kind.VARIABLE
        if full is not None and self._target_hint:
            self.created[full] = self._target_hint
        return Kind.VARIABLE

    @property
    def reusing(self) -> bool:
        return bool(self.scope_reuse) and self.scope_reuse[-1]

    def full_name(self, name: object) -> str | None:
        """A variable's name with its scopes, None where not a constant."""
        if not isinstance(name, str) or any(n is None for n in self.scope_names):
            return None
        return "/".join([*[n for n in self.scope_names if n], name])

    def _method_call(self, call: ast.Call, function: ast.Attribute) -> Kind:
        base = self.expression(function.value)
        method = function.attr
        if base is Kind.OPTIMIZER and method in _OPTIMIZER_METHODS:
            return self._optimizer_call(call, function)
        inside = self._arguments(call)
        if method in ("remove", "index", "count") and inside in (
            *ir.STEP_KINDS,
            Kind.VARIABLE,
        ):
            self.diagnostics.refuse(
                "V127",
                call,
                f"list.{method} compares variables and tensors, in TF2 by value",
                "Find it by `is`.",
            )
        if base is Kind.OPTIMIZER:
            if method == "make_session_run_hook":
                return Kind.HOOK
            if method in ("get_chief_queue_runner", "get_init_tokens_op"):
                return Kind.INITIALIZER_OP
            return Kind.TENSOR if method == "get_slot" else Kind.HOST
        if base is Kind.ITERATOR:
            return Kind.ELEMENT if method == "get_next" else Kind.INITIALIZER_OP
        if base is Kind.DATASET:
            if method in ("make_one_shot_iterator", "make_initializable_iterator"):
                return Kind.ITERATOR
            return Kind.DATASET
        if method == "get_shape" and base in (
            Kind.VARIABLE,
            Kind.PLACEHOLDER,
            Kind.TENSOR,
            Kind.ELEMENT,
        ):
            return self._static_shape(function.value, base)
        if base is Kind.VARIABLE:
            if method in _ASSIGNMENTS:
                return Kind.ASSIGNMENT
            if method == "initialized_value":
                return Kind.PURE
            return Kind.TENSOR
        if base is Kind.LAYER:
            return Kind.TENSOR
        if base is Kind.PURE:
            return Kind.TENSOR if inside in ir.STEP_KINDS else Kind.PURE
        if base in ir.STEP_KINDS:
            return Kind.TENSOR
        if base in (Kind.WRITER, Kind.SAVER, Kind.SCAFFOLD, Kind.HOOK):
            return Kind.HOST
        if base in _SETUP_KINDS:
            return Kind.HOST
        if inside in (Kind.PLACEHOLDER, Kind.ELEMENT):
            return Kind.TENSOR
        if inside in ir.STEP_KINDS:
            return Kind.TENSOR
        return Kind.HOST

    # -- optimizers ----------------------------------------------------------

    def _optimizer_call(self, call: ast.Call, function: ast.Attribute) -> Kind:
        self._arguments(call)
        optimizer: ir.Code
        if names.key(function.value) is None:
            name = self.fresh("optimizer", "opt")
            self._lifts.append(
                Lift(function.value, name, code(function.value), code(name))
            )
            optimizer = code(name)
        else:
            optimizer = code(function.value)
        method = function.attr
        if self._update is not None:
            self.diagnostics.refuse(
                "O116",
                call,
                "one statement makes several updates",
                "Give each a statement of its own.",
            )
        elif method != "compute_gradients" and self._whole is not call:
            self.diagnostics.refuse(
                "O116",
                call,
                "the update is made within another expression",
                "Give it a statement of its own: train_op = optimizer.minimize(loss).",
            )
        if _given(names.argument(call, "grad_loss")):
            self.diagnostics.refuse(
                "O117",
                call,
                "the gradient of the loss is given (grad_loss)",
                "Multiply the loss by it.",
            )
        position = {"minimize": 1, "apply_gradients": 1}.get(method)
        self._update = ir.Update(
            method,
            optimizer,
            names.argument(call, "loss", 0) if method != "apply_gradients" else None,
            names.argument(call, "grads_and_vars", 0)
            if method == "apply_gradients"
            else None,
            names.argument(call, "var_list", 2 if method == "minimize" else 1)
            if method != "apply_gradients"
            else None,
            names.argument(call, "global_step", position) if position else None,
            "",
            names.argument(call, "decay_var_list", 3)
            if method == "apply_gradients"
            else None,
            tuple(sorted(self._fed_to(function.value)))
            if method != "compute_gradients"
            else (),
        )
        return Kind.GRADIENTS if method == "compute_gradients" else Kind.OPERATION

    def _fed_to(self, optimizer: ast.expr) -> set[str]:
        """The step's tensors among the arguments that an optimizer was made with."""
        if not isinstance(optimizer, ast.Call):
            return self.fed.get(names.key(optimizer) or "", set())
        found: set[str] = set()
        for argument in [*optimizer.args, *[k.value for k in optimizer.keywords]]:
            name = names.key(argument)
            if name is not None and self.environment.get(name) in ir.STEP_KINDS:
                found.add(name)
                if "." in name:
                    self.diagnostics.refuse(
                        "O118",
                        argument,
                        "the optimizer is given an attribute that a step computes",
                        "Give it a name of its own in a statement before.",
                    )
            elif name is not None:
                found |= self.fed.get(name, set())  # The optimizer inside another.
            elif any(
                self.environment.get(read) in (*ir.STEP_KINDS, Kind.SCHEDULE)
                for read in names.reads(argument)
            ):
                self.diagnostics.refuse(
                    "O118",
                    argument,
                    "the optimizer is given an expression of the step's tensors",
                    "Give the expression a name in a statement before.",
                )
        return found

    # -- layers --------------------------------------------------------------

    def _layer(self, call: ast.Call, symbol: str) -> Kind:
        row = LAYER_FUNCTIONS[symbol]
        self._arguments(call)
        bound = names.bound_arguments(call, ("inputs", *row.parameters))
        if bound is None or "inputs" not in bound:
            self.diagnostics.refuse(
                "L101",
                call,
                "this layer's arguments cannot be told apart",
                "Pass them by keyword.",
                symbol,
            )
            return Kind.TENSOR
        training = bound.get("training")
        if (
            symbol == "tf.layers.batch_normalization"
            and training is not None
            and names.literal(training) is not False
            and not any(
                u == "tf.GraphKeys.UPDATE_OPS" for _, u in self.scopes.walk_uses()
            )
        ):
            self.diagnostics.refuse(
                "L123",
                call,
                "nothing runs UPDATE_OPS: TF1 never moved the averages that evaluation "
                "uses, Keras would",
                "Make the update under tf.control_dependencies of UPDATE_OPS, as TF1 "
                "needs it, or leave training out.",
                symbol,
            )
        inputs = bound.pop("inputs")
        reuse = bound.pop("reuse", None)
        for argument in ("kernel_regularizer", "bias_regularizer", "gamma_regularizer"):
            if _given(bound.get(argument)):
                self.diagnostics.refuse(
                    "L102",
                    call,
                    "regularisers collect losses, which this version does not carry over",
                    "Add the penalty to the loss by hand.",
                    symbol,
                )
        if row.seeded and _given(bound.get("seed")):
            given = [code(f"{name}=", v) for name, v in bound.items() if name != "name"]
            use = code(row.seeded, "(", ir.joined(", ", [inputs, *given]), ")")
            self._lifts.append(Lift(call, "", code(), use))
            return Kind.TENSOR
        constructor = [
            code(f"{name}=", value)
            for name, value in bound.items()
            if name not in row.call_parameters
        ]
        name = names.literal(bound.get("name"))
        dynamic = "name" in bound and not isinstance(name, str)
        if "name" not in bound and row.has_weights and not self.in_loop:
            scope = self.full_name("") or ""
            count = self.layer_counts.get(scope + row.default_name, 0)
            self.layer_counts[scope + row.default_name] = count + 1
            name = row.default_name + (f"_{count}" if count else "")
            constructor.append(code(f"name={name!r}".replace("'", '"')))
        shared = self.full_name(name) if isinstance(name, str) else None
        reused = (
            shared is not None
            and shared in self.created
            and (self.reusing or self._may_reuse(reuse))
        )
        if reused and shared is not None:
            variable = self.created[shared]
        else:
            wish = name if isinstance(name, str) else row.default_name
            wish = wish.rpartition("/")[2].replace("-", "_")
            variable = self.fresh(wish, f"{wish}_layer", f"{row.default_name}_layer")
            if shared is not None and row.has_weights:
                self.created[shared] = variable
        if dynamic and not self.in_loop and row.has_weights:
            pass  # The name is computed at build time, as it was in TF1.
        create = code(row.target, "(", ir.joined(", ", constructor), ")")
        at_call = [code(f"{n}=", bound[n]) for n in row.call_parameters if n in bound]
        use = code(variable, "(", ir.joined(", ", [inputs, *at_call]), ")")
        self._lifts.append(Lift(call, variable, create if not reused else code(), use))
        return Kind.TENSOR

    def _applied_at_once(self, layer: ast.Call) -> None:
        """`tf.layers.Dense(1)(x)`: the layer is made at build time, under a name."""
        symbol = self.scopes.resolve(layer.func)
        row = LAYER_CLASSES.get(symbol or "")
        name = names.literal(names.argument(layer, "name"))
        wish = name if isinstance(name, str) else row.default_name if row else "layer"
        wish = wish.rpartition("/")[2].replace("-", "_")
        variable = self.fresh(wish, f"{wish}_layer")
        self._lifts.append(Lift(layer, variable, code(layer), code(variable)))

    # -- the user's own functions ---------------------------------------------

    def _instance_class(self, value: ast.expr) -> ast.ClassDef | None:
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            definition = self._definition(value.func)
            if isinstance(definition, ast.ClassDef):
                return definition
        return None

    def _definition(self, node: ast.Name) -> ast.AST | None:
        scope = self.scopes.scope_of(node).owner(node.id)
        bindings = scope.bindings.get(node.id, []) if scope else []
        return bindings[0] if len(bindings) == 1 else None

    def _user_function(self, call: ast.Call) -> FunctionTimes | None:
        definition: ast.AST | None = None
        method = ""
        owner = self.instances.get(names.key(call.func) or "")
        if owner is not None:  # `net(x)` of an object.
            method = "__call__"
        elif isinstance(call.func, ast.Name):
            definition = self._definition(call.func)
        elif isinstance(call.func, ast.Attribute):
            owner = self.instances.get(names.key(call.func.value) or "")
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
            return self.functions[definition]
        if not self._builds_graph(definition):
            return None
        kinds = self._parameter_kinds(call, definition, bool(method))
        return self._analyse_function(definition, kinds, bool(method))

    def _builds_graph(self, definition: ast.FunctionDef) -> bool:
        """Whether the body names a TensorFlow symbol or a function that does."""
        seen: set[ast.AST] = set()
        work: list[ast.AST] = [definition]
        while work:
            current = work.pop()
            if current in seen:
                continue
            seen.add(current)
            for node in ast.walk(current):
                if isinstance(node, (ast.Attribute, ast.Name)) and isinstance(
                    node.ctx, ast.Load
                ):
                    symbol = self.scopes.resolve(node)
                    if symbol is not None and symbol.startswith("tf."):
                        if not roles.has_prefix(symbol, roles.HOST_PREFIXES):
                            return True
                    elif isinstance(node, ast.Name):
                        called = self._definition(node)
                        if isinstance(called, ast.FunctionDef):
                            work.append(called)
        return False

    def _parameter_kinds(
        self, call: ast.Call, definition: ast.FunctionDef, method: bool
    ) -> dict[str, Kind]:
        parameters = parameter_names(definition)
        if method:
            parameters = parameters[1:]
        bound = names.bound_arguments(call, tuple(parameters)) or {}
        return {p: self._quietly(bound[p]) for p in parameters if p in bound}

    def _analyse_function(
        self, definition: ast.FunctionDef, kinds: dict[str, Kind], method: bool
    ) -> FunctionTimes:
        inner = Analysis(self.scopes, self.diagnostics, self.functions, self.taken)
        inner.environment = {
            name: kind
            for name, kind in self.environment.items()
            if "." not in name or name.startswith("self.")
        }
        inner.instances = dict(self.instances)
        inner.static_reads = self.static_reads
        inner.identities = self.identities
        inner.shared = self.shared
        for parameter in parameter_names(definition):
            kind = kinds.get(parameter, Kind.HOST)
            inner.environment[parameter] = (
                Kind.TENSOR if kind in (Kind.PLACEHOLDER, Kind.ELEMENT) else kind
            )
        times = FunctionTimes(definition, [], Kind.HOST, is_method=method)
        self.functions[definition] = times  # Recursion sees a host function.
        times.flows = inner.statements(definition.body)
        for flow in _every(times.flows):
            if (
                isinstance(flow.statement, ast.Return)
                and flow.statement.value is not None
            ):
                times.kind = _join(times.kind, flow.kind)
                times.elements = inner._tuple_kinds(flow.statement.value)
        if times.kind in (Kind.PLACEHOLDER, Kind.ELEMENT):
            self.diagnostics.refuse(
                "N106", definition, "a function that makes placeholders for its caller"
            )
        if any(f.update is not None for f in _every(times.flows)):
            self.diagnostics.refuse(
                "N107",
                definition,
                "the training operation is made in a helper function",
                "Make the optimizer and its update where the session is run.",
            )
        times.kinds = inner.environment
        times.creates = any(f.build for f in _every(times.flows))
        steps = any(
            f.step and not isinstance(f.statement, ast.Return)
            for f in _every(times.flows)
        ) or any(
            isinstance(f.statement, ast.Return)
            and f.kind in ir.STEP_KINDS
            and not _only_names(f.statement.value)
            for f in _every(times.flows)
        )
        times.staged = times.creates and steps
        times.reuses = any(
            isinstance(node, ast.Call)
            and self.scopes.resolve(node.func) == "tf.variable_scope"
            and self._may_reuse(names.argument(node, "reuse", 8))
            for node in ast.walk(definition)
        )
        if times.staged:
            self._split_parameters(times, inner.environment)
        return times

    def _split_parameters(self, times: FunctionTimes, kinds: dict[str, Kind]) -> None:
        built: set[str] = set()
        stepped: set[str] = set()
        pure_bound: dict[str, Flow] = {}
        for flow in _every(times.flows):
            if flow.suites:
                header = names.reads(flow.statement) - set().union(
                    *[
                        names.reads(f.statement)
                        for suite in flow.suites.values()
                        for f in suite
                    ]
                )
                if flow.build:
                    built |= header
                if flow.step:
                    stepped |= header
                continue
            if flow.lifts:
                for lift in flow.lifts:
                    for node in lift.create.nodes():
                        built |= names.reads(node)
                    lifted = {id(n) for n in ast.walk(lift.node)}
                    for node in lift.use.nodes():
                        stepped |= names.reads(node)
                    stepped |= {
                        n.id
                        for n in ast.walk(flow.statement)
                        if isinstance(n, ast.Name) and id(n) not in lifted
                    }
            elif flow.build:
                built |= flow.reads
            elif flow.step or isinstance(flow.statement, ast.Return):
                stepped |= flow.reads
            elif flow.pure or flow.host:
                for name in flow.binds:
                    pure_bound[name] = flow
        # What the build part computes from must be at hand there.
        work = list(built)
        while work:
            name = work.pop()
            source = pure_bound.pop(name, None)
            if source is not None:
                new = set(source.reads) - built
                built |= new
                work.extend(new)
        parameters = parameter_names(times.node)
        if times.is_method:
            parameters = parameters[1:]
        times.build_parameters = tuple(p for p in parameters if p in built)
        # A tensor whose shape the build part asks for is given there as a tf.TensorSpec.
        times.spec_parameters = tuple(
            p for p in times.build_parameters if kinds.get(p) in ir.STEP_KINDS
        )
        times.step_parameters = tuple(
            p
            for p in parameters
            if p not in built or (p in times.spec_parameters and p in stepped)
        )

    def _user_call(self, call: ast.Call, times: FunctionTimes) -> Kind:
        self._arguments(call)
        if not times.staged:
            if times.kind is Kind.HOST:
                kinds = {f.kind for f in _every(times.flows) if f.step}
                if Kind.SUMMARY in kinds:
                    return Kind.SUMMARY  # A helper that only writes summaries.
                if kinds:
                    return Kind.OPERATION
            if times.kind in (Kind.HOST, Kind.PURE):
                inside = self._arguments_quietly(call)
                if inside in ir.STEP_KINDS:
                    return Kind.TENSOR
            return times.kind
        parameters = parameter_names(times.node)
        if times.is_method:
            parameters = parameters[1:]
        bound = names.bound_arguments(call, tuple(parameters))
        if bound is None or times.node.args.vararg or times.node.args.kwarg:
            self.diagnostics.refuse(
                "N108", call, "this call's arguments cannot be told apart"
            )
            return times.kind
        static = [p for p in times.build_parameters if p in bound]
        signature = ast.dump(call.func) + "".join(
            f"{p}={ast.dump(bound[p])}"
            for p in static
            if p != "reuse" and p not in times.spec_parameters
        )
        for parameter in times.spec_parameters:
            if parameter in bound:
                self._spec_argument(call, bound[parameter])
        sharing = times.reuses or self.reusing or self._may_reuse(bound.get("reuse"))
        name = self.staged_calls.get(signature) if sharing else None
        created = name is None
        if name is None:
            hint = self._target_hint.rpartition(".")[2] or times.node.name
            name = self.fresh(f"{hint}_of", f"{times.node.name}_of")
            self.staged_calls[signature] = name
        create = code(
            call.func,
            "(",
            ir.joined(", ", [code(f"{p}=", bound[p]) for p in static]),
            ")",
        )
        dynamic: list[ir.Code] = []
        positional = True
        for parameter in times.step_parameters:
            if parameter not in bound:
                positional = False
                continue
            prefix = "" if positional else f"{parameter}="
            dynamic.append(code(prefix, bound[parameter]))
        use = code(name, "(", ir.joined(", ", dynamic), ")")
        self._lifts.append(Lift(call, name, create if created else code(), use))
        return times.kind if times.kind in ir.STEP_KINDS else Kind.TENSOR

    def _spec_argument(self, call: ast.Call, argument: ast.expr) -> None:
        """Notes a tensor that a staged function is given for its static shape."""
        kind = self._quietly(argument)
        if kind not in ir.STEP_KINDS:
            return
        name = names.key(argument)
        if name is None:
            self.diagnostics.refuse(
                "V107",
                call,
                "the function makes variables by the shape of this tensor, which has "
                "no name",
                "Give the tensor a name in a statement before.",
            )
            return
        self.static_reads[argument] = name

    def _arguments_quietly(self, call: ast.Call) -> Kind:
        kind = Kind.HOST
        for argument in [*call.args, *[k.value for k in call.keywords]]:
            if isinstance(argument, ast.Starred):
                argument = argument.value
            kind = _join(kind, self._quietly(argument))
        return kind

    # -- feeds ---------------------------------------------------------------

    def _placeholder(self, target: ast.expr, call: ast.Call) -> None:
        name = names.key(target)
        symbol = self.scopes.resolve(call.func)
        if name is None:
            self.diagnostics.refuse(
                "S105", call, "a placeholder that has no name", symbol=symbol or ""
            )
            return
        if symbol == "tf.placeholder":
            dtype = names.argument(call, "dtype", 0)
            shape = names.argument(call, "shape", 1)
            default = None
            parts: list[str | ast.AST | ir.Code] = ["tf.TensorSpec("]
            parts.append(shape if shape is not None else "None")
            if dtype is not None:
                parts += [", ", dtype]
        else:
            default = names.argument(call, "input", 0)
            shape = names.argument(call, "shape", 1)
            parts = ["tf.TensorSpec(", shape if shape is not None else "None"]
            if default is not None:
                parts += [", tf.convert_to_tensor(", default, ").dtype"]
        parts.append(")")
        self.placeholders[name] = ir.Placeholder(
            name, name.replace("self.", "").replace(".", "_"), code(*parts), default
        )
        self.placeholder_calls[call] = name


def _element_kind(iterated: Kind) -> Kind:
    """What a loop over it binds."""
    if iterated in ir.STEP_KINDS:
        return Kind.TENSOR
    return Kind.VARIABLE if iterated is Kind.VARIABLE else Kind.HOST


def _given(node: ast.expr | None) -> bool:
    return node is not None and not (
        isinstance(node, ast.Constant) and node.value is None
    )


def _only_names(node: ast.expr | None) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(_only_names(e) for e in node.elts)
    return names.key(node) is not None if node is not None else True


def _every(flows: Sequence[Flow]) -> list[Flow]:
    found: list[Flow] = []
    for flow in flows:
        found.append(flow)
        for suite in flow.suites.values():
            found.extend(_every(suite))
    return found


every = _every

# The join of two values in one expression: the later in this order wins.
_ORDER = (
    Kind.HOST,
    Kind.CONFIG,
    Kind.DATASET,
    Kind.PURE,
    Kind.PARTITIONER,
    Kind.VARIABLE,
    Kind.PLACEHOLDER,
    Kind.ELEMENT,
    Kind.TENSOR,
)


def _join(left: Kind, right: Kind) -> Kind:
    if left is right:
        return left
    if left is Kind.HOST:
        return right
    if right is Kind.HOST:
        return left
    if left in _ORDER and right in _ORDER:
        wide = max(left, right, key=_ORDER.index)
        return Kind.TENSOR if wide in ir.STEP_KINDS else wide
    if left in ir.STEP_KINDS or right in ir.STEP_KINDS:
        return Kind.TENSOR
    return right if right is not Kind.PURE else left


def all_names(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
    return found
