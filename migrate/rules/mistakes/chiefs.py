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
from migrate.facts.sole_client import (
    count_workers,
    decide_in_tasks,
    is_sole_client,
)
from migrate.rules.mistakes.mistake import (
    Mistake,
    find_binding,
    find_method,
    list_calls,
)
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_ALL_VARIABLES = ("tf.global_variables", "tf.all_variables", "tf.trainable_variables")
_CHIEF_RECIPE = "Let only the chief do it: if task_index == 0: sess.run(init)."
# For jobs whose only task has the same index.
_ONE_JOB_RECIPE = (
    'Put the tasks that train into one job, "worker", and take their indices from a flag. '
    "Then let only the chief do it: if task_index == 0: sess.run(init)."
)
_TAKERS = {"tf.train.MonitoredTrainingSession": 1, "tf.train.Supervisor": 3}


def find(scopes: Scopes) -> Iterator[Mistake]:
    for given, _, reason, symbol in find_wrong_tests(scopes):
        yield Mistake(
            given,
            "D111",
            reason,
            "Test for index 0, which is the chief's: is_chief=(task_index == 0).",
            symbol=symbol,
        )
    yield from _find_initialised_by_all(scopes)


def find_wrong_tests(scopes: Scopes) -> Iterator[tuple[ast.expr, ast.expr, str, str]]:
    """Yields arguments `is_chief`, their tests, what is wrong, and the symbols called.

    If the argument is missing, both are the call that lacks it.
    """
    if not _has_server(scopes) or _is_always_task(scopes, 0):
        return
    for call, symbol in list_calls(scopes):
        if symbol not in _TAKERS:
            continue
        given = names.find_argument(call, "is_chief", _TAKERS[symbol])
        if given is None:
            if not _has_more_arguments(call) and count_workers(scopes) != 1:
                reason = _judge_by_tasks(scopes, call, None)
                if reason is not None:
                    yield call, call, reason, symbol
            continue
        test = find_binding(scopes, given) or given
        if count_workers(scopes) == 1 and decide_in_tasks(scopes, call, test).get(
            ("worker", 0)
        ):
            continue  # The only worker is the chief.
        reason = _explain_wrong_test(scopes, test) or _judge_by_tasks(
            scopes, call, test
        )
        if reason is not None and not is_sole_client(scopes, call):
            yield given, test, reason, symbol


def find_task_index(scopes: Scopes) -> str | None:
    """Returns the servers' expression for their task index, if there is only one."""
    found = set()
    for call, symbol in list_calls(scopes):
        if symbol == "tf.train.Server":
            given = names.find_argument(call, "task_index", 2)
            found.add(names.find_key(given) if given is not None else None)
    return found.pop() if len(found) == 1 else None


def _has_server(scopes: Scopes) -> bool:
    return any(symbol == "tf.train.Server" for _, symbol in list_calls(scopes))


def _is_always_task(scopes: Scopes, index: int | None = None) -> bool:
    """Whether the server is of one task alone: the others have programs of their own.

    server = tf.train.Server(cluster, job_name="worker", task_index=0)
    """
    servers = [call for call, name in list_calls(scopes) if name == "tf.train.Server"]
    if len(servers) != 1:
        return False
    job = names.read_literal(names.find_argument(servers[0], "job_name", 1))
    task = names.read_literal(names.find_argument(servers[0], "task_index", 2))
    alone = isinstance(job, str) and isinstance(task, int)
    return alone and index in (None, task)


def _has_more_arguments(call: ast.Call) -> bool:
    """Whether a call has arguments that the text does not show: `f(*args, **options)`."""
    return any(k.arg is None for k in call.keywords) or any(
        isinstance(a, ast.Starred) for a in call.args
    )


def _judge_by_tasks(
    scopes: Scopes, call: ast.Call, test: ast.expr | None
) -> str | None:
    """Returns the reason why a test is wrong, from its value in each worker."""
    found = decide_in_tasks(scopes, call, test)
    if len(found) < 2 or {job for job, _ in found} != {"worker"}:
        return None
    if None in found.values():
        return None
    chiefs = [index for (_, index), holds in found.items() if holds]
    if not chiefs:
        return (
            "no worker considers itself the chief, so all workers wait for a chief "
            "for ever"
        )
    if len(chiefs) == len(found):
        how = "is_chief is not given, which is True: e" if test is None else "e"
        return (
            f"{how}very worker considers itself the chief, so each one restores and "
            "saves"
        )
    if 0 not in chiefs:
        return "workers other than the first consider themselves the chief"
    if len(chiefs) > 1:
        return (
            "several workers consider themselves the chief, so each of them "
            "restores and saves"
        )
    return None


def _explain_wrong_test(scopes: Scopes, test: ast.expr) -> str | None:
    """Returns the reason why a test for the chief is wrong, None if it looks right."""
    if isinstance(test, ast.Constant) and test.value is True:
        return "the test makes every worker the chief, so each one restores and saves"
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    if not isinstance(test.ops[0], ast.Eq):
        return None
    sides = [test.left, test.comparators[0]]
    if any(_counts_workers(scopes, s) for s in sides):
        if any("index" in (names.find_key(s) or "").rpartition(".")[2] for s in sides):
            return (
                "no worker's index equals the number of workers, so all workers wait "
                "for a chief for ever"
            )
    literals = [names.read_literal(s) for s in sides if isinstance(s, ast.Constant)]
    other = next((s for s in sides if not isinstance(s, ast.Constant)), None)
    if len(literals) != 1 or other is None:
        return None
    shown = (names.find_key(other) or "").rpartition(".")[2]
    if literals[0] == "worker" and "job" in shown:
        return "every worker considers itself the chief, so each one restores and saves"
    if isinstance(literals[0], int) and literals[0] != 0 and "index" in shown:
        return (
            f"the worker with index {literals[0]} is the chief. With fewer workers "
            "there is none, and all workers wait for ever"
        )
    return None


def _counts_workers(scopes: Scopes, node: ast.expr) -> bool:
    """Whether an expression is `len(worker_hosts)`, or a name for it."""
    made = find_binding(scopes, node) or node
    return (
        isinstance(made, ast.Call)
        and names.find_key(made.func) == "len"
        and len(made.args) == 1
        and "worker" in (names.find_key(made.args[0]) or "")
    )


def _find_initialised_by_all(scopes: Scopes) -> Iterator[Mistake]:
    """Reports `sess.run(init)` of a session on a server, in every worker."""
    servers = [c for c, symbol in list_calls(scopes) if symbol == "tf.train.Server"]
    if not servers or _is_always_task(scopes):
        return
    index = names.find_argument(servers[0], "task_index", 2)
    index = index and (find_binding(scopes, index) or index)
    fixed = isinstance(names.read_literal(index), int)
    for call, symbol in list_calls(scopes):
        target = names.find_argument(call, "target", 0)
        if symbol not in roles.PLAIN_SESSIONS or target is None:
            continue
        target = find_binding(scopes, target) or target
        by_address = any(
            "grpc:" in str(names.read_literal(n)) for n in walk_breadth_first(target)
        )
        if by_address and not _is_own(scopes, target):
            continue  # A client of servers elsewhere, not one of the workers.
        if is_sole_client(scopes, call):
            continue
        block, name = _find_opened(scopes, call)
        for run in _find_runs(block, name):
            # `sess.run(init)`, or `init.run()` in the session's block.
            assert isinstance(run.func, ast.Attribute)
            what = run.args[0] if run.args else run.func.value
            if not _initialises(scopes, what) or not _is_run_by_all(scopes, run, block):
                continue
            yield Mistake(
                run,
                "D112",
                "in TensorFlow 1 every worker that started gave all variables "
                "their initial values again, and undid what the others had "
                "trained. The migrated program initialises them once",
                _ONE_JOB_RECIPE if fixed else _CHIEF_RECIPE,
                done=True,
                symbol=symbol,
            )


def _is_own(scopes: Scopes, target: ast.expr) -> bool:
    """Whether an address is the one of the process's own task: `hosts[task_index]`."""
    index = find_task_index(scopes)
    return index is not None and any(
        names.find_key(n) == index for n in walk_breadth_first(target)
    )


def _find_opened(scopes: Scopes, call: ast.Call) -> tuple[ast.AST | None, str | None]:
    """Returns the block in which a session is open, and the session's name."""
    item = scopes.parents[call]
    if isinstance(item, ast.withitem) and isinstance(item.optional_vars, ast.Name):
        return scopes.parents[item], item.optional_vars.id
    if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
        return scopes.parents[item], item.targets[0].id
    return None, None


def _find_runs(block: ast.AST | None, name: str | None) -> Iterator[ast.Call]:
    """Yields the statements of a session's block that only run something."""
    for node in names.walk_scope(block) if block is not None and name else ():
        run = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(run, ast.Call) or find_method(run) != "run":
            continue
        assert isinstance(run.func, ast.Attribute)
        given = names.find_argument(run, "session")
        if run.args and not given:
            given = run.func.value
        if given is None or names.find_key(given) == name:
            yield run


def _is_run_by_all(scopes: Scopes, run: ast.Call, block: ast.AST | None) -> bool:
    """Whether several workers certainly reach a run."""
    conditions: list[ast.expr] = []
    node: ast.AST = run
    while node is not block and node in scopes.parents:
        child, node = node, scopes.parents[node]
        if isinstance(node, (ast.For, ast.While, ast.Try)) and node is not block:
            return False
        if isinstance(node, ast.If) and child is not node.test:
            conditions.append(node.test)
    if not conditions:
        return True
    found = decide_in_tasks(scopes, run, None)
    if sum(job == "worker" for job, _ in found) < 2:
        return False
    return all(
        None not in decide_in_tasks(scopes, run, test).values() for test in conditions
    )


def _initialises(scopes: Scopes, node: ast.expr) -> bool:
    """Whether an expression is, or contains, the initial values of all variables."""
    value = find_binding(scopes, node) or node
    if isinstance(value, (ast.List, ast.Tuple)):
        return any(_initialises(scopes, part) for part in value.elts)
    if not isinstance(value, ast.Call):
        return False
    symbol = scopes.resolve(value.func)
    if symbol == "tf.group":
        return any(_initialises(scopes, part) for part in value.args)
    if symbol in ("tf.variables_initializer", "tf.initialize_variables"):
        listed = names.find_argument(value, "var_list", 0)
        return (
            isinstance(listed, ast.Call)
            and scopes.resolve(listed.func) in _ALL_VARIABLES
        )
    return symbol in ("tf.global_variables_initializer", "tf.initialize_all_variables")
