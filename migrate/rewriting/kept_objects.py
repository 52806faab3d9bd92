"""Attributes of a program's own objects that are bound to nothing but emitted objects.

self.p = contrib_predictor.from_saved_model(path)
self.p.session  # `self.p` is a Predictor, which has no session.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes

# The module and the name of an emitted class.
Made = tuple[str, str]


class KeptObjects:
    """The attributes that the classes of one file assign.

    Args:
      find_made: the emitted class of which an expression makes an object.
    """

    def __init__(
        self, scopes: Scopes, find_made: Callable[[ast.expr], Made | None]
    ) -> None:
        self._scopes = scopes
        self._classes: dict[tuple[ast.AST, str], Made] = {}
        stored: dict[str, int] = {}
        known: dict[str, list[tuple[ast.Attribute, Made | None]]] = {}
        for node in scopes.walk():
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                stored[node.attr] = stored.get(node.attr, 0) + 1
            for target, value in _list_targets(node):
                if isinstance(target, ast.Attribute):
                    # `self.p = None` gives nothing that has attributes.
                    if isinstance(value, ast.Constant) and value.value is None:
                        stored[target.attr] = stored.get(target.attr, 0) - 1
                    else:
                        found = target, find_made(value)
                        known.setdefault(target.attr, []).append(found)
        for name, pairs in known.items():
            (which, *others) = {made for _, made in pairs}
            if which is None or others or len(pairs) != stored.get(name, 0):
                continue
            for target, _ in pairs:
                class_ = self.find_own_class(target.value)
                if class_ is not None:
                    self._classes[class_, name] = which

    def find_class(self, node: ast.Attribute) -> Made | None:
        """The emitted class whose object an attribute is."""
        todo = [self.find_own_class(node.value)]
        for class_ in todo:
            if class_ is None:
                continue
            if (class_, node.attr) in self._classes:
                return self._classes[class_, node.attr]
            todo += [
                one
                for base in class_.bases
                if isinstance(base, ast.Name)
                for one in find_definitions(self._scopes, base)
                if isinstance(one, ast.ClassDef) and one not in todo
            ]
        return None

    def find_own_class(self, node: ast.expr) -> ast.ClassDef | None:
        """The class of `self` in a method, and of a name that is bound to one object."""
        if not isinstance(node, ast.Name):
            return None
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings[node.id] if owner is not None else []
        if owner is None or len(bound) != 1:
            return None
        if isinstance(bound[0], ast.arg):
            above = self._scopes.parents.get(owner.node)
            function = owner.node
            first = (
                isinstance(function, ast.FunctionDef)
                and not function.decorator_list
                and function.args.args[:1] == bound
            )
            return above if first and isinstance(above, ast.ClassDef) else None
        value = getattr(bound[0], "value", None)
        if isinstance(bound[0], ast.Assign) and isinstance(value, ast.Call):
            if isinstance(value.func, ast.Name):
                made = find_definitions(self._scopes, value.func)
                if len(made) == 1 and isinstance(made[0], ast.ClassDef):
                    return made[0]
        return None


def _list_targets(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr
