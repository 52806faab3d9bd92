"""What a file keeps in its attributes, its dicts and its lists, under each of their names.

others = self.hooks
others.append(hook)  # It is in `self.hooks`, too.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Hashable, Iterable, Iterator

from migrate.facts import names
from migrate.facts.reach import find_definitions, find_methods
from migrate.facts.scopes import Scope, Scopes

_GROWS = frozenset(
    {
        *("add", "append", "appendleft", "extend", "extendleft", "insert"),
        *("setdefault", "update"),
    }
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class KeptValues:
    """What one file keeps. An attribute is known by its name, whatever its object."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._above: dict[Hashable, Hashable] = {}

    def find_added(self, owner: Scope, name: str) -> list[ast.expr]:
        """What is added to what a name of a scope stands for."""
        return self._find_added_to((id(owner), name))

    def find_stored(self, attribute: ast.Attribute) -> list[ast.expr]:
        """All that is assigned or added to attributes of a name."""
        added = self._find_added_to(("attribute", attribute.attr))
        return [*self._stored.get(attribute.attr, []), *added]

    def _find_added_to(self, key: Hashable) -> list[ast.expr]:
        added = self._added  # It joins the names first.
        return added.get(self._find_first(key), [])

    def find_keyed(self, name: str) -> list[ast.expr]:
        """All that is in a dict under a written key."""
        return self._keyed.get(name, [])

    def find_bound_elsewhere(self, owner: Scope, name: str) -> Iterator[ast.AST | None]:
        """What functions that say `global` or `nonlocal` bind to a name, or `:=` does."""
        for node in self._binding.get(name, ()):
            scope = self._scopes.find_scope(node)
            if scope.find_owner(name) is owner:
                if isinstance(node, ast.NamedExpr):
                    yield node.value
                else:
                    for binding in scope.bindings.get(name, ()):
                        yield from find_values(binding, name)

    @functools.cached_property
    def _binding(self) -> dict[str, list[ast.AST]]:
        found: dict[str, list[ast.AST]] = {}
        for node in self._scopes.walk():
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                for name in node.names:
                    found.setdefault(name, []).append(node)
            elif isinstance(node, ast.NamedExpr):
                found.setdefault(node.target.id, []).append(node)
        return found

    # Names of one object.

    def _find_key(self, node: ast.AST | None) -> Hashable | None:
        while isinstance(node, (ast.Subscript, ast.Starred)):
            node = node.value
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            return None if owner is None else (id(owner), node.id)
        if isinstance(node, ast.Attribute):
            return "attribute", node.attr
        if isinstance(node, ast.Call):
            return "call", names.get_last_part(node.func)
        return None

    def _find_first(self, key: Hashable) -> Hashable:
        while key in self._above:
            key = self._above[key]
        return key

    def _join_keys(self, one: Hashable | None, other: Hashable | None) -> None:
        if one is None or other is None:
            return
        one, other = self._find_first(one), self._find_first(other)
        if one != other:
            self._above[one] = other

    def _join_names(self) -> None:
        for target, value in self._pairs:
            for choice in _list_choices(value):
                self._join_keys(self._find_key(target), self._find_key(choice))
        for node in self._scopes.walk():
            if isinstance(node, FUNCTIONS):
                self._join_results(node)
            elif isinstance(node, ast.Call):
                self._join_arguments(node)

    def _join_results(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        is_property = any(
            names.get_last_part(d) in ("property", "cached_property")
            for d in function.decorator_list
        )
        for value in find_results(function):
            for choice in _list_choices(value):
                key = self._find_key(choice)
                self._join_keys(("call", function.name), key)
                if is_property:
                    self._join_keys(("attribute", function.name), key)

    def _join_arguments(self, call: ast.Call) -> None:
        if isinstance(call.func, ast.Name):
            called: Iterable[ast.AST] = find_definitions(self._scopes, call.func)
            skipped = 0
        elif isinstance(call.func, ast.Attribute):
            called = find_methods(self._scopes).get(call.func.attr, ())
            skipped = 1
        else:
            return
        for function in called:
            if not isinstance(function, FUNCTIONS):
                continue
            scope = self._scopes.scope_by_node[function]
            own = [*function.args.posonlyargs, *function.args.args]
            for parameter, value in zip(own[skipped:], call.args):
                self._join_keys((id(scope), parameter.arg), self._find_key(value))
            for keyword in call.keywords:
                if keyword.arg:
                    key = self._find_key(keyword.value)
                    self._join_keys((id(scope), keyword.arg), key)

    # What is kept.

    @functools.cached_property
    def _pairs(self) -> list[tuple[ast.expr, ast.expr]]:
        """What is assigned: each target and its value."""
        found: list[tuple[ast.expr, ast.expr]] = []
        for node in self._scopes.walk():
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    found += pair_parts(target, node.value)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value:
                found.append((node.target, node.value))
            elif isinstance(node, ast.NamedExpr):
                found.append((node.target, node.value))
            elif isinstance(node, (ast.For, ast.AsyncFor)):
                found += pair_parts(node.target, node.iter)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                found += pair_parts(node.optional_vars, node.context_expr)
        return found

    @functools.cached_property
    def _stored(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        for target, value in self._pairs:
            if isinstance(target, ast.Attribute):
                found.setdefault(target.attr, []).append(value)
            elif isinstance(target, ast.Name) and isinstance(
                self._scopes.find_scope(target).node, ast.ClassDef
            ):
                found.setdefault(target.id, []).append(value)
        for node in self._scopes.walk():
            if isinstance(node, ast.Call) and names.find_key(node.func) == "setattr":
                name = names.read_literal(node.args[1]) if len(node.args) == 3 else None
                if isinstance(name, str):
                    found.setdefault(name, []).append(node.args[2])
        return found

    @functools.cached_property
    def _added(self) -> dict[Hashable, list[ast.expr]]:
        self._join_names()
        found: dict[Hashable, list[ast.expr]] = {}
        for target, value in self._find_additions():
            key = self._find_key(target)
            if key is not None:
                found.setdefault(self._find_first(key), []).append(value)
        return found

    def _find_additions(self) -> Iterator[tuple[ast.expr, ast.expr]]:
        """What is added to lists and dicts: each of these and the value."""
        for node in self._scopes.walk():
            if isinstance(node, ast.Call):
                method = self.find_bound_method(node.func)
                if method is not None and method.attr in _GROWS:
                    for value in (*node.args, *(k.value for k in node.keywords)):
                        yield method.value, value
            elif isinstance(node, ast.AugAssign):
                yield node.target, node.value
        for target, value in self._pairs:
            if isinstance(target, ast.Subscript):
                yield target.value, value

    def find_bound_method(self, func: ast.expr) -> ast.Attribute | None:
        """`hooks.append`, also under a name of its own."""
        if isinstance(func, ast.Name):
            owner = self._scopes.find_scope(func).find_owner(func.id)
            bindings = owner.bindings[func.id] if owner is not None else []
            values = [b.value for b in bindings if isinstance(b, ast.Assign)]
            return next((v for v in values if isinstance(v, ast.Attribute)), None)
        return func if isinstance(func, ast.Attribute) else None

    @functools.cached_property
    def _keyed(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        pairs: list[tuple[ast.expr | None, ast.expr]] = []
        for node in self._scopes.walk():
            if isinstance(node, ast.Dict):
                pairs += zip(node.keys, node.values)
            elif isinstance(node, ast.Call):
                last = names.get_last_part(node.func)
                if last in ("dict", "update", "OrderedDict"):
                    for keyword in node.keywords:
                        if keyword.arg:
                            found.setdefault(keyword.arg, []).append(keyword.value)
                elif last == "setdefault" and len(node.args) == 2:
                    pairs.append((node.args[0], node.args[1]))
        pairs += [
            (target.slice, value)
            for target, value in self._pairs
            if isinstance(target, ast.Subscript)
        ]
        for key, value in pairs:
            name = names.read_literal(key)
            if isinstance(name, str):
                found.setdefault(name, []).append(value)
        return found


def pair_parts(
    target: ast.expr, value: ast.expr
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Of `a, b = x, y` the pairs."""
    if isinstance(target, ast.Starred):
        target = target.value
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
        return
    elements = getattr(value, "elts", [])
    same = len(elements) == len(target.elts)
    for one, part in zip(target.elts, elements if same else [value] * len(target.elts)):
        yield from pair_parts(one, part)


def _list_choices(value: ast.expr | None) -> list[ast.expr]:
    """Of `a or b` and `a if c else b` what the value may be."""
    if isinstance(value, ast.BoolOp):
        return [c for part in value.values for c in _list_choices(part)]
    if isinstance(value, ast.IfExp):
        return [*_list_choices(value.body), *_list_choices(value.orelse)]
    return [] if value is None else [value]


def find_results(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[ast.expr | None]:
    """What a function returns or yields."""
    for statement in function.body:
        if not isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
            for node in names.walk_scope(statement):
                if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)):
                    yield node.value


def find_values(binding: ast.AST, name: str) -> Iterator[ast.AST | None]:
    """What a statement binds to a name."""
    if isinstance(binding, (ast.ClassDef, *FUNCTIONS)):
        yield binding
    elif isinstance(binding, (ast.For, ast.AsyncFor)):
        yield binding.iter
    elif isinstance(binding, (ast.With, ast.AsyncWith)):
        for item in binding.items:
            if name in names.find_item_binds(item):
                yield item.context_expr
    elif isinstance(binding, ast.Assign):
        for target in binding.targets:
            for part, value in pair_parts(target, binding.value):
                if isinstance(part, ast.Name) and part.id == name:
                    yield value
    elif isinstance(binding, (ast.AnnAssign, ast.AugAssign)):
        yield binding.value
