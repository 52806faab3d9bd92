"""The helpers that a program without a session may need, written into its file.

The modules `training_session` and `plain_session` give them to programs that import them.
Each is a few lines, so another program gets those.
"""

from __future__ import annotations

import ast

from migrate.backends.direct_steps.program import BASE, MODULE

SPEC_OF = "spec_of"
TOWER_DEVICES = "tower_devices"
_HELPERS = {
    f"{BASE}.{SPEC_OF}": '''\
def {name}(function, *specs):
    """Returns the tf.TensorSpec of what a function gives for tensors of these specs."""
    traced = {tf}.function(function, autograph=False).get_concrete_function(*specs)
    return {tf}.nest.map_structure(
        lambda tensor: {tf}.TensorSpec(tensor.shape, tensor.dtype),
        traced.structured_outputs,
    )
''',
    f"{MODULE}.{TOWER_DEVICES}": '''\
def {name}(count):
    """Returns so many GPUs; or parts of the CPU, if the machine has fewer GPUs."""
    if len({tf}.config.list_physical_devices("GPU")) >= count:
        return [f"/gpu:{{i}}" for i in range(count)]
    cpu = {tf}.config.list_physical_devices("CPU")[0]
    if len({tf}.config.get_logical_device_configuration(cpu) or [None]) < count:
        parts = [{tf}.config.LogicalDeviceConfiguration()] * count
        {tf}.config.set_logical_device_configuration(cpu, parts)
    return [f"/cpu:{{i}}" for i in range(count)]
''',
}


def insert_helper(text: str, name: str, tensorflow: str) -> str:
    """Returns the text with a helper above the first statement that calls it.

    Args:
      text: the program's, which calls the helper by its module.
      name: the helper's.
      tensorflow: the name that the program has for TensorFlow.
    """
    path = next(path for path in _HELPERS if path.endswith(f".{name}"))
    lines = text.split("\n")
    body = ast.parse(text).body
    place = next(
        number
        for number, statement in enumerate(body)
        if any(
            isinstance(node, ast.Attribute) and ast.unparse(node) == path
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
    helper = _HELPERS[path].format(name=name, tf=tensorflow).rstrip("\n").split("\n")
    rest = lines[at:]
    while rest and not rest[0].strip():
        rest.pop(0)
    whole = "\n".join([*lines[:at], "", "", *helper, "", "", *rest])
    return whole.replace(f"{path}(", f"{name}(")


def _is_spec(statement: ast.stmt) -> bool:
    """Whether a statement is `x_spec = tf.TensorSpec(...)`."""
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "TensorSpec"
    )
