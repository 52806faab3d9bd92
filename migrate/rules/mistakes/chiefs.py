"""D111: the chief told by a wrong test. D112: every worker gives the initial values.

There is one chief. Where `is_chief` is true in every worker, each restores and saves;
where it is true in none, all of them wait for ever. A plain session's `run(init)` in
every worker undoes what the others have trained so far.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.facts.sole_client import is_sole_client
from migrate.rules.mistakes.mistake import Mistake, binding, calls, method
from migrate.tables import roles

_TAKERS = {"tf.train.MonitoredTrainingSession": 1, "tf.train.Supervisor": 3}


def find(scopes: Scopes) -> Iterator[Mistake]:
    for given, _, reason, symbol in wrong_tests(scopes):
        yield Mistake(
            given,
            "D111",
            reason,
            "The chief is the worker whose index is 0: is_chief=(task_index == 0).",
            symbol=symbol,
        )
    yield from _initialised_by_all(scopes)


def wrong_tests(scopes: Scopes) -> Iterator[tuple[ast.expr, ast.expr, str, str]]:
    """Arguments `is_chief`, the tests they are, what is wrong, what takes them."""
    if not _has_server(scopes):
        return
    for call, symbol in calls(scopes):
        if symbol not in _TAKERS:
            continue
        given = names.argument(call, "is_chief", _TAKERS[symbol])
        if given is None:
            continue
        test = binding(scopes, given) or given
        reason = _wrong(scopes, test)
        if reason is not None and not is_sole_client(scopes, call):
            yield given, test, reason, symbol


def task_index(scopes: Scopes) -> str | None:
    """The expression that the servers are given as their task's index, if it is one."""
    found = set()
    for call, symbol in calls(scopes):
        if symbol == "tf.train.Server":
            given = names.argument(call, "task_index", 2)
            found.add(names.key(given) if given is not None else None)
    return found.pop() if len(found) == 1 else None


def _has_server(scopes: Scopes) -> bool:
    return any(symbol == "tf.train.Server" for _, symbol in calls(scopes))


def _wrong(scopes: Scopes, test: ast.expr) -> str | None:
    """What is wrong with a test for the chief, None if nothing is seen."""
    if isinstance(test, ast.Constant) and test.value is True:
        return "every worker is told that it is the chief: each restores and saves"
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    if not isinstance(test.ops[0], ast.Eq):
        return None
    sides = [test.left, test.comparators[0]]
    literals = [names.literal(s) for s in sides if isinstance(s, ast.Constant)]
    other = next((s for s in sides if not isinstance(s, ast.Constant)), None)
    if len(literals) != 1 or other is None:
        return None
    shown = (names.key(other) or "").rpartition(".")[2]
    if literals[0] == "worker" and "job" in shown:
        return "every worker takes itself for the chief: each restores and saves"
    if isinstance(literals[0], int) and literals[0] != 0 and "index" in shown:
        return (
            f"the worker of index {literals[0]} is taken for the chief; with fewer "
            "workers there is none, and all wait for ever"
        )
    return None


def _initialised_by_all(scopes: Scopes) -> Iterator[Mistake]:
    """`sess.run(init)` of a session on a server, under no condition."""
    if not _has_server(scopes):
        return
    for call, symbol in calls(scopes):
        target = names.argument(call, "target", 0)
        if symbol not in roles.PLAIN_SESSIONS or target is None:
            continue
        if any("grpc:" in str(names.literal(n)) for n in ast.walk(target)):
            continue  # A client of servers elsewhere, not one of the workers.
        if is_sole_client(scopes, call):
            continue
        item = scopes.parents[call]
        if not (
            isinstance(item, ast.withitem) and isinstance(item.optional_vars, ast.Name)
        ):
            continue
        block = scopes.parents[item]
        assert isinstance(block, ast.With)
        for statement in block.body:
            run = statement.value if isinstance(statement, ast.Expr) else None
            if (
                isinstance(run, ast.Call)
                and method(run) == "run"
                and run.args
                and _initialises(scopes, run.args[0])
            ):
                yield Mistake(
                    run,
                    "D112",
                    "in TF1 every worker that began gave all variables their initial "
                    "values anew, and undid what the others had trained; now they have "
                    "them once",
                    "Let the chief do it: if task_index == 0: sess.run(init).",
                    done=True,
                    symbol=symbol,
                )


def _initialises(scopes: Scopes, node: ast.expr) -> bool:
    value = binding(scopes, node) or node
    return isinstance(value, ast.Call) and scopes.resolve(value.func) in (
        "tf.global_variables_initializer",
        "tf.initialize_all_variables",
    )
