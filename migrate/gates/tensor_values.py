"""Follows values to the calls of TensorFlow that put something into a graph.

hidden = tf.layers.dense(images, 8)
pair = [hidden, 3]  # It contains a tensor, and `hidden.shape` is none.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator

from migrate import emitted
from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes
from migrate.gates.import_places import (
    find_alias,
    find_file,
    is_of_python,
    name_module,
)
from migrate.gates.kept_values import FUNCTIONS
from migrate.gates.unread_values import Unread
from migrate.gates.value_sources import ValueSources
from migrate.tables import libraries, roles
from migrate.tree import Tree

# What a tensor or variable says of itself, without a session.
_OF_THE_HOST = frozenset({"device", "dtype", "get_shape", "name", "op", "shape"})
# Methods that give values of a run, or nothing.
_RUNS = frozenset({"eval", "load", "partial_run", "restore", "run", "save"})
# Calls of TensorFlow that call a function of the program with values of Python.
_CALLS_WITH_VALUES = (*roles.PYTHON_FUNCTIONS, "tf.app.run")
# Methods of a dataset that call a function with tensors.
_OF_DATASETS = frozenset({"filter", "flat_map", "interleave", "map", "reduce"})
# These stay as they are, or other gates ask about them: `given_estimators.py`.
_NOT_OF_GRAPHS = (*roles.HOST_PREFIXES, "tf.data", "tf.estimator")
# Parameters of a `model_fn` or `input_fn` that are no tensors.
_SETTINGS = frozenset({"cls", "config", "mode", "params", "self"})


# A tensor is made in few steps, and many other values have a long history.
_MOST = 2000
# Files that take a name one from another.
_MOST_FILES = 8


class _Ended(Exception):
    """The question is answered, or too long."""


class TensorValues(ValueSources):
    """Follows values to the calls of TensorFlow that put something into a graph."""

    def __init__(
        self, scopes: Scopes, path: str, tree: Tree, above: ValueSources | None = None
    ) -> None:
        super().__init__(scopes, path, tree, above)
        # How many values may still be followed for one question, in all files.
        self._left: list[int] = above._left if isinstance(above, TensorValues) else [0]

    def has_tensor(self, value: ast.expr) -> bool:
        """Whether a value may be, or contain, what TensorFlow put into a graph."""
        self.find_unread(value)
        return bool(self._symbols) or self._is_object_with_tensors(value)

    def find_unread(self, value: ast.AST) -> list[Unread]:
        """What of a value comes from files that nobody has read, up to the first tensor."""
        self._symbols.clear()
        self._left[0] = _MOST
        try:
            return super().find_unread(value)
        except _Ended:
            self._depth[0] = 0
            return []

    def _follow_value(self, node: ast.AST | None) -> Iterator[Unread]:
        self._left[0] -= 1
        if self._symbols or self._left[0] < 0:
            raise _Ended
        yield from super()._follow_value(node)

    def _follow_call(self, call: ast.Call) -> Iterator[Unread]:
        func = call.func
        method = func.attr if isinstance(func, ast.Attribute) else ""
        symbol = self.scopes.resolve(func) or ""
        if symbol.startswith("tf."):
            if self._adds_to_graph(symbol):
                self._symbols.add(symbol)
            yield from self._follow_tensorflow(func)
            return
        if method == "get_next":
            self._symbols.add(method)
        elif method in _RUNS or method in _OF_THE_HOST:
            return
        else:
            yield from super()._follow_call(call)

    def _follow_tensorflow(self, node: ast.AST) -> Iterator[Unread]:
        """A name of TensorFlow that is not called is no tensor."""
        if self._is_outside:
            yield from super()._follow_tensorflow(node)

    def _follow_attribute(self, node: ast.Attribute) -> Iterator[Unread]:
        if node.attr not in _OF_THE_HOST:
            yield from super()._follow_attribute(node)

    def _follow_parameter(
        self, function: ast.AST, parameter: ast.arg
    ) -> Iterator[Unread]:
        if parameter.arg not in _SETTINGS:
            self._symbols |= self._find_graph_callers(function)
        yield from super()._follow_parameter(function, parameter)

    def _is_object_with_tensors(self, value: ast.expr) -> bool:
        """Whether a value is an object whose class puts something into a graph."""
        made = value if isinstance(value, ast.Call) else self.find_made(value)
        class_: ast.AST | None = None
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
            class_ = next(iter(find_definitions(self.scopes, made.func)), None)
        elif isinstance(value, ast.Name) and value.id == "self":
            class_ = self._find_class(value)
        if not isinstance(class_, ast.ClassDef):
            return False
        return any(
            self._adds_to_graph(self.scopes.resolve(node.func) or "")
            for node in ast.walk(class_)
            if isinstance(node, ast.Call)
        )

    def _adds_to_graph(self, symbol: str) -> bool:
        return symbol.startswith("tf.") and not roles.has_prefix(symbol, _NOT_OF_GRAPHS)

    def find_home(
        self, at: ast.expr, level: int, parts: tuple[str, ...], depth: int = 0
    ) -> Unread | None:
        """Where a name of another file comes from; None if the tool has read that.

        Args:
          at: the place where the name is read.
          level: dots before the name.
          depth: how many files have passed it on.
        """
        module = "." * level + (".".join(parts[:-1]) or parts[0])
        if not level and not may_be_unread(module):
            return None
        file, rest = find_file(self._path, level, parts)
        if not file:
            return None if self._is_shared(parts) else Unread(at, module)
        other = self._open_file(file)
        if not isinstance(other, TensorValues):
            return Unread(at, name_module(file), file)
        if other._is_outside and other._imports_tensorflow():
            return Unread(at, name_module(file), file)
        if not rest or depth > _MOST_FILES:
            return None
        for binding in other.scopes.module.bindings.get(rest[0], ()):
            if isinstance(binding, (ast.Import, ast.ImportFrom)):
                alias = (*find_alias(binding, rest[0]), *rest[1:])
                own = getattr(binding, "level", 0)
                return other.find_home(at, own, alias, depth + 1)
        return None

    def _imports_tensorflow(self) -> bool:
        return any(
            module.partition(".")[0] == "tensorflow"
            for module in list_imports(self.scopes)
        )

    def _find_graph_callers(self, function: ast.AST) -> set[str]:
        """The names of TensorFlow that get a function, and call it with tensors."""
        uses: Iterable[tuple[ast.expr, ast.expr]] = ()
        if isinstance(function, FUNCTIONS):
            uses = self._given_names.get(function.name, ())
        elif isinstance(function, ast.Lambda):
            call = self.scopes.parents.get(function)
            uses = [(function, call.func)] if isinstance(call, ast.Call) else ()
        return {
            caller
            for given, func in uses
            if not isinstance(given, ast.Name)
            or function in find_definitions(self.scopes, given)
            for caller in self._find_caller(func)
        }

    def _find_caller(self, func: ast.expr) -> Iterator[str]:
        symbol = self.scopes.resolve(func) or ""
        if symbol.startswith("tf.") and symbol not in _CALLS_WITH_VALUES:
            yield symbol
        elif isinstance(func, ast.Attribute) and func.attr in _OF_DATASETS:
            yield func.attr

    @functools.cached_property
    def _given_names(self) -> dict[str, list[tuple[ast.expr, ast.expr]]]:
        """Name -> its uses as an argument, each with what is called."""
        found: dict[str, list[tuple[ast.expr, ast.expr]]] = {}
        for call in self.scopes.walk():
            if isinstance(call, ast.Call):
                for given in (*call.args, *(k.value for k in call.keywords)):
                    if isinstance(given, ast.Name):
                        found.setdefault(given.id, []).append((given, call.func))
        return found


def list_imports(scopes: Scopes) -> Iterator[str]:
    """The modules that a file imports, with the dots before their names."""
    for node in scopes.walk():
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def may_be_unread(module: str) -> bool:
    """Whether a module is neither Python's, TensorFlow's, emitted nor known to take tensors."""
    first = module.partition(".")[0]
    known = first == "tensorflow" or is_of_python(first) or emitted.list_files(first)
    return not known and first not in libraries.TAKING_TENSORS
