"""Finds the parameters and names that tell a network's function the mode."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.by_mode import is_only_dropout
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, is_plain_assignment


def find_mode_parameters(
    call: ast.Call,
    bound: Mapping[str, ast.expr],
    env: Mapping[str, ModeValues],
    scopes: Scopes,
) -> tuple[list[str], dict[str, ModeValues]]:
    """The parameters that only say which mode it is, and what is known in each mode.

    Args:
      bound: the function's parameters in this call.
      env: mode -> what is known where it is called.

    Raises:
      NotSplit: the mode is given twice.
    """
    unneeded: list[str] = []
    inner: dict[str, ModeValues] = {}
    for mode, values in env.items():
        modes = [name for name, value in bound.items() if values.is_mode(value)]
        if len(modes) > 1:
            raise NotSplit(
                call, "a function of its network gets the mode in two arguments"
            )
        known = ModeValues(mode, "".join(modes), "", scopes)
        for name, value in bound.items():
            test = values.decide_test(value)
            if test is not None:
                known.known[name] = test
                if isinstance(value, ast.Constant) and value not in values.overrides:
                    known.literals.add(name)
                    continue
            if (test is not None or name in modes) and name not in unneeded:
                unneeded.append(name)
        inner[mode] = known
    return unneeded, inner


def find_decision_name(
    statement: ast.stmt, env: Mapping[str, ModeValues], scopes: Scopes
) -> str:
    """The name that an assignment gives to what the mode decides; "" for no such one.

    It is known from then on.
    """
    if not is_plain_assignment(statement):
        return ""
    assert isinstance(statement, ast.Assign)
    target, value = statement.targets[0], statement.value
    assert isinstance(target, ast.Name)
    if len(scopes.find_scope(target).bindings[target.id]) > 1:
        return ""
    tests = {mode: values.decide_test(value) for mode, values in env.items()}
    if None in tests.values():
        return ""
    if not all(values.reads_mode(value) for values in env.values()):
        return ""
    for mode, test in tests.items():
        assert test is not None
        env[mode].known[target.id] = test
    return target.id


def drops_in_training(
    statement: ast.stmt, env: Mapping[str, ModeValues], scopes: Scopes
) -> bool:
    """Whether a statement is `if training:` around dropout, which elsewhere does nothing."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    for mode, values in env.items():
        if values.decide_test(statement.test) is not (mode == "TRAIN"):
            return False
    return "TRAIN" in env and all(
        is_only_dropout(inner, env["TRAIN"], scopes) for inner in statement.body
    )
