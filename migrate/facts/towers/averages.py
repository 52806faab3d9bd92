"""Whether a function averages gradients over towers, told by what it computes.

`average_gradients(tower_grads)` has many spellings: stack or concat, reduce_mean or
add_n and a division, comprehensions or loops. So the function is not matched but run,
on numbers: two towers and three, two variables, by an interpreter of the few constructs
that such functions are made of. What it does not know is no average.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from migrate.facts.scopes import Scopes
from migrate.facts.towers.numbers import Interpreter, Tensor, Unknown, Variable

_TOWERS = (
    [[1.0, 2.0], [5.0, -3.0]],
    [[4.0, 0.5], [2.0, 8.0]],
    [[-2.0, 7.0], [0.0, 1.0]],
)

_UNREAD = (
    *(Unknown, TypeError, ValueError),
    *(IndexError, KeyError, ZeroDivisionError),
)


def averages_towers(
    function: ast.FunctionDef,
    scopes: Scopes,
    count: str = "",
    *,
    pairs: bool = True,
    given: Mapping[str, ast.expr] | None = None,
    once: bool = False,
    number: int | None = None,
) -> bool:
    """Whether a function computes the mean over towers, for each variable.

    Args:
      function: its first argument is a list: of every tower, its gradients.
      count: an expression for the number of towers, if the program has one. A literal is
        the only number tried: dividing by it is a mean.
      pairs: whether gradients are (gradient, variable), here and in the result; otherwise
        they are gradients alone.
      given: the function's other arguments, by their names.
      number: the number of towers, if it is known, under whatever name.
      once: whether the result is read once, so that it may be an iterator.
    """
    if count.isdigit():
        number = int(count)
    counts = [number] if number is not None and 0 < number <= 64 else [2, 3]
    more = dict(given or {})
    for tried in counts:
        towers = _make_towers(tried)
        result = _compute_result(
            function, Interpreter(scopes, count, tried), towers, pairs, more
        )
        if once and isinstance(result, Iterator):
            result = _read_items(result)
        if not isinstance(result, (list, tuple)) or len(result) != len(towers[0]):
            return False
        for index, mean in enumerate(result):
            if pairs:
                if not isinstance(mean, (list, tuple)) or len(mean) != 2:
                    return False
                mean, variable = mean
                if variable != Variable(index):
                    return False
            if not _is_mean(mean, [tower[index] for tower in towers]):
                return False
    return True


def _make_towers(count: int) -> list[list[list[float]]]:
    """Returns gradients of so many towers, no two alike."""
    return [
        [[number + tower for number in gradient] for gradient in _TOWERS[tower % 3]]
        for tower in range(count)
    ]


def _compute_result(
    function: ast.FunctionDef,
    interpreter: Interpreter,
    towers: list[list[list[float]]],
    pairs: bool,
    given: Mapping[str, ast.expr],
) -> Any:
    """Returns the function's result for these towers; None if it cannot be run."""
    parameters = [a.arg for a in function.args.args]
    defaults = function.args.defaults
    if not parameters:
        return None
    known = dict(zip(reversed(parameters), reversed(defaults), strict=False))
    try:
        for parameter in parameters[1:]:
            value = given.get(parameter, known.get(parameter))
            if value is None:
                return None
            interpreter.names[parameter] = interpreter.evaluate_node(value)
        interpreter.names[parameters[0]] = [
            [
                (Tensor(gradient), Variable(i)) if pairs else Tensor(gradient)
                for i, gradient in enumerate(tower)
            ]
            for tower in towers
        ]
        return interpreter.run_call(function.body)
    except _UNREAD:
        return None


def _read_items(iterator: Iterator[Any]) -> list[Any] | None:
    try:
        return list(iterator)
    except _UNREAD:
        return None


def _is_mean(value: Any, gradients: list[list[float]]) -> bool:
    if not isinstance(value, Tensor) or not isinstance(value.data, list):
        return False
    means = [sum(column) / len(column) for column in zip(*gradients, strict=True)]
    return len(value.data) == len(means) and all(
        abs(a - b) <= 1e-9 for a, b in zip(value.data, means, strict=True)
    )
