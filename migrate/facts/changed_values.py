"""Tells which values may be others after a call, and what an expression computes before it.

    print(model.count, model.step(x))

`step` may change `model.count`. So whoever moves the call, or puts `model.count` where a
parameter was, asks first.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from migrate.facts.scopes import Scopes
from migrate.source.nodes import find_plain_names, list_children, walk_breadth_first

_COUNTED = {"enumerate", "range", "xrange"}
_PLAIN = (ast.BinOp, ast.Compare, ast.UnaryOp, ast.operator, ast.cmpop, ast.unaryop)
_IN_ORDER = (
    *(ast.Attribute, ast.BinOp, ast.Call, ast.Compare, ast.Dict, ast.FormattedValue),
    *(ast.JoinedStr, ast.List, ast.Set, ast.Starred, ast.Subscript, ast.Tuple),
    *(ast.UnaryOp, ast.keyword),
)


class ChangedValues:
    """The values that a call of one function may change.

    Args:
      scopes: the scopes of the function's module.
      callee: the function.
      attributes: names that were attributes of an object, with the attributes' names.
    """

    def __init__(
        self,
        scopes: Scopes,
        callee: ast.FunctionDef,
        attributes: Collection[tuple[str, str]] = (),
    ) -> None:
        self._scopes = scopes
        self._stored: set[str] = set()
        self._globals: set[str] = set()
        self._called: set[str] = set()  # What has methods that are called.
        self._read: set[str] = set()
        self._properties = {
            node.name
            for node in walk_breadth_first(scopes.tree)
            if isinstance(node, ast.FunctionDef) and node.decorator_list
        }
        for function in _find_reached(scopes.tree, callee):
            self._read_function(function)
        self._names = {
            name for name, attribute in attributes if attribute in self._stored
        }

    def _read_function(self, function: ast.FunctionDef) -> None:
        for node in walk_breadth_first(function):
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                # A constructor gives attributes to an object that nobody else has yet.
                if not (function.name == "__init__" and _is_own(node, function)):
                    self._stored.add(node.attr)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                self._globals.update(node.names)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                self._called.add(ast.dump(node.func.value))
            elif isinstance(node, ast.Name):
                self._read.add(node.id)

    def may_change(self, node: ast.AST) -> bool:
        """Whether an expression's names and attributes may have other values after the call."""
        for part in walk_breadth_first(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                if part.id in self._names or part.id in self._globals:
                    return True
            elif isinstance(part, ast.Attribute) and self._may_change_attribute(part):
                return True
        return False

    def _may_change_attribute(self, node: ast.Attribute) -> bool:
        if node.attr in self._stored or node.attr in self._properties:
            return True
        if ast.dump(node.value) not in self._called:
            return False
        if self._scopes.import_path(node.value) or not isinstance(node.value, ast.Name):
            return False
        owner = self._scopes.find_scope(node).find_owner(node.value.id)
        made = owner.bindings.get(node.value.id, []) if owner is not None else []
        return not (
            owner is not None
            and len(made) == 1
            and self._is_of_this_module(made[0], owner.node)
        )

    def _is_of_this_module(self, binding: ast.AST, function: ast.AST) -> bool:
        """Whether a binding is `self`, or an object of a class of the module."""
        if isinstance(binding, ast.arg):
            return isinstance(self._scopes.parents.get(function), ast.ClassDef)
        value = getattr(binding, "value", None)
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)):
            return False
        owner = self._scopes.find_scope(value.func).find_owner(value.func.id)
        made = owner.bindings.get(value.func.id, []) if owner is not None else []
        return len(made) == 1 and isinstance(made[0], ast.ClassDef)

    def needs_name(self, part: ast.expr, call: ast.Call) -> bool:
        """Whether an expression must be computed before a call that stands after it."""
        return self._needs_name(part, self._read | find_plain_names(call))

    def _needs_name(self, part: ast.expr, touched: Collection[str]) -> bool:
        if isinstance(part, ast.Constant):
            return False
        if self.may_change(part):
            return True
        if isinstance(part, (ast.Name, ast.Lambda)):
            return False
        if isinstance(part, ast.Attribute):
            return self._needs_name(part.value, touched)
        if isinstance(part, (ast.Tuple, ast.List, ast.Starred)):
            return any(
                self._needs_name(child, touched)
                for child in list_children(part)
                if isinstance(child, ast.expr)
            )
        for node in walk_breadth_first(part):
            if isinstance(node, ast.Name):
                if node.id in touched and not self._is_counted(node):
                    return True
            elif not isinstance(node, (ast.Constant, ast.expr_context, *_PLAIN)):
                return True
        return False

    def _is_counted(self, node: ast.Name) -> bool:
        """Whether a name holds the number of a round: no call changes that."""
        owner = self._scopes.find_scope(node).find_owner(node.id)
        made = owner.bindings.get(node.id, []) if owner is not None else []
        return bool(made) and all(map(self._is_count, made))

    def _is_count(self, binding: ast.AST) -> bool:
        return (
            isinstance(binding, ast.For)
            and isinstance(binding.iter, ast.Call)
            and isinstance(binding.iter.func, ast.Name)
            and binding.iter.func.id in _COUNTED
        )


def _find_reached(tree: ast.Module, callee: ast.FunctionDef) -> set[ast.FunctionDef]:
    """The function, and those of the module that it may call, by their names."""
    methods: dict[str, list[ast.FunctionDef]] = {}
    functions: dict[str, list[ast.FunctionDef]] = {}
    for node in walk_breadth_first(tree):
        for child in list_children(node):
            if isinstance(child, ast.FunctionDef):
                home = methods if isinstance(node, ast.ClassDef) else functions
                home.setdefault(child.name, []).append(child)
                if isinstance(node, ast.ClassDef) and child.name == "__init__":
                    functions.setdefault(node.name, []).append(child)
    found, work = set[ast.FunctionDef](), [callee]
    while work:
        function = work.pop()
        if function in found:
            continue
        found.add(function)
        for node in walk_breadth_first(function):
            if isinstance(node, ast.Name):
                work.extend(functions.get(node.id, ()))
            elif isinstance(node, ast.Attribute):
                work.extend(methods.get(node.attr, ()))
    return found


def _is_own(node: ast.Attribute, method: ast.FunctionDef) -> bool:
    """Whether it is an attribute of the object whose method this is."""
    return (
        isinstance(node.value, ast.Name)
        and bool(method.args.args)
        and node.value.id == method.args.args[0].arg
    )


def list_parts_before(
    parents: dict[ast.AST, ast.AST], top: ast.AST, call: ast.AST
) -> list[ast.expr] | None:
    """Returns what an expression computes before a call in it, in order.

    None if the call is not made exactly once.

    Args:
      parents: each node's parent.
      top: the expression, or the statement whose `value` it is.
      call: the call.
    """
    found: list[ast.expr] = []
    node = call
    while node is not top and not isinstance(node, ast.stmt):
        above = parents[node]
        if isinstance(above, ast.stmt):
            return found if getattr(above, "value", None) is node else None
        if not isinstance(above, _IN_ORDER):
            return None
        if isinstance(above, ast.Compare) and node in above.comparators[1:]:
            return None  # `a < b < f()` asks for `f()` only where a < b.
        found = [*_list_before(above, node), *found]
        node = above
    return found


def _list_before(above: ast.AST, node: ast.AST) -> list[ast.expr]:
    """Returns the parts of a node that are computed before one of its parts."""
    parts: list[ast.AST] = []
    if isinstance(above, ast.Dict):
        for key, value in zip(above.keys, above.values):
            parts += [key, value] if key is not None else [value]
    elif isinstance(above, ast.Call):
        arguments: list[ast.expr | ast.keyword] = [*above.args, *above.keywords]
        arguments.sort(key=lambda a: (a.lineno, a.col_offset))
        func = above.func
        # Of `values.append(f())` the list is asked for its method first.
        parts = [func.value if isinstance(func, ast.Attribute) else func, *arguments]
        if node is func:
            return []
    else:
        parts = list_children(above)
    before = parts[: parts.index(node)]
    return [
        part.value if isinstance(part, ast.keyword) else part
        for part in before
        if isinstance(part, (ast.expr, ast.keyword))
    ]
