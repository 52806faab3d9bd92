"""Compound statements: with, if, for, while, try."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scope
from migrate.program import ir
from migrate.program.binding_time.assignments import Assignments
from migrate.program.binding_time.lattice import find_element_kind
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.unsupported import SCOPE_OPTIONS

_TENSORS = frozenset({Kind.TENSOR, Kind.PLACEHOLDER, Kind.ELEMENT})


class Blocks(Assignments):
    """Statements that have suites."""

    def _analyse_compound(self, statement: ast.stmt) -> Flow:
        flow = Flow(
            statement,
            Kind.HOST,
            frozenset(names.find_reads(statement)),
            frozenset(names.find_binds(statement)),
        )
        scopes, by_length = 0, False
        if isinstance(statement, ast.With):
            for item in statement.items:
                scopes += self._enter_item(item, statement)
        elif isinstance(statement, ast.For):
            iterated = self.classify_expression(statement.iter)
            if self._makes_variables(statement) and self._is_walk_of_variables(
                statement.iter
            ):
                iterated = Kind.VARIABLE
            self._bind_elements(statement.target, statement.iter, iterated)
            if iterated in ir.STEP_KINDS:
                flow.step = flow.asks = True
            self.loop_scopes.append(len(self.scope_names))
        elif isinstance(statement, (ast.If, ast.While)):
            if isinstance(statement, ast.While):
                self.loop_scopes.append(len(self.scope_names))
            condition = self.classify_expression(statement.test)
            flow.step = any(
                self.environment.get(name) in ir.STEP_KINDS
                for name in names.find_reads(statement.test)
            )
            by_tensor = condition in (Kind.TENSOR, Kind.PLACEHOLDER, Kind.ELEMENT)
            by_length = by_tensor and self._asks_lengths(statement.test)
            if by_tensor and not by_length:
                self.diagnostics.refuse(
                    "N103",
                    statement,
                    "a Python branch tests a tensor of the step. TensorFlow 1 "
                    "has no value to test while it builds the graph",
                    "Choose between two values by tf.where or tf.cond. Use `if` "
                    "only for values that Python knows, such as shapes and flags.",
                )
        header_lifts = self._lifts
        if self.graph.used and isinstance(statement, ast.With):
            flow.updates = any(
                self.scopes.resolve(node) == "tf.GraphKeys.UPDATE_OPS"
                for item in statement.items
                for node in walk_breadth_first(item.context_expr)
            )
        if isinstance(statement, ast.With):
            self._check_control_inputs(statement)
        behind = isinstance(statement, ast.With) and any(
            isinstance(item.context_expr, ast.Call)
            and self.scopes.resolve(item.context_expr.func) == "tf.control_dependencies"
            and names.find_reads(item.context_expr) & self.updates
            for item in statement.items
        )
        if behind and isinstance(statement, ast.With):
            self._check_reads(statement)
            self._check_other_names(statement)
        if not isinstance(statement, ast.With):
            self._check_replaced_updates(statement)
        for field, suite in names.list_suites(statement):
            before = dict(self.environment)
            flow.suites[field] = self.analyse_statements(suite)
            if isinstance(statement, ast.If) and field == "orelse":
                self._keep_kinds(statement.body, flow.suites[field], before)
        if isinstance(statement, (ast.For, ast.While)):
            self.loop_scopes.pop()
        for _ in range(scopes):
            for stack in (
                self.scope_names,
                self.scope_reuse,
                self.scope_partitioners,
            ):
                stack.pop()
        children = [f for suite in flow.suites.values() for f in suite]
        flow.build = any(f.build for f in children)
        if by_length and (flow.build or isinstance(statement, ast.While)):
            self.diagnostics.refuse(
                "N103",
                statement,
                "Python asks here how many tensors a step has, and makes variables "
                "or layers. They have to exist before the step"
                if flow.build
                else "a `while` loop asks how many tensors a step has",
                "Test Python values, which are known before the step.",
            )
        flow.step = flow.step or any(f.step for f in children)
        flow.pure = not (flow.build or flow.step) and any(f.pure for f in children)
        if children and all(f.dropped for f in children):
            flow.dropped = children[0].dropped
        test = getattr(statement, "test", None)
        made = test is not None and any(
            isinstance(node, ast.Call) and self._creates_variable(node)
            for node in walk_breadth_first(test)
        )
        if header_lifts or made:
            self.diagnostics.refuse(
                "N104",
                statement,
                "the header of a statement creates variables",
                "Make the variables in a statement before: n = tf.get_variable(...).",
            )
        return flow

    def _keep_kinds(
        self, body: list[ast.stmt], others: list[Flow], before: dict[str, Kind]
    ) -> None:
        """Keeps the kind of a name that only one branch gives a value of the graph.

        if FLAGS.summaries:
            summary = tf.summary.merge_all()
        else:
            summary = None
        """
        made = set().union(*(names.find_binds(s) for s in body))
        for flow in others:
            statement = flow.statement
            if isinstance(statement, ast.Assign) and (
                names.is_none_constant(statement.value)
            ):
                bound = names.find_binds(statement)
                if bound <= made and all(
                    before.get(name) in ir.STEP_KINDS for name in bound
                ):
                    self.environment.update({name: before[name] for name in bound})
                    flow.step, flow.pure = True, False

    def _asks_scope_later(self, bound: ast.expr) -> bool:
        """Whether code behind a scope's block reads an attribute of it: `scope.name`."""
        key = names.find_key(bound)
        owner = self.scopes.find_scope(bound)
        return any(
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and key is not None
            and names.find_key(node.value) == key
            and (isinstance(bound, ast.Attribute) or self._is_of(owner, node.value))
            and not any(
                isinstance(above, ast.With)
                and any(
                    item.optional_vars is not None
                    and names.find_key(item.optional_vars) == key
                    for item in above.items
                )
                for above in self.scopes.walk_above(node)
            )
            for node in self.scopes.walk()
        )

    def _is_of(self, owner: Scope, name: ast.expr) -> bool:
        assert isinstance(name, ast.Name)
        return self.scopes.find_scope(name).find_owner(name.id) is owner

    def _makes_variables(self, loop: ast.For) -> bool:
        return any(
            isinstance(node, ast.Call)
            and self.scopes.resolve(node.func) in roles.VARIABLES
            for node in walk_breadth_first(loop)
        )

    def _is_walk_of_variables(self, walked: ast.expr) -> bool:
        """Whether it numbers or joins lists of variables: `enumerate(variables)`."""
        if not isinstance(walked, ast.Call) or not isinstance(walked.func, ast.Name):
            return False
        name, count = walked.func.id, len(walked.args)
        if walked.keywords or self.scopes.find_scope(walked).find_owner(name):
            return False
        return (
            name == "zip" and count > 0 or name == "enumerate" and count == 1
        ) and all(
            self._is_walk_of_variables(a) or self.find_kind(a) is Kind.VARIABLE
            for a in walked.args
        )

    def _bind_elements(self, target: ast.expr, iterated: ast.expr, kind: Kind) -> None:
        """Binds a loop's target; Python knows the numbers of `enumerate(tensors)`."""
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        if (
            isinstance(iterated, ast.Call)
            and isinstance(iterated.func, ast.Name)
            and iterated.func.id == "enumerate"
            and self.scopes.find_scope(iterated).find_owner("enumerate") is None
            and len(iterated.args) == 1
            and len(parts) == 2
        ):
            self._bind(parts[0], Kind.HOST, ())
            self._bind_elements(parts[1], iterated.args[0], kind)
            return
        self._bind(target, find_element_kind(kind), ())

    def _asks_lengths(self, test: ast.expr) -> bool:
        """Whether a test asks only for the length of lists and tuples of tensors.

        if len(outputs) > 1: ...

        TF1's `len` of a tensor raises, so such a length is a plain Python value.
        """
        work: list[ast.AST] = [test]
        while work:
            node = work.pop()
            if self._is_length(node):
                continue
            if isinstance(node, (ast.Name, ast.Attribute)):
                name = names.find_key(node)
                if self.environment.get(name or "") in ir.STEP_KINDS:
                    length = isinstance(node, ast.Name) and self._find_only_value(node)
                    if not isinstance(length, ast.expr) or not self._is_length(length):
                        return False
                    continue
            elif isinstance(node, ast.Call):
                return False
            work.extend(ast.iter_child_nodes(node))
        return True

    def _is_length(self, node: ast.AST) -> bool:
        """Whether a node is `len(outputs)`."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "len"
            and self.scopes.find_scope(node).find_owner("len") is None
            and len(node.args) == 1
            and (names.find_key(node.args[0]) or "") in self.environment
        )

    def _find_only_value(self, name: ast.Name) -> ast.expr | None:
        owner = self.scopes.find_scope(name).find_owner(name.id)
        bound = owner.bindings.get(name.id, []) if owner is not None else []
        if len(bound) != 1 or not isinstance(bound[0], ast.Assign):
            return None
        return bound[0].value if isinstance(bound[0].targets[0], ast.Name) else None

    def _check_replaced_updates(self, statement: ast.stmt) -> None:
        """Refuses a block that gives an update's name to another value in a branch.

        train_op = optimizer.minimize(loss)
        if is_chief:
            train_op = tf.no_op()
        """
        inside = [n for _, suite in names.list_suites(statement) for n in suite]
        read = set().union(*(names.find_reads(n) for n in inside))
        for name in sorted(self.updates & names.find_binds(statement) - read):
            self.diagnostics.refuse(
                "N107",
                statement,
                f"`{name}` is an update, and this block may give the name to "
                "another value. The step would make the update in both cases",
                "Give the two operations different names, and choose in the loop "
                "which one to run.",
            )

    def _check_control_inputs(self, block: ast.With) -> None:
        """Refuses operations that are made in the header of the block that they precede.

        If an update opens such a block, only the block's statements come into a step.
        """
        for item in block.items:
            header = item.context_expr
            if not (
                isinstance(header, ast.Call)
                and self.scopes.resolve(header.func) == "tf.control_dependencies"
            ):
                continue
            for node in walk_breadth_first(header):
                if (
                    isinstance(node, ast.Call)
                    and node is not header
                    and self.find_kind(node) in (Kind.ASSIGNMENT, Kind.OPERATION)
                ):
                    self.diagnostics.refuse(
                        "N107",
                        node,
                        "the header of tf.control_dependencies makes an operation",
                        "Make the operation in a statement before: op = ...; with "
                        "tf.control_dependencies([op]): ...",
                    )

    def _check_other_names(self, block: ast.With) -> None:
        """Refuses a block behind an update that gives a tensor from outside another name.

        with tf.control_dependencies([count_up]):
            result = loss

        This makes no operation, so in TF1 a run of `result` does not make the update.
        """
        inside = [n for n in walk_breadth_first(block) if isinstance(n, ast.stmt)]
        made: set[str] = set()
        for statement in sorted(inside, key=lambda s: s.lineno):
            if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Return)):
                continue
            before, made = made, made | names.find_binds(statement)
            for value in self._list_values(statement.value):
                key = names.find_key(value)
                known = self.environment.get(key or "")
                if key in before or known not in _TENSORS:
                    continue
                self.diagnostics.refuse(
                    "N107",
                    value,
                    f"this block waits for an update, but `{key}` was made before it. "
                    "Another name for a tensor is no operation, so in TensorFlow 1 a run "
                    "that fetches it does not make the update",
                    f"If the run shall make the update, write tf.identity({key}). "
                    "Otherwise move the statement out of the block.",
                )

    def _list_values(self, value: ast.expr | None) -> Iterator[ast.expr]:
        """A value; the parts of a list, tuple or dict; what `convert_to_tensor` gets."""
        match value:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
                for part in parts:
                    yield from self._list_values(part)
            case ast.Call(func=func, args=[first, *_]) if (
                self.scopes.resolve(func) == "tf.convert_to_tensor"
            ):
                yield from self._list_values(first)
            case ast.expr():
                yield value

    def _check_reads(self, block: ast.With) -> None:
        """Checks values of variables that a block behind an update computes with.

        Measured with TF 1.15.5: a counter that was raised before gives 0, in every run;
        `read_value()` in the block gives the new value. But an operation on the variable's
        own server may use its buffer: with one server, `tf.assign(c, b)` behind the update of
        b copied the new value (12 of 12 steps).
        """
        changed = self._find_assigned(block)
        for node in walk_breadth_first(block):
            if not (
                isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and self.environment.get(names.find_key(node) or "") is Kind.VARIABLE
            ):
                continue
            parent = self.scopes.parents.get(node)
            if changed is not None and self._find_made(node) not in (None, *changed):
                continue  # The update changes other variables.
            if self._is_averaged(node):
                continue  # Moving averages see the new value.
            if isinstance(parent, (ast.Attribute, ast.keyword, ast.withitem)):
                continue  # w.assign(...), w.read_value(), global_step=step
            if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
                symbol = self.scopes.resolve(parent.func) or ""
                if roles.KIND_OF_CALL.get(symbol) is Kind.ASSIGNMENT:
                    continue
            self.diagnostics.refuse(
                "S136",
                node,
                "this reads a variable after an update. TensorFlow 1 gave the "
                "value from before the update, or, on the variable's own device, "
                "perhaps the value after it",
                "For the new value, read w.read_value() in the block. For the old "
                "value, compute it outside of the block.",
            )

    def _find_assigned(self, block: ast.With) -> set[str] | None:
        """Returns the variables that the updates before a block assign; None if unsure.

        It knows only assignments that are fully in sight: each is outside of blocks, is bound
        once, and computes with no other update.
        """
        found: set[str] = set()
        for item in block.items:
            for node in walk_breadth_first(item.context_expr):
                if not isinstance(node, ast.Name) or node.id not in self.updates:
                    continue
                call = self._find_only_value(node)
                target = self._find_target(call) if isinstance(call, ast.Call) else None
                if target is None:
                    return None
                found.add(target)
        return found

    def _find_target(self, call: ast.Call) -> str | None:
        """Returns the variable of `tf.assign_add(count, 1)`, in a statement of its own."""
        statement = self.scopes.parents.get(call)
        above = self.scopes.parents.get(statement) if statement is not None else None
        symbol = self.scopes.resolve(call.func) or ""
        if (
            not isinstance(above, (ast.Module, ast.FunctionDef))
            or roles.KIND_OF_CALL.get(symbol) is not Kind.ASSIGNMENT
            or not call.args
            or names.find_reads(call) & self.updates
        ):
            return None
        return self._find_made(call.args[0])

    def _find_made(self, node: ast.expr) -> str | None:
        """Maps the name of a variable that is bound once to the call that makes it."""
        if not isinstance(node, ast.Name):
            return None
        is_variable = self.environment.get(node.id) is Kind.VARIABLE
        made = self._find_only_value(node)
        return node.id if is_variable and isinstance(made, ast.Call) else None

    def _is_averaged(self, node: ast.AST) -> bool:
        """Whether a variable is an argument of `averages.apply`."""
        parent = self.scopes.parents.get(node)
        while isinstance(parent, ast.expr):
            if (
                isinstance(parent, ast.Call)
                and isinstance(parent.func, ast.Attribute)
                and parent.func.attr == "apply"
                and self.environment.get(names.find_key(parent.func.value) or "")
                is Kind.AVERAGES
            ):
                return True
            parent = self.scopes.parents.get(parent)
        return False

    def _enter_item(self, item: ast.withitem, statement: ast.With) -> int:
        call = item.context_expr
        symbol = self.scopes.resolve(call.func) if isinstance(call, ast.Call) else None
        if isinstance(call, ast.Call) and symbol == "tf.variable_scope":
            name = names.find_argument(call, "name_or_scope", 0)
            value = names.read_literal(name)
            entered_by_name = isinstance(value, str)
            if value is None and name is not None:
                default = names.find_argument(call, "default_name", 1)
                value = names.read_literal(default)
                if isinstance(name, ast.Constant) and default is not None:
                    value = self.open_numbered(call, default)
            reuse = names.find_argument(call, "reuse", 8)
            self.scope_names.append(value if isinstance(value, str) else None)
            if entered_by_name:
                self._number_layers_anew()
                self.layer_counts["/".join([*map(str, self.scope_names)])] = 1
            self.scope_reuse.append(
                (self.scope_reuse[-1] if self.scope_reuse else False)
                or self._may_reuse(reuse)
            )
            outer_part = (
                self.scope_partitioners[-1] if self.scope_partitioners else None
            )
            self.scope_partitioners.append(
                names.find_argument(call, "partitioner", 6) or outer_part
            )
            for unsupported, (position, recipe) in SCOPE_OPTIONS.items():
                if names.is_given(names.find_argument(call, unsupported, position)):
                    self.diagnostics.refuse(
                        "V103",
                        call,
                        f"variable_scope({unsupported}=...) changes every variable "
                        "that is created inside it",
                        recipe,
                        "tf.variable_scope",
                    )
            if names.is_given(names.find_argument(call, "initializer", 3)):
                unseen = self.defaults.find_unknown(
                    statement, self.graph.inside if self.graph.used else ()
                )
                if unseen is not None:
                    self.diagnostics.refuse(
                        "V103",
                        call,
                        "variable_scope(initializer=...) also gives its initial "
                        f"values to `{ast.unparse(unseen.func)}`, and the tool cannot "
                        "write them out there",
                        "Pass the initializer to each variable, layer and cell. "
                        "(BasicLSTMCell is LSTMCell(..., initializer=...).)",
                        "tf.variable_scope",
                    )
            if item.optional_vars is not None:
                bound = names.find_key(item.optional_vars)
                uses = any(
                    isinstance(n, ast.Name)
                    and n.id == bound
                    and isinstance(n.ctx, ast.Load)
                    for n in walk_breadth_first(statement)
                ) or self._asks_scope_later(item.optional_vars)
                if uses:
                    self.diagnostics.refuse(
                        "V103",
                        call,
                        "the program uses the variable scope object itself",
                        "Open the scope again by its name.",
                        "tf.variable_scope",
                    )
            return 1
        self.classify_expression(call)
        return 0
