"""Attributes of a program's own objects that are bound to nothing but emitted objects.

self.p = contrib_predictor.from_saved_model(path)
self.p.session  # `self.p` is a Predictor, which has no session.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.facts.objects import Objects
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
        self._objects = Objects(scopes)
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
                class_ = self._objects.find_class(target.value)
                if class_ is not None:
                    self._classes[class_, name] = which

    def is_own(self, node: ast.expr) -> bool:
        """Whether an expression is an object of a class of the program's own."""
        return self._objects.find_class(node) is not None

    def find_class(self, node: ast.Attribute) -> Made | None:
        """The emitted class whose object an attribute is."""
        todo = [self._objects.find_class(node.value)]
        for class_ in todo:
            if class_ is None:
                continue
            if (class_, node.attr) in self._classes:
                return self._classes[class_, node.attr]
            bases = (self._objects.find_named_class(base) for base in class_.bases)
            todo += [base for base in bases if base not in todo]
        return None


def _list_targets(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr
