"""Finds the methods and the unchanging attributes of the classes of a module.

    class Trainer(object):
        def __init__(self, hidden):
            self.hidden = hidden

        def model_fn(self, features, labels, mode): ...self.hidden...

An attribute is *settled* if only `__init__` or the class binds it. Then every later read
gives the same value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables.estimator_names import EMITTED, ESTIMATOR, OF_TF1

_PLAIN_BASES = frozenset({"object", "ABC", "abc.ABC"})
# Names of methods that make attributes without a visible statement.
_DYNAMIC = frozenset(
    {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__new__"}
)
_REFLECTION = frozenset({"setattr", "delattr", "vars"})
_STATIC, _OF_CLASS = "staticmethod", "classmethod"


class Unsettled(Exception):
    """A method of an object may compute with more than the tool can see.

    Attributes:
      node: the place.
      reason: the reason, for the user.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason


class Objects:
    """The classes of one module, and the names that stand for their objects."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._classes = {
            node.name: node
            for node in scopes.tree.body
            if isinstance(node, ast.ClassDef)
            and len(scopes.module.bindings[node.name]) == 1
        }
        self._stores: dict[str, list[ast.Attribute]] = {}
        for node in scopes.walk():
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                self._stores.setdefault(node.attr, []).append(node)

    # Which class.

    def find_named_class(self, node: ast.AST) -> ast.ClassDef | None:
        """Returns the class of the module that a name stands for."""
        if not isinstance(node, ast.Name) or node.id not in self._classes:
            return None
        owner = self._scopes.find_scope(node).find_owner(node.id)
        return self._classes[node.id] if owner is self._scopes.module else None

    def find_class(self, node: ast.AST) -> ast.ClassDef | None:
        """Returns the class of a name's object: of `self`, or of `t` after `t = T()`."""
        if not isinstance(node, ast.Name):
            return None
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings[node.id] if owner is not None else []
        if owner is None or len(bound) != 1:
            return None
        if isinstance(bound[0], ast.arg):
            function = owner.node
            if isinstance(function, ast.FunctionDef):
                if self.find_receiver(function) == node.id and not is_of_class(
                    function
                ):
                    return self.find_home(function)
            return None
        statement = bound[0]
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            if len(statement.targets) == 1 and isinstance(
                statement.targets[0], ast.Name
            ):
                return self.find_named_class(statement.value.func)
        return None

    def find_home(self, function: ast.AST) -> ast.ClassDef | None:
        """Returns the class of the module that defines a method."""
        parent = self._scopes.parents.get(function)
        if (
            isinstance(parent, ast.ClassDef)
            and self._classes.get(parent.name) is parent
        ):
            return parent
        return None

    def find_receiver(self, function: ast.FunctionDef) -> str:
        """Returns a method's name for its object or class; "" if it has none."""
        if self.find_home(function) is None or is_static(function):
            return ""
        arguments = [*function.args.posonlyargs, *function.args.args]
        return arguments[0].arg if arguments else ""

    # What it is made of.

    def list_line(self, owner: ast.ClassDef) -> list[ast.ClassDef]:
        """Returns a class and its base classes, if all of them are in the module.

        Raises:
          Unsettled: they are not, or something else makes the attributes.
        """
        found = [owner]
        while True:
            node = found[-1]
            if node.decorator_list or node.keywords:
                raise Unsettled(
                    node,
                    f"the program makes objects of {node.name} in other ways "
                    "than by its class",
                )
            for name in self._scopes.scope_by_node[node].bindings:
                if name in _DYNAMIC:
                    raise Unsettled(node, f"{node.name} has a {name} of its own")
            bases = [b for b in node.bases if not self._is_plain(b)]
            if not bases:
                return found
            base = self.find_named_class(bases[0])
            if len(bases) > 1 or base is None or base in found:
                raise Unsettled(
                    node,
                    f"{node.name} inherits from {ast.unparse(bases[0])}, which "
                    "the tool does not see",
                )
            found.append(base)

    def _is_plain(self, base: ast.expr) -> bool:
        """Whether a base class adds no unknown attributes."""
        if self._scopes.resolve(base) == ESTIMATOR:
            return True
        return ast.unparse(base) in _PLAIN_BASES

    def list_family(self, owner: ast.ClassDef) -> list[ast.ClassDef]:
        """Returns the class, its bases, and all classes that inherit from one of them."""
        found = self.list_line(owner)
        grown = True
        while grown:
            grown = False
            for other in self._classes.values():
                if other not in found and any(
                    self.find_named_class(base) in found for base in other.bases
                ):
                    found.append(other)
                    grown = True
        return found

    def find_method(self, owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
        """Returns the method of an object of the class, from whichever class defines it.

        Raises:
          Unsettled: the method depends on the object's class.
        """
        defined: list[ast.FunctionDef] = []
        for one in self.list_family(owner):
            for bound in self._scopes.scope_by_node[one].bindings.get(name, []):
                if not isinstance(bound, ast.FunctionDef):
                    return None
                if not _is_empty(bound):
                    defined.append(bound)
                elif any("abstract" in ast.unparse(d) for d in bound.decorator_list):
                    raise Unsettled(bound, f"{one.name} declares {name}() as abstract")
        if not defined:
            return None
        if len(defined) > 1:
            raise Unsettled(defined[-1], f"{name}() is overridden, or defined twice")
        if self.find_home(defined[0]) is None:
            raise Unsettled(defined[0], f"{name}() is defined in a branch of its class")
        self._check_whose(owner, defined[0])
        if self._stores.get(name):
            raise Unsettled(
                self._stores[name][0], f"the program assigns something else to `{name}`"
            )
        return defined[0]

    def _check_whose(self, owner: ast.ClassDef, method: ast.FunctionDef) -> None:
        """Checks that all classes but the bases of a method's class have the method."""
        home = self.find_home(method)
        assert home is not None
        above = self.list_line(home)
        if home not in self.list_line(owner):
            for other in self.list_family(owner):
                if other not in above and home not in self.list_line(other):
                    raise Unsettled(method, f"{other.name} has no {method.name}()")

    def find_constructors(self, owner: ast.ClassDef) -> Iterator[ast.FunctionDef]:
        """Yields every `__init__` that may set attributes of an object of the class."""
        for one in self.list_family(owner):
            for bound in self._scopes.scope_by_node[one].bindings.get("__init__", []):
                if isinstance(bound, ast.FunctionDef):
                    yield bound

    def find_settled_bindings(
        self, owner: ast.ClassDef, name: str
    ) -> list[ast.Attribute]:
        """Returns the places where `__init__` binds an attribute that nothing else binds.

        Raises:
          Unsettled: something else binds it, or nothing in sight.
        """
        family = self.list_family(owner)
        if name in OF_TF1 | EMITTED and any(
            self._scopes.resolve(base) == ESTIMATOR for c in family for base in c.bases
        ):
            raise Unsettled(
                owner, f"`self.{name}` is an attribute of the Estimator itself"
            )
        inits = list(self.find_constructors(owner))
        found: list[ast.Attribute] = []
        for store in self._stores.get(name, []):
            function = self._scopes.find_scope(store).node
            whose = self.find_class(store.value)
            if whose is not None and whose not in family:
                continue  # Of another class.
            if whose is None or function not in inits:
                raise Unsettled(store, f"`self.{name}` is changed after __init__")
            if isinstance(self._scopes.parents.get(store), ast.AugAssign):
                raise Unsettled(store, f"`self.{name}` is changed in place")
            found.append(store)
        of_class = [
            bound
            for one in family
            for bound in self._scopes.scope_by_node[one].bindings.get(name, [])
        ]
        if any(isinstance(b, (ast.FunctionDef, ast.ClassDef)) for b in of_class):
            raise Unsettled(owner, f"`self.{name}` is also a method or a class")
        if len(of_class) > 1 or (not found and not of_class):
            raise Unsettled(owner, f"the tool cannot tell what `self.{name}` is")
        self._check_reflection(family)
        return found

    def _check_reflection(self, family: list[ast.ClassDef]) -> None:
        for one in family:
            for node in walk_breadth_first(one):
                if isinstance(node, ast.Name) and node.id in _REFLECTION:
                    raise Unsettled(node, f"{one.name} sets attributes by {node.id}()")
                if isinstance(node, ast.Attribute) and node.attr == "__dict__":
                    raise Unsettled(node, f"{one.name} sets attributes by __dict__")


def is_static(function: ast.FunctionDef) -> bool:
    return _has_decorator(function, _STATIC)


def is_of_class(function: ast.FunctionDef) -> bool:
    return _has_decorator(function, _OF_CLASS)


def _has_decorator(function: ast.FunctionDef, name: str) -> bool:
    return any(
        isinstance(d, ast.Name) and d.id == name for d in function.decorator_list
    )


def _is_empty(function: ast.FunctionDef) -> bool:
    """Whether a method only says that a subclass has it."""
    return all(
        isinstance(s, (ast.Raise, ast.Pass))
        or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
        for s in function.body
    )
