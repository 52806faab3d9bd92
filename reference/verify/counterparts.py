"""Pairs the variables of the two programs whose names differ.

A program that the tool has written keeps TensorFlow 1's names. One that somebody has
written in Keras has Keras's, and may give one of the old names to something else.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from reference.verify.records import Event, Record
from reference.verify.series import Series

Key = tuple[str, str]
Group = dict[Key, Series]


def pair_renamed(
    first: Record, new_record: Record, old: Group, new: Group
) -> dict[Key, Key]:
    """The original's variables, by theirs of the migrated program, that have other names.

    A variable without one of its name and shape is another whose name ends like its own;
    or the only one that has its values, bit for bit, at every step; or, of trained ones
    of one shape that both programs have in one number, the nearest.
    """
    told, news = first.variables(), new_record.variables()
    lost = [k for k in old if k[0] == "variable" and not _fits(old[k], new.get(k))]
    kept = old.keys() - set(lost)
    added = [k for k in new if k[0] == "variable" and k not in kept]
    found: dict[Key, Key] = {}

    def take(pairs: Iterator[tuple[Key, Key]]) -> None:
        for key, other in list(pairs):
            found[key] = other
            lost.remove(key)
            added.remove(other)

    take(_only_pairs(lost, added, lambda a, b: _ends_alike(old, new, a, b)))
    take(_only_pairs(lost, added, lambda a, b: _moves_alike(old[a], new[b])))
    take(
        _nearest(
            first,
            new_record,
            {k: old[k] for k in lost if is_trained(told, k)},
            {k: new[k] for k in added if is_trained(news, k)},
        )
    )
    return found


_SLOT = re.compile(r"((?:.+/)?beta[12]_power|.+/\w+?)(?:_(\d+))?")
_OPTIMIZERS = 4  # More of one kind for one variable are not looked through.


def pair_exchanged(
    first: Record, new_record: Record, old: Group, new: Group
) -> dict[Key, Key]:
    """Slots of several optimizers of one variable that are numbered in another order.

    TensorFlow 1 made them with the graph, in the order of the program's lines. Where no
    checkpoint holds them, a migrated program makes them in the order of its steps.
    """
    groups: dict[str, list[tuple[int, Key]]] = {}
    told = first.variables()
    for key in old.keys() & new.keys():
        match = _SLOT.fullmatch(key[1])
        if key[0] != "variable" or is_trained(told, key):
            continue
        if match and _fits(old[key], new[key]):
            groups.setdefault(match[1], []).append((int(match[2] or 0), key))
    found: dict[Key, Key] = {}
    for numbered in groups.values():
        keys = [key for _, key in sorted(numbered)]
        apart = {
            (a, b): _apart_at_steps(first, old[a], new_record, new[b])
            for a in keys
            for b in keys
            if _shape(old[a]) == _shape(new[b])
        }
        own = _add_up(apart, keys, keys)
        best = min(_list_orders(keys), key=lambda o: _add_up(apart, keys, o))
        if _add_up(apart, keys, best) < 0.01 * own:
            found.update((a, b) for a, b in zip(keys, best) if a != b)
    return found


def _apart_at_steps(
    first: Record, old: Series, new_record: Record, new: Series
) -> float:
    """The sum over the steps whose arrays both records have; infinite if there is none."""
    news = {point.step: point for point in new.points}
    apart = [
        _find_distance(first, point.told, new_record, news[point.step].told)
        for point in old.points
        if point.step in news
    ]
    known = [difference for difference in apart if math.isfinite(difference)]
    return sum(known) if known else math.inf


def _add_up(
    apart: Mapping[tuple[Key, Key], float], keys: list[Key], order: list[Key]
) -> float:
    return sum(apart.get(pair, math.inf) for pair in zip(keys, order))


def _list_orders(keys: list[Key]) -> Iterator[list[Key]]:
    """The orders in which optimizers may have made slots: each makes all of its own."""
    yield keys
    for count in range(2, min(len(keys), _OPTIMIZERS) + 1):
        if len(keys) % count == 0:
            size = len(keys) // count
            blocks = [keys[i : i + size] for i in range(0, len(keys), size)]
            for order in itertools.permutations(blocks):
                yield [key for block in order for key in block]


def find_other_layout(
    first: Record, new_record: Record, old: Group, new: Group
) -> dict[Key, list[str]]:
    """Variables that the migrated program holds in parts of other shapes, and in which.

    Keras's recurrent layers hold in three arrays what TensorFlow 1's cells held in two or
    four. Where trained variables without a counterpart hold as many numbers as those that
    only the migrated program has, they are the same numbers in another layout.
    """
    told, news = first.variables(), new_record.variables()
    lost = [k for k in old if k not in new and is_trained(told, k)]
    added = [k for k in new if k not in old and is_trained(news, k)]
    added = [k for k in added if _is_real(new[k])]
    if not lost or sum(_size(old[k]) for k in lost) != sum(
        _size(new[k]) for k in added
    ):
        return {}
    slots = [
        k
        for k in old
        if k not in new and any(k[1].startswith(n[1] + "/") for n in lost)
    ]
    return {key: [k[1] for k in added] for key in (*lost, *slots)}


def _is_real(series: Series) -> bool:
    return str(series.points[0].told["dtype"]).startswith("float")


def _size(series: Series) -> int:
    return int(np.prod(_shape(series), dtype=np.int64))


def base_name(name: str) -> str:
    """A variable's own name, without the graph that it is of."""
    return name.partition(" (graph ")[0]


def is_trained(told: Mapping[str, Event], key: Key) -> bool:
    return bool(told.get(base_name(key[1]), {}).get("trainable"))


def _shape(series: Series) -> list[int]:
    return list(series.points[0].told["shape"])


def _fits(one: Series, other: Series | None) -> bool:
    return other is not None and _shape(one) == _shape(other)


def _only_pairs(
    lost: list[Key], added: list[Key], fits: Callable[[Key, Key], bool]
) -> Iterator[tuple[Key, Key]]:
    """Pairs that fit where neither fits another."""
    fitting = [(a, b) for a in lost for b in added if fits(a, b)]
    olds, news = [a for a, _ in fitting], [b for _, b in fitting]
    yield from ((a, b) for a, b in fitting if olds.count(a) == 1 and news.count(b) == 1)


def _ends_alike(old: Group, new: Group, a: Key, b: Key) -> bool:
    return (a[1].endswith("/" + b[1]) or b[1].endswith("/" + a[1])) and _shape(
        old[a]
    ) == _shape(new[b])


def _moves_alike(old: Series, new: Series) -> bool:
    """Whether two have the same bits at every step, and these change."""
    count = min(len(old.points), len(new.points))
    olds = [p.told.get("digest") for p in old.points[:count]]
    news = [p.told.get("digest") for p in new.points[:count]]
    return olds == news and len(set(olds)) > 1 and _shape(old) == _shape(new)


def _nearest(
    first: Record, new_record: Record, lost: Group, added: Group
) -> Iterator[tuple[Key, Key]]:
    shapes = {tuple(_shape(series)) for series in lost.values()}
    for shape in shapes:
        olds = [k for k in lost if tuple(_shape(lost[k])) == shape]
        left = [k for k in added if tuple(_shape(added[k])) == shape]
        if len(olds) != len(left):
            continue
        for key in olds:
            other = min(
                left,
                key=lambda k: _apart(first, lost[key], new_record, added[k]),
            )
            left.remove(other)
            yield key, other


def _apart(first: Record, old: Series, new_record: Record, new: Series) -> float:
    return _find_distance(first, old.points[0].told, new_record, new.points[0].told)


def _find_distance(
    first: Record, old: dict[str, Any], new_record: Record, new: dict[str, Any]
) -> float:
    """The largest difference of two arrays; infinite if one is not recorded."""
    a, b = first.array(old), new_record.array(new)
    if a is None or b is None or not a.size or a.dtype.kind not in "iuf":
        return float("inf")
    return float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64))))
