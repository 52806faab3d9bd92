"""Refuses programs that give their tensors to a library that the tool has not read.

    from otherlib import network

    logits = network(images)

A library of TensorFlow 1 makes variables and operations in a graph. The migrated program has
no graph: such a call fails in its step, or makes variables that nothing trains.
"""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Iterable, Iterator

from migrate import emitted
from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.gates.hook_values import HookValues, Unread
from migrate.gates.import_places import (
    find_alias,
    find_file,
    is_of_python,
    name_module,
)
from migrate.gates.kept_values import FUNCTIONS
from migrate.migration import Migration
from migrate.source.nodes import parse_source
from migrate.tables import libraries, roles
from migrate.unit import Unit

_RECIPE = (
    "Copy the function into a file of this program, so that the tool reads it. Or write "
    "what it does by TensorFlow's own functions."
)
_DIRECTORY_RECIPE = "Migrate both files in one run: name their directory."
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


class TensorValues(HookValues):
    """Follows values to the calls of TensorFlow that put something into a graph."""

    _asking = False
    _left = _MOST

    def is_of_graph(self, value: ast.expr) -> bool:
        """Whether a value may be, or contain, what TensorFlow put into a graph."""
        self._symbols.clear()
        for file in self._files.values():
            if isinstance(file, TensorValues):
                file._asking, file._left = True, _MOST
        try:
            self.find_unread(value)
        except _Ended:
            pass
        finally:
            for file in self._files.values():
                if isinstance(file, TensorValues):
                    file._asking = False
            self._depth[0] = 0
        return bool(self._symbols)

    def _follow_value(self, node: ast.AST | None) -> Iterator[Unread]:
        if self._asking:
            self._left -= 1
            if self._symbols or self._left < 0:
                raise _Ended
        yield from super()._follow_value(node)

    def _follow_call(self, call: ast.Call) -> Iterator[Unread]:
        func = call.func
        method = func.attr if isinstance(func, ast.Attribute) else ""
        symbol = self.scopes.resolve(func) or ""
        if symbol.startswith("tf."):
            if self._is_of_graph(symbol):
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

    def holds_tensors(self, value: ast.expr) -> bool:
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
            self._is_of_graph(self.scopes.resolve(node.func) or "")
            for node in ast.walk(class_)
            if isinstance(node, ast.Call)
        )

    def _is_of_graph(self, symbol: str) -> bool:
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
        if not level and not _may_be_unread(module):
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
            for module in _list_imports(self.scopes)
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


def find_given_tensors(text: str, done: Migration, unit: Unit) -> tuple[Finding, ...]:
    """Refusals of a file that gives tensors to a library; () for every other file.

    Args:
      text: the file's own.
      done: what it becomes.
    """
    if done.text == text and not unit.of_tf1:
        return ()
    scopes = build_scopes(parse_source(text))
    if not any(map(_may_be_unread, _list_imports(scopes))):
        return ()
    values = TensorValues(scopes, unit.path, unit.options.tree)
    found: dict[str, Finding] = {}  # One for each function of a library.
    for call in scopes.walk():
        if not isinstance(call, ast.Call) or ast.unparse(call.func) in found:
            continue
        library = _find_library(call.func, values)
        if library is None:
            continue
        for given in (*call.args, *(k.value for k in call.keywords)):
            if values.is_of_graph(given) or values.holds_tensors(given):
                found.setdefault(
                    ast.unparse(call.func), _make_refusal(call, library, unit)
                )
                break
    if not found:
        return ()
    others = [
        f
        for f in done.findings
        if f.outcome is Outcome.REFUSED and f.code not in ("N100", "T115")
    ]
    return tuple(sorted([*found.values(), *others]))


def _list_imports(scopes: Scopes) -> Iterator[str]:
    for node in scopes.walk():
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def _may_be_unread(module: str) -> bool:
    first = module.partition(".")[0]
    known = first == "tensorflow" or is_of_python(first) or emitted.list_files(first)
    return not known and first not in libraries.TAKING_TENSORS


def _find_library(func: ast.expr, values: TensorValues) -> Unread | None:
    """Where a called function or object comes from, if the tool has not read that."""
    scopes = values.scopes
    if (scopes.resolve(func) or "").startswith(("tf.", "tf_")):
        return None
    path = scopes.import_path(func)
    if path:
        level = values._find_level(func) if path.startswith(".") else 0
        parts = tuple(path.strip(".").split("."))
        return values.find_home(func, level, parts) if _may_be_unread(path) else None
    # `net = otherlib.Net()`, and then `net(images)` or `net.forward(images)`.
    for owner in (func, func.value) if isinstance(func, ast.Attribute) else (func,):
        made = values.find_made(owner)
        if isinstance(made, ast.Call) and scopes.import_path(made.func):
            return _find_library(made.func, values)
    return None


def _make_refusal(call: ast.Call, library: Unread, unit: Unit) -> Finding:
    called = ast.unparse(call.func)
    if library.file:
        file = os.path.relpath(library.file, os.path.dirname(unit.path))
        place = f"`{file}`, which is not part of this run"
    else:
        place = f"`{library.module}`, which the tool has not read"
    return Finding(
        call.lineno,
        call.col_offset + 1,
        "T115",
        Outcome.REFUSED,
        "",
        f"the program gives tensors to `{called}` from {place}",
        _DIRECTORY_RECIPE if library.file else _RECIPE,
    )
