"""Finds code that never runs on TensorFlow 2.21, because an import succeeds there.

    try:
      from tensorflow.python.types import core
      TF_23 = True
    except ImportError:
      TF_23 = False

The handler does not run, and neither does the code under `if not TF_23:`.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator

from migrate.facts.scopes import Scopes
from migrate.fallback.homes import Lost, find_home
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import kept_names, symbols
from migrate.tables.kept_names import Known

_ERRORS = frozenset({"ImportError", "ModuleNotFoundError"})


def parse_as_tensorflow_1(text: str) -> ast.Module:
    """The tree of a text, without handlers of imports of contrib that TensorFlow 1 has.

        try:
          from tensorflow.contrib import slim
        except ImportError:
          import tf_slim as slim

    TensorFlow 1.15.5 has contrib, so `slim` is contrib's. A module of which graph mode has
    nothing is another matter: on TensorFlow 2.21 the handler imports what stands for it.
    """
    if "tensorflow.contrib" not in text or not any(
        _rebinds_contrib(node) for node in walk_breadth_first(parse_source(text))
    ):
        return parse_source(text)
    tree = ast.parse(text)  # Others have that of `parse_source`, which must not change.
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and _rebinds_contrib(node):
            for handler in node.handlers:
                place = handler.body[0]
                handler.body = [ast.copy_location(ast.Pass(), place)]
    return tree


def _rebinds_contrib(node: ast.AST) -> bool:
    """Whether a `try` only imports contrib's modules, and a handler others by their names."""
    if not isinstance(node, ast.Try) or not all(map(_catches_import, node.handlers)):
        return False
    bound: set[str] = set()
    for statement in node.body:
        if isinstance(statement, ast.ImportFrom) and not statement.level:
            module = f"tf{(statement.module or '').removeprefix('tensorflow')}"
            names = [f"{module}.{alias.name}" for alias in statement.names]
            if not module.startswith("tf.contrib") or not all(map(_has_home, names)):
                return False
            bound |= {alias.asname or alias.name for alias in statement.names}
        elif not (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
        ):
            return False
    return any(
        (alias.asname or alias.name) in bound
        for handler in node.handlers
        for inner in ast.walk(handler)
        if isinstance(inner, (ast.Import, ast.ImportFrom))
        for alias in inner.names
    )


@functools.cache
def _has_home(module: str) -> bool:
    """Whether graph mode has something of a module of TensorFlow 1."""
    return module in symbols.list_modules() and any(
        not isinstance(find_home(symbol), Lost)
        for symbol in symbols.list_symbols()
        if symbol.startswith(f"{module}.")
    )


def find_untaken(scopes: Scopes, tree: ast.Module) -> frozenset[ast.AST]:
    """All nodes of handlers and branches that do not run."""
    found: set[ast.AST] = set()
    flags: dict[str, bool] = {}
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Try) and _succeeds(node):
            for handler in node.handlers:
                found.update(*map(ast.walk, handler.body))
            flags |= _find_flags(node, scopes)
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.If):
            for statement in _list_other_branch(node, flags):
                found.update(ast.walk(statement))
    return frozenset(found)


def find_decided(
    scopes: Scopes, is_there: Callable[[str], bool]
) -> Iterator[tuple[ast.expr, ast.expr, list[ast.expr]]]:
    """Expressions that `hasattr` of TensorFlow decides: what is taken, and what is not.

        tf.data.experimental if hasattr(tf.data, "experimental") else tf.contrib.data

    Args:
      is_there: whether both TensorFlows have a symbol.
    """
    for node in scopes.walk():
        if isinstance(node, ast.IfExp) and _holds(node.test, scopes, is_there):
            yield node, node.body, [node.orelse]
        elif (
            isinstance(node, ast.BoolOp)
            and isinstance(node.op, ast.Or)
            and _holds(node.values[0], scopes, is_there)
        ):
            yield node, node.values[0], node.values[1:]


def _holds(test: ast.expr, scopes: Scopes, is_there: Callable[[str], bool]) -> bool:
    """Whether a test asks for a name that TensorFlow has."""
    if not isinstance(test, ast.Call) or not is_builtin(test.func, "hasattr", scopes):
        return False
    if len(test.args) != 2 or not isinstance(test.args[1], ast.Constant):
        return False
    module, name = scopes.resolve(test.args[0]), test.args[1].value
    return module is not None and isinstance(name, str) and is_there(f"{module}.{name}")


def is_builtin(node: ast.expr, name: str, scopes: Scopes) -> bool:
    """Whether an expression is a function of Python's own, which the file never binds."""
    return (
        isinstance(node, ast.Name)
        and node.id == name
        and not _is_bound_elsewhere(name, scopes, set())
        and name not in scopes.module.bindings
    )


def is_guarded(node: ast.stmt, scopes: Scopes) -> bool:
    """Whether an import may fail: a handler says what happens then."""
    child: ast.AST = node
    parent = scopes.parents.get(node)
    while parent is not None:
        if (
            isinstance(parent, ast.Try)
            and any(child is one for one in parent.body)
            and any(map(_catches_import, parent.handlers))
        ):
            return True
        child, parent = parent, scopes.parents.get(parent)
    return False


def _catches_import(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type
    if kinds is None:
        return True
    listed = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    known = _ERRORS | {"Exception", "BaseException"}
    return any(isinstance(k, ast.Name) and k.id in known for k in listed)


def _succeeds(node: ast.Try) -> bool:
    """Whether a `try` only imports what TensorFlow 2.21 has, and sets constants."""
    imports = 0
    for statement in node.body:
        if isinstance(statement, ast.ImportFrom) and not statement.level:
            module = statement.module or ""
            if not all(_is_there(module, alias.name) for alias in statement.names):
                return False
            imports += 1
        elif not (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
        ):
            return False
    return imports > 0 and all(
        isinstance(h.type, ast.Name) and h.type.id in _ERRORS for h in node.handlers
    )


def _is_there(module: str, name: str) -> bool:
    if kept_names.has_module(f"{module}.{name}"):
        return True
    row = kept_names.find(f"{module}.{name}")
    return bool(kept_names.has_module(module)) and (
        row is not None and row.known is not Known.GONE
    )


def _find_flags(node: ast.Try, scopes: Scopes) -> dict[str, bool]:
    """Names that such a `try` sets, if its handlers alone set them otherwise."""
    inside = {id(n) for n in ast.walk(node)}
    found = {}
    for statement in node.body:
        if not isinstance(statement, ast.Assign):
            continue
        target, value = statement.targets[0], statement.value
        if (
            len(statement.targets) == 1
            and isinstance(target, ast.Name)
            and isinstance(value, ast.Constant)
            and isinstance(value.value, bool)
            and all(
                id(n) in inside for n in scopes.module.bindings.get(target.id, [node])
            )
            and not _is_bound_elsewhere(target.id, scopes, inside)
        ):
            found[target.id] = value.value
    return found


def _is_bound_elsewhere(name: str, scopes: Scopes, inside: set[int]) -> bool:
    """Whether anything but a `try` binds a name, in whatever scope."""
    return any(
        id(node) not in inside
        and (
            (isinstance(node, ast.Global) and name in node.names)
            or (isinstance(node, ast.arg) and node.arg == name)
            or (
                isinstance(node, ast.Name)
                and node.id == name
                and not isinstance(node.ctx, ast.Load)
            )
        )
        for node in scopes.walk()
    )


def _list_other_branch(node: ast.If, flags: dict[str, bool]) -> Iterator[ast.stmt]:
    test, holds = node.test, True
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, False
    if isinstance(test, ast.Name) and test.id in flags:
        yield from node.orelse if flags[test.id] is holds else node.body
