"""The variables that a saver chooses from all by their names.

    training_session.Saver(lambda: [v for v in replicas.global_variables if "gen" in v.name])

Where the names are known, the choice is made here: `tf.compat.v1.train.Saver([w, b])`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.direct_steps.made_variables import Made, NotKnown

_TRAINABLE = "trainable_variables"
_ALL = "global_variables"


def choose(chosen: ast.ListComp, made: Made, listed: Sequence[str]) -> list[str]:
    """Returns the chosen variables, as elements of a list.

    Args:
      chosen: `[v for v in replicas.global_variables if v.name.startswith("net")]`.
      listed: all variables, as elements of a list.

    Raises:
      NotKnown: it is another choice, or one of optimizers' slots or layers' variables.
    """
    match chosen:
        case ast.ListComp(
            ast.Name(element),
            [ast.comprehension(ast.Name(target), ast.Attribute(attr=which), ifs)],
        ) if element == target and which in (_ALL, _TRAINABLE):
            pass
        case _:
            raise NotKnown
    known = {v.spelled: v for v in made.order}
    if not made.all_told or made.layers or made.networks or made.groups:
        raise NotKnown
    if which == _ALL and not set(listed) <= set(known):
        raise NotKnown  # Slots have names, too.
    found = [
        variable.spelled
        for variable in made.order
        if (variable.trained or which == _ALL)
        and all(_holds(test, target, f"{variable.tf_name}:0") for test in ifs)
    ]
    if not found:
        raise NotKnown
    return found


def _holds(test: ast.expr, variable: str, name: str) -> bool:
    """Whether a condition on the name of a variable holds.

    Raises:
      NotKnown: it asks for something else.
    """
    match test:
        case ast.BoolOp(ast.And(), tests):
            return all([_holds(one, variable, name) for one in tests])
        case ast.BoolOp(ast.Or(), tests):
            return any([_holds(one, variable, name) for one in tests])
        case ast.UnaryOp(ast.Not(), operand):
            return not _holds(operand, variable, name)
        case ast.Call(
            ast.Attribute(ast.Attribute(ast.Name(one), "name"), "startswith"),
            [ast.Constant(str(begin))],
        ) if one == variable:
            return name.startswith(begin)
        case ast.Compare(
            ast.Constant(str(part)),
            [ast.In() | ast.NotIn() as within],
            [ast.Attribute(ast.Name(one), "name")],
        ) if one == variable:
            return (part in name) is isinstance(within, ast.In)
    raise NotKnown
