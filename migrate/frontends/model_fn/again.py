"""Functions that are called again, and have the variables of their first call.

def tower(x):
    with tf.variable_scope("tower", reuse=tf.AUTO_REUSE):
        return tf.layers.dense(x, 8, name="dense")

left, right = tower(features["left"]), tower(features["right"])

TF1 made a variable once or raised an error, unless it was asked to share. So a call
whose variables would have the names of an earlier one's has these variables.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import read_written_arguments
from migrate.frontends.model_fn.modes import is_scope
from migrate.frontends.model_fn.recorded import Recorded
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import keras_models as table

# Attributes of a symbolic tensor that are not tensors.
_STATIC = frozenset({"shape", "get_shape", "dtype", "name"})
_PLAIN = frozenset({"len", "range", "str", "type", "isinstance", "sorted", "hasattr"})


class Again:
    """Compares calls of functions of a network.

    Args:
      features: the model_fn's parameter; its tensors are made of it.
    """

    def __init__(self, recorded: Recorded, scopes: Scopes, features: str) -> None:
        self._recorded, self._scopes = recorded, scopes
        self._features = features
        # Names of tensors in each function.
        self._tensors: dict[ast.FunctionDef, set[str]] = {}
        self._tensors[recorded.function] = self._find_reached_names(
            recorded.function, {features}
        )
        # What functions were first called with, by parameter.
        self._first: dict[ast.FunctionDef, Mapping[str, ast.expr]] = {}

    def begin_call(
        self, function: ast.FunctionDef, bound: Mapping[str, ast.expr]
    ) -> None:
        """Takes note of a function's first call."""
        self._first[function] = bound
        given = {name for name, value in bound.items() if self.is_tensor(value)}
        self._tensors[function] = self._find_reached_names(function, given)

    def is_same(self, function: ast.FunctionDef, bound: Mapping[str, ast.expr]) -> bool:
        """Whether a call differs from the first one in tensors alone."""
        first = self._first[function]
        if first.keys() != bound.keys():
            return False
        deciding = self.find_deciding(function)
        for name, value in bound.items():
            tensors = self.is_tensor(value) and self.is_tensor(first[name])
            if tensors and name not in deciding:
                continue
            if ast.dump(value) != ast.dump(first[name]) or not self._is_stable(value):
                return False
        return True

    def is_same_in_rounds(self, call: ast.Call, bound: Mapping[str, ast.expr]) -> bool:
        """Whether a call in a loop is given the same in every round, but for tensors."""
        function = self._recorded.find_helper(call)
        assert function is not None
        deciding = self.find_deciding(function)
        counted: set[str] = set()
        node: ast.AST | None = call
        while node is not None and not isinstance(node, ast.FunctionDef):
            if isinstance(node, (ast.For, ast.comprehension)):
                counted |= names.find_binds(node.target)
            elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
                for generator in node.generators:
                    counted |= names.find_binds(generator.target)
            node = self._scopes.parents.get(node)
        return all(
            (self.is_tensor(value) and name not in deciding)
            or (not names.find_reads(value) & counted and self._is_stable(value))
            for name, value in bound.items()
        )

    def find_fed_parameter(self, function: ast.FunctionDef) -> str:
        """A parameter of a function that is given tensors; "" for none."""
        if function is self._recorded.function:
            return self._features
        known = self._tensors.get(function, set())
        first = self._first.get(function, {})
        return next((name for name in first if name in known), "")

    # What is a tensor.

    def is_tensor(self, value: ast.expr) -> bool:
        """Whether an argument is made of tensors, and is no shape of theirs."""
        function: ast.AST | None = value
        while function is not None and not isinstance(function, ast.FunctionDef):
            function = self._scopes.parents.get(function)
        if not isinstance(function, ast.FunctionDef):
            return False
        return self._is_of(value, self._tensors.get(function, set()))

    def _find_reached_names(
        self, function: ast.FunctionDef, given: set[str]
    ) -> set[str]:
        """Finds the names of tensors in a function, if some parameters are tensors."""
        found, before = set(given), set[str]()
        while before != found:
            before = set(found)
            for node in walk_breadth_first(function):
                if isinstance(node, (ast.Assign, ast.AugAssign)):
                    if self._is_of(node.value, found):
                        found |= names.find_binds(node)
                elif isinstance(node, (ast.For, ast.comprehension)):
                    found |= self._find_loop_tensors(node.target, node.iter, found)
                elif isinstance(node, ast.Call) and isinstance(
                    node.func, ast.Attribute
                ):
                    if node.func.attr in ("append", "extend") and any(
                        self._is_of(value, found) for value in node.args
                    ):
                        found |= names.find_reads(node.func.value)
        return found

    def _find_loop_tensors(
        self, target: ast.expr, over: ast.expr, known: set[str]
    ) -> set[str]:
        """Names of tensors among a loop's targets."""
        called = over.func if isinstance(over, ast.Call) else None
        word = getattr(called, "attr", getattr(called, "id", ""))
        if word == "keys" or not self._is_of(over, known):
            return set()
        if isinstance(over, ast.Name) and over.id == self._features:
            return set()  # The names of features.
        if word in ("enumerate", "items"):
            if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
                return set()
            return names.find_binds(target.elts[1])
        if word == "zip" and isinstance(over, ast.Call):
            if isinstance(target, ast.Tuple) and len(target.elts) == len(over.args):
                pairs = zip(target.elts, over.args)
                return {
                    n
                    for one, of in pairs
                    for n in names.find_binds(one)
                    if self._is_of(of, known)
                }
        return names.find_binds(target)

    def _is_of(self, value: ast.expr, known: set[str]) -> bool:
        """Whether tensors are part of an expression, beyond their shapes."""
        stack: list[ast.AST] = [value]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Attribute) and node.attr in _STATIC:
                continue
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in _PLAIN:
                    continue
            if isinstance(node, ast.Name) and node.id in known:
                return True
            if isinstance(node, ast.Subscript):
                stack.append(node.value)
                continue
            stack.extend(list_children(node))
        return False

    def _is_stable(self, value: ast.expr) -> bool:
        """Whether an expression is the same wherever it is written in its function."""
        scope = self._scopes.find_scope(value)
        for node in walk_breadth_first(value):
            if isinstance(node, ast.Name):
                owner = scope.find_owner(node.id)
                if owner is not None and len(owner.bindings[node.id]) > 1:
                    return False
            elif isinstance(node, (ast.Call, ast.Lambda)):
                return self._scopes.resolve(getattr(node, "func", value)) is not None
        return True

    # What decides names.

    def find_deciding(self, function: ast.FunctionDef) -> set[str]:
        """Finds the parameters that decide names, sizes or conditions."""
        parameters = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
        return {n for n in self._find_decisive_names(function) if n in parameters}

    def _find_decisive_names(self, function: ast.FunctionDef) -> Iterator[str]:
        for node in walk_breadth_first(function):
            if isinstance(node, (ast.If, ast.IfExp, ast.While)):
                if not _asks_for_none(node.test):
                    yield from names.find_reads(node.test)
            elif isinstance(node, ast.With) and is_scope(node, self._scopes):
                for item in node.items:
                    yield from names.find_reads(item.context_expr)
            elif isinstance(node, ast.Call):
                yield from self._find_decisive_arguments(node, function)

    def _find_decisive_arguments(
        self, call: ast.Call, function: ast.FunctionDef
    ) -> Iterator[str]:
        symbol = self._scopes.resolve(call.func) or ""
        row = self._recorded.find_row(symbol)
        if row is not None:
            if row is table.WEIGHT:
                yield from names.find_reads(call)
                return
            bound = read_written_arguments(call, row) or {}
            for name, value in bound.items():
                if name != "inputs":
                    yield from names.find_reads(value)
            return
        helper = self._recorded.find_helper(call)
        if helper is not None and helper is not function:
            given = self._recorded.bind_arguments(call, helper) or {}
            deciding = self.find_deciding(helper)
            for name, value in given.items():
                if name in deciding:
                    yield from names.find_reads(value)

    def restarts(self, function: ast.FunctionDef) -> bool:
        """Whether a function's variables have the same names in every call.

        A layer without a name gets a number, which begins anew where its scope is opened.
        """
        return all(self._restarts(s, function) for s in function.body)

    def _restarts(self, node: ast.AST, function: ast.FunctionDef) -> bool:
        if isinstance(node, ast.With) and is_scope(node, self._scopes):
            if any(
                self._scopes.resolve(item.context_expr.func) == "tf.variable_scope"  # type: ignore[attr-defined]
                for item in node.items
            ):
                return True
        if isinstance(node, ast.Call):
            symbol = self._scopes.resolve(node.func) or ""
            row = self._recorded.find_row(symbol) or self._recorded.objects.find_row(
                node
            )
            if symbol in table.SEVERAL:
                return False
            if row is not None and row.has_weights:
                given = {k.arg for k in node.keywords}
                if row is not table.WEIGHT and not given & {"name", "scope"}:
                    return False
            helper = self._recorded.find_helper(node)
            if helper is not None and helper is not function:
                if not self.restarts(helper):
                    return False
        return all(self._restarts(child, function) for child in list_children(node))

    def begins(self, call: ast.Call, scope: tuple[ast.With, ...]) -> bool:
        """Whether a call is the first in the scope around it that makes layers."""
        if not scope or not self._is_named(scope[-1]):
            return False
        for statement in scope[-1].body:
            inside = set(walk_breadth_first(statement))
            if call in inside:
                others = [
                    n for n in inside if isinstance(n, ast.Call) and n is not call
                ]
                makers = [n for n in others if self._makes(n)]
                return not any(call not in set(walk_breadth_first(n)) for n in makers)
            if self._recorded.makes_layers(statement):
                return False
        return False

    def _is_named(self, scope: ast.With) -> bool:
        """Whether a variable scope is opened by its name."""
        call = scope.items[-1].context_expr
        return (
            isinstance(call, ast.Call)
            and self._scopes.resolve(call.func) == "tf.variable_scope"
            and bool(call.args)
            and isinstance(call.args[0], ast.Constant)
        )

    def _makes(self, call: ast.Call) -> bool:
        symbol = self._scopes.resolve(call.func) or ""
        if symbol in table.SEVERAL or self._recorded.find_row(symbol) is not None:
            return True
        helper = self._recorded.find_helper(call)
        return helper is not None and any(
            self._recorded.makes_layers(s) for s in helper.body
        )


def reuse_parameters(
    function: ast.FunctionDef, recorded: Recorded, scopes: Scopes
) -> set[str]:
    """Parameters of a function that only say whether it shares variables."""
    found = set()
    for argument in (*function.args.args, *function.args.kwonlyargs):
        read = [
            node
            for node in walk_breadth_first(function)
            if isinstance(node, ast.Name) and node.id == argument.arg
        ]
        if read and all(_says_reuse(node, recorded, scopes) for node in read):
            found.add(argument.arg)
    return found


def _says_reuse(node: ast.Name, recorded: Recorded, scopes: Scopes) -> bool:
    """Whether a name is given as `reuse`, to a scope, a layer or another function."""
    word = scopes.parents.get(node)
    call: ast.AST | None = scopes.parents.get(word) if word else None
    if isinstance(word, ast.keyword) and isinstance(call, ast.Call):
        helper = recorded.find_helper(call)
        if helper is not None:
            return word.arg in reuse_parameters(helper, recorded, scopes)
        return word.arg == "reuse" and scopes.resolve(call.func) is not None
    if isinstance(word, ast.Call) and node in word.args:
        helper = recorded.find_helper(word)
        if helper is not None:
            bound = recorded.bind_arguments(word, helper) or {}
            own = reuse_parameters(helper, recorded, scopes)
            return any(bound.get(name) is node for name in own)
    return False


def _asks_for_none(test: ast.expr) -> bool:
    """Whether a condition is `x is None`, or `x is not None`."""
    return isinstance(test, ast.Compare) and isinstance(
        test.ops[0], (ast.Is, ast.IsNot)
    )
