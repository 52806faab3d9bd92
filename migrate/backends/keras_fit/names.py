"""Chooses names for edits, and judges the values of a program's expressions."""

from __future__ import annotations

import ast

from migrate.backends.keras_fit.program import Stays, Trained
from migrate.facts.scopes import Scope, Scopes
from migrate.frontends.model_fn.signature import name_class

# Names that would still say "estimator".
_ESTIMATORS = frozenset({"estimator", "est"})
_FLAGS = frozenset({"FLAGS", "flags", "args"})


class Names:
    """Names that are free where an Estimator was, and the values of names."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self.tf = _find_tensorflow(scopes)
        self._given: dict[ast.AST, set[str]] = {}  # By their scopes.

    def find_free(self, name: str, scope: Scope) -> str:
        """Returns a name that is not used in a scope, or around or inside it."""
        taken = self._given.setdefault(scope.node, self._find_taken(scope))
        number, found = 1, name
        while found in taken:
            number += 1
            found = f"{name}_{number}"
        taken.add(found)
        return found

    def name_model(self, one: Trained) -> str:
        """Returns the name of the model."""
        if one.is_given:
            return self.find_free("model", one.scope)
        if one.name not in _ESTIMATORS or "model" in self._find_taken(one.scope):
            return one.name
        return self.find_free("model", one.scope)

    def name_function(self, class_: str, original: str) -> str:
        """Returns the name of the model_fn that became a class."""
        for node in ast.walk(ast.parse(original)):
            if isinstance(node, ast.FunctionDef) and name_class(node.name) == class_:
                if node.name not in self._scopes.module.bindings:
                    return node.name
        return self.find_free("make_model", self._scopes.module)

    def _find_taken(self, scope: Scope) -> set[str]:
        """Returns the names of a scope, of those around it, and of those inside it."""
        found: set[str] = set()
        around: Scope | None = scope
        while around is not None:
            found |= set(around.bindings)
            around = around.parent
        for node in self._scopes.walk():
            if isinstance(node, ast.Name):
                inner = self._scopes.find_scope(node)
                if inner is scope or inner.find_owner(node.id) in (None, scope):
                    found.add(node.id)
        return found

    def is_plain(self, node: ast.expr) -> bool:
        """Whether an expression may be written, and computed, more than once."""
        match node:
            case ast.Constant():
                return True
            case ast.Name():
                owner = self._scopes.find_scope(node).find_owner(node.id)
                return owner is not None and len(owner.bindings[node.id]) == 1
            case ast.Attribute(value=ast.Name(id=name)):
                return name in _FLAGS
        return False

    def is_number(self, node: ast.expr) -> bool:
        """Whether an expression is known to be a number, and not None."""
        match node:
            case ast.Constant(value=number):
                return isinstance(number, int)
            case ast.BinOp(left=left, right=right):
                return self.is_number(left) or self.is_number(right)
            case ast.Name():
                owner = self._scopes.find_scope(node).find_owner(node.id)
                bound = owner.bindings[node.id] if owner is not None else []
                match bound:
                    case [ast.Assign(targets=[ast.Name()], value=value)]:
                        return self.is_number(value)
            case ast.Attribute(value=ast.Name(id=name)):
                return name in _FLAGS and self._is_flag_of_number(node.attr)
        return False

    def may_be_none(self, node: ast.expr) -> bool:
        """Whether an expression is None if the user gives no value, as far as is known."""
        match node:
            case ast.Name():
                owner = self._scopes.find_scope(node).find_owner(node.id)
                bound = owner.bindings[node.id] if owner is not None else []
                match bound:
                    case [ast.Assign(targets=[ast.Name()], value=value)]:
                        return self.may_be_none(value)
            case ast.Call(func=ast.Attribute(attr="get" | "getenv"), args=[_]):
                return True
            case ast.Attribute():
                return any(map(is_none, self._find_defaults(node.attr)))
        return is_none(node)

    def _find_defaults(self, name: str) -> list[ast.expr | None]:
        """Returns the defaults of the flags, and of the command's arguments, with a name."""
        found: list[ast.expr | None] = []
        for node in self._scopes.walk():
            match node:
                case ast.Call(func=ast.Attribute(attr="add_argument"), args=[*given]):
                    words = {k.arg: k.value for k in node.keywords}
                    said = {g.value for g in given if isinstance(g, ast.Constant)}
                    if f"--{name}" in said and "required" not in words:
                        found.append(words.get("default"))
                case ast.Call(args=[ast.Constant(value), *rest]) if value == name:
                    symbol = self._scopes.resolve(node.func) or ""
                    if ".DEFINE_" in symbol or symbol.startswith("DEFINE_"):
                        words = {k.arg: k.value for k in node.keywords}
                        given_ = rest[0] if rest else words.get("default")
                        found.append(given_)
        return found

    def _is_flag_of_number(self, name: str) -> bool:
        for node in self._scopes.walk():
            match node:
                case ast.Call(args=[ast.Constant(value), ast.Constant(default), *_]):
                    symbol = self._scopes.resolve(node.func) or ""
                    if value == name and symbol.endswith("flags.DEFINE_integer"):
                        return isinstance(default, int)
        return False


def is_none(node: ast.expr | None) -> bool:
    """Whether an argument is left out, or None."""
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _find_tensorflow(scopes: Scopes) -> str:
    for name, bindings in scopes.module.bindings.items():
        for binding in bindings:
            if not isinstance(binding, ast.Import):
                continue
            for alias in binding.names:
                if alias.name == "tensorflow" and (alias.asname or alias.name) == name:
                    return name
    raise Stays(
        scopes.tree, "the file does not import TensorFlow by `import tensorflow as ...`"
    )
