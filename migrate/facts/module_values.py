"""Finds the modules that an expression may stand for without an import or a plain alias.

    self.keras = tf.keras
    self.keras.utils.multi_gpu_model(model, 2)     # tensorflow.keras.utils.multi_gpu_model

A name may be anything that it is ever bound to, an attribute anything that is assigned to
an attribute with this name. If one of these values is unknown, the result is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes

# The dotted paths of modules and of their contents; None if it may be anything else.
Paths = frozenset[str] | None
_NOTHING: frozenset[str] = frozenset()
_ROOTS = frozenset({"tensorflow", "tf_keras"})


class ModuleValues:
    """The modules that a file passes around as values."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._memo: dict[ast.AST, Paths] = {}
        self._attributes: dict[str, list[ast.expr]] = {}
        self._calls: dict[str, list[ast.Call]] = {}
        for node in scopes.walk():
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute):
                        self._attributes.setdefault(target.attr, []).append(node.value)
                    elif isinstance(target, ast.Name) and isinstance(
                        scopes.parents.get(node), ast.ClassDef
                    ):
                        self._attributes.setdefault(target.id, []).append(node.value)
            elif isinstance(node, ast.Call):
                called = node.func
                last = getattr(called, "attr", getattr(called, "id", ""))
                self._calls.setdefault(last, []).append(node)

    def find_paths(self, node: ast.expr | None) -> Paths:
        """Returns the paths that an expression may stand for."""
        if node is None:
            return None
        if node not in self._memo:
            self._memo[node] = _NOTHING  # In a cycle, its other bindings decide.
            self._memo[node] = self._decide(node)
        return self._memo[node]

    def _decide(self, node: ast.expr) -> Paths:
        match node:
            case ast.Constant(value=None):
                return _NOTHING
            case ast.Name() | ast.Attribute():
                path = self._scopes.import_path(node)
                if path:
                    known = path.partition(".")[0] in _ROOTS
                    return frozenset({path}) if known else None
                if isinstance(node, ast.Name):
                    return self._find_name_paths(node)
                return self._find_attribute_paths(node)
            case ast.IfExp():
                return self._find_all_paths([node.body, node.orelse])
            case ast.BoolOp():
                return self._find_all_paths(node.values)
            case ast.NamedExpr():
                return self.find_paths(node.value)
            case ast.Subscript():
                return self._find_item_paths(node)
        return None

    def _find_all_paths(self, nodes: Iterable[ast.expr]) -> Paths:
        found = _NOTHING
        for node in nodes:
            one = self.find_paths(node)
            if one is None:
                return None
            found |= one
        return found

    def _find_name_paths(self, name: ast.Name) -> Paths:
        values: list[ast.expr] = []
        owner = self._scopes.find_scope(name).find_owner(name.id)
        for binding in owner.bindings[name.id] if owner else ():
            bound = self._find_bound_values(
                name.id, binding, owner.node if owner else binding
            )
            if bound is None:
                return None
            values += bound
        return self._find_all_paths(values) if values else None

    def _find_bound_values(
        self, name: str, binding: ast.AST, owner: ast.AST
    ) -> list[ast.expr] | None:
        """Returns the values that a binding gives a name; None if they are not known."""
        if isinstance(binding, ast.arg):
            return self._find_parameter_values(binding, owner)
        if isinstance(binding, (ast.For, ast.comprehension)):
            held = binding.iter
            return held.elts if isinstance(held, (ast.List, ast.Tuple)) else None
        targets = getattr(binding, "targets", [getattr(binding, "target", None)])
        value = getattr(binding, "value", None)
        if isinstance(value, ast.expr) and [names.find_key(t) for t in targets] == [
            name
        ]:
            return [value]
        return None

    def _find_parameter_values(
        self, parameter: ast.arg, function: ast.AST
    ) -> list[ast.expr] | None:
        """Returns a parameter's default, and the arguments of the calls in sight."""
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
        places = [*function.args.posonlyargs, *function.args.args]
        defaults = function.args.defaults
        values = [
            default
            for one, default in (
                *zip(places[len(places) - len(defaults) :], defaults),
                *zip(function.args.kwonlyargs, function.args.kw_defaults),
            )
            if one is parameter and default is not None
        ]
        is_method = isinstance(self._scopes.parents.get(function), ast.ClassDef)
        if parameter in places:
            place = places.index(parameter) - is_method
            if place < 0:
                return None  # The object on which a method is called.
            for call in self._calls.get(function.name, ()):
                given = names.find_argument(call, parameter.arg, place)
                values += [given] if given is not None else []
        return values or None

    def _find_attribute_paths(self, node: ast.Attribute) -> Paths:
        base = self.find_paths(node.value)
        if base:
            return frozenset(f"{path}.{node.attr}" for path in base)
        own = self._attributes.get(node.attr)
        return self._find_all_paths(own) if own else None

    def _find_item_paths(self, node: ast.Subscript) -> Paths:
        """Returns the paths in a list or dict display, at one key or at any."""
        holder: ast.expr = node.value
        if isinstance(holder, ast.Name):
            owner = self._scopes.find_scope(holder).find_owner(holder.id)
            bound = owner.bindings[holder.id] if owner else []
            holder = getattr(bound[0], "value", None) if len(bound) == 1 else holder  # type: ignore[assignment]
        elif isinstance(holder, ast.Attribute):
            own = self._attributes.get(holder.attr, [])
            holder = own[0] if len(own) == 1 else holder
        key = names.read_literal(node.slice)
        if isinstance(holder, ast.Dict):
            held = [
                value
                for name, value in zip(holder.keys, holder.values)
                if key is None or name is None or names.read_literal(name) == key
            ]
        elif isinstance(holder, (ast.List, ast.Tuple)):
            held = [*holder.elts]
            if isinstance(key, int) and -len(held) <= key < len(held):
                held = [held[key]]
        else:
            return None
        return self._find_all_paths(held) if held else None
