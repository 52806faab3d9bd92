"""Matches each weight of the target with a checkpoint entry, and reports misfits."""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reference.tf1_checkpoint import contents
from reference.tf1_checkpoint.bundle import Entry
from reference.tf1_checkpoint.contents import AVERAGE, SLOT, STEP, VARIABLE, Item

STRATEGIES = ("div", "mod")

# A slot of tf_keras's legacy optimizers, and TensorFlow 1's that has the same meaning:
# measured, training goes on within 2.4e-7. Momentum's is not among them, for Keras keeps
# the rate in it, and neither are those of Keras's new optimizers (off by up to 5e-4).
LEGACY_SLOTS: dict[str, tuple[tuple[str, str], ...]] = {
    "m": (("Adam", "m"),),
    "v": (("Adam", "v"),),
    "accumulator": (("Adagrad", "accumulator"), ("Ftrl", "accum")),
    "linear": (("Ftrl", "linear"),),
}


@dataclasses.dataclass(frozen=True)
class Wanted:
    """One weight of the target.

    Attributes:
      key: its place in the file that is written.
      names: what it may be called in the checkpoint, the likeliest first.
      slot: of an optimizer's slot, the variable's name and the slot's.
      default: the target has a value of its own for it, if need be.
    """

    key: str
    names: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    slot: tuple[str, str] | None = None
    default: bool = False

    @property
    def shown(self) -> str:
        return self.names[0] if self.names else self.key


@dataclasses.dataclass(frozen=True)
class Taken:
    """A weight and the entry whose values it takes; `by_id`: rows were spread by "mod"."""

    wanted: Wanted
    entry: Entry
    by_id: bool = False


@dataclasses.dataclass(frozen=True)
class Problem:
    """A row of the table that stands in place of a conversion."""

    name: str
    what: str


@dataclasses.dataclass(frozen=True)
class Match:
    """The outcome of a matching for all weights and entries.

    Attributes:
      kept: weights that keep the target's own value.
      left: entries that no weight takes and that are no problem: of the optimizer.
    """

    taken: Sequence[Taken]
    kept: Sequence[Wanted]
    left: Sequence[Item]
    problems: Sequence[Problem]


@dataclasses.dataclass(frozen=True)
class Choices:
    """The user's decisions.

    Attributes:
      names: a weight's name and the entry's it takes.
      leave: patterns of entries that need not be taken.
      averages: take a variable's moving average where there is one.
      weights_only: leave slots and the step; the target begins with its own.
      strategies: "div" or "mod" by pattern of a partitioned variable's name.
    """

    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    leave: Sequence[str] = ()
    averages: bool = False
    weights_only: bool = False
    strategies: Mapping[str, str] = dataclasses.field(default_factory=dict)


def match(
    wanted: Iterable[Wanted], items: Mapping[str, Item], choices: Choices
) -> Match:
    """Pairs weights with entries by name; all that does not fit is a problem."""
    wanted = list(wanted)
    named = {name for one in wanted for name in one.names} | set(choices.names.values())
    # What no weight takes by name; of use to tell a weight what it may be called.
    free = [i for n, i in items.items() if i.kind == VARIABLE and n not in named]
    taken: list[Taken] = []
    kept: list[Wanted] = []
    problems: list[Problem] = []
    used: dict[str, str] = {}
    unknown = set(choices.names)
    averages = {i.of: i for i in items.values() if i.kind == AVERAGE}
    for one in wanted:
        unknown -= {one.key, *one.names}
        item = _find(one, items, choices)
        if item is not None and choices.averages and item.kind == VARIABLE:
            used[item.entry.name] = one.shown
            item = averages.get(item.entry.name, item)
        is_state = one.slot is not None or (item is not None and item.kind == STEP)
        anew = choices.weights_only and is_state
        if one.default and (anew or (item is None and one.slot is None)):
            kept.append(one)
        elif item is None:
            problems.append(Problem(one.shown, _missing(one, items, free, choices)))
        else:
            used[item.entry.name] = one.shown
            found = _fit(one, item, choices)
            if isinstance(found, Taken):
                taken.append(found)
            else:
                problems.append(found)
    problems += [
        Problem(name, "is named by --names, but the target has no such weight")
        for name in sorted(unknown)
    ]
    problems += _without_effect(items, choices)
    unused = [item for name, item in items.items() if name not in used]
    spare = [i for i in unused if i.kind == VARIABLE and not _left(i, choices)]
    problems += [
        Problem(i.entry.name, "is extra: nothing in the target takes it") for i in spare
    ]
    left = [i for i in unused if i not in spare]
    return Match(taken, kept, left, problems)


def _without_effect(items: Mapping[str, Item], choices: Choices) -> Iterator[Problem]:
    """Options that name what the checkpoint does not have."""
    for pattern in choices.leave:
        if not any(_left(item, choices, pattern) for item in items.values()):
            yield Problem(f"--leave {pattern}", "no entry has such a name")
    for pattern, strategy in choices.strategies.items():
        given = f"--partition-strategy {pattern}={strategy}"
        if pattern != "*" and not any(
            fnmatch.fnmatchcase(name, pattern) for name in items
        ):
            yield Problem(given, "no variable has such a name")
    if choices.averages and not any(i.kind == AVERAGE for i in items.values()):
        yield Problem("--averages", "the checkpoint has no moving averages")


def _find(one: Wanted, items: Mapping[str, Item], choices: Choices) -> Item | None:
    for name in (one.key, *one.names):
        if name in choices.names:
            return items.get(choices.names[name])
    for name in one.names:
        if name in items:
            return items[name]
    if one.slot is None:
        return None
    variable, slot = _slot_of(one, choices)
    meant = LEGACY_SLOTS.get(slot, ())
    of_variable = [
        i
        for i in items.values()
        if i.kind == SLOT and i.of == variable and (i.optimizer, i.slot) in meant
    ]
    return of_variable[0] if len(of_variable) == 1 else None


def _slot_of(one: Wanted, choices: Choices) -> tuple[str, str]:
    """A slot's variable, as the checkpoint calls it, and the slot."""
    assert one.slot is not None
    variable, slot = one.slot
    return choices.names.get(variable, variable), slot


def _missing(
    one: Wanted, items: Mapping[str, Item], free: Sequence[Item], choices: Choices
) -> str:
    if one.slot is not None and any(
        i.kind == SLOT and i.of == _slot_of(one, choices)[0] for i in items.values()
    ):
        return (
            f"is missing: no slot of the checkpoint has the meaning of {one.slot[1]!r}; "
            "--weights-only lets the optimizer begin anew"
        )
    parts = [name for name in items if name.startswith(f"{one.shown}/part_")]
    if parts:
        return f"is missing: the checkpoint has {len(parts)} parts of it as variables"
    alike = [i.entry.name for i in free if i.entry.shape == one.shape]
    hint = f"; --names may say that it is {alike[0]}" if len(alike) == 1 else ""
    return f"is missing: the checkpoint has nothing of that name{hint}"


def _fit(one: Wanted, item: Item, choices: Choices) -> Taken | Problem:
    entry = item.entry
    if one.shape != entry.shape:
        return Problem(
            one.shown,
            f"has another shape: {list(entry.shape)} in the checkpoint, "
            f"{list(one.shape)} in the target",
        )
    if one.dtype != entry.dtype or not entry.readable:
        return Problem(
            one.shown,
            f"is of another type: {entry.dtype} in the checkpoint, {one.dtype} in the target",
        )
    rows = sorted({part.start[0] for part in entry.parts}) if entry.shape else []
    if len(rows) < 2:
        return Taken(one, entry)
    variable = item.of or entry.name
    strategy = next(
        (
            strategy
            for pattern, strategy in reversed(list(choices.strategies.items()))
            if fnmatch.fnmatchcase(variable, pattern)
        ),
        None,
    )
    if strategy is None:
        return Problem(
            one.shown,
            f"is partitioned into {len(rows)}, and its rows may be in another order than "
            f"ids: say --partition-strategy {variable}=div (a matrix), or =mod "
            "(what tf.nn.embedding_lookup does unless told otherwise)",
        )
    if strategy == "mod" and not _spread_by_id(entry):
        return Problem(
            one.shown, "has parts whose sizes 'mod' would not give; it is =div"
        )
    return Taken(one, entry, by_id=strategy == "mod")


def _spread_by_id(entry: Entry) -> bool:
    """Whether part p of n has as many rows as there are ids with id % n == p."""
    count, total = len(entry.parts), entry.shape[0]
    return all(
        part.shape[0] == -((p - total) // count) and part.shape[1:] == entry.shape[1:]
        for p, part in enumerate(entry.parts)
    )


def _left(item: Item, choices: Choices, *patterns: str) -> bool:
    return any(
        fnmatch.fnmatchcase(item.entry.name, p) for p in patterns or choices.leave
    )


def summarise_left(left: Iterable[Item]) -> list[str]:
    """Summarises the entries that are not taken, in a line for each kind."""
    counts: dict[str, int] = {}
    for item in left:
        kind = f"{item.optimizer} slot" if item.kind == SLOT else item.kind
        counts[kind] = counts.get(kind, 0) + 1
    return [f"{n} × {kind}" for kind, n in sorted(counts.items())]


__all__ = [
    "STRATEGIES",
    "Choices",
    "Match",
    "Problem",
    "Taken",
    "Wanted",
    "contents",
    "match",
    "summarise_left",
]
