"""Compares the arguments of a program that starts its tasks itself.

    for index in range(2):
        Process(target=work, args=("worker", index, rates[index])).start()

In TensorFlow 1 each of these processes had a rate of its own. The coordinator runs the loops of
all workers, so it would use its own rate in all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_SUITES = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NAMED = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
# Calls that return the same value each time. `x.split(",")` is one of a method.
_SAME = frozenset({"len", "range", "str", "int", "float", "bool", "list", "tuple"})
_SAME_METHODS = frozenset({"split", "strip", "format", "join"})


class StartedTasks:
    """Finds which arguments of a function may differ between the processes it runs in.

    Args:
      function: the one that each process runs.
      job: the parameter that holds the job's name, or "".
    """

    def __init__(self, scopes: Scopes, function: ast.FunctionDef, job: str) -> None:
        self._scopes = scopes
        self._function = function
        self._parameters = tuple(a.arg for a in function.args.args)
        self._job = job
        self._busy: set[tuple[ast.FunctionDef, str]] = set()

    def find_differing(self) -> set[str]:
        """Finds the parameters that may differ; none if a process starts one task."""
        starts = [
            (call, given)
            for call, given in self.list_starts()
            if given is None or names.read_literal(given.get(self._job)) != "ps"
        ]
        if len(starts) == 1 and self._runs_once(starts[0][0]):
            if not self._is_called_elsewhere(starts[0][0]):
                return set()
        found: set[str] = set()
        first: dict[str, str] = {}
        for call, given in starts:
            if given is None:
                return set(self._parameters)
            for parameter in self._parameters:
                value = given.get(parameter)
                text = "" if value is None else ast.dump(value)
                if first.setdefault(parameter, text) != text or (
                    value is not None and not self._is_same(value, call)
                ):
                    found.add(parameter)
        return found

    def list_starts(
        self,
    ) -> Iterator[tuple[ast.Call, Mapping[str, ast.expr] | None]]:
        """Lists the calls that call the function, or start it elsewhere.

        Yields:
          A call, and the function's arguments by parameter: None if they are not written
          there.
        """
        for node in self._list_uses(self._function):
            call = self._scopes.parents[node]
            if isinstance(call, ast.keyword):
                call = self._scopes.parents[call]
            if not isinstance(call, ast.Call):
                continue
            if call.func is node:
                yield call, names.bind_arguments(call, self._parameters)
            elif not (self._scopes.resolve(call.func) or "").startswith("tf."):
                yield call, self._read_arguments(call, node)  # tf.app.run gives argv.

    def _read_arguments(
        self, call: ast.Call, function: ast.Name
    ) -> Mapping[str, ast.expr] | None:
        """Reads `Process(target=f, args=(a, b))`, or `pool.apply_async(f, (a, b))`."""
        given = {k.arg: k.value for k in call.keywords}
        values = given.get("args")
        if values is None and call.args[:1] == [function] and len(call.args) > 1:
            values = call.args[1]
        named = given.get("kwargs", given.get("kwds"))
        if values is None and named is None:
            return {} if len(call.args) <= 1 else None
        listed = values.elts if isinstance(values, (ast.Tuple, ast.List)) else None
        if values is not None and listed is None:
            return None
        keys = [names.read_literal(k) for k in getattr(named, "keys", ())]
        if named is not None and not (
            isinstance(named, ast.Dict) and all(isinstance(k, str) for k in keys)
        ):
            return None
        keywords = [
            ast.keyword(str(key), value)
            for key, value in zip(keys, getattr(named, "values", ()), strict=True)
        ]
        return names.bind_arguments(
            ast.Call(function, list(listed or ()), keywords), self._parameters
        )

    def _is_same(self, value: ast.expr, place: ast.AST) -> bool:
        """Whether a value is the same in each process.

        Args:
          value: an expression.
          place: the statement or call that evaluates it.
        """
        if not self._runs_once(place) and not self._is_repeatable(value):
            return False
        return all(
            self._is_same_name(node)
            for node in walk_breadth_first(value)
            if isinstance(node, ast.Name)
        )

    def _is_same_name(self, name: ast.Name) -> bool:
        """Whether a name holds one value for all processes."""
        owner = self._scopes.find_scope(name).find_owner(name.id)
        if owner is None:
            return True  # Python's own, or a global that a function sets.
        bound = owner.bindings[name.id]
        if len(bound) != 1 or isinstance(bound[0], _NAMED):
            return len(bound) == 1
        if isinstance(bound[0], ast.Assign):
            once = self._runs_once(bound[0])
            return once or self._is_same(bound[0].value, bound[0])
        if isinstance(owner.node, ast.FunctionDef):
            if name.id in [a.arg for a in owner.node.args.args]:
                return self._is_same_parameter(owner.node, name.id)
        return False

    def _is_same_parameter(self, function: ast.FunctionDef, name: str) -> bool:
        """Whether all calls of a function give one value to a parameter."""
        if (function, name) in self._busy:
            return True  # It passes its own parameter on.
        self._busy.add((function, name))
        parameters = tuple(a.arg for a in function.args.args)
        texts: set[str] = set()
        for node in self._list_uses(function):
            call = self._scopes.parents[node]
            if not isinstance(call, ast.Call) or call.func is not node:
                return False
            value = (names.bind_arguments(call, parameters) or {}).get(name)
            if value is None or not self._is_same(value, call):
                return False
            texts.add(ast.dump(value))
        return len(texts) == 1

    def _runs_once(self, node: ast.AST) -> bool:
        """Whether a statement or expression is evaluated at most once."""
        inner, outer = node, self._scopes.parents.get(node)
        while outer is not None:
            if isinstance(outer, (ast.Lambda, *_COMPREHENSIONS)):
                return False
            if isinstance(outer, _SUITES) and inner in [*outer.body, *outer.orelse]:
                return False
            if isinstance(outer, ast.FunctionDef):
                uses = self._list_uses(outer)
                if len(uses) != 1 or outer in self._scopes.walk_above(uses[0]):
                    return len(uses) == 0
                inner = uses[0]
                outer = inner
            inner, outer = outer, self._scopes.parents.get(outer)
        return True

    def _is_called_elsewhere(self, call: ast.Call) -> bool:
        """Whether another file may call the function that starts a process, and often."""
        if self._scopes.find_function(call.func) is self._function:
            return False
        around = next(
            (
                n
                for n in self._scopes.walk_above(call)
                if isinstance(n, ast.FunctionDef)
            ),
            None,
        )
        return (
            around is not None and around.name != "main" and not self._list_uses(around)
        )

    def _list_uses(self, function: ast.FunctionDef) -> list[ast.Name]:
        return [
            node
            for node in self._scopes.walk()
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and self._scopes.find_function(node) is function
        ]

    def _is_repeatable(self, value: ast.expr) -> bool:
        """Whether an expression has the same value whenever it is evaluated."""
        for node in walk_breadth_first(value):
            if isinstance(node, ast.Call):
                func = node.func
                known = isinstance(func, ast.Attribute) and func.attr in _SAME_METHODS
                if not known and not (isinstance(func, ast.Name) and func.id in _SAME):
                    return False
        return True
