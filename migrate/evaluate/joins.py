"""Forks and joins: two sides of a test that only a run decides."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from migrate.evaluate.completions import NORMAL, Completion, Pending
from migrate.evaluate.store import MISSING, Delta
from migrate.graph.values import Choice, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# Nested choices beyond this are no longer worth telling apart.
_DEEPEST = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Diverged:
    """Contents of a cell that differ by a test: a list of two lengths, a counter of names."""

    test: int
    yes: Any
    no: Any


def join_values(test: int, yes: Value, no: Value) -> Value:
    """One value for two sides."""
    if yes == no:
        return yes
    return Choice(test, yes, no)


def join_contents(test: int, yes: Any, no: Any) -> Any:
    """Joins the contents that a cell has on the two sides of a fork.

    If only one side has bound a name, the join keeps that side's value. A program that
    reads the name has taken this side, because otherwise it would have failed.
    """
    if yes is no:
        return yes
    if yes is MISSING:
        return no
    if no is MISSING:
        return yes
    if isinstance(yes, Value) and isinstance(no, Value):
        return join_values(test, yes, no)
    if isinstance(yes, tuple) and isinstance(no, tuple) and len(yes) == len(no):
        if all(isinstance(v, Value) for v in (*yes, *no)):
            return tuple(join_values(test, a, b) for a, b in zip(yes, no))
    return yes if yes == no else Diverged(test, yes, no)


def merge(m: Machine, test: int, outcome: bool, delta: Delta, mark: int) -> None:
    """Joins one side's changes, which are in the store, with the other side's.

    Args:
      outcome: of the test on the side of the delta.
    """
    store = m.store
    before = store.find_changed_cells(mark)
    for key in (*delta, *(key for key in before if key not in delta)):
        here = store.get(key)
        there = delta[key] if key in delta else before[key]
        yes, no = (there, here) if outcome else (here, there)
        store.set(key, join_contents(test, yes, no))


def fork_store(
    m: Machine, test: int, yes: Callable[[], Value], no: Callable[[], Value]
) -> Value:
    """Evaluates both sides, each from the same store, and joins them."""
    known = m.find_outcome(test)
    if known is not None:
        return yes() if known else no()
    mark = m.store.mark()
    with m.enter_branch(test, True):
        one = yes()
    delta = m.store.take_off(mark)
    with m.enter_branch(test, False):
        other = no()
    merge(m, test, True, delta, mark)
    return join_values(test, one, other)


def map_choices(
    m: Machine, value: Value, action: Callable[[Value], Value], depth: int = 0
) -> Value:
    """Applies an action to each of the values that a choice may be."""
    if not isinstance(value, Choice):
        return action(value)
    if depth > _DEEPEST:
        return m.make_unknown("a value depends on more tests than are told apart")
    return fork_store(
        m,
        value.test,
        lambda: map_choices(m, m.resolve(value.yes), action, depth + 1),
        lambda: map_choices(m, m.resolve(value.no), action, depth + 1),
    )


def settle(
    m: Machine,
    test: int,
    yes: tuple[Completion, Delta],
    no: Completion,
    mark: int,
) -> Completion:
    """Joins the two completions of a fork of suites into one.

    The store has the changes of the side where the test is false. A side that leaves
    the function or the loop while the other goes on is kept as pending.
    """
    one, delta = yes
    dead_one, dead_other = _is_dead(one), _is_dead(no)
    if dead_one and dead_other:
        return no
    if dead_one:
        m.rule_out(test, True)
        return no
    if dead_other:
        m.store.take_off(mark)
        m.store.put_on(delta)
        m.rule_out(test, False)
        return one
    if one.kind == no.kind:
        merge(m, test, True, delta, mark)
        if one is no:
            return one
        return Completion(one.kind, join_values(test, one.value, no.value))
    if one.kind != "normal":
        m.leave(test, True, one, delta, mark)
        m.assume(test, False)
        return no
    other = m.store.take_off(mark)
    m.leave(test, False, no, other, mark)
    m.store.put_on(delta)
    m.assume(test, True)
    return NORMAL


def _is_dead(completion: Completion) -> bool:
    return completion.kind in ("raise", "never")


def complete_delta(m: Machine, delta: Delta, base: int, fork: int) -> Delta:
    """A side's changes since `base`: those before the fork, and its own since then."""
    since = m.store.find_changed_cells(fork)
    found: dict[Hashable, Any] = {
        key: since.get(key, m.store.get(key))
        for key in m.store.find_changed_cells(base)
    }
    found.update(delta)
    return found


def close(m: Machine, base: int, pending: list[Pending], last: Value) -> Value:
    """Joins all pending sides with the store, and returns the joined value."""
    for one in reversed(pending):
        before = m.store.find_changed_cells(base)
        for key in (*one.delta, *(key for key in before if key not in one.delta)):
            here = m.store.get(key)
            there = one.delta[key] if key in one.delta else before[key]
            m.store.set(key, _choose_value(one.tests, there, here))
        last = _choose_value(one.tests, one.completion.value, last)
    return last


def _choose_value(tests: tuple[tuple[int, bool], ...], there: Any, here: Any) -> Any:
    """Chooses `there` if all tests have these outcomes, else `here`."""
    found = there
    for test, outcome in reversed(tests):
        yes, no = (found, here) if outcome else (here, found)
        found = join_contents(test, yes, no)
    return found
