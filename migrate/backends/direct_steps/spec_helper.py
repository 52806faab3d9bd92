"""The one helper that a program without a session may need: the spec of a tensor to come.

`training_session.spec_of` gives it to programs that have the module. It is a few lines, so
another program gets them in its file.
"""

from __future__ import annotations

import ast

from migrate.backends.direct_steps.program import BASE

NAME = "spec_of"
_HELPER = '''\
def {name}(function, *specs):
    """Returns the tf.TensorSpec of what a function gives for tensors of these specs."""
    traced = {tf}.function(function, autograph=False).get_concrete_function(*specs)
    return {tf}.nest.map_structure(
        lambda tensor: {tf}.TensorSpec(tensor.shape, tensor.dtype),
        traced.structured_outputs,
    )
'''


def insert_helper(text: str, tensorflow: str) -> str:
    """Returns the text with the helper above the first statement that calls it.

    Args:
      text: the program's, which calls `training_session.spec_of`.
      tensorflow: the name that the program has for TensorFlow.
    """
    old = f"{BASE}.{NAME}("
    lines = text.split("\n")
    body = ast.parse(text).body
    place = next(
        number
        for number, statement in enumerate(body)
        if any(
            isinstance(node, ast.Attribute) and ast.unparse(node) + "(" == old
            for node in ast.walk(statement)
        )
    )
    while place and _is_spec(body[place - 1]):
        place -= 1
    first = body[place]
    decorators = getattr(first, "decorator_list", [])
    at = min([first.lineno, *(node.lineno for node in decorators)]) - 1
    while at and lines[at - 1].startswith("#"):
        at -= 1
    while at and not lines[at - 1].strip():
        at -= 1
    helper = _HELPER.format(name=NAME, tf=tensorflow).rstrip("\n").split("\n")
    rest = lines[at:]
    while rest and not rest[0].strip():
        rest.pop(0)
    whole = "\n".join([*lines[:at], "", "", *helper, "", "", *rest])
    return whole.replace(old, f"{NAME}(")


def _is_spec(statement: ast.stmt) -> bool:
    """Whether a statement is `x_spec = tf.TensorSpec(...)`."""
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "TensorSpec"
    )
