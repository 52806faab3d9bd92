"""Finds the driver's calls that build graph elsewhere."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.calls.inliner import Call, NotInlinable
from migrate.normalise.graph_builders.state import Driver, State
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import queues, roles

_GRAPH_METHODS = roles.ITERATES | {"minimize", "compute_gradients", "apply_gradients"}
_PROGRAM_SYMBOLS = (
    roles.PLACEHOLDERS
    | roles.SESSIONS
    | {"tf.train.Server", "tf.summary.merge_all", "tf.add_to_collection"}
    | {f"tf.data.{method}" for method in roles.ITERATES}
    | queues.INPUT
)


class Callees(State):
    """Finds the calls to bring to the driver."""

    def _read_call(
        self, statement: ast.stmt, call: ast.Call, driver: Driver
    ) -> Call | None:
        func = call.func
        if isinstance(func, ast.Name):
            definition = self._find_definition(func)
            if isinstance(definition, ast.FunctionDef):
                if (
                    self._carries(definition)
                    or self._shares_variables(definition)
                    or self._is_saved(statement, definition)
                    or self._is_run_in_turn(statement, definition)
                    or (self.parts and self._gives_parts(statement, definition))
                    or self._receives_session(call, driver)
                    or self._receives_instance(call)
                    or self._reads_session(definition, driver)
                    or self._reads_feeds(definition)
                    or self._reads_instance(definition)
                    or self._places(definition)
                    or self._builds_towers(definition)
                    or self._lists_variables(definition)
                ):
                    return Call(statement, call, definition, None, None, func.id)
            elif isinstance(definition, ast.ClassDef):
                return self._read_construction(statement, call, definition, driver)
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            receiver = func.value.id
            instance = self.instances.get(receiver)
            if instance is not None:
                method = self._find_method(self._find_class(instance), func.attr)
                if method is None:
                    raise NotInlinable(
                        f"{receiver}.{func.attr} is no method of its class"
                    )
                title = f"{instance.owner}.{func.attr}"
                return Call(statement, call, method, receiver, instance, title)
            owner = self.scopes.parents.get(driver.node)
            if (
                isinstance(owner, ast.ClassDef)
                and isinstance(driver.node, ast.FunctionDef)
                and driver.node.args.args
                and receiver == driver.node.args.args[0].arg
            ):
                method = self._find_method(owner, func.attr)
                if method is not None and (
                    self._carries(method) or self._receives_session(call, driver)
                ):
                    title = f"{owner.name}.{func.attr}"
                    return Call(statement, call, method, receiver, None, title)
        return None

    def _read_construction(
        self,
        statement: ast.stmt,
        call: ast.Call,
        owner: ast.ClassDef,
        driver: Driver,
    ) -> Call | None:
        """`model = Model(...)` whose constructor builds graph, or is given the session."""
        if not (
            isinstance(statement, ast.Assign)
            and statement.value is call
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            return None
        name = statement.targets[0].id
        constructor = self._find_method(owner, "__init__")
        if constructor is None or name in self.instances:
            return None
        methods = [m for m in owner.body if isinstance(m, ast.FunctionDef)]
        if not (
            any(self._carries(m) for m in methods)
            or self._builds(constructor)
            or self._receives_session(call, driver)
        ):
            return None
        bases = {ast.unparse(b) for b in owner.bases} - {"object"}
        if bases or owner.keywords or owner.decorator_list:
            return None
        return Call(statement, call, constructor, name, None, f"{owner.name}.__init__")

    def _receives_session(self, call: ast.Call, driver: Driver) -> bool:
        values = [*call.args, *[k.value for k in call.keywords]]
        return any(names.find_key(v) in driver.session_names for v in values)

    def _receives_instance(self, call: ast.Call) -> bool:
        """Whether it is given an object that is taken apart: `copy(online, target)`."""
        values = [*call.args, *[k.value for k in call.keywords]]
        return any(isinstance(v, ast.Name) and v.id in self.instances for v in values)

    def _reads_session(self, definition: ast.FunctionDef, driver: Driver) -> bool:
        """Whether it, or what it calls, reads the session of a script by its name."""
        return isinstance(driver.node, ast.Module) and any(
            isinstance(node, ast.Name)
            and node.id in driver.session_names
            and isinstance(node.ctx, ast.Load)
            and self.scopes.find_scope(node).find_owner(node.id) is self.scopes.module
            for inside in self._find_reached_functions(definition)
            for node in walk_breadth_first(inside)
        )

    def _reads_feeds(self, definition: ast.FunctionDef) -> bool:
        """Whether it, or what it calls, reads tensors of the module by their names."""
        return any(
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and self.scopes.find_scope(node).find_owner(node.id) is self.scopes.module
            and any(map(self._feeds, self.scopes.module.bindings.get(node.id, ())))
            for inside in self._find_reached_functions(definition)
            for node in walk_breadth_first(inside)
        )

    def _reads_instance(self, definition: ast.FunctionDef) -> bool:
        """Whether it, or what it calls, reads an object of the module that is taken apart."""
        return any(
            isinstance(node, ast.Name)
            and node.id in self.instances
            and isinstance(node.ctx, ast.Load)
            and self.scopes.find_scope(node).find_owner(node.id)
            in (self.scopes.module, None)
            for inside in self._find_reached_functions(definition)
            for node in walk_breadth_first(inside)
        )

    def _feeds(self, binding: ast.AST) -> bool:
        """`x = tf.placeholder(...)`, and what is computed with it: `y = tf.square(x)`."""
        work, seen = [binding], set[ast.AST]()
        while work:
            current = work.pop()
            if not isinstance(current, ast.Assign) or current in seen:
                continue
            seen.add(current)
            for node in walk_breadth_first(current.value):
                if not isinstance(node, (ast.Name, ast.Attribute)):
                    continue
                if self.scopes.resolve(node) in roles.PLACEHOLDERS:
                    return True
                if isinstance(node, ast.Name):
                    work.extend(self.scopes.module.bindings.get(node.id, ()))
        return False

    def _places(self, definition: ast.FunctionDef) -> bool:
        """Whether it builds on a device that its arguments give, for one of several towers."""
        parameters = {
            a.arg for a in walk_breadth_first(definition.args) if isinstance(a, ast.arg)
        }
        return any(
            isinstance(node, ast.Call)
            and self.scopes.resolve(node.func) == "tf.device"
            and bool(names.find_reads(node) & parameters)
            for node in walk_breadth_first(definition)
        )

    def _lists_variables(self, definition: ast.FunctionDef) -> bool:
        """Whether it asks the graph for the variables of a scope that its caller names."""
        parameters = {
            a.arg for a in walk_breadth_first(definition.args) if isinstance(a, ast.arg)
        }
        return any(
            isinstance(node, ast.Call)
            and self.scopes.resolve(node.func)
            in (*roles.TRAINABLE, *roles.GLOBAL, "tf.get_collection")
            and any(
                names.find_reads(value) & parameters
                for value in (*node.args, *(k.value for k in node.keywords))
            )
            for node in walk_breadth_first(definition)
        )

    def _builds_towers(self, definition: ast.FunctionDef) -> bool:
        """Whether it has a loop whose rounds share variables, or are on devices of their own."""
        return any(
            isinstance(call, ast.Call)
            and self.scopes.resolve(call.func) in ("tf.device", "tf.variable_scope")
            and (
                names.find_reads(call) & find_plain_names(loop.target)
                or names.is_given(names.find_argument(call, "reuse", 8))
            )
            for loop in walk_breadth_first(definition)
            if isinstance(loop, ast.For)
            for call in walk_breadth_first(loop)
        )

    def _is_saved(self, statement: ast.stmt, definition: ast.FunctionDef) -> bool:
        """Whether it gives variables, beside others, of which a Saver is made."""
        if not (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Tuple)
        ):
            return False
        given = {names.find_key(t) for t in statement.targets[0].elts}
        return self._builds(definition) and any(
            isinstance(node, ast.Call)
            and self.scopes.resolve(node.func) == "tf.train.Saver"
            and given & {names.find_key(n) for n in walk_breadth_first(node)} - {None}
            for node in walk_breadth_first(self.tree)
        )

    def _is_run_in_turn(self, statement: ast.stmt, definition: ast.FunctionDef) -> bool:
        """Whether it gives a list, beside others, of which a loop runs one item at a time."""
        if not isinstance(statement, ast.Assign):
            return False
        given = names.find_binds(statement)
        return self._builds(definition) and any(
            isinstance(loop, ast.For)
            and isinstance(loop.iter, ast.Name)
            and loop.iter.id in given
            and isinstance(loop.target, ast.Name)
            and any(
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr == "run"
                and loop.target.id in set(map(names.find_key, call.args[:1]))
                for call in walk_breadth_first(loop)
            )
            for loop in walk_breadth_first(self.tree)
        )

    def _gives_parts(self, statement: ast.stmt, definition: ast.FunctionDef) -> bool:
        """Whether a call gives several tensors: `w, hidden, loss = build(x, y)`."""
        return (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Tuple)
            and len(statement.targets[0].elts) > 1
            and self._builds(definition)
        )

    def _carries(self, definition: ast.FunctionDef) -> bool:
        """Whether calling it makes feeds, an update, a server or a session."""
        for inside in self._find_reached_functions(definition):
            for node in walk_breadth_first(inside):
                if not isinstance(node, ast.Call):
                    continue
                if self.scopes.resolve(node.func) in _PROGRAM_SYMBOLS:
                    return True
                if (
                    isinstance(node.func, ast.Attribute)
                    and node.func.attr in _GRAPH_METHODS
                    and self.scopes.resolve(node.func) is None
                ):
                    return True
        return False

    def _shares_variables(self, definition: ast.FunctionDef) -> bool:
        """Whether it enters scopes that calls in other functions enter, too.

        def penalty(mixed):
            return tf.gradients(critic(mixed), mixed)  # The program calls `critic`, too.
        """
        called = {
            self._find_definition(node.func): None
            for node in walk_breadth_first(definition)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        inside = set(walk_breadth_first(definition))
        for function in called:
            if not isinstance(function, ast.FunctionDef) or function is definition:
                continue
            elsewhere = any(
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node not in inside
                and self._find_definition(node.func) is function
                for node in walk_breadth_first(self.tree)
            )
            if elsewhere and any(
                isinstance(node, ast.Call)
                and self.scopes.resolve(node.func) == "tf.variable_scope"
                and names.is_given(names.find_argument(node, "reuse", 8))
                for reached in self._find_reached_functions(function)
                for node in walk_breadth_first(reached)
            ):
                return True
        return False

    def _builds(self, definition: ast.FunctionDef) -> bool:
        """Whether it makes anything of TensorFlow's that is not plain Python."""
        for inside in self._find_reached_functions(definition):
            for node in walk_breadth_first(inside):
                if isinstance(node, (ast.Attribute, ast.Name)):
                    symbol = self.scopes.resolve(node) or ""
                    if symbol.startswith("tf.") and not roles.has_prefix(
                        symbol, roles.HOST_PREFIXES
                    ):
                        return True
        return False

    def _find_reached_functions(
        self, definition: ast.FunctionDef
    ) -> set[ast.FunctionDef]:
        """The function and the module's functions and methods it calls."""
        seen: set[ast.FunctionDef] = set()
        work = [definition]
        while work:
            current = work.pop()
            if current in seen:
                continue
            seen.add(current)
            owner = self.scopes.parents.get(current)
            for node in walk_breadth_first(current):
                if not isinstance(node, ast.Call):
                    continue
                called: ast.AST | None = None
                if isinstance(node.func, ast.Name):
                    called = self._find_definition(node.func)
                elif (
                    isinstance(node.func, ast.Attribute)
                    and isinstance(owner, ast.ClassDef)
                    and isinstance(node.func.value, ast.Name)
                    and current.args.args
                    and node.func.value.id == current.args.args[0].arg
                ):
                    called = self._find_method(owner, node.func.attr)
                if isinstance(called, ast.FunctionDef):
                    work.append(called)
        return seen
