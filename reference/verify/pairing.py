"""Pairs values of the original with those of the migrated program.

A migrated program may fetch less: what nobody used (a train_op's value) is left out.
The order of what is left is the original's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Told = dict[str, Any]
_MISSING = 1.0  # The cost of a value without a partner; of a wrong pair it is more.


def pairs(
    old: Sequence[Told], new: Sequence[Told], distance: Callable[[Told, Told], float]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """(pairs of indices, what only the old has, what only the new has).

    Values of the same shape and kind are paired in order; where there is a choice, those
    that differ least.

    Args:
      distance: 0 for equal values to 1 for any others.
    """
    if len(old) == len(new) and all(fits(a, b) for a, b in zip(old, new)):
        return [(i, i) for i in range(len(old))], [], []
    rows, columns = len(old), len(new)
    cost = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            if i == rows or j == columns:
                cost[i][j] = _MISSING * (rows - i + columns - j)
                continue
            best = _MISSING + min(cost[i + 1][j], cost[i][j + 1])
            if fits(old[i], new[j]):
                best = min(best, distance(old[i], new[j]) + cost[i + 1][j + 1])
            cost[i][j] = best
    found, only_old, only_new = [], [], []
    i = j = 0
    while i < rows or j < columns:
        if i < rows and j < columns and fits(old[i], new[j]):
            here = distance(old[i], new[j]) + cost[i + 1][j + 1]
            if here <= cost[i][j] + 1e-9:
                found.append((i, j))
                i, j = i + 1, j + 1
                continue
        if i < rows and (
            j == columns or cost[i][j] >= _MISSING + cost[i + 1][j] - 1e-9
        ):
            only_old.append(i)
            i += 1
        else:
            only_new.append(j)
            j += 1
    return found, only_old, only_new


def fits(a: Told, b: Told) -> bool:
    """Whether two values may be the same one: of one shape, and both numbers or both not."""
    if ("summary" in a) != ("summary" in b) or ("text" in a) != ("text" in b):
        return False
    if "summary" in a:
        return True
    return a["shape"] == b["shape"] and _kind(a) == _kind(b)


def _kind(told: Told) -> str:
    name = str(told["dtype"])
    return "float" if name.startswith("float") else name.rstrip("0123456789")
