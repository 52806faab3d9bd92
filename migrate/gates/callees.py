"""Finds the functions that a call runs, and its effect, without evaluating the program."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterator

from migrate.facts.element_values import list_taken, list_values
from migrate.facts.scopes import Scope, Scopes
from migrate.gates.origins import Origins, is_tensorflow
from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects as table
from migrate.tables.host_effects import Does

_KERAS = ("tf_keras.", "tensorflow.keras.")
_PARTIAL = "functools.partial"
# Methods of strings and dictionaries that only compute, while other objects have
# methods of this name with an effect (`Queue.get()`, `Thread.join()`,
# `Path.replace(new)`) -> the fewest and the most positional arguments of those that
# compute.
_ARGUMENTS = {"get": (1, 2), "join": (1, 1), "replace": (2, 3)}
# Packages whose objects have methods of those names with an effect.
_OF_THREADS = ("concurrent", "multiprocessing", "queue", "threading")
# Functions whose body a trace enters when they are called. Of lambdas, those with a name.
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclasses.dataclass(frozen=True)
class Effect:
    """The effect of a call, and the name by which both programs know it.

    Attributes:
      reads: whether it only fetches the data that the process itself computes with.
      of: the name of the object, if the effect is on one object.
    """

    kind: Does
    name: str
    reads: bool = False
    of: str = ""

    @property
    def conflicting(self) -> tuple[Does, str]:
        """Returns a key that is equal for effects that may change one another's result."""
        return self.kind, self.of


class Callees:
    """The functions of one module, and the effects of its calls."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.methods: dict[str, list[Function]] = {}
        for node in scopes.walk():
            if isinstance(node, ast.ClassDef):
                for item in node.body:
                    if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        self.methods.setdefault(item.name, []).append(item)
        self.held_lambdas = self._find_held_lambdas()
        self._paths: dict[ast.expr, str] = {}
        self._calls_of_methods: dict[str, list[ast.Attribute]] = {}
        for node in scopes.walk():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in self.methods:
                    self._calls_of_methods.setdefault(node.func.attr, []).append(
                        node.func
                    )
        self.origins = Origins(self)

    def _find_held_lambdas(self) -> dict[str, list[Function]]:
        """Maps attributes that hold lambdas, and nothing else, to these lambdas.

        self.feed = lambda batch: {self.x: batch}
        """
        found: dict[str, list[Function]] = {}
        others = set(self.methods)
        for node in self.scopes.walk():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                others.add(node.value)  # `setattr(model, "feed", other)`
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                if isinstance(self.scopes.find_scope(node).node, ast.ClassDef):
                    others.add(node.id)
            elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                match self.scopes.parents[node]:
                    case ast.Assign(targets=[target], value=ast.Lambda() as made) if (
                        target is node and self._is_of_own_object(node)
                    ):
                        found.setdefault(node.attr, []).append(made)
                    case _:
                        others.add(node.attr)
        return {name: made for name, made in found.items() if name not in others}

    def _is_of_own_object(self, node: ast.Attribute) -> bool:
        """Whether it is an attribute of the object that a method gets, as `self.feed`."""
        return (
            isinstance(node.value, ast.Name)
            and self._find_own_class(node.value) is not None
        )

    def _find_own_class(self, name: ast.Name) -> ast.ClassDef | None:
        """The class whose method gets its object by this name, as `self`."""
        owner = self.find_owner(name)
        method = owner.node if owner is not None else None
        if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
        above = self.scopes.parents[method]
        if (
            isinstance(above, ast.ClassDef)
            and bool(method.args.args)
            and method.args.args[0].arg == name.id
            and owner is not None
            and len(owner.bindings[name.id]) == 1
        ):
            return above
        return None

    def is_own_network(self, name: ast.Name) -> bool:
        """Whether a name is `self` in a class of Keras's, and the class has no `__call__`."""
        above = self._find_own_class(name)
        return (
            above is not None
            and bool(above.bases)
            and all(self.find_path(b).startswith(_KERAS) for b in above.bases)
            and not any(getattr(s, "name", "") == "__call__" for s in above.body)
        )

    def is_deferred(self, node: ast.Lambda) -> bool:
        """Whether a lambda has a name, so that it runs when that name is called."""
        above = self.scopes.parents.get(node)
        if not isinstance(above, (ast.Assign, ast.AnnAssign)):
            return False
        target = above.targets[0] if isinstance(above, ast.Assign) else above.target
        return isinstance(target, ast.Name) or (
            isinstance(target, ast.Attribute)
            and node in self.held_lambdas.get(target.attr, [])
        )

    def find_path(self, node: ast.expr) -> str:
        """Returns the dotted path that an expression names through imports; "" if none."""
        known = self._paths.get(node)
        if known is None:
            known = self._paths[node] = self.scopes.import_path(node)
        return known

    def find_bindings(self, name: ast.Name) -> list[ast.AST]:
        """Returns the bindings of a name that is read; nothing if they are not in sight."""
        owner = self.find_owner(name)
        return owner.bindings[name.id] if owner else []

    def find_owner(self, name: ast.Name) -> Scope | None:
        try:
            return self.scopes.find_scope(name).find_owner(name.id)
        except KeyError:
            return None

    def find_called_functions(self, called: ast.expr) -> list[Function]:
        """Returns the functions of the module that a call of `called` may run."""
        if isinstance(called, ast.Name):
            found: list[Function] = []
            for binding in self.find_bindings(called):
                if isinstance(binding, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    found.append(binding)
                elif isinstance(binding, (ast.Assign, ast.AnnAssign)):
                    found += self._find_assigned_functions(binding.value)
                elif isinstance(binding, ast.For):
                    for value in list_values(called, self.scopes):
                        found += self._find_assigned_functions(value)
                elif isinstance(binding, ast.ClassDef):
                    found += [
                        item
                        for item in binding.body
                        if isinstance(item, ast.FunctionDef) and item.name == "__init__"
                    ]
            return found
        if isinstance(called, ast.Attribute) and not self.find_path(called):
            if called.attr in self.held_lambdas and self._is_of_own_object(called):
                return self.held_lambdas[called.attr]
            if called.attr not in table.PURE_METHODS and not _is_super(called.value):
                return self.methods.get(called.attr, [])
        return []

    def _find_assigned_functions(self, value: ast.expr | None) -> list[Function]:
        """Returns the functions that a name gets from a lambda, or from another name."""
        if isinstance(value, ast.Lambda):
            return [value]
        if isinstance(value, ast.Name):
            return [f for b in self.find_bindings(value) for f in _find_functions(b)]
        if isinstance(value, ast.Attribute) and not self.find_path(value):
            return self.methods.get(value.attr, [])  # `layer = network.layer`
        if isinstance(value, ast.Call) and self.find_path(value.func) == _PARTIAL:
            return self._find_assigned_functions(value.args[0]) if value.args else []
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            if value.func.id == "next" and not self.find_bindings(value.func):
                taken = [a for a in value.args[:1] if isinstance(a, ast.Name)]
                values = [v for a in taken for v in list_taken(a, self.scopes)]
                return [f for v in values for f in self._find_assigned_functions(v)]
            return [
                f
                for b in self.find_bindings(value.func)
                for f in self._find_returned_functions(b)
            ]
        return []

    def find_partial(self, called: ast.expr) -> ast.Call | None:
        """Returns the `functools.partial(next, ids)` that a called name stands for."""
        if isinstance(called, ast.Name):
            for binding in self.find_bindings(called):
                value = getattr(binding, "value", None)
                if (
                    isinstance(value, ast.Call)
                    and self.find_path(value.func) == _PARTIAL
                ):
                    return value
        return None

    def _find_returned_functions(self, maker: ast.AST) -> Iterator[Function]:
        """Yields the functions that a function defines and returns, and an object's call."""
        if isinstance(maker, ast.ClassDef):
            own = [s for s in maker.body if getattr(s, "name", "") == "__call__"]
            inherited = self.methods.get("__call__", []) if maker.bases else []
            yield from [f for f in own if isinstance(f, ast.FunctionDef)] or inherited
        if not isinstance(maker, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return
        inside = {s.name: s for s in maker.body if isinstance(s, ast.FunctionDef)}
        for node in inside and walk_breadth_first(maker):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
                if node.value.id in inside:
                    yield inside[node.value.id]

    def find_method_calls(self, name: str) -> list[ast.Attribute]:
        """Returns the callees of calls by this method name, if a class in sight has it."""
        return self._calls_of_methods.get(name, [])

    def is_class(self, called: ast.expr) -> bool:
        return isinstance(called, ast.Name) and any(
            isinstance(b, ast.ClassDef) for b in self.find_bindings(called)
        )

    def find_effect(self, call: ast.Call) -> Effect | None:
        """Returns the effect of a call that runs no function of this module.

        None if the called function has no known effect; of kind "" if it is an object of
        TensorFlow.
        """
        called = call.func
        path = self.find_path(called)
        for ours, other in table.WRITTEN.items():
            if path.startswith(ours + "."):
                return _find_effect_by_path(other + path.removeprefix(ours), None)
        if path:
            effect = _find_effect_by_path(path, self.scopes.resolve(called))
        elif isinstance(called, ast.Name):
            effect = self._find_effect_of_name(called)
        elif isinstance(called, ast.Attribute):
            effect = self._find_effect_of_method(called, call)
        else:
            made = isinstance(called, ast.Call) and self.is_class(called.func)
            known = made or any(self.origins.trace_origin(called))
            effect = Effect(Does.NOTHING if known else Does.UNSEEN, "")
        if effect is not None and effect.kind is Does.UNSEEN:
            values = [*call.args, *(k.value for k in call.keywords)]
            if any(map(self.origins.is_of_tensorflow, values)):
                return Effect(
                    Does.NOTHING, effect.name
                )  # It builds a graph of what it is given.
        return effect

    def _is_pure_call(self, called: ast.Attribute, call: ast.Call) -> bool:
        """Whether a call is a method of a string or a dictionary, and not of another object.

        `queue.get()` and `thread.join()` wait, `path.replace(new)` moves a file. Their
        arguments tell them from `dictionary.get(key)` and `", ".join(words)`.
        """
        between = _ARGUMENTS.get(called.attr)
        if between is None or isinstance(called.value, (ast.Constant, ast.JoinedStr)):
            return True
        if self._is_of_threads(called.value):
            return False
        if any(isinstance(a, ast.Starred) for a in call.args):
            return True
        if called.attr == "replace" and not call.args and call.keywords:
            return True  # A date's, or a named tuple's.
        first = call.args[0] if call.args else None
        waits = isinstance(first, ast.Constant) and (
            isinstance(first.value, bool)
            or (called.attr == "join" and not isinstance(first.value, (str, bytes)))
        )
        low, high = between
        return low <= len(call.args) <= high and not call.keywords and not waits

    def _is_of_threads(self, receiver: ast.expr) -> bool:
        """Whether a name is bound to a thread, a process or a queue."""
        if not isinstance(receiver, ast.Name):
            return False
        values = [getattr(b, "value", None) for b in self.find_bindings(receiver)]
        return any(
            isinstance(value, ast.Call)
            and self.find_path(value.func).partition(".")[0] in _OF_THREADS
            for value in values
        )

    def _is_open_file(self, node: ast.expr) -> bool:
        """Whether an expression is a file that TensorFlow opened, or a name for one.

        Of a parameter it is not known.
        """
        if isinstance(node, ast.Call):
            symbol = self.scopes.resolve(node.func) or ""
            return table.find_longest(symbol, table.TENSORFLOW) == Does.FILES
        if not isinstance(node, ast.Name):
            return False
        for binding in self.find_bindings(node):
            values = [getattr(binding, "value", None)]
            if isinstance(binding, (ast.With, ast.AsyncWith)):
                values = [
                    item.context_expr
                    for item in binding.items
                    if isinstance(item.optional_vars, ast.Name)
                    and item.optional_vars.id == node.id
                ]
            if any(isinstance(v, ast.Call) and self._is_open_file(v) for v in values):
                return True
        return False

    def _find_effect_of_name(self, called: ast.Name) -> Effect | None:
        bindings = self.find_bindings(called)
        if called.id == "get_ipython":
            return None
        if not bindings:
            kind = table.BUILTINS.get(called.id)
            return Effect(kind, called.id) if kind else None
        if self.is_class(called) or any(self.origins.trace_origin(called)):
            return Effect(Does.NOTHING, called.id)
        if all(map(self.origins.is_given_functions, bindings)):
            return Effect(Does.NOTHING, called.id)
        values = list_values(called, self.scopes)
        if values and all(any(self.origins.trace_origin(v)) for v in values):
            return Effect(Does.NOTHING, called.id)  # Layers of a loop, from their list.
        return Effect(Does.UNSEEN, called.id)

    def _find_effect_of_method(
        self, called: ast.Attribute, call: ast.Call
    ) -> Effect | None:
        name, receiver = called.attr, called.value
        if name in table.GRAPH_METHODS or _is_super(receiver):
            return None
        if name in table.PURE_METHODS and self._is_pure_call(called, call):
            return None
        if name in table.FILE_METHODS and self._is_open_file(receiver):
            return Effect(Does.FILES, f".{name}")
        of_tensorflow, known = self.origins.trace_origin(receiver)
        fresh = isinstance(receiver, ast.Call) and known
        if of_tensorflow or fresh:  # `RandomState(0).rand()`: nobody else has it.
            return Effect(Does.NOTHING, f".{name}")
        at = get_last_name(receiver)
        if name in table.LOGGING_METHODS and "log" in at.lower():
            return Effect(Does.LOG, f".{name}")
        if name in table.FILE_METHODS:
            return Effect(Does.FILES, f".{name}")
        if name in table.CHANGING_METHODS or known:
            tensors = any(map(self.origins.is_of_tensorflow, call.args))
            # A list of tensors is made when the graph is built.
            if tensors:
                return Effect(Does.NOTHING, f".{name}")
            return Effect(Does.OBJECT, f".{name}", of=at)
        return Effect(Does.UNSEEN, f".{name}")


def _find_functions(binding: ast.AST) -> list[Function]:
    if isinstance(binding, (ast.Assign, ast.AnnAssign)):
        binding = binding.value or binding
    return [binding] if isinstance(binding, Function) else []


def _is_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "super"
    )


def is_abstract(statement: ast.Raise) -> bool:
    """Whether a `raise` only says that a subclass has the method."""
    return (
        statement.exc is not None
        and get_last_name(statement.exc) == "NotImplementedError"
    )


def list_decorators(function: Function) -> list[ast.expr]:
    return getattr(function, "decorator_list", [])


def traces_at_once(decorator: ast.expr) -> bool:
    """Whether a decorator traces its function when it is defined."""
    return isinstance(decorator, ast.Call) and (
        get_last_name(decorator.func) in table.TRACES_AT_ONCE
    )


def get_last_name(node: ast.expr) -> str:
    """Returns the last name in an expression, which distinguishes its object from others."""
    while True:
        if isinstance(node, ast.Attribute):
            return node.attr
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return ""


@functools.lru_cache(maxsize=4096)
def _find_effect_by_path(path: str, symbol: str | None) -> Effect | None:
    """Returns the effect of a function of another module."""
    if table.find_longest(path, table.READERS):
        return Effect(Does.FILES, path.rpartition(".")[2], reads=True)
    if symbol and symbol.startswith("tf."):
        kind = table.find_longest(symbol, table.TENSORFLOW)
        return Effect(kind, _get_common_name(symbol)) if kind else None
    if is_tensorflow(path):
        return None
    known = table.find_longest(path, table.FUNCTIONS)
    if known is None:
        return Effect(Does.UNSEEN, path.rpartition(".")[2])
    return Effect(known, path) if known else None


def _get_common_name(symbol: str) -> str:
    name = symbol.rpartition(".")[2].replace("_", "").lower()
    return table.SAME.get(name, name)
