"""Networks that are objects: a class that makes its layers, and is called, or has methods.

    class Model(object):
        def __init__(self, units):
            self.dense = tf.layers.Dense(units)

        def __call__(self, inputs, training):
            return self.dense(inputs)

    logits = Model(10)(features["x"], training=True)

The class stays: where the Keras model is made, its methods are helpers as functions are.
"""

from __future__ import annotations

import ast

from migrate.facts.objects import Objects, Unsettled
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_CONSTRUCTOR, _CALLED = "__init__", "__call__"


class NetworkObjects:
    """The objects of a module whose behaviour is fully known."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._objects = Objects(scopes)

    def find_function(self, call: ast.Call) -> ast.FunctionDef | None:
        """The method that a call of an object, of its method or of its class runs."""
        func = call.func
        if self.constructs(call):
            owner = self._objects.find_named_class(func)
            return self._find_method(owner, _CONSTRUCTOR)
        if isinstance(func, ast.Name):
            return self._find_method(self._objects.find_class(func), _CALLED)
        if isinstance(func, ast.Attribute):
            return self._find_method(self._objects.find_class(func.value), func.attr)
        return None

    def constructs(self, node: ast.AST | None) -> bool:
        """Whether an expression makes an object of a class of the module."""
        return isinstance(node, ast.Call) and self._is_plain(
            self._objects.find_named_class(node.func)
        )

    def is_method(self, function: ast.FunctionDef) -> bool:
        return self._objects.find_home(function) is not None

    def find_owner(self, function: ast.FunctionDef) -> ast.ClassDef | None:
        """The class whose method a function is."""
        return self._objects.find_home(function)

    def find_value(self, node: ast.AST) -> ast.expr | None:
        """Returns the value of `self.x` if `__init__` alone binds it, and once."""
        if not isinstance(node, ast.Attribute):
            return None
        owner = self._objects.find_class(node.value)
        if owner is None or not self._is_plain(owner):
            return None
        try:
            stores = self._objects.find_settled_bindings(owner, node.attr)
        except Unsettled:
            return None
        if len(stores) != 1:
            return None
        statement = self._scopes.parents.get(stores[0])
        if isinstance(statement, ast.Assign) and statement.targets == stores:
            return statement.value
        return None

    def find_unclear_call(self, code: ast.AST) -> tuple[ast.AST, str] | None:
        """Finds a call of an object whose class is not fully known, and the reason."""
        for call in walk_breadth_first(code):
            if not isinstance(call, ast.Call):
                continue
            func = call.func
            owner = self._objects.find_named_class(func)
            if owner is None:
                of = func.value if isinstance(func, ast.Attribute) else func
                owner = self._objects.find_class(of)
            if owner is None or self._is_plain(owner):
                continue
            try:
                others = self._objects.list_family(owner)
            except Unsettled as reason:
                return call, reason.reason
            names = [other.name for other in others if other is not owner]
            return call, f"{owner.name} and {names[0]} inherit from each other"
        return None

    def find_receiver(self, function: ast.FunctionDef) -> str:
        """Returns the name that a method has for its object, such as `self`."""
        return self._objects.find_receiver(function)

    def find_kept(self, function: ast.FunctionDef, name: str) -> dict[ast.stmt, str]:
        """Finds `self.x = name` in a constructor, and x, if nothing else binds it."""
        found: dict[ast.stmt, str] = {}
        if function.name != _CONSTRUCTOR:
            return found
        for statement in function.body:
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            target, value = statement.targets[0], statement.value
            if isinstance(value, ast.Name) and value.id == name:
                if self.find_value(target) is value:
                    assert isinstance(target, ast.Attribute)
                    found[statement] = target.attr
        return found

    def says_nothing(self, call: ast.Call) -> bool:
        """Whether a call is `super().__init__()` of a class that derives from none."""
        func = call.func
        if isinstance(func, ast.Name) and func.id == "super":
            around = self._scopes.parents.get(self._scopes.parents[call])
            return isinstance(around, ast.Call) and self.says_nothing(around)
        if not (
            isinstance(func, ast.Attribute)
            and func.attr == _CONSTRUCTOR
            and isinstance(func.value, ast.Call)
            and isinstance(func.value.func, ast.Name)
            and func.value.func.id == "super"
        ):
            return False
        inside: ast.AST | None = call
        while inside is not None and not isinstance(inside, ast.FunctionDef):
            inside = self._scopes.parents.get(inside)
        owner = self._objects.find_home(inside) if inside is not None else None
        return self._is_plain(owner) and not call.args and not call.keywords

    def _find_method(
        self, owner: ast.ClassDef | None, name: str
    ) -> ast.FunctionDef | None:
        if owner is None or not self._is_plain(owner):
            return None
        try:
            method = self._objects.find_method(owner, name)
        except Unsettled:
            return None
        if method is None or method.decorator_list or not method.args.args:
            return None
        return method

    def _is_plain(self, owner: ast.ClassDef | None) -> bool:
        """Whether a class derives from none, and none from it."""
        if owner is None:
            return False
        try:
            return self._objects.list_family(owner) == [owner]
        except Unsettled:
            return False
