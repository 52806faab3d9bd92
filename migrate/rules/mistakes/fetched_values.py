"""Finds the parts of the graph whose value an expression of the driver has.

    losses = [sess.run(loss) for _ in range(9)]
    print("%f" % losses[-1])           # The value of `loss`.

It follows a name, an attribute, or the result of a function through all its bindings. A
list or dict holds all values that any code puts into it.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.names import get_last_part
from migrate.facts.scopes import Scope, Scopes
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import find_name
from migrate.source.nodes import walk_breadth_first

_HOLDERS = frozenset({"list", "reversed", "tuple"})
_OF_ITEMS = frozenset({"max", "min", "sum"})
_ADDS = frozenset({"append", "appendleft", "insert"})


@dataclasses.dataclass(frozen=True)
class Fetched:
    """Expressions of the graph whose values another expression may have.

    Attributes:
      complete: whether it can have no other values.
    """

    parts: tuple[ast.expr, ...] = ()
    complete: bool = True


_ELSE = Fetched((), False)


class FetchedValues:
    """The values that the runs of one module return."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._memo: dict[tuple[ast.AST, object], Fetched] = {}
        self._attributes: dict[str, list[ast.expr]] = {}
        # The last name of a container's expression -> the container, a key and a new item.
        self._added: dict[str, list[tuple[ast.expr, object, ast.expr]]] = {}
        for node in scopes.walk():
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute):
                        self._attributes.setdefault(target.attr, []).append(node.value)
                    elif isinstance(target, ast.Subscript):
                        key = names.read_literal(target.slice)
                        self._add(target.value, key, node.value)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in _ADDS and node.args:
                    self._add(node.func.value, None, node.args[-1])

    def _add(self, container: ast.expr, key: object, value: ast.expr) -> None:
        self._added.setdefault(get_last_part(container), []).append(
            (container, key, value)
        )

    def trace_value(self, node: ast.expr | None) -> Fetched:
        """Returns the graph expressions whose value an expression has."""
        return self._remember(node, self._OWN)

    def find_item_value(self, node: ast.expr | None, key: object) -> Fetched:
        """Returns the same for an item; for any item if the key is None."""
        return self._remember(node, key)

    _OWN = object()

    def _remember(self, node: ast.expr | None, key: object) -> Fetched:
        if node is None:
            return _ELSE
        if (node, key) not in self._memo:
            self._memo[node, key] = Fetched()
            own = self._decide(node) if key is self._OWN else self._find_item(node, key)
            self._memo[node, key] = own
        return self._memo[node, key]

    def _decide(self, node: ast.expr) -> Fetched:
        if isinstance(node, ast.Call):
            fetch = _find_fetch(self._scopes, node)
            if fetch is not None:
                several = isinstance(
                    self._find_written_fetches(fetch), (ast.List, ast.Tuple, ast.Dict)
                )
                return _ELSE if several else Fetched((fetch,))
            if get_last_part(node.func) in _OF_ITEMS and len(node.args) == 1:
                return self.find_item_value(node.args[0], None)
            return _join_fetched(
                map(self.trace_value, self._find_returned_values(node))
            )
        if isinstance(node, ast.BinOp):  # An array and a number give an array.
            sides = [s for s in (node.left, node.right) if not _is_number(s)]
            return _join_fetched(map(self.trace_value, sides))
        if isinstance(node, ast.UnaryOp):
            return self.trace_value(node.operand)
        if isinstance(node, ast.Subscript):
            return self.find_item_value(node.value, names.read_literal(node.slice))
        if isinstance(node, ast.Name):
            return self._find_bound(node, self._OWN)
        if isinstance(node, ast.Attribute):
            return _join_fetched(
                map(self.trace_value, self._attributes.get(node.attr, ()))
            )
        if isinstance(node, ast.IfExp):
            return _join_fetched(map(self.trace_value, (node.body, node.orelse)))
        return _ELSE

    def _find_item(self, node: ast.expr, key: object) -> Fetched:
        if isinstance(node, ast.Call):
            fetch = _find_fetch(self._scopes, node)
            if fetch is not None:
                return _find_part(self._find_written_fetches(fetch), key)
            if get_last_part(node.func) in _HOLDERS and len(node.args) == 1:
                return self.find_item_value(
                    node.args[0], key if _keeps_order(node.func) else None
                )
            if get_last_part(node.func) in ("get", "pop") and isinstance(
                node.func, ast.Attribute
            ):
                return _ELSE
            if get_last_part(node.func) == "values" and isinstance(
                node.func, ast.Attribute
            ):
                return self.find_item_value(node.func.value, None)
            return _join_fetched(
                self.find_item_value(r, key) for r in self._find_returned_values(node)
            )
        if isinstance(node, (ast.List, ast.Tuple, ast.Dict)):
            held = _select_elements(node, key)
            return _join_fetched(map(self.trace_value, held)) if held else Fetched()
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.trace_value(node.elt)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self.find_item_value(node.value, None)
        if isinstance(node, ast.Name):
            return self._find_bound(node, key)
        if isinstance(node, ast.Attribute):
            own = [
                self.find_item_value(v, key)
                for v in self._attributes.get(node.attr, ())
            ]
            return _join_fetched([*own, *self._put_in(node, key)]) if own else _ELSE
        return _ELSE

    def _put_in(self, holder: ast.expr, key: object) -> Iterable[Fetched]:
        """Yields the values of other items that code puts into a list or dict of this name."""
        for container, at, value in self._added.get(get_last_part(holder), ()):
            if type(container) is not type(holder):
                continue
            if isinstance(holder, ast.Name) and not self._is_same(holder, container):
                continue
            if None in (at, key) or at == key or isinstance(key, int):
                yield self.trace_value(value)

    def _is_same(self, one: ast.Name, other: ast.expr) -> bool:
        return self._scopes.find_scope(one).find_owner(
            one.id
        ) is self._scopes.find_scope(other).find_owner(one.id)

    # -- names -------------------------------------------------------------------------

    def _find_bound(self, name: ast.Name, key: object) -> Fetched:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        if owner is None:
            return _ELSE
        found = [
            self._trace_binding(name.id, binding, owner, key)
            for binding in owner.bindings[name.id]
        ]
        if key is not self._OWN:
            found += self._put_in(name, key)
        return _join_fetched(found)

    def _trace_binding(
        self, name: str, binding: ast.AST, owner: Scope, key: object
    ) -> Fetched:
        for generator in getattr(owner.node, "generators", ()):
            return self._find_loop_element(name, generator.target, generator.iter, key)
        if isinstance(binding, (ast.For, ast.AsyncFor)):
            return self._find_loop_element(name, binding.target, binding.iter, key)
        if isinstance(binding, ast.arg):
            given = self._find_given_values(binding, owner)
            return (
                _join_fetched(self._remember(g, key) for g in given) if given else _ELSE
            )
        if isinstance(binding, ast.Assign) and len(binding.targets) == 1:
            return self._find_unpacked(name, binding.targets[0], binding.value, key)
        return _ELSE

    def _find_given_values(self, parameter: ast.arg, owner: Scope) -> list[ast.expr]:
        """Returns the arguments for a parameter in the calls of its function."""
        function = owner.node
        if isinstance(function, ast.Lambda):
            called = self._find_lambda_calls(function)
        elif isinstance(function, ast.FunctionDef):
            called = values.find_calls(self._scopes, function) or []
        else:
            return []
        places = [a.arg for a in function.args.args]
        if isinstance(self._scopes.parents.get(function), ast.ClassDef):
            del places[:1]
        if parameter.arg not in places:
            return []
        at = places.index(parameter.arg)
        given = [names.find_argument(call, parameter.arg, at) for call in called]
        return [g for g in given if g is not None] if None not in given else []

    def _find_lambda_calls(self, function: ast.Lambda) -> list[ast.Call]:
        """Returns the calls of a lambda by the only name that it has."""
        above = self._scopes.parents.get(function)
        target = above.targets[0] if isinstance(above, ast.Assign) else None
        if not isinstance(target, ast.Name):
            return []
        owner = self._scopes.find_scope(target).find_owner(target.id)
        return [
            node
            for node in self._scopes.walk()
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == target.id
            and self._scopes.find_scope(node.func).find_owner(target.id) is owner
        ]

    def _find_unpacked(
        self, name: str, target: ast.expr, value: ast.expr, key: object
    ) -> Fetched:
        if isinstance(target, ast.Name):
            return self._remember(value, key)
        if not isinstance(target, (ast.Tuple, ast.List)) or key is not self._OWN:
            return _ELSE
        places = [n for n, e in enumerate(target.elts) if names.find_key(e) == name]
        if len(places) != 1 or any(isinstance(e, ast.Starred) for e in target.elts):
            return _ELSE
        return self.find_item_value(value, places[0])

    def _find_loop_element(
        self, name: str, target: ast.expr, iterated: ast.expr, key: object
    ) -> Fetched:
        """Returns the values of a loop's target: an element, or a part of a pair."""
        if isinstance(target, ast.Name) and key is self._OWN:
            return self.find_item_value(iterated, None)
        if not isinstance(target, ast.Tuple) or not isinstance(iterated, ast.Call):
            return _ELSE
        called, given = get_last_part(iterated.func), [*iterated.args]
        if called == "enumerate" and given:
            given = [ast.Constant(0), given[0]]
        elif called in ("items", "iteritems") and isinstance(
            iterated.func, ast.Attribute
        ):
            given = [ast.Constant(0), iterated.func.value]
        elif called != "zip":
            return _ELSE
        for part, one in zip(target.elts, given):
            if any(
                isinstance(n, ast.Name) and n.id == name
                for n in walk_breadth_first(part)
            ):
                return self._find_loop_element(name, part, one, key)
        return _ELSE

    def _find_returned_values(self, call: ast.Call) -> list[ast.expr]:
        """Returns the values that the called function in sight returns."""
        function: ast.FunctionDef | None = None
        if isinstance(call.func, ast.Name):
            owner = self._scopes.find_scope(call.func).find_owner(call.func.id)
            bound = owner.bindings[call.func.id] if owner else []
            if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
                function = bound[0]
        elif isinstance(call.func, ast.Attribute):
            named = [
                node
                for node in self._scopes.walk()
                if isinstance(node, ast.FunctionDef)
                and node.name == call.func.attr
                and isinstance(self._scopes.parents.get(node), ast.ClassDef)
            ]
            function = named[0] if len(named) == 1 else None
        return (values.list_returns(function) or []) if function is not None else []

    def _find_written_fetches(self, fetch: ast.expr) -> ast.expr:
        """Returns the list or dict of a run's fetches, also if a name stands for it."""
        return values.find_single(self._scopes, fetch) or fetch


def _find_fetch(scopes: Scopes, call: ast.Call) -> ast.expr | None:
    """Returns `fetch` of `session.run(fetch)` and of `fetch.eval()`."""
    if not isinstance(call.func, ast.Attribute) or find_name(scopes, call.func):
        return None
    if call.func.attr == "run":
        return names.find_argument(call, "fetches", 0)
    return call.func.value if call.func.attr == "eval" else None


def _find_part(fetches: ast.expr, key: object) -> Fetched:
    """Returns one of the fetches of a run, or all if the key is unknown."""
    if not isinstance(fetches, (ast.List, ast.Tuple, ast.Dict)):
        return _ELSE
    held = _select_elements(fetches, key)
    several = any(isinstance(h, (ast.List, ast.Tuple, ast.Dict)) for h in held)
    return Fetched(tuple(held)) if held and not several else _ELSE


def _select_elements(
    node: ast.List | ast.Tuple | ast.Dict, key: object
) -> list[ast.expr]:
    """Returns the elements of a display that a key may select."""
    if isinstance(node, ast.Dict):
        return [
            value
            for name, value in zip(node.keys, node.values)
            if key is None or name is None or names.read_literal(name) == key
        ]
    if isinstance(key, int) and not any(isinstance(e, ast.Starred) for e in node.elts):
        return [node.elts[key]] if -len(node.elts) <= key < len(node.elts) else []
    return node.elts


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def _keeps_order(function: ast.expr) -> bool:
    return get_last_part(function) != "reversed"


def _join_fetched(found: Iterable[Fetched]) -> Fetched:
    known = list(found)
    parts = tuple(dict.fromkeys(part for one in known for part in one.parts))
    return Fetched(parts, bool(known) and all(one.complete for one in known))
