"""Reads one hook: what each part of it becomes in a callback."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.constructions import Escapes, find_constructions
from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes
from migrate.frontends.callbacks.asking import (
    Asking,
    is_compared_with_none,
    is_known_to_be_asked,
    read_request,
)
from migrate.frontends.callbacks.attributes import Attributes
from migrate.frontends.callbacks.fetches import Fetches
from migrate.frontends.callbacks.given import Given
from migrate.frontends.callbacks.modes import Ways
from migrate.frontends.callbacks.reasons import NoCallback
from migrate.frontends.callbacks.session import Used, find_parameter_uses
from migrate.program.callbacks import (
    Asked,
    Callback,
    Logged,
    Named,
    Several,
    Step,
    UsedElsewhere,
    Value,
)
from migrate.source.nodes import walk_breadth_first
from migrate.tables import callbacks as table
from migrate.tables import modes
from migrate.tables.estimator import find_public


class HookReader:
    """One class that derives from SessionRunHook.

    Args:
      several_devices: whether a strategy may train on several devices of a process.
      elsewhere: what other files do with it; None if they do nothing.
      of_models: whether only model_fns of the file may have its objects.
    """

    def __init__(
        self,
        class_: ast.ClassDef,
        scopes: Scopes,
        given: Given,
        several_devices: bool,
        elsewhere: UsedElsewhere | None = None,
        of_models: bool = False,
    ) -> None:
        self._class, self._scopes, self._given = class_, scopes, given
        self._several_devices = several_devices
        self._elsewhere, self._of_models = elsewhere, of_models
        self._attributes = Attributes(class_, scopes)
        self._methods = {
            item.name: item for item in class_.body if isinstance(item, ast.FunctionDef)
        }
        self._own = {n: m for n, m in self._methods.items() if n in table.PARAMETERS}

    def run(self) -> Callback:
        """Returns the callback that the hook becomes.

        Raises:
          NoCallback: the hook stays a hook.
        """
        self._check_class()
        made = self._find_constructions()
        modes = self._find_modes(made)
        others = None if self._elsewhere is None else self._elsewhere.given
        fetches = Fetches(self._scopes, self._attributes, made, self._given, others)
        uses = {
            name: find_parameter_uses(m, self._scopes) for name, m in self._own.items()
        }
        stops = [s for use in uses.values() for s in use.stops]
        if stops and modes != (table.TRAIN,):
            raise NoCallback(stops[0], "no callback stops an evaluation")
        values: dict[ast.expr, Value] = {}
        asked, asks = self._find_results(fetches, uses, values)
        for name, use in uses.items():
            for call, read in use.reads.items():
                value = fetches.find_value(read, self._own[name])
                if not isinstance(value, Step):
                    raise NoCallback(
                        call, "it runs more than the global step in its session"
                    )
                values[call] = value
        self._check_modes(modes, values)
        returns = [asks.statement] if asks is not None else []
        gone = [*fetches.gone, *(s for use in uses.values() for s in use.gone)]
        gone += self._find_empty(asks)
        if asks is not None and asks.made is not None:
            gone.append(asks.made)
        self._check_gone(gone, fetches)
        steps = self._find_steps(fetches, [*gone, *returns])
        found = Callback(
            self._class,
            self._class.bases[0],
            modes,
            self._own,
            self._has_base_constructor(),
            tuple(stops),
            tuple(gone),
            tuple(r for r in returns if r not in gone),
            tuple(steps),
            values,
            asked,
            fetches.names,
            fetches.parameters,
        )
        self._check_symbols(found)
        self._check_names(found)
        return found

    # The class, and where its objects go.

    def _check_class(self) -> None:
        class_ = self._class
        if len(class_.bases) != 1 or class_.keywords or class_.decorator_list:
            raise NoCallback(class_, "its class has other base classes than a hook")
        if find_public(self._scopes.resolve(class_.bases[0]) or "") not in table.HOOKS:
            raise NoCallback(class_, "it derives from another hook")
        for name, method in self._own.items():
            arguments = method.args
            count = len(arguments.args) - 1
            if method.decorator_list or count != table.PARAMETERS[name]:
                raise NoCallback(method, f"`{name}` has other parameters than a hook's")
            if arguments.args[0].arg != "self":
                raise NoCallback(method, "its methods do not call the hook `self`")
        for name in (*self._attributes.names, *self._methods):
            if name in table.TAKEN or name.startswith("on_"):
                raise NoCallback(class_, f"a callback has an attribute `{name}` itself")
            if name in table.PARAMETERS and self._attributes.reads(name):
                where = self._attributes.reads(name)[0]
                raise NoCallback(where, f"it calls `{name}` itself")

    @property
    def makes(self) -> bool:
        """Whether objects of the class are made in its file, or may be."""
        try:
            return bool(self._find_constructions())
        except NoCallback:
            return True

    def _find_constructions(self) -> list[ast.Call]:
        try:
            return list(find_constructions(self._scopes, self._class))
        except Escapes as escapes:
            raise NoCallback(escapes.node, escapes.reason) from None

    def _find_modes(self, made: list[ast.Call]) -> tuple[str, ...]:
        if not made and self._elsewhere is None:
            raise NoCallback(
                self._class, "no code in this file makes an object of this class"
            )
        ways = Ways(self._scopes)
        found = {mode for call in made for mode in ways.find_modes(call)}
        if self._of_models:
            for call in made:
                if not self._given.has(call):
                    raise NoCallback(call, "no Estimator is made in this file")
        if self._elsewhere is not None:
            found.update(self._elsewhere.modes)
        if not found:
            raise NoCallback(made[0], "no Estimator of this file gets it")
        every = (table.TRAIN, table.TEST, table.PREDICT)
        return tuple(mode for mode in every if mode in found)

    # What it asks for.

    def _find_results(
        self, fetches: Fetches, uses: dict[str, Used], values: dict[ast.expr, Value]
    ) -> tuple[dict[ast.expr, Asked], Asking | None]:
        before = self._own.get("before_run")
        asks = read_request(before, self._scopes)
        results = set(uses["after_run"].results) if "after_run" in uses else set()
        asked: dict[ast.expr, Asked] = {}
        if asks is None:
            for node in results:
                raise NoCallback(node, "it reads values that it does not request")
            return asked, None
        assert before is not None
        value = fetches.find_value(asks.fetches, before)
        if asks.condition is not None:
            self._check_condition(asks.condition)
        for node in results:
            parent = self._scopes.parents[node]
            if asks.condition is not None:
                negated = is_compared_with_none(parent, results)
                if negated is not None:
                    assert isinstance(parent, ast.expr)
                    asked[parent] = Asked(asks.condition, negated)
                    continue
                if not is_known_to_be_asked(
                    node, results, asks.condition, self._scopes
                ):
                    raise NoCallback(
                        node, "it reads values that it may not have requested"
                    )
            part = (
                _find_part(parent, value) if isinstance(parent, ast.Subscript) else None
            )
            if part is not None:
                assert isinstance(parent, ast.expr)
                values[parent] = part
            else:
                values[node] = value
        return asked, asks

    def _check_condition(self, condition: ast.Attribute) -> None:
        """Refuses a request whose condition changes before its result is used."""
        for kept in self._attributes.find_assignments(condition.attr):
            if kept.method.name not in ("__init__", "begin", "before_run"):
                raise NoCallback(
                    condition,
                    f"it changes `{condition.attr}` between the request and its use",
                )

    def _check_modes(
        self, modes: tuple[str, ...], values: dict[ast.expr, Value]
    ) -> None:
        every = [
            inner for value in values.values() for inner in _walk_inner_values(value)
        ]
        if modes != (table.TRAIN,) and any(isinstance(v, Logged) for v in every):
            raise NoCallback(self._class, "it reads tensors of an evaluation")
        if self._several_devices and any(isinstance(v, Step) for v in every):
            raise NoCallback(
                self._class,
                "on several devices TensorFlow 1 gave it the global step from "
                "before the step, and a callback gets the one from after it",
            )

    # Statements.

    def _find_empty(self, asks: Asking | None) -> Iterator[ast.stmt]:
        """Finds the statements of before_run that do nothing but return."""
        if asks is None:
            return
        before = self._own["before_run"]
        suite = self._scopes.parents[asks.statement]
        last = before.body[-1]
        if suite is before:
            yield asks.statement
        elif asks.last:
            yield asks.statement
        if isinstance(suite, ast.If):
            returns = [n for n in suite.orelse if not names.returns_none(n)]
            if suite.body == [asks.statement] and not returns:
                yield suite
        if names.returns_none(last):
            yield last

    def _check_gone(self, gone: list[ast.stmt], fetches: Fetches) -> None:
        """Refuses a hook that does more with a fetched attribute than to fetch it."""
        inside = {n for statement in gone for n in walk_breadth_first(statement)}
        inside |= fetches.plain
        for name in self._attributes.names:
            reads = self._attributes.reads(name)
            of_step = any(
                kept.value is not None and fetches.is_step(kept.value)
                for kept in self._attributes.find_kept(name)
            )
            fetched = of_step or any(node in fetches.plain for node in reads)
            for node in reads if fetched else ():
                parent = self._scopes.parents[node]
                is_none = (
                    of_step
                    and isinstance(parent, ast.Compare)
                    and parent.left is node
                    and isinstance(parent.ops[0], (ast.Is, ast.IsNot))
                )
                if node not in inside and not is_none:
                    raise NoCallback(
                        node, f"it does more with `self.{name}` than to fetch it"
                    )

    def _find_steps(self, fetches: Fetches, gone: list[ast.stmt]) -> Iterator[ast.expr]:
        inside = {n for statement in gone for n in walk_breadth_first(statement)}
        early = self._methods.get("__init__")
        for method in self._methods.values():
            for node in walk_breadth_first(method):
                if not fetches.is_step(node) or node in inside:
                    continue
                if method is early or method.name not in self._own:
                    raise NoCallback(
                        node, "it uses the model at a time when the model may not exist"
                    )
                assert isinstance(node, ast.expr)
                self._check_step(node, method, fetches)
                if node not in fetches.plain or self._is_kept(node):
                    yield node

    def _is_kept(self, node: ast.expr) -> bool:
        return isinstance(self._scopes.parents[node], ast.Assign)

    def _check_step(
        self, node: ast.expr, method: ast.FunctionDef, fetches: Fetches
    ) -> None:
        """Refuses a hook that does more with the global step than to read it."""
        parent = self._scopes.parents[node]
        if node in fetches.plain:
            return
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            target = parent.targets[0]
            if isinstance(target, ast.Attribute):
                return  # Its reads are looked at with the others.
            if isinstance(target, ast.Name):
                for name in walk_breadth_first(method):
                    if (
                        isinstance(name, ast.Name)
                        and name.id == target.id
                        and name is not target
                        and name not in fetches.plain
                    ):
                        raise NoCallback(
                            name, "it does more with the global step than to read it"
                        )
                return
        raise NoCallback(node, "it does more with the global step than to read it")

    def _has_base_constructor(self) -> bool:
        """Whether `__init__` is its base's, or calls that."""
        method = self._methods.get("__init__")
        return method is None or any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "__init__"
            and isinstance(node.func.value, ast.Call)
            and isinstance(node.func.value.func, ast.Name)
            and node.func.value.func.id == "super"
            for node in walk_breadth_first(method)
        )

    # What it calls.

    def _check_symbols(self, found: Callback) -> None:
        """Refuses a hook that still uses a symbol of TensorFlow that needs a graph."""
        gone: set[ast.AST] = {found.base}
        parts: list[ast.AST] = [*found.gone, *found.returns, *found.steps]
        parts += [*found.values, *found.asked]
        for part in parts:
            gone.update(walk_breadth_first(part))
        for node, symbol in self._find_uses():
            if node in gone or not symbol.startswith("tf."):
                continue
            if _is_plain(find_public(symbol)) or symbol in modes.MODES:
                continue
            if symbol == "tf.get_default_graph" and self._is_of_a_writer(node):
                continue
            raise NoCallback(
                node, f"`{symbol}` needs the graph, and a callback has none"
            )
        for node in walk_breadth_first(self._class):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id == "super" and not self._is_of_init(node):
                    raise NoCallback(node, "it calls a method of its base class")

    def _is_of_init(self, call: ast.Call) -> bool:
        parent = self._scopes.parents[call]
        return isinstance(parent, ast.Attribute) and parent.attr == "__init__"

    def _is_of_a_writer(self, node: ast.AST) -> bool:
        call = self._scopes.parents[node]  # tf.get_default_graph()
        outer = self._scopes.parents[call]
        if isinstance(outer, ast.keyword):
            outer = self._scopes.parents[outer]
        return isinstance(outer, ast.Call) and (
            self._scopes.resolve(outer.func) == "tf.summary.FileWriter"
        )

    def _find_uses(self) -> Iterator[tuple[ast.AST, str]]:
        """Uses of TensorFlow in the class and in functions that it calls by their name."""
        symbols = dict(self._scopes.walk_uses())
        seen: set[ast.AST] = set()
        waiting: list[ast.AST] = [self._class]
        while waiting:
            outer = waiting.pop()
            if outer in seen:
                continue
            seen.add(outer)
            for node in walk_breadth_first(outer):
                if node in symbols:
                    yield node, symbols[node]
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    for other in find_definitions(self._scopes, node):
                        if isinstance(other, (ast.FunctionDef, ast.Lambda)):
                            waiting.append(other)

    def _check_names(self, found: Callback) -> None:
        """Refuses a method that uses a parameter's name of a callback's method."""
        for method in found.methods.values():
            own = {a.arg for a in method.args.args}
            for node in walk_breadth_first(method):
                if isinstance(node, ast.Name) and node.id in {"batch", "logs"} - own:
                    raise NoCallback(
                        node,
                        f"it uses the name `{node.id}`, which is a parameter of "
                        "a callback's method",
                    )


def _find_part(node: ast.Subscript, value: Value) -> Value | None:
    """Returns the item of the values that a subscript names; None if not known."""
    if isinstance(value, Logged) and value.names and value.key is None:
        if isinstance(node.slice, ast.Constant):
            return Logged(value.name, value.names, node.slice)
    if isinstance(value, Named):
        for key, item in value.items:
            if ast.dump(key) == ast.dump(node.slice):
                return item
    if isinstance(value, Several) and isinstance(node.slice, ast.Constant):
        index = node.slice.value
        if isinstance(index, int) and index < len(value.items):
            return value.items[index]
    return None


def _walk_inner_values(value: Value) -> Iterator[Value]:
    yield value
    if isinstance(value, Several):
        for item in value.items:
            yield from _walk_inner_values(item)
    elif isinstance(value, Named):
        for _, item in value.items:
            yield from _walk_inner_values(item)


def _is_plain(symbol: str) -> bool:
    return any(symbol == name or symbol.startswith(f"{name}.") for name in table.PLAIN)


def is_quiet(method: ast.FunctionDef) -> bool:
    """Whether a method only binds attributes and names."""
    return not any(isinstance(n, ast.Expr) for n in _find_effects(method)) and all(
        _is_quiet_call(call) for call in _find_calls(method)
    )


def is_early(method: ast.FunctionDef) -> bool:
    """Whether what a method does is the same before and after a session is made."""
    return all(
        _is_quiet_call(call) or _name_call(call).rpartition(".")[2] in table.EARLY_CALLS
        for call in _find_calls(method)
    )


def _find_effects(method: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yields a method's nodes, but no statement that is only a constant."""
    for node in walk_breadth_first(method):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield node


def _find_calls(method: ast.FunctionDef) -> Iterator[ast.Call]:
    """Lists a method's calls, without those that make the errors it raises."""
    errors = {
        inner
        for node in walk_breadth_first(method)
        if isinstance(node, ast.Raise)
        for inner in walk_breadth_first(node)
    }
    for node in walk_breadth_first(method):
        if isinstance(node, ast.Call) and node not in errors:
            yield node


def _is_quiet_call(call: ast.Call) -> bool:
    text = _name_call(call)
    return text in table.QUIET_CALLS or (text.rpartition(".")[2] in table.QUIET_TENSORS)


def _name_call(call: ast.Call) -> str:
    return ast.unparse(call.func)


def ends_early(method: ast.FunctionDef) -> bool:
    """Whether a method returns before its end."""
    return any(isinstance(n, ast.Return) for n in walk_breadth_first(method))
