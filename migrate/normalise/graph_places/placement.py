"""The usual split by hand: variables on parameter servers, the rest on the own worker.

    with tf.device("/job:ps/task:0"):
        w = tf.Variable(...)
    with tf.device("/job:worker/task:%d" % FLAGS.task_index):
        loss = ...
    with tf.device("/job:ps/task:0"):
        update = w.assign_sub(rate * gradient)

in a session on the task's own server is what replica_device_setter does, and becomes it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.sole_client import is_sole_client
from migrate.normalise.text import Edit, Text
from migrate.rules.mistakes.mistake import find_binding
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

_VARIABLES = roles.VARIABLES | roles.GLOBAL_STEPS
_ASSIGNS = frozenset({"assign", "assign_add", "assign_sub"})
# A parameter server, and the own worker's processor; {} stands for the task's index.
_SERVER = re.compile(r"/?job:ps(/replica:\d+)?(/task:.*)?$")
# Layers that make variables.
_LAYERS = re.compile(
    r"tf\.(contrib\.)?(layers|slim)\.(dense|conv|separable_conv|batch_norm"
    r"|fully_connected|embed_sequence|layer_norm)"
)
_WORKER = re.compile(
    r"/?job:worker(/replica:\d+)?/task:\{\}(/(device:)?cpu:0)?$", re.IGNORECASE
)


def insert_setter(text: Text) -> tuple[Text, tuple[int, ...]]:
    """The text with the setter in place of the split, and the original lines of that.

    The text as it is where the program is placed otherwise.
    """
    if "job:" not in text.source or "replica_device_setter" in text.source:
        return text, ()
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    cluster, index = _find_server(scopes)
    if cluster is None or index is None or not _is_session_on_server(scopes):
        return text, ()
    if any(is_sole_client(scopes, session) for session in _list_sessions(scopes)):
        return text, ()  # Its variables and operations stay where it puts them.
    blocks = list(_find_blocks(scopes))
    kinds = [_find_kind(scopes, call, index) for call, _ in blocks]
    if "ps" not in kinds or not all(
        kind == "worker" or (kind == "ps" and _makes_variables(scopes, block.body))
        for kind, (_, block) in zip(kinds, blocks, strict=True)
    ):
        return text, ()
    by_kind = dict(zip((block for _, block in blocks), kinds, strict=True))
    if any(_keeps(scopes, b, by_kind) for b, k in by_kind.items() if k == "worker"):
        return text, ()
    edits = []
    for call, _ in blocks:
        tensorflow = text.find_segment(call.func).removesuffix(".device")
        given = text.find_segment(cluster)
        if not call.args or "\n" in given or tensorflow == "device":
            return text, ()
        setter = f"{tensorflow}.train.replica_device_setter(cluster={given})"
        edits.append(Edit(call.args[0], setter))
    lines = sorted({text.origins[call.lineno - 1] for call, _ in blocks})
    return text.apply_edits(edits), tuple(lines)


def _find_server(scopes: Scopes) -> tuple[ast.expr | None, ast.expr | None]:
    """The cluster and the task's index, as the one server of the program is given them."""
    found = scopes.list_calls("tf.train.Server")
    if len(found) != 1:
        return None, None
    cluster = names.find_argument(found[0], "server_or_cluster_def", 0)
    return cluster, names.find_argument(found[0], "task_index", 2)


def _list_sessions(scopes: Scopes) -> list[ast.Call]:
    return scopes.list_calls(*roles.SESSIONS)


def _is_session_on_server(scopes: Scopes) -> bool:
    """Whether every session is opened on the task's own server."""
    targets = [
        names.find_argument(c, "target", 0) or names.find_argument(c, "master")
        for c in _list_sessions(scopes)
    ]
    return bool(targets) and all(
        isinstance(t, ast.Attribute) and t.attr == "target" for t in targets
    )


def _find_blocks(scopes: Scopes) -> Iterator[tuple[ast.Call, ast.With]]:
    """Yields each device call of a task with its block; `pass` for a call alone."""
    for node in walk_breadth_first(scopes.tree):
        if not (
            isinstance(node, ast.Call)
            and scopes.resolve(node.func) == "tf.device"
            and "job:" in _show_call(_follow_name(scopes, node))
        ):
            continue
        item = scopes.parents[node]
        block = scopes.parents[item]
        if isinstance(item, ast.withitem) and isinstance(block, ast.With):
            yield node, block
        else:
            yield node, ast.With([], [ast.Pass()])


def _show_call(call: ast.Call) -> str:
    return "".join(
        n.value
        for n in walk_breadth_first(call)
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
    )


def _follow_name(scopes: Scopes, call: ast.Call) -> ast.Call:
    """Replaces the name in `tf.device(name)` by its value, if it is bound once."""
    if len(call.args) != 1 or not isinstance(call.args[0], ast.Name):
        return call
    name = call.args[0].id
    owner = scopes.find_scope(call.args[0]).find_owner(name)
    made = owner.bindings.get(name, []) if owner is not None else []
    if len(made) == 1 and isinstance(made[0], ast.Assign):
        return ast.Call(call.func, [made[0].value], [])
    if len(made) == 1 and isinstance(made[0], ast.For):
        return ast.Call(call.func, [made[0].iter], [])
    return call


def _find_kind(scopes: Scopes, call: ast.Call, index: ast.expr) -> str:
    """ "ps", "worker" for the own worker, "" for another place."""
    if len(call.args) != 1 or call.keywords:
        return ""
    where, value = _read_format(_follow_name(scopes, call).args[0])
    if _SERVER.match(where):
        return "ps"
    if _WORKER.match(where) and value is not None:
        return "worker" if ast.dump(value) == ast.dump(index) else ""
    return ""


def _read_format(node: ast.expr) -> tuple[str, ast.expr | None]:
    """A string with {} for the one value that is put into it, and that value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value, None
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant):
        left, right = str(node.left.value), node.right
        if isinstance(node.op, ast.Mod) and left.count("%") == 1:
            if isinstance(right, ast.Tuple) and len(right.elts) == 1:
                right = right.elts[0]
            return re.sub(r"%[dsi]", "{}", left), right
        if isinstance(node.op, ast.Add) and isinstance(right, ast.Call):
            if (
                isinstance(right.func, ast.Name)
                and right.func.id == "str"
                and right.args
            ):
                return left + "{}", right.args[0]
    if isinstance(node, ast.JoinedStr):
        values = [p.value for p in node.values if isinstance(p, ast.FormattedValue)]
        text = "".join(
            str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values
        )
        return text, values[0] if len(values) == 1 else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        base = node.func.value
        if node.func.attr == "format" and isinstance(base, ast.Constant):
            return str(base.value), node.args[0] if len(node.args) == 1 else None
    return "", None


def _makes_variables(scopes: Scopes, body: list[ast.stmt]) -> bool:
    """Whether a suite does nothing but make variables, and change them."""
    for statement in body:
        if isinstance(statement, ast.With):
            scoped = all(
                isinstance(i.context_expr, ast.Call)
                and scopes.resolve(i.context_expr.func) in roles.SCOPES
                for i in statement.items
            )
            if scoped and _makes_variables(scopes, statement.body):
                continue
            return False
        value = statement.value if isinstance(statement, ast.Assign) else None
        if not isinstance(value, ast.Call):
            return False
        if scopes.resolve(value.func) not in _VARIABLES and not _updates(scopes, value):
            return False
    return True


def _keeps(scopes: Scopes, block: ast.With, kinds: dict[ast.With, str]) -> bool:
    """Whether variables are made on a worker: each has one of its own, which none shares."""
    for part in (block, *reach.find_reached(scopes, [block])):
        for node in walk_breadth_first(part):
            symbol = scopes.resolve(node.func) if isinstance(node, ast.Call) else None
            if symbol not in _VARIABLES and not _LAYERS.match(symbol or ""):
                continue
            around: ast.AST = node
            while around in scopes.parents and around not in (part, *kinds):
                around = scopes.parents[around]
            if not isinstance(around, ast.With) or kinds.get(around) != "ps":
                return True
    return False


def _updates(scopes: Scopes, call: ast.Call) -> bool:
    """Whether it changes a variable, where TensorFlow 1 does so wherever it is written.

    `tf.assign_sub(w, ...)`, or a method of what is made as a variable. What is computed
    for it moves to the worker, which gives the same value.
    """
    symbol = scopes.resolve(call.func)
    if symbol is not None:
        return symbol in roles.ASSIGNMENTS
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in _ASSIGNS):
        return False
    made = find_binding(scopes, call.func.value)
    return isinstance(made, ast.Call) and scopes.resolve(made.func) in roles.VARIABLES
