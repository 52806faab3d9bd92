"""A model_fn's parameters, and the name of its class."""

from __future__ import annotations

import ast

from migrate.frontends.model_fn.modes import NotSplit

_ROLES = ("features", "labels", "mode", "params", "config")


def map_parameters(function: ast.FunctionDef, bound: frozenset[str]) -> dict[str, str]:
    """Maps roles to the model_fn's parameters; bound ones have their own name as role.

    Args:
      bound: parameters that functools.partial gives.

    Raises:
      NotSplit: there are others.
    """
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        raise NotSplit(function, "it takes arguments without a name")
    found: dict[str, str] = {}
    given = [*arguments.args, *arguments.kwonlyargs]
    for argument in given:
        if argument.arg in bound:
            if argument.arg in _ROLES:
                raise NotSplit(function, f"`{argument.arg}` has a value already")
            found[argument.arg] = argument.arg
            continue
        role = argument.arg if argument.arg in _ROLES else ""
        if not role and not found.keys() & set(_ROLES):
            role = "features"
        if not role:
            raise NotSplit(
                function, f"an Estimator does not pass its parameter `{argument.arg}`"
            )
        found[role] = argument.arg
    if "mode" not in found or "features" not in found:
        raise NotSplit(function, "it does not take features and a mode")
    return found


def is_model_fn(function: ast.FunctionDef) -> bool:
    """Whether a function takes what an Estimator gives a model_fn; labels it may lack."""
    given = {argument.arg for argument in function.args.args}
    return "mode" in given and bool(given & {"features", "labels"})


def name_class(function: str) -> str:
    """A class for a model_fn: `cnn_model_fn` -> `CnnModel`."""
    private = "_" if function.startswith("_") else ""
    words = [w for w in function.split("_") if w]
    if words and words[-1] == "fn":
        words.pop()
    if not words or words[-1].lower() != "model":
        words.append("model")
    if len(words) == 1:
        words.insert(0, "estimator")
    return private + "".join(w[:1].upper() + w[1:] for w in words)
