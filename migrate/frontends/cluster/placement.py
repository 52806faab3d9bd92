"""Graphs that are placed on the tasks of a cluster by hand, and run by one client.

`with tf.device("/job:ps/task:0")` around variables and `"/job:worker/task:1"` around
operations, in a session on one of the servers: what computes where is the program's
own choice, which a strategy would not keep. TensorFlow 2 keeps it: the client connects to
the cluster, and variables and step functions have their devices.
"""

from __future__ import annotations

import ast
import re

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.facts.sole_client import is_one_of_several, is_sole_client
from migrate.frontends.sessions import plain as plain_sessions
from migrate.program import ir
from migrate.program.binding_time import Diagnostics
from migrate.source.nodes import walk_breadth_first

_CLUSTER = "tf.train.ClusterSpec"
SETTER = "tf.train.replica_device_setter"


def names_task(scopes: Scopes, call: ast.AST) -> bool:
    """Whether a call is tf.device of a task of a cluster."""
    return (
        isinstance(call, ast.Call)
        and scopes.resolve(call.func) == "tf.device"
        and not deals(scopes, call)
        and any(
            isinstance(n, ast.Constant)
            and isinstance(n.value, str)
            and "job:" in n.value
            for n in walk_breadth_first(call)
        )
    )


def deals(scopes: Scopes, call: ast.AST) -> bool:
    """Whether a call is tf.device of a replica_device_setter."""
    if not (isinstance(call, ast.Call) and scopes.resolve(call.func) == "tf.device"):
        return False
    device = names.find_argument(call, "device_name_or_function", 0)
    if isinstance(device, ast.Name):
        owner = scopes.find_scope(device).find_owner(device.id)
        made = owner.bindings.get(device.id, []) if owner is not None else []
        if len(made) == 1 and isinstance(made[0], ast.Assign):
            device = made[0].value
    return isinstance(device, ast.Call) and scopes.resolve(device.func) == SETTER


def is_client(scopes: Scopes, session: ast.Call, placed: bool = False) -> bool:
    """Whether the session of a program placed by hand is its cluster's only one.

    It is opened on a server elsewhere, or on the own one by one task of the cluster.

    Args:
      placed: whether its towers are on tasks of the cluster.
    """
    target = _find_target(scopes, session)
    if target is None or not (
        placed or plain_sessions.find_pinned_call(scopes) is not None
    ):
        return False
    if is_on_own_server(scopes, session):
        return is_sole_client(scopes, session)
    if isinstance(target, ast.Name):
        owner = scopes.find_scope(target).find_owner(target.id)
        made = owner.bindings.get(target.id, []) if owner is not None else []
        if len(made) == 1 and isinstance(made[0], ast.Assign):
            target = made[0].value
    return any(
        isinstance(n, ast.Constant) and isinstance(n.value, str) and "grpc:" in n.value
        for n in walk_breadth_first(target)
    )


def is_on_own_server(scopes: Scopes, session: ast.Call) -> bool:
    """Whether a session is opened by a task of the cluster: on `server.target`."""
    target = _find_target(scopes, session)
    return isinstance(target, ast.Attribute) and target.attr == "target"


def _find_target(scopes: Scopes, session: ast.Call) -> ast.expr | None:
    plain = plain_sessions.is_plain(scopes, session)
    return names.find_argument(session, "target" if plain else "master", 0)


def find_cluster(
    scopes: Scopes,
    diagnostics: Diagnostics,
    session: ast.Call,
    driver: ast.FunctionDef | ast.Module,
) -> str | None:
    """The name under which a client's driver has its cluster; None, with a refusal."""
    made = _find_cluster_names(scopes)
    known = {
        name
        for name in _find_cluster_parameters(scopes, driver, made) | made
        if (owner := scopes.find_scope(session).find_owner(name)) is not None
        and owner.node in (driver, scopes.tree)
    }
    if len(known) != 1:
        diagnostics.refuse(
            "C131",
            session,
            f"the client places operations on {_spell_tasks(scopes)}, but the tool does "
            "not see one ClusterSpec with the addresses of all tasks",
            f"Write {_write_missing_cluster(scopes)} where the session is opened. "
            "Or migrate the client together with the file that starts the servers.",
            _CLUSTER,
        )
        return None
    # If only one task opens a session, its index is the same in every run.
    index = set() if is_on_own_server(scopes, session) else _find_task_indices(scopes)
    for call in walk_breadth_first(scopes.tree):
        if names_task(scopes, call):
            for node in walk_breadth_first(call):
                if isinstance(node, ast.expr) and ast.dump(node) in index:
                    diagnostics.refuse(
                        "C131",
                        node,
                        "the placement depends on the task. In TensorFlow 2 each "
                        "task would be a separate client, and they would share no "
                        "variables",
                        "Use replica_device_setter, and one session for each worker.",
                        "tf.device",
                    )
                    return None
    if not is_on_own_server(scopes, session) and is_one_of_several(scopes, session):
        diagnostics.refuse(
            "C131",
            session,
            "several tasks of the cluster open this session. In TensorFlow 2 each "
            "would be a separate client, and they would share no variables",
            "Let all tasks but one wait in server.join(), or start the servers by "
            "another program.",
            scopes.resolve(session.func) or "",
        )
        return None
    return next(iter(known))


def _find_named_tasks(scopes: Scopes) -> dict[str, set[int]]:
    """The tasks that devices name, by job."""
    found: dict[str, set[int]] = {}
    for call in walk_breadth_first(scopes.tree):
        for node in walk_breadth_first(call) if names_task(scopes, call) else ():
            text = node.value if isinstance(node, ast.Constant) else None
            for job, index in re.findall(
                r"/?job:(\w+)(?:/task:(\d+))?", str(text or "")
            ):
                found.setdefault(job, set()).add(int(index or 0))
    return found


def _spell_tasks(scopes: Scopes) -> str:
    tasks = [
        f"/job:{job}/task:{index}"
        for job, indices in sorted(_find_named_tasks(scopes).items())
        for index in sorted(indices)
    ]
    return ", ".join(tasks) or "tasks that it computes"


def _write_missing_cluster(scopes: Scopes) -> str:
    """Writes the missing ClusterSpec, with an address for each named task."""
    jobs = [
        f'"{job}": [{", ".join(["host:port"] * (max(indices) + 1))}]'.replace(
            "host:port", '"host:port"'
        )
        for job, indices in sorted(_find_named_tasks(scopes).items())
    ]
    return f"cluster = tf.train.ClusterSpec({{{', '.join(jobs) or '...'}}})"


def names_own_task(scopes: Scopes, towers: ir.Towers | None) -> bool:
    """Whether towers are on the task that builds them, on its several devices."""
    if towers is None or not towers.devices:
        return False
    parts = {
        ast.dump(n) for n in walk_breadth_first(ast.parse(towers.devices, mode="eval"))
    }
    return bool(parts & _find_task_indices(scopes))


def _find_cluster_names(scopes: Scopes) -> set[str]:
    """Names that are bound to a ClusterSpec, and to nothing else."""
    found: dict[str, list[bool]] = {}
    for node in walk_breadth_first(scopes.tree):
        if isinstance(node, ast.Assign):
            value = node.value
            is_cluster = isinstance(value, ast.Call) and (
                scopes.resolve(value.func) == _CLUSTER
            )
            for name in names.find_binds(node):
                found.setdefault(name, []).append(is_cluster)
    return {name for name, kinds in found.items() if all(kinds)}


def _find_cluster_parameters(
    scopes: Scopes, driver: ast.FunctionDef | ast.Module, made: set[str]
) -> set[str]:
    """Parameters of the driver that every call gives a ClusterSpec."""
    if not isinstance(driver, ast.FunctionDef):
        return set()
    parameters = [a.arg for a in driver.args.args]
    calls = [
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == driver.name
    ]
    return {
        parameter
        for position, parameter in enumerate(parameters)
        if calls
        and all(
            isinstance(
                given := names.find_argument(call, parameter, position), ast.Name
            )
            and given.id in made
            for call in calls
        )
    }


def _find_task_indices(scopes: Scopes) -> set[str]:
    """Returns dumps of the servers' task indices, without those that are constants."""
    return {
        ast.dump(index)
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Call)
        and scopes.resolve(node.func) == "tf.train.Server"
        and (index := names.find_argument(node, "task_index", 2)) is not None
        and not isinstance(index, ast.Constant)
    }
