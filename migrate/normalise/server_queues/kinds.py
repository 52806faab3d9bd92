"""Finds the expressions that are a queue, that wait for one, or that signal one."""

from __future__ import annotations

import ast
import enum

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import list_children, walk_breadth_first

QUEUES = frozenset({"tf.FIFOQueue", "tf.queue.FIFOQueue"})


class Kind(enum.Enum):
    QUEUE = "a queue"
    WAITS = "takes a number out"
    TELLS = "puts a number in"


class Kinds:
    """The kinds of a program's expressions, as to queues that tasks share by a name.

    Attributes:
      makers: the calls that make such queues.
      functions: functions that give one, or what is done with one, by name.
    """

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._tree = scopes.tree
        self._kinds: dict[object, set[Kind]] = {}
        self.functions: dict[str, set[Kind]] = {}
        self._by_key: dict[str, set[Kind]] = {}
        self.makers = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.Call)
            and scopes.resolve(node.func) in QUEUES
            and names.find_argument(node, "shared_name") is not None
        ]
        if self.makers:
            self._find()

    def _find(self) -> None:
        """Finds the names and functions that are queues, or wait for or signal them."""
        while True:
            before = (self._count_kinds(), len(self._by_key))
            for node in walk_breadth_first(self._tree):
                if isinstance(node, ast.Assign):
                    for target in node.targets:
                        self._taint(target, self.classify(node.value))
                elif isinstance(node, ast.For):
                    self._taint(node.target, self.classify(node.iter))
                elif isinstance(node, ast.comprehension):
                    self._taint(node.target, self.classify(node.iter))
                elif isinstance(node, ast.Call):
                    self._taint_by_call(node)
                elif isinstance(node, ast.Dict):
                    for key, value in zip(node.keys, node.values, strict=True):
                        name = names.read_literal(key)
                        kinds = self.classify(value)
                        if isinstance(name, str) and kinds:
                            self._by_key.setdefault(name, set()).update(kinds)
                elif isinstance(node, (ast.Return, ast.Yield)) and node.value:
                    function = self._find_function(node)
                    kinds = self.classify(node.value)
                    if function is not None and kinds:
                        self.functions.setdefault(function.name, set()).update(kinds)
            if (self._count_kinds(), len(self._by_key)) == before:
                return

    def _count_kinds(self) -> int:
        every = [*self._kinds.values(), *self.functions.values()]
        return sum(map(len, every)) + sum(map(len, self._by_key.values()))

    def _taint(self, target: ast.AST, kinds: set[Kind]) -> None:
        key = self.make_key(target)
        if kinds and key is not None:
            self._kinds.setdefault(key, set()).update(kinds)

    def _taint_by_call(self, call: ast.Call) -> None:
        """Marks a list to which a queue is appended, or a parameter that gets one."""
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in ("append", "extend"):
            if call.args:
                self._taint(func.value, self.classify(call.args[0]))
            return
        function = self.find_called_function(call)
        if function is None:
            return
        parameters = function.args.args
        given: list[tuple[ast.arg, ast.expr]] = list(
            zip(parameters, call.args, strict=False)
        )
        for keyword in call.keywords:
            given += [(p, keyword.value) for p in parameters if p.arg == keyword.arg]
        for parameter, value in given:
            kinds = self.classify(value)
            if kinds:
                key = (id(function), parameter.arg)
                self._kinds.setdefault(key, set()).update(kinds)

    def classify(self, node: ast.AST | None) -> set[Kind]:
        """Returns the kinds of queue expressions in an expression; none if no queue."""
        if node is None:
            return set()
        if isinstance(node, ast.Call):
            if node in self.makers:
                return {Kind.QUEUE}
            func = node.func
            if isinstance(func, ast.Attribute) and self.classify(func.value):
                if func.attr == "dequeue":
                    return {Kind.WAITS}
                if func.attr == "enqueue":
                    return {Kind.TELLS}
            called = self.find_called_function(node)
            if called is not None and called.name in self.functions:
                return self.functions[called.name]
            if self.is_run(node):
                return set()
        if isinstance(node, ast.Subscript):
            key = names.read_literal(node.slice)
            if isinstance(key, str) and self.classify(node.value):
                return self._by_key.get(key, set())
        key_ = self.make_key(node)
        if key_ is not None:
            return self._kinds.get(key_, set())
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.classify(node.elt)
        found: set[Kind] = set()
        for child in list_children(node):
            found |= self.classify(child)
        return found

    def make_key(self, node: ast.AST) -> object | None:
        """Returns a variable's key: its scope and name, or an attribute's text."""
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            return (id(owner.node), node.id) if owner is not None else None
        return names.find_key(node) if isinstance(node, ast.Attribute) else None

    def find_called_function(self, call: ast.Call) -> ast.FunctionDef | None:
        """Finds, by its name, the function of the module or class that a call calls."""
        func = call.func
        if isinstance(func, ast.Name):
            wanted = func.id
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            wanted = func.attr
            if func.value.id != "self":
                return None
        else:
            return None
        found = [
            node
            for node in walk_breadth_first(self._tree)
            if isinstance(node, ast.FunctionDef) and node.name == wanted
        ]
        return found[0] if len(found) == 1 else None

    def _find_function(self, node: ast.AST) -> ast.FunctionDef | None:
        return next(
            (
                n
                for n in self._scopes.walk_above(node)
                if isinstance(n, ast.FunctionDef)
            ),
            None,
        )

    def is_run(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "run"
        )
