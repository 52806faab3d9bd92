"""Finds the places where a file makes Estimators from model functions.

tf.estimator.Estimator(model_fn, ...)

class Classifier(tf.estimator.Estimator):
    def __init__(self, units, model_dir=None):
        def _model_fn(features, labels, mode): ...
        super().__init__(_model_fn, model_dir)
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables.estimator_names import ESTIMATOR


@dataclasses.dataclass(frozen=True, eq=False)
class Made:
    """One Estimator that gets a model_fn.

    Attributes:
      call: of Estimator, or of its `__init__` by a class that inherits from it.
      model_fn: the argument.
      owner: that class; None if Estimator itself is called.
    """

    call: ast.Call
    model_fn: ast.expr
    owner: ast.ClassDef | None = None

    @property
    def base(self) -> ast.expr | None:
        """Returns the expression that names Estimator as the class's base."""
        return self.owner.bases[0] if self.owner is not None else None


def find_estimator_calls(scopes: Scopes) -> Iterator[Made]:
    """Yields every Estimator of a file, in the file's order."""
    for node, symbol in scopes.walk_uses():
        if symbol != ESTIMATOR:
            continue
        parent = scopes.parents.get(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            value = names.find_argument(parent, "model_fn", 0)
            if value is not None:
                yield Made(parent, value)
        elif isinstance(parent, ast.ClassDef) and parent.bases == [node]:
            call = find_init_call(parent, scopes)
            value = (
                names.find_argument(call, "model_fn", 0) if call is not None else None
            )
            if call is not None and value is not None:
                yield Made(call, value, parent)


def find_init_call(owner: ast.ClassDef, scopes: Scopes) -> ast.Call | None:
    """Returns the only call of Estimator's `__init__` in a class; None if it is not plain."""
    inits = [
        s for s in owner.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"
    ]
    if len(inits) != 1 or inits[0].decorator_list or owner.keywords:
        return None
    found = [
        node
        for node in walk_breadth_first(inits[0])
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "__init__"
    ]
    if len(found) != 1:
        return None
    call = found[0]
    if not isinstance(scopes.parents.get(call), ast.Expr):
        return None
    assert isinstance(call.func, ast.Attribute)
    return call if _is_super(call.func.value, owner, inits[0]) else None


def _is_super(node: ast.expr, owner: ast.ClassDef, init: ast.FunctionDef) -> bool:
    """Whether an expression is `super()` or `super(Owner, self)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    if node.func.id != "super" or node.keywords:
        return False
    given = [ast.unparse(argument) for argument in node.args]
    first = init.args.args[0].arg if init.args.args else ""
    return not given or given == [owner.name, first]


def is_partial(node: ast.expr, scopes: Scopes) -> bool:
    """Whether an expression is functools.partial."""
    root = node.value if isinstance(node, ast.Attribute) else node
    if not isinstance(root, ast.Name):
        return False
    owner = scopes.find_scope(root).find_owner(root.id)
    for bound in owner.bindings[root.id] if owner is not None else ():
        if isinstance(node, ast.Attribute):
            if isinstance(bound, ast.Import) and node.attr == "partial":
                return any(a.name == "functools" for a in bound.names)
        elif isinstance(bound, ast.ImportFrom) and bound.module == "functools":
            return any((a.asname or a.name) == root.id for a in bound.names)
    return False
