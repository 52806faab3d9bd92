"""Attributes that an object gets late: methods ask by `hasattr` whether they are there.

if not hasattr(self, "counter"):
    self.counter = 0
"""

from __future__ import annotations

import ast

from migrate.source.nodes import walk_breadth_first

# Expressions whose value is never None.
_SOME_VALUE = (
    *(ast.BinOp, ast.Compare, ast.JoinedStr, ast.Dict, ast.List, ast.Set, ast.Tuple),
    *(ast.DictComp, ast.ListComp, ast.SetComp),
)


def find_late_attributes(tree: ast.Module, owner: ast.ClassDef) -> frozenset[str]:
    """Returns attributes that methods test by `hasattr`, and that only methods set.

    None can stand for one that is not set yet, because no statement sets it to None.

    Args:
      tree: the module of the class.
      owner: the class.
    """
    tested: set[str] = set()
    inside = set(walk_breadth_first(owner))
    other = {
        node.attr
        for node in walk_breadth_first(tree)
        if isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and node not in inside
    }
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef) or not method.args.args:
            continue
        own = method.args.args[0].arg
        plain: set[ast.expr] = set()
        for node in walk_breadth_first(method):
            tested |= {find_late_test(node, own)} - {""}
            if isinstance(node, ast.AugAssign):
                plain.add(node.target)
            elif isinstance(node, ast.Assign) and is_some_value(node.value):
                plain.update(node.targets)
        for node in walk_breadth_first(method):
            if (
                isinstance(node, ast.Attribute)
                and not isinstance(node.ctx, ast.Load)
                and (method.name == "__init__" or node not in plain)
            ):
                other.add(node.attr)
    return frozenset(tested - other)


def is_some_value(node: ast.expr) -> bool:
    """Whether an expression is certainly not None."""
    if isinstance(node, ast.Constant):
        return node.value is not None
    return isinstance(node, _SOME_VALUE)


def find_late_test(node: ast.AST, own: str) -> str:
    """Returns the attribute of `hasattr(self, "x")`, or of `not hasattr(self, "x")`; "" if it is no such."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
    match node:
        case ast.Call(
            func=ast.Name(id="hasattr"),
            args=[ast.Name(id=receiver), ast.Constant(value=str(attribute))],
            keywords=[],
        ) if receiver == own:
            return attribute
    return ""
