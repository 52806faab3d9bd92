"""Whether a file chooses Keras 2 for its whole process, as graph mode needs it."""

from __future__ import annotations

import ast

from migrate.source.nodes import walk_breadth_first

VARIABLE = "TF_USE_LEGACY_KERAS"


def chooses_keras_2(tree: ast.Module) -> bool:
    """Whether a module sets the variable of the environment, wherever it does."""
    return any(_sets_variable(node) for node in walk_breadth_first(tree))


def _sets_variable(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        function = node.func
        return (
            isinstance(function, ast.Attribute)
            and function.attr == "setdefault"
            and _is_environment(function.value)
            and bool(node.args)
            and _is_its_name(node.args[0])
        )
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Subscript)
        and _is_environment(target.value)
        and _is_its_name(target.slice)
        for target in node.targets
    )


def _is_environment(node: ast.expr) -> bool:
    return ast.unparse(node) in ("os.environ", "environ")


def _is_its_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == VARIABLE
