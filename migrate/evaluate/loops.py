"""Loops: rounds that are told apart, and rounds that are alike.

A loop over a known number of elements is unrolled where its rounds build graph, or are few and run
nothing. Any other loop is evaluated once for all its rounds: what a round changes is a host value
that nobody knows, until another round changes nothing else.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from migrate.evaluate import calls, containers, joins
from migrate.evaluate.assignment import assign_value
from migrate.evaluate.completions import NORMAL, Completion
from migrate.evaluate.joins import Diverged
from migrate.evaluate.machine import LoopState
from migrate.evaluate.store import MISSING
from migrate.evaluate.truth import find_truth
from migrate.graph.values import Choice, Const, Host, Reference, Unknown, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# Rounds that are told apart although they build nothing: they may compute what is built with.
_FEW = 64
# Rounds that build: more is no network that somebody wrote.
_MOST = 2000
_STABLE_AFTER = 5


def execute_for(m: Machine, node: ast.For) -> Completion:
    """A `for` loop."""
    from migrate.evaluate.expressions import evaluate

    iterable = evaluate(m, node.iter)
    generated = _run_generator_loop(m, node, iterable)
    if generated is not None:
        return generated
    items = calls.iterate_over(m, iterable)
    if items is not None and not items:
        return _run_else(m, node)
    if items is not None:
        rounds = [
            functools.partial(assign_value, m, node.target, item) for item in items
        ]
        done = _unroll(m, node, rounds, _mention_graph(m, items))
        if done is not None:
            return done
    what = f"an element of {ast.unparse(node.iter)}"

    def bind_any() -> None:
        item = _join_values(items, m, what)
        assign_value(m, node.target, item or containers.find_element(m, iterable, what))

    return _summarise(m, node, bind_any)


def _join_values(items: list[Value] | None, m: Machine, what: str) -> Value | None:
    """One value that stands for each of many."""
    if items is None:
        return None
    if all(isinstance(v, (Const, Host)) for v in items):
        return m.hosts.make_fresh(what)
    if len(set(items)) == 1:
        return items[0]
    from migrate.graph.values import Tuple

    tuples = [v for v in items if isinstance(v, Tuple)]
    if len(tuples) == len(items) and len({len(t.items) for t in tuples}) == 1:
        columns = zip(*(t.items for t in tuples))
        parts = [_join_values(list(column), m, what) for column in columns]
        return Tuple(tuple(p or m.make_unknown(what) for p in parts))
    return None


def _run_generator_loop(
    m: Machine, node: ast.For, iterable: Value
) -> Completion | None:
    """A loop over a generator of the program: each of its values begins a round."""
    from migrate.evaluate import objects, statements
    from migrate.graph.values import NONE, External

    if objects.find_class(m, iterable) != External("generator"):
        return None
    left: list[Completion] = []

    def run_round(item: Value) -> Value:
        if left:
            return NONE
        assign_value(m, node.target, item)
        m.loops.append(LoopState(m.store.mark(), len(m.guard)))
        try:
            ended = statements.execute_all(m, node.body)
        finally:
            state = m.loops.pop()
        _join_round(m, state)
        if ended.kind in ("return", "raise", "never", "break"):
            left.append(ended)
        return NONE

    calls.run_generator(m, iterable, run_round)
    if left and left[0].kind != "break":
        return left[0]
    return _run_else(m, node)


def _run_else(m: Machine, node: ast.For | ast.While) -> Completion:
    from migrate.evaluate import statements

    return statements.execute_all(m, node.orelse)


def execute_while(m: Machine, node: ast.While) -> Completion:
    """A `while` loop."""
    from migrate.evaluate.expressions import evaluate

    point = m.mark_point()
    rounds = 0
    guard = m.guard
    while rounds < _FEW:
        found = find_truth(m, evaluate(m, node.test))
        if found is False:
            return _run_else(m, node)
        if found is not True:
            break
        runs = len(m.record.runs)
        ended = _execute_round(m, node.body)
        if ended.kind in ("return", "raise", "never"):
            return ended
        if ended.kind == "break":
            return NORMAL
        rounds += 1
        if len(m.record.runs) > runs:
            break
    m.take_back(point)
    m.guard = guard
    test = evaluate(m, node.test)
    if find_truth(m, test) is False:
        return _run_else(m, node)

    def enter() -> None:
        evaluate(m, node.test)

    return _summarise(m, node, enter)


def _execute_round(m: Machine, body: list[ast.stmt]) -> Completion:
    """One round; sides that break off or go on are joined at its end."""
    from migrate.evaluate import statements

    guard = m.guard
    m.loops.append(LoopState(m.store.mark(), len(m.guard)))
    try:
        ended = statements.execute_all(m, body)
    finally:
        state = m.loops.pop()
    _join_round(m, state)
    if state.pending:
        m.guard = guard
    return ended


def _join_round(m: Machine, state: LoopState) -> None:
    if state.pending:
        joins.close(m, state.mark, state.pending, Const(None))


def _mention_graph(m: Machine, items: list[Value]) -> bool:
    return any(containers.mentions_graph(m, item) for item in items)


def _unroll(
    m: Machine, node: ast.For, rounds: Sequence[Callable[[], None]], differ: bool
) -> Completion | None:
    """The rounds one by one; None where they are alike and need not be told apart.

    Args:
      differ: each round has a part of the graph of its own.
    """
    point, guard = m.mark_point(), m.guard
    few = len(rounds) <= _FEW
    for number, begin in enumerate(rounds):
        before = m.store.mark()
        nodes, runs = len(m.record.nodes), len(m.record.runs)
        begin()
        ended = _execute_round(m, node.body)
        if ended.kind in ("return", "raise", "never"):
            return ended
        if ended.kind == "break":
            return NORMAL
        built = len(m.record.nodes) > nodes or _keeps_graph(m, before)
        ran = len(m.record.runs) > runs
        if number == 0 and not built and not differ and (ran or not few):
            m.take_back(point)
            m.guard = guard
            return None
        if ran and not few and not differ or number > _MOST:
            m.take_back(point)
            m.guard = guard
            return None
    return _run_else(m, node)


def _keeps_graph(m: Machine, mark: int) -> bool:
    """Whether what was changed since a mark holds something of a graph.

    A name that a loop binds to an element is its business; a container it fills is the program's.
    """
    for key in m.store.find_changed_cells(mark):
        if isinstance(key, tuple) and key[1] == "items":
            found = m.store.get(key)
            if isinstance(found, tuple):
                flat = (
                    v
                    for item in found
                    for v in (item if isinstance(item, tuple) else (item,))
                )
                if any(
                    containers.mentions_graph(m, v)
                    for v in flat
                    if isinstance(v, Value)
                ):
                    return True
    return False


def _summarise(
    m: Machine, node: ast.For | ast.While, enter: Callable[[], None]
) -> Completion:
    """Evaluates all rounds at once, until another round changes nothing new."""
    guard = m.guard
    point = m.mark_point()
    nodes, runs = len(m.record.nodes), len(m.record.runs)
    havoc: set[Hashable] = set()
    m.repeated += 1
    try:
        for attempt in range(_STABLE_AFTER):
            mark = m.store.mark()
            for key in havoc:
                _forget(m, key)
            enter()
            begun = m.store.mark()
            ended = _execute_round(m, node.body)
            changed = {
                key
                for key, old in m.store.find_changed_cells(begun).items()
                if _carries(m, key, old) and key not in havoc
            }
            if not changed or attempt == _STABLE_AFTER - 1:
                break
            havoc |= changed
            m.take_back(point)
            m.guard = guard
            del mark
        for key in havoc:
            old = m.store.get(key)
            if isinstance(old, Value) and not _is_graph(m, old):
                _forget(m, key)
    finally:
        m.repeated -= 1
    m.guard = guard
    if len(m.record.nodes) > nodes and len(m.record.runs) > runs:
        m.report_problem(
            "the graph grows while it runs, in a loop of unknown length", node
        )
    if ended.kind == "return":
        # Some round returns; that none does, nobody knows.
        test = m.hosts.make_fresh("whether a round of a loop returns")
        if isinstance(node, ast.While) and _is_true(node.test):
            return ended
        m.leave(test.key, True, ended, {}, m.store.mark())
        m.assume(test.key, False)
        return _run_else(m, node)
    if (
        ended.kind in ("raise", "never")
        and isinstance(node, ast.While)
        and _is_true(node.test)
    ):
        return ended
    return _run_else(m, node)


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _carries(m: Machine, key: Hashable, old: Any) -> bool:
    """Whether a round passes the contents of a cell on to the next round."""
    if old is MISSING:
        # Made in this round; the next makes its own.
        return False
    new = m.store.get(key)
    if isinstance(old, (int, dict)) or isinstance(new, (int, dict)):
        return (
            False  # Counters of names: a loop that draws names is a problem of its own.
        )
    return not (isinstance(new, Value) and new == old)


def _is_graph(m: Machine, value: Value) -> bool:
    return containers.mentions_graph(m, value) or isinstance(value, Unknown)


def _forget(m: Machine, key: Hashable) -> None:
    """Makes a cell's contents something that nobody knows."""
    old = m.store.get(key)
    name = key[1] if isinstance(key, tuple) else ""
    if isinstance(key, tuple) and name == "items":
        items: list[Value] = []
        if isinstance(old, containers.Summary):
            items = list(old.items)
        elif isinstance(old, tuple):
            for item in old:
                items += [v for v in (item if isinstance(item, tuple) else (item,))]
        kept = tuple(v for v in items if not isinstance(v, Const))
        host = m.hosts.make_fresh("an element that a loop adds")
        m.store.set(key, containers.Summary((*kept, host), "a loop's"))
    elif isinstance(old, Value):
        if isinstance(old, Reference) or containers.mentions_graph(m, old):
            # The value is the old one or that of a round. The round's value stands for both.
            return
        m.store.set(key, m.hosts.make_fresh(f"`{str(name).lstrip('.')}` in a loop"))
    elif isinstance(old, (Diverged, Choice)):
        m.store.set(key, m.hosts.make_fresh("a value in a loop"))
