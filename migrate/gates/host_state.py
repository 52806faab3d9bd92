"""Finds state that TF1 changed once, and that traced steps would change more often.

TF1 runs a program's own code once, when it builds the graph: `counter += 1` counts layers.
In the result the code of steps runs whenever TensorFlow traces one. That is twice if two
steps contain it, and it is after all code that makes variables. If that gives another
count, the result is refused.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
from collections.abc import Iterator, Sequence

from migrate.gates.accesses import AT_END, Access, How
from migrate.gates.late_changes import find_originals

SEVERAL = "would be done by several steps"
TWICE = "would be done in two places"


def find_step_changes(
    old: Sequence[Access], new: Sequence[Access]
) -> Iterator[tuple[int, str]]:
    """Yields lines of the original that change something, and the fault of the result."""
    state = _State(list(_drop_settled(new)), old)
    seen: set[str] = set()
    for place, access in enumerate(state.accesses):
        if access.name in seen or not state.is_of_step(access):
            continue
        reason = state.judge(place, access)
        if reason:
            seen.add(access.name)
            yield _find_origin(access, old), reason


def find_doubled(
    old: Sequence[Access], new: Sequence[Access]
) -> Iterator[tuple[int, str]]:
    """Yields lines of the original that change something once, and twice in the result."""
    once = {
        text: count for text, count in _count_own_changes(old).items() if count == 1
    }
    for text, count in _count_own_changes(new).items():
        if count > 1 and text in once:
            yield next(a.line for a in old if a.text == text), TWICE


def _count_own_changes(accesses: Sequence[Access]) -> collections.Counter[str]:
    """Counts the changes that the module's own statements make, by their text."""
    return collections.Counter(
        a.text
        for a in accesses
        if a.how is How.CHANGE and a.step is None and a.of_module
    )


def find_stale_reads(
    old: Sequence[Access], new: Sequence[Access]
) -> Iterator[tuple[int, str, str]]:
    """Yields the line of a change, the object, and the step that would read it too late.

    In TF1 `conf["n"] += 1` changes what the code below it reads. A step reads the object
    after all changes above the step.
    """
    known = {a.name for a in old if a.step is not None}
    told: set[str] = set()
    for place, read in enumerate(new):
        if read.how is not How.READ or read.step is None or not read.lasting:
            continue
        if read.name in known | told:
            continue
        made = [
            a
            for a in new[:place]
            if a.step in (None, read.step) and _may_be_seen(a, read)
        ]
        late = _find_late_change(read, made, old)
        if late is not None:
            told.add(read.name)
            yield late.line, read.object, getattr(read.step, "name", "")


def _find_late_change(
    read: Access, made: Sequence[Access], old: Sequence[Access]
) -> Access | None:
    """Returns a change before a read in one program, and after it in the other."""
    found: Access | None = None
    for place, before in enumerate(old):
        if before.how is not How.READ or before.text != read.text:
            continue
        if before.object != read.object:
            continue
        changes = [(at, a) for at, a in enumerate(old) if _may_be_seen(a, before)]
        early = [a for at, a in changes if at < place]
        again = [a for _, a in changes if set(a.loops) & set(before.loops)]
        apart = again and not any(set(a.loops) & set(read.loops) for a in made)
        if len(early) == len(made) and not apart:
            return None  # It may be another change with the same text.
        found = (
            again[0] if apart else next((a for at, a in changes if at > place), None)
        )
        found = found or (early[0] if early else None)
    return found


def _may_be_seen(change: Access, read: Access) -> bool:
    """Whether a change of an object, not of a name, alters the value of a read."""
    if change.how is How.READ or change.of_tensors:
        return False
    if change.object != read.object and not any(
        owner is not None for _, owner in change.keys & read.keys
    ):
        return False
    if not change.part and "." not in change.object:
        return False
    if change.entry == AT_END:
        return not read.entry.isdigit()
    return not (change.entry and read.entry) or change.entry == read.entry


def _find_origin(access: Access, old: Sequence[Access]) -> int:
    """Returns the line of the original for an access of the result."""
    written = [a for a in old if a.how is not How.READ]
    for known in (
        [a for a in written if a.text == access.text],
        *(
            # A change of it, rather than what gave it its first value.
            sorted(
                (a for a in written if a.name == name),
                key=lambda a: a.how is not access.how,
            )
            for name in find_originals(access.name)
        ),
    ):
        if known:
            return known[0].line
    return 1


def _drop_settled(accesses: Sequence[Access]) -> Iterator[Access]:
    """Yields accesses. A value that the same trace has set before counts as new again.

    `self.count = 0; self.count += 1` gives each trace the same value. `if not self.built:
    self.built = True` gives the second trace the value that the first one left.
    """
    begun: dict[tuple[object, object], Access] = {}
    for access in accesses:
        how = access.how
        for key in access.keys if access.step is not None else ():
            first = begun.setdefault((access.step, key), access)
            if how is How.READ:
                continue
            if first.how is How.SET and not first.part and _covers(first, access):
                how = How.SET
            elif first.how is not How.SET:
                how = How.CHANGE
        yield access if how is access.how else dataclasses.replace(access, how=how)


def _covers(first: Access, later: Access) -> bool:
    """Whether the later access is only reached after the first."""
    return later.guards[: len(first.guards)] == first.guards


class _State:
    """The accesses of a result, and of its original."""

    def __init__(self, accesses: list[Access], old: Sequence[Access]) -> None:
        self.accesses = accesses
        # Names that the original already changed in functions that TensorFlow traced.
        self._known = {a.name for a in old if a.step is not None and _is_change(a)}
        self._old = old

    def is_of_step(self, access: Access) -> bool:
        return (
            access.step is not None
            and _is_change(access)
            and access.name not in self._known
        )

    def judge(self, place: int, access: Access) -> str:
        """Returns the fault of a change in a step; "" if there is none."""
        same = [
            (at, a)
            for at, a in enumerate(self.accesses)
            if not a.unused and a.keys & access.keys
        ]
        by_step: dict[ast.AST, list[Access]] = {}
        for _, one in same:
            if one.step is not None:
                by_step.setdefault(one.step, []).append(one)
        changing = [step for step in by_step if any(map(_is_change, by_step[step]))]
        outside = [(at, a) for at, a in same if a.step is None and not a.first]
        if access.how is How.CHANGE:
            if len(changing) > 1:
                return SEVERAL
            if len(by_step) > 1:
                return "would be done by one step, and another asks for it"
        else:
            if access.of_tensors:
                return ""
            outside = [(at, a) for at, a in outside if a.how is How.READ]
            values = {a.text for _, a in same if a.step is not None and _is_change(a)}
            if outside and len(changing) > 1 and len(values) > 1:
                return SEVERAL
        if not outside:
            return ""
        if not access.at_once:
            return "would be done when a step is traced, and other code asks for it"
        before = sum(at < place for at, _ in outside)
        if before > self._count_reads_before_change(access.name):
            return "would be done when a step is traced, after what asks for it"
        return ""

    def _count_reads_before_change(self, name: str) -> int:
        """Counts the reads of a name in the original before its first change."""
        known = [a for a in self._old if a.name == name and not a.first]
        change = next((a for a in known if a.how is not How.READ), None)
        if change is None:
            return 0
        reads = known[: known.index(change)]
        return sum(a.line != change.line for a in reads)  # Not its operands.


def _is_change(access: Access) -> bool:
    return access.lasting and access.how is not How.READ
