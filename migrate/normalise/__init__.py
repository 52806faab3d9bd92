"""TF1 to TF1: brings what builds a program's graph elsewhere to where its session is.

A training program may keep its placeholders, loss and training operation in an
object (`model.loss`), make them in a helper (`loss, train_op = build(x, y)`), or open
its session in one function and build the graph in the caller. In *normal form* all of
that stands in one suite, and the object's attributes are plain names. The program
means the same; each line knows the original line it stands for.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.normalise import driver, supervisor
from migrate.normalise.calls import Call, Inliner, Instance, NotInlinable
from migrate.normalise.feeds import written_out
from migrate.normalise.text import Edit, Text
from migrate.tables import roles

__all__ = ["NormalForm", "Text", "driver", "normal_forms", "supervisor", "written_out"]

_NOT_ALWAYS = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.GeneratorExp)
# More rounds than any program needs; a cycle of calls ends here.
_ROUNDS = 200
_GRAPH_METHODS = frozenset(
    {"minimize", "compute_gradients", "apply_gradients", "get_next"}
)
_PROGRAM_SYMBOLS = (
    roles.PLACEHOLDERS
    | roles.SESSIONS
    | {"tf.train.Server", "tf.summary.merge_all", "tf.add_to_collection"}
)


@dataclasses.dataclass(frozen=True)
class NormalForm:
    """A program in normal form.

    Attributes:
      text: its text.
      brought: what was brought to the driver, as (title, original line) in order.
    """

    text: Text
    brought: tuple[tuple[str, int], ...]


def normal_forms(source: str) -> Iterator[NormalForm]:
    """Normal forms of a program, the least changed first; none if nothing is elsewhere.

    The first brings callees to the function that opens the session. The second first
    brings that function to its one caller.
    """
    for upward in (False, True):
        normaliser = _Normaliser(source, upward)
        text = normaliser.run()
        if text is not None:
            yield NormalForm(text, tuple(dict.fromkeys(normaliser.brought)))


@dataclasses.dataclass(frozen=True, eq=False)
class _Driver:
    """The function, or module, that opens the session."""

    node: ast.FunctionDef | ast.Module
    session: ast.Call
    session_name: str | None


class _Normaliser:
    def __init__(self, source: str, upward: bool) -> None:
        self.text = Text.of(source)
        self.upward = upward
        self.instances: dict[str, Instance] = {}
        self.inlined: set[str] = set()
        self.aggregates: set[str] = set()
        self.brought: list[tuple[str, int]] = []

    def run(self) -> Text | None:
        """The normal form; None if it is the program itself, or there is none."""
        changed = False
        for _ in range(_ROUNDS):
            self.tree = ast.parse(self.text.source)
            self.scopes = Scopes(self.tree)
            driver = self._driver()
            if driver is None:
                return None
            try:
                new = self._step(driver)
            except NotInlinable:
                return None
            if new is None:
                break
            self.text, changed = new, True
        if not changed or self._escaped():
            return None
        return self._without_definitions()

    # -- the driver -----------------------------------------------------------------

    def _driver(self) -> _Driver | None:
        sessions = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Call)
            and self.scopes.resolve(node.func) in roles.SESSIONS
        ]
        if len(sessions) > 1:
            sessions = [s for s in sessions if not self._in_inlined_class(s)]
        if len(sessions) != 1:
            return None
        node: ast.AST = sessions[0]
        name: str | None = None
        while not isinstance(node, (ast.FunctionDef, ast.Module)):
            if isinstance(node, ast.With):
                for item in node.items:
                    if item.context_expr is sessions[0] and item.optional_vars:
                        name = names.key(item.optional_vars)
            node = self.scopes.parents[node]
        return _Driver(node, sessions[0], name)

    def _in_inlined_class(self, node: ast.AST) -> bool:
        """Whether it stands in a class whose one object is brought to the driver."""
        while node in self.scopes.parents:
            node = self.scopes.parents[node]
            if isinstance(node, ast.ClassDef) and node.name in self.inlined:
                return True
        return False

    def _step(self, driver: _Driver) -> Text | None:
        if self.upward and isinstance(driver.node, ast.FunctionDef):
            caller = self._caller(driver.node)
            if caller is not None:
                return caller
        for statement in _simple_statements(driver.node.body):
            for call in _calls(statement):
                found = self._found(statement, call, driver)
                if found is not None:
                    return self._inline(found, driver.node)
        return self._aggregate(driver.node)

    # -- which calls -----------------------------------------------------------------

    def _found(
        self, statement: ast.stmt, call: ast.Call, driver: _Driver
    ) -> Call | None:
        func = call.func
        if isinstance(func, ast.Name):
            definition = self._definition(func)
            if isinstance(definition, ast.FunctionDef):
                if self._carries(definition) or self._given_session(call, driver):
                    return Call(statement, call, definition, None, None, func.id)
            elif isinstance(definition, ast.ClassDef):
                return self._construction(statement, call, definition)
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            receiver = func.value.id
            instance = self.instances.get(receiver)
            if instance is not None:
                method = self._method(self._class(instance), func.attr)
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
                method = self._method(owner, func.attr)
                if method is not None and (
                    self._carries(method) or self._given_session(call, driver)
                ):
                    title = f"{owner.name}.{func.attr}"
                    return Call(statement, call, method, receiver, None, title)
        return None

    def _construction(
        self, statement: ast.stmt, call: ast.Call, owner: ast.ClassDef
    ) -> Call | None:
        """`model = Model(...)` whose constructor builds graph."""
        if not (
            isinstance(statement, ast.Assign)
            and statement.value is call
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            return None
        name = statement.targets[0].id
        constructor = self._method(owner, "__init__")
        if constructor is None or name in self.instances:
            return None
        methods = [m for m in owner.body if isinstance(m, ast.FunctionDef)]
        if not any(self._carries(m) for m in methods) and not self._builds(constructor):
            return None
        bases = {ast.unparse(b) for b in owner.bases} - {"object"}
        if bases or owner.keywords or owner.decorator_list:
            return None
        return Call(statement, call, constructor, name, None, f"{owner.name}.__init__")

    def _definition(self, node: ast.Name) -> ast.AST | None:
        owner = self.scopes.scope_of(node).owner(node.id)
        bindings = owner.bindings.get(node.id, []) if owner is not None else []
        return bindings[0] if len(bindings) == 1 else None

    def _class(self, instance: Instance) -> ast.ClassDef:
        for statement in self.tree.body:
            if isinstance(statement, ast.ClassDef) and statement.name == instance.owner:
                return statement
        raise NotInlinable("a class within another block")

    def _method(self, owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
        found = [
            m for m in owner.body if isinstance(m, ast.FunctionDef) and m.name == name
        ]
        return found[0] if len(found) == 1 else None

    def _given_session(self, call: ast.Call, driver: _Driver) -> bool:
        values = [*call.args, *[k.value for k in call.keywords]]
        return any(names.key(v) == driver.session_name for v in values)

    def _carries(self, definition: ast.FunctionDef) -> bool:
        """Whether calling it makes feeds, an update, a server or a session."""
        for inside in self._reached(definition):
            for node in ast.walk(inside):
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

    def _builds(self, definition: ast.FunctionDef) -> bool:
        """Whether it makes anything of TensorFlow's that is not plain Python."""
        for inside in self._reached(definition):
            for node in ast.walk(inside):
                if isinstance(node, (ast.Attribute, ast.Name)):
                    symbol = self.scopes.resolve(node) or ""
                    if symbol.startswith("tf.") and not roles.has_prefix(
                        symbol, roles.HOST_PREFIXES
                    ):
                        return True
        return False

    def _reached(self, definition: ast.FunctionDef) -> set[ast.FunctionDef]:
        """The function and the module's functions and methods it calls."""
        seen: set[ast.FunctionDef] = set()
        work = [definition]
        while work:
            current = work.pop()
            if current in seen:
                continue
            seen.add(current)
            owner = self.scopes.parents.get(current)
            for node in ast.walk(current):
                if not isinstance(node, ast.Call):
                    continue
                called: ast.AST | None = None
                if isinstance(node.func, ast.Name):
                    called = self._definition(node.func)
                elif (
                    isinstance(node.func, ast.Attribute)
                    and isinstance(owner, ast.ClassDef)
                    and isinstance(node.func.value, ast.Name)
                    and current.args.args
                    and node.func.value.id == current.args.args[0].arg
                ):
                    called = self._method(owner, node.func.attr)
                if isinstance(called, ast.FunctionDef):
                    work.append(called)
        return seen

    # -- inlining ---------------------------------------------------------------------

    def _inline(self, found: Call, driver: ast.FunctionDef | ast.Module) -> Text:
        if isinstance(self.scopes.parents.get(found.callee), ast.FunctionDef):
            raise NotInlinable("a function within a function")
        if found.callee is driver:
            raise NotInlinable("the function calls itself")
        taken = self._names_in(driver)
        if found.title.endswith(".__init__") and found.receiver is not None:
            owner = self.scopes.parents[found.callee]
            assert isinstance(owner, ast.ClassDef)
            constants = frozenset().union(
                *[names.binds(i) for i in owner.body if isinstance(i, ast.Assign)]
            )
            attributes, wishes = self._attributes(owner, found, taken, driver)
            first = self._constants(owner, attributes, taken)
            instance = Instance(owner.name, constants, attributes)
            self.instances[found.receiver] = instance
            found = dataclasses.replace(
                found, instance=instance, wishes=wishes, first=first
            )
            self.inlined.add(owner.name)
            if (
                len(self.scopes.scope_by_node[driver].bindings[found.receiver or ""])
                != 1
            ):
                raise NotInlinable("the object's name is bound more than once")
        elif found.receiver is None:
            self.inlined.add(found.callee.name)
        line = self.text.origins[found.callee.lineno - 1]
        self.brought.append((found.title, line))
        inliner = Inliner(self.text, self.scopes, taken, self._bound_in(driver))
        statement, call = found.statement, found.call
        whole = getattr(statement, "value", None) is call and isinstance(
            statement, (ast.Assign, ast.AnnAssign, ast.Expr)
        )
        if not whole:
            try:
                return self._renamed_uses(inliner.expression(found), driver)
            except NotInlinable:
                return self._brought_out(found, taken)
        if isinstance(statement, ast.Assign) and isinstance(
            statement.targets[0], ast.Name
        ):
            self.aggregates.add(statement.targets[0].id)
        return self._renamed_uses(inliner.statement(found), driver)

    def _brought_out(self, found: Call, taken: set[str]) -> Text:
        """`print(m.step(x))`: the call gets a statement of its own, before.

        Raises:
          NotInlinable: something else would be computed before it, or it is not always.
        """
        statement, call = found.statement, found.call
        if not isinstance(
            statement, (ast.Expr, ast.Assign, ast.AugAssign)
        ) or not self.text.alone(statement):
            raise NotInlinable("the call's value is used in a larger statement")
        node: ast.AST = call
        while node is not statement:
            node = self.scopes.parents[node]
            if isinstance(node, (*_NOT_ALWAYS, ast.comprehension)):
                raise NotInlinable("the call is not made exactly once")
        inside = set(ast.walk(call))
        around = {n for n in ast.walk(statement) if call in ast.walk(n)}
        for other in ast.walk(statement):
            if isinstance(other, (ast.Call, ast.Subscript)) and not (
                other in inside or other in around
            ):
                if (other.lineno, other.col_offset) < (call.lineno, call.col_offset):
                    raise NotInlinable("something else is computed before it")
        name, number = f"{found.callee.name}_value", 2
        while name in taken:
            name, number = f"{found.callee.name}_value_{number}", number + 1
        source = self.text.segment(call)
        if "\n" in source:
            source = ast.unparse(call)
        line = self.text.lines[statement.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        origin = self.text.origins[statement.lineno - 1]
        text = self.text.edited([Edit(call, name)])
        self.brought.pop()
        return text.spliced(
            statement.lineno,
            statement.lineno - 1,
            [f"{indent}{name} = {source}"],
            [origin],
        )

    def _attributes(
        self,
        owner: ast.ClassDef,
        found: Call,
        taken: set[str],
        driver: ast.FunctionDef | ast.Module,
    ) -> tuple[dict[str, str], dict[str, str]]:
        """A name for every attribute of the class, and names for the constructor's arguments.

        An attribute that only ever holds an argument is that argument.
        """
        stores: dict[str, list[ast.AST]] = {}
        for method in owner.body:
            if not isinstance(method, ast.FunctionDef) or not method.args.args:
                continue
            own = method.args.args[0].arg
            for node in ast.walk(method):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, (ast.Store, ast.Del))
                    and isinstance(node.value, ast.Name)
                    and node.value.id == own
                ):
                    stores.setdefault(node.attr, []).append(self.scopes.parents[node])
        scope = self.scopes.scope_by_node[found.callee]
        parameters = tuple(a.arg for a in found.callee.args.args[1:])
        bound = names.bound_arguments(found.call, parameters) or {}
        locals_ = self.scopes.scope_by_node[driver].bindings
        attributes: dict[str, str] = {}
        wishes: dict[str, str] = {}
        for attribute, places in stores.items():
            value = getattr(places[0], "value", None) if len(places) == 1 else None
            parameter = (
                value.id
                if isinstance(value, ast.Name)
                and value.id in parameters
                and len(scope.bindings[value.id]) == 1
                and places[0] in found.callee.body
                else None
            )
            argument = bound.get(parameter) if parameter else None
            if (
                isinstance(argument, ast.Name)
                and len(locals_.get(argument.id, ())) <= 1
            ):
                attributes[attribute] = argument.id
                continue
            plain = attribute.strip("_")
            name = plain if plain not in taken else f"{found.receiver}_{plain}"
            while name in taken:
                name += "_"
            taken.add(name)
            attributes[attribute] = name
            if parameter and argument is not None:
                wishes[parameter] = name
        return attributes, wishes

    def _constants(
        self, owner: ast.ClassDef, attributes: dict[str, str], taken: set[str]
    ) -> tuple[str, ...]:
        """Assignments of the class's literal constants that its methods read."""
        read = {
            n.attr
            for n in ast.walk(owner)
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
        }
        lines: list[str] = []
        for item in owner.body:
            if not (
                isinstance(item, ast.Assign)
                and len(item.targets) == 1
                and isinstance(item.targets[0], ast.Name)
                and isinstance(item.value, ast.Constant)
            ):
                continue
            attribute = item.targets[0].id
            if attribute not in read or attribute in attributes:
                continue
            name = attribute if attribute not in taken else f"{owner.name}_{attribute}"
            taken.add(name)
            attributes[attribute] = name
            lines.append(f"{name} = {self.text.segment(item.value)}")
        return tuple(lines)

    def _renamed_uses(self, text: Text, driver: ast.FunctionDef | ast.Module) -> Text:
        """`model.loss` becomes `loss` wherever the object's name means the object.

        A function's parameter of that name does not, until its body is brought here.
        """
        if not self.instances:
            return text
        tree = ast.parse(text.source)
        scopes = Scopes(tree)
        home = self._same(tree, driver)
        own = scopes.scope_by_node[home] if home is not None else None
        edits = [
            Edit(node, self.instances[node.value.id].attributes[node.attr])
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in self.instances
            and node.attr in self.instances[node.value.id].attributes
            and scopes.scope_of(node).owner(node.value.id) in (own, scopes.module, None)
        ]
        return text.edited(edits)

    def _same(
        self, tree: ast.Module, driver: ast.FunctionDef | ast.Module
    ) -> ast.AST | None:
        """The driver in a later text, told by its name and its class's."""
        if isinstance(driver, ast.Module):
            return tree
        owner = self.scopes.parents.get(driver)
        inside = owner.name if isinstance(owner, ast.ClassDef) else None
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == inside:
                return self._method(node, driver.name)
        found = [
            n
            for n in ast.walk(tree)
            if isinstance(n, ast.FunctionDef) and n.name == driver.name
        ]
        return found[0] if len(found) == 1 else None

    def _names_in(self, driver: ast.AST) -> set[str]:
        """Names that mean something in the driver."""
        found = set(dir(builtins)) | set(self.scopes.module.bindings)
        for node in ast.walk(driver):
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
        return found

    def _bound_in(self, driver: ast.FunctionDef | ast.Module) -> frozenset[str]:
        if isinstance(driver, ast.Module):
            return frozenset()
        return frozenset(self.scopes.scope_by_node[driver].bindings)

    def _constructed(
        self, owner: ast.ClassDef, constructor: ast.FunctionDef
    ) -> Text | None:
        """A constructor that opens the session, brought to where its one object is made."""
        made = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name)
            and self._definition(node.value.func) is owner
        ]
        if len(made) != 1 or owner.bases and ast.unparse(owner.bases[0]) != "object":
            return None
        statement = made[0]
        caller: ast.AST = statement
        while not isinstance(caller, (ast.FunctionDef, ast.Module)):
            caller = self.scopes.parents[caller]
        assert isinstance(statement.value, ast.Call)
        assert isinstance(statement.targets[0], ast.Name)
        receiver = statement.targets[0].id
        if receiver in self.instances:
            return None
        title = f"{owner.name}.__init__"
        call = Call(statement, statement.value, constructor, receiver, None, title)
        return self._inline(call, caller)

    # -- the caller ---------------------------------------------------------------------

    def _caller(self, driver: ast.FunctionDef) -> Text | None:
        """The driver brought to its only caller, where it has one."""
        owner = self.scopes.parents.get(driver)
        if isinstance(owner, ast.ClassDef) and driver.name == "__init__":
            return self._constructed(owner, driver)
        if self.instances and not isinstance(owner, ast.ClassDef):
            return None  # Its names are those of an object's attributes.
        calls: list[tuple[ast.stmt, ast.Call]] = []
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Call):
                continue
            func = node.func
            if isinstance(func, ast.Name):
                if self._definition(func) is not driver:
                    continue
            elif not (
                isinstance(func, ast.Attribute)
                and isinstance(owner, ast.ClassDef)
                and func.attr == driver.name
                and isinstance(func.value, ast.Name)
            ):
                continue
            statement: ast.AST = node
            while not isinstance(statement, ast.stmt):
                statement = self.scopes.parents[statement]
            calls.append((statement, node))
        others = sum(
            1
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id == driver.name
            and not isinstance(owner, ast.ClassDef)
        )
        if len(calls) != 1 or others > 1:
            return None
        statement, call = calls[0]
        caller: ast.AST = statement
        while not isinstance(caller, (ast.FunctionDef, ast.Module)):
            caller = self.scopes.parents[caller]
        if caller is driver:
            return None
        if isinstance(owner, ast.ClassDef):
            assert isinstance(call.func, ast.Attribute)
            assert isinstance(call.func.value, ast.Name)
            receiver = call.func.value.id
            if receiver not in self.instances:
                made = self._definition(call.func.value)
                if not (
                    isinstance(made, ast.Assign)
                    and isinstance(made.value, ast.Call)
                    and isinstance(made.value.func, ast.Name)
                    and made.value.func.id == owner.name
                ):
                    return None
                constructor = self._method(owner, "__init__")
                if constructor is None:
                    return None
                title = f"{owner.name}.__init__"
                first = Call(made, made.value, constructor, receiver, None, title)
                return self._inline(first, caller)
            title = f"{owner.name}.{driver.name}"
            instance = self.instances[receiver]
            found = Call(statement, call, driver, receiver, instance, title)
            return self._moved(found, caller)
        if isinstance(owner, ast.FunctionDef):
            return None
        return self._moved(
            Call(statement, call, driver, None, None, driver.name), caller
        )

    def _moved(self, found: Call, caller: ast.FunctionDef | ast.Module) -> Text:
        """The driver inlined into its caller, and gone from where it was."""
        if found.callee.decorator_list:
            raise NotInlinable("the function is decorated")
        text = self._inline(found, caller)
        tree = ast.parse(text.source)
        node = next(
            n
            for n in ast.walk(tree)
            if isinstance(n, ast.FunctionDef)
            and n.name == found.callee.name
            and text.origins[n.lineno - 1] == self.text.origins[found.callee.lineno - 1]
        )
        indent = text.lines[node.lineno - 1][: node.col_offset]
        left = [f"{indent}pass"] if found.receiver is not None else []
        line = text.origins[node.lineno - 1]
        last = node.end_lineno or node.lineno
        while not left and last < len(text.lines) and not text.lines[last].strip():
            last += 1
        return text.spliced(node.lineno, last, left, [line] * len(left))

    # -- results that are one object -----------------------------------------------------

    def _aggregate(self, driver: ast.FunctionDef | ast.Module) -> Text | None:
        """`graph = {"loss": loss}; graph["loss"]`, and the same with a namedtuple."""
        for statement in _simple_statements(driver.body):
            if not (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
                and statement.targets[0].id in self.aggregates
                and self.text.alone(statement)
            ):
                continue
            name = statement.targets[0].id
            members = self._members(statement.value)
            if not members:
                continue
            uses = self._member_uses(driver, name, members)
            if uses is None:
                continue
            return self._scattered(driver, statement, name, members, uses)
        return None

    def _members(self, value: ast.expr) -> dict[str | int, ast.expr]:
        """What a display or a namedtuple holds, by key, field or index."""
        if isinstance(value, ast.Dict):
            keys = [names.literal(k) for k in value.keys]
            if all(isinstance(k, str) for k in keys):
                return dict(zip(map(str, keys), value.values))
        if isinstance(value, (ast.Tuple, ast.List)):
            if not any(isinstance(e, ast.Starred) for e in value.elts):
                return dict(enumerate(value.elts))
        if isinstance(value, ast.Call):
            if (
                isinstance(value.func, ast.Name)
                and value.func.id == "dict"
                and not value.args
            ):
                return {k.arg: k.value for k in value.keywords if k.arg}
            fields = self._fields(value.func)
            if fields is not None:
                bound = names.bound_arguments(value, fields)
                if bound is not None and len(bound) == len(fields):
                    return {field: bound[field] for field in fields}
        return {}

    def _fields(self, func: ast.expr) -> tuple[str, ...] | None:
        """The fields of a namedtuple class made in the module."""
        path = self.scopes.dotted(func) or ast.unparse(func)
        if path in ("types.SimpleNamespace", "argparse.Namespace"):
            return None
        if not isinstance(func, ast.Name):
            return None
        made = self._definition(func)
        if not (isinstance(made, ast.Assign) and isinstance(made.value, ast.Call)):
            return None
        if not ast.unparse(made.value.func).endswith("namedtuple"):
            return None
        fields = names.literal(names.argument(made.value, "field_names", 1))
        if isinstance(fields, str):
            fields = fields.replace(",", " ").split()
        if isinstance(fields, (list, tuple)) and all(
            isinstance(f, str) for f in fields
        ):
            return tuple(fields)
        return None

    def _member_uses(
        self,
        driver: ast.AST,
        name: str,
        members: dict[str | int, ast.expr],
    ) -> list[tuple[ast.expr, str | int]] | None:
        """Every use of the object; None if one is not of a single member."""
        uses: list[tuple[ast.expr, str | int]] = []
        for node in ast.walk(driver):
            if not (isinstance(node, ast.Name) and node.id == name):
                continue
            if isinstance(node.ctx, ast.Store):
                continue
            above = self.scopes.parents[node]
            member: object = None
            if isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load):
                member = above.attr
            elif isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Load):
                member = names.literal(above.slice)
            if not isinstance(member, (str, int)) or member not in members:
                return None
            assert isinstance(above, (ast.Attribute, ast.Subscript))
            uses.append((above, member))
        return uses

    def _scattered(
        self,
        driver: ast.AST,
        statement: ast.Assign,
        name: str,
        members: dict[str | int, ast.expr],
        uses: list[tuple[ast.expr, str | int]],
    ) -> Text:
        taken = self._names_in(driver)
        indent = self.text.lines[statement.lineno - 1][: statement.col_offset]
        own: dict[str | int, str] = {}
        lines: list[str] = []
        for member, value in members.items():
            if isinstance(value, ast.Name):
                own[member] = value.id
                continue
            wish = str(member) if isinstance(member, str) else f"{name}_{member}"
            new = (
                wish
                if wish.isidentifier() and wish not in taken
                else f"{name}_{member}"
            )
            while new in taken:
                new += "_"
            taken.add(new)
            own[member] = new
            flat = " ".join(
                part.strip() for part in self.text.segment(value).split("\n")
            )
            lines.append(f"{indent}{new} = {flat}")
        changed = self.text.edited([Edit(node, own[member]) for node, member in uses])
        origin = self.text.origins[statement.lineno - 1]
        return changed.spliced(
            statement.lineno, statement.end_lineno or 0, lines, [origin] * len(lines)
        )

    # -- the end --------------------------------------------------------------------------

    def _escaped(self) -> bool:
        """Whether an object that has been taken apart is still used as a whole."""
        return any(
            isinstance(node, ast.Name)
            and node.id in self.instances
            and self.scopes.scope_of(node).owner(node.id) is None
            for node in ast.walk(self.tree)
        )

    def _without_definitions(self) -> Text:
        """The text without functions and classes of which nothing is called any more."""
        text = self.text
        while True:
            tree = ast.parse(text.source)
            read = {
                n.id
                for n in ast.walk(tree)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
            }
            gone = [
                s
                for s in tree.body
                if isinstance(s, (ast.FunctionDef, ast.ClassDef))
                and s.name in self.inlined
                and s.name not in read - _own_reads(s, tree)
            ]
            if not gone:
                return text
            node = gone[-1]
            first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
            last = node.end_lineno or node.lineno
            while last < len(text.lines) and not text.lines[last].strip():
                last += 1
            text = text.spliced(first, last, [], [])


def _own_reads(definition: ast.stmt, tree: ast.Module) -> set[str]:
    """Names read in a definition and nowhere else."""
    outside: set[str] = set()
    for statement in tree.body:
        if statement is not definition:
            outside |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
    inside = {n.id for n in ast.walk(definition) if isinstance(n, ast.Name)}
    return inside - outside


def _simple_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements in order, nested suites included, definitions not entered."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        yield statement
        for _, suite in names.suites(statement):
            yield from _simple_statements(suite)


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """Calls of a statement's own expressions, outermost first."""
    nested = {id(s) for _, suite in names.suites(statement) for s in suite}
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if id(node) in nested:
            continue
        if isinstance(node, ast.Call):
            yield node
        stack.extend(reversed(list(ast.iter_child_nodes(node))))
