"""Whether one task of a cluster alone opens the session, and all others wait.

    server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
    if FLAGS.job_name == "ps" or FLAGS.task_index > 0:
      server.join()
    with tf.Session(server.target) as sess:
      ...

Each task's conditions are decided: those that name its job and its index. A condition of
anything else may hold or not.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection
from typing import Any

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_SERVER = "tf.train.Server"
# Jobs of a cluster whose description is not in sight, and jobs that have one task each.
_USUAL = ("ps", "worker")
_SINGLE = ("chief", "master")
_INDICES = (0, 1, 2)
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    # Tests with `is` only have None, True or False as operands.
    ast.Is: lambda a, b: a == b and type(a) is type(b),
    ast.IsNot: lambda a, b: not (a == b and type(a) is type(b)),
}
_CONVERTED: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "str": str}


def is_sole_client(scopes: Scopes, session: ast.Call) -> bool:
    """Whether only one task opens a session on the program's own server."""
    return find_sole_task(scopes, session) is not None


def is_one_of_several(scopes: Scopes, session: ast.Call) -> bool:
    """Whether several tasks that start the program's server open a session on it."""
    return len(_find_reaching_tasks(scopes, session)) > 1


def find_sole_task(scopes: Scopes, session: ast.Call) -> tuple[str, int] | None:
    """Returns the only task, as (job, index), that opens a session on its own server."""
    found = _find_reaching_tasks(scopes, session)
    return found[0][0] if len(found) == 1 else None


def decide_in_tasks(
    scopes: Scopes, session: ast.AST, test: ast.expr | None
) -> dict[tuple[str, int], bool | None]:
    """Decides a condition in each task that opens a session on the program's own server.

    Args:
      test: the condition; None holds in every task.

    Returns:
      By job and index of the first few tasks, None if it is not decided. Empty if the
      program does not show which task a process is.
    """
    return {
        place: True if test is None else task.decide_condition(test)
        for place, task in _find_reaching_tasks(scopes, session)
    }


def is_reached_in(
    scopes: Scopes,
    node: ast.AST,
    places: Collection[tuple[str, int]],
) -> bool:
    """Whether one of these tasks may reach a node.

    Args:
      places: the tasks, as `decide_in_tasks` names them.
    """
    return any(place in places for place, _ in _find_reaching_tasks(scopes, node))


def _find_reaching_tasks(
    scopes: Scopes, session: ast.AST
) -> list[tuple[tuple[str, int], _Task]]:
    """Returns the tasks that may open a session on the program's own server."""
    servers = scopes.list_calls(_SERVER)
    if len(servers) != 1:
        return []
    job = names.find_argument(servers[0], "job_name", 1)
    index = names.find_argument(servers[0], "task_index", 2)
    if job is None or index is None:
        return []
    tasks = [
        ((name, number), _Task(scopes, {ast.dump(job): name, ast.dump(index): number}))
        for name in _list_jobs(scopes, servers[0])
        for number in (_INDICES[:1] if name in _SINGLE else _INDICES)
    ]
    return [(place, task) for place, task in tasks if task.may_reach(session)]


def count_workers(scopes: Scopes) -> int | None:
    """Counts the tasks of the job "worker"; None if its cluster is not written out."""
    servers = scopes.list_calls(_SERVER)
    described = _find_description(scopes, servers[0]) if len(servers) == 1 else None
    for key, value in zip(described.keys, described.values) if described else ():
        if key is not None and names.read_literal(key) == "worker":
            written = isinstance(value, ast.List | ast.Tuple) and not any(
                isinstance(e, ast.Starred) for e in value.elts
            )
            return len(value.elts) if written else None  # type: ignore[attr-defined]
    return None


def _list_jobs(scopes: Scopes, server: ast.Call) -> tuple[str, ...]:
    """Returns the jobs of a cluster if it is written out, otherwise those that are named."""
    given = _find_description(scopes, server)
    keys = [names.read_literal(k) for k in given.keys if k is not None] if given else []
    if given and len(keys) == len(given.keys) and all(isinstance(k, str) for k in keys):
        return tuple(str(k) for k in keys)
    named = {
        node.value
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Constant) and node.value in _SINGLE
    }
    return (*_USUAL, *sorted(str(name) for name in named))


def _find_description(scopes: Scopes, server: ast.Call) -> ast.Dict | None:
    """Returns the dict display of a server's cluster."""
    given = names.find_argument(server, "server_or_cluster_def", 0)
    for _ in range(4):
        if isinstance(given, ast.Name):
            owner = scopes.find_scope(given).find_owner(given.id)
            made = owner.bindings.get(given.id, []) if owner is not None else []
            if len(made) != 1 or not isinstance(made[0], ast.Assign):
                break
            given = made[0].value
        if (
            isinstance(given, ast.Call)
            and scopes.resolve(given.func) == "tf.train.ClusterSpec"
            and given.args
        ):
            given = given.args[0]
        if isinstance(given, ast.Dict):
            return given
    return None


class _Unknown(Exception):
    """A task's job and index do not decide a value."""


class _Task:
    """One task of the cluster.

    Args:
      known: its values, by the dump of the expression that gives them.
    """

    def __init__(self, scopes: Scopes, known: dict[str, object]) -> None:
        self._scopes = scopes
        self._known = known
        self._within: set[ast.AST] = set()  # Functions whose calls are being followed.

    def may_reach(self, node: ast.AST) -> bool:
        """Whether nothing is seen to keep the task from reaching a node."""
        child, parent = node, self._scopes.parents.get(node)
        while parent is not None:
            for _, suite in names.list_suites(parent):  # type: ignore[arg-type]
                if child in suite:
                    earlier = suite[: suite.index(child)]
                    if any(self._waits(statement) for statement in earlier):
                        return False
            if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
                decided = self.decide_condition(parent.test)
                body = parent.body
                held = child in body if isinstance(body, list) else child is body
                if decided is not None and decided != held:
                    return False
            if isinstance(parent, ast.BoolOp):
                # `is_chief and sess.run(summary_op)` ends at the first operand.
                ends = isinstance(parent.op, ast.Or)
                before = parent.values[: parent.values.index(child)]  # type: ignore[arg-type]
                if any(self.decide_condition(value) is ends for value in before):
                    return False
            if isinstance(parent, ast.FunctionDef):
                return self._may_be_called(parent)
            child, parent = parent, self._scopes.parents.get(parent)
        return True

    def _may_be_called(self, function: ast.FunctionDef) -> bool:
        if function in self._within:
            return True
        self._within.add(function)
        calls = [
            node
            for node in walk_breadth_first(self._scopes.tree)
            if isinstance(node, ast.Call)
            and names.find_key(node.func) in (function.name, f"self.{function.name}")
        ]
        # tf.app.run() calls main, and nothing else does.
        reached = not calls or any(self.may_reach(call) for call in calls)
        self._within.discard(function)
        return reached

    def _waits(self, statement: ast.stmt) -> bool:
        """Whether the task certainly waits for ever in a statement, or ends there."""
        if isinstance(statement, ast.If):
            decided = self.decide_condition(statement.test)
            if decided is None:
                return all(
                    any(map(self._waits, suite))
                    for suite in (statement.body, statement.orelse)
                )
            return any(
                map(self._waits, statement.body if decided else statement.orelse)
            )
        if isinstance(statement, ast.With):
            return any(map(self._waits, statement.body))
        if isinstance(statement, ast.Return):
            return True
        call = statement.value if isinstance(statement, ast.Expr) else None
        return (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "join"
            and not call.args
            and self._is_server(call.func.value)
        )

    def _is_server(self, node: ast.expr) -> bool:
        """Whether a value is the program's server."""
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            made = owner.bindings.get(node.id, []) if owner is not None else []
            if len(made) != 1 or not isinstance(made[0], ast.Assign):
                return False
            node = made[0].value
        return isinstance(node, ast.Call) and self._scopes.resolve(node.func) == _SERVER

    def decide_condition(self, test: ast.expr) -> bool | None:
        """Whether a condition holds; None if it is not decided."""
        try:
            return bool(self._evaluate_condition(test))
        except _Unknown:
            return None

    def _evaluate_condition(self, node: ast.expr) -> object:
        """Returns a condition's value for this task.

        Raises:
          _Unknown: it is not decided.
        """
        known = self._known.get(ast.dump(node))
        if known is not None:
            return known
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Tuple, ast.List)):
            return [self._evaluate_condition(element) for element in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self._evaluate_condition(node.operand)
        if isinstance(node, ast.BoolOp):
            return self._evaluate_bool_op(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left = self._evaluate_condition(node.left)
            right = self._evaluate_condition(node.comparators[0])
            try:
                return _COMPARE[type(node.ops[0])](left, right)
            except (KeyError, TypeError):
                raise _Unknown from None
        if isinstance(node, ast.IfExp):
            return self._evaluate_condition(
                node.body if self._evaluate_condition(node.test) else node.orelse
            )
        if isinstance(node, ast.Call):
            return self._evaluate_call(node)
        if isinstance(node, ast.Name):
            owner = self._scopes.find_scope(node).find_owner(node.id)
            made = owner.bindings.get(node.id, []) if owner is not None else []
            if len(made) == 1 and isinstance(made[0], ast.Assign):
                if isinstance(made[0].targets[0], ast.Name):
                    return self._evaluate_condition(made[0].value)
        raise _Unknown

    def _evaluate_call(self, call: ast.Call) -> object:
        """Evaluates `bool(task_index)`, or a plain function without parameters."""
        name = names.find_key(call.func)
        if name in _CONVERTED and len(call.args) == 1 and not call.keywords:
            given = self._evaluate_condition(call.args[0])
            try:
                return _CONVERTED[name](given)
            except (TypeError, ValueError):
                raise _Unknown from None
        if isinstance(call.func, ast.Name) and not (call.args or call.keywords):
            owner = self._scopes.find_scope(call.func).find_owner(call.func.id)
            made = owner.bindings.get(call.func.id, []) if owner is not None else []
            function = made[0] if len(made) == 1 else None
            if isinstance(function, ast.FunctionDef) and function not in self._within:
                last = function.body[-1]
                others = [s for s in function.body[:-1] if not isinstance(s, ast.Expr)]
                if isinstance(last, ast.Return) and last.value and not others:
                    self._within.add(function)
                    try:
                        return self._evaluate_condition(last.value)
                    finally:
                        self._within.discard(function)
        raise _Unknown

    def _evaluate_bool_op(self, node: ast.BoolOp) -> bool:
        """Evaluates `and` or `or`, of which a part may be unknown."""
        decides = isinstance(node.op, ast.Or)
        parts = [self.decide_condition(value) for value in node.values]
        if decides in parts:
            return decides
        if None in parts:
            raise _Unknown
        return not decides
