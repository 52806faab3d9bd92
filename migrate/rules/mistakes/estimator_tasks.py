"""D169: a function of an Estimator finds out by itself which task it runs in.

Measured: with parameter servers the chief's process runs the loops of all workers. It calls
input_fn once for each, and model_fn once. TF_CONFIG and flags always name the chief there;
RunConfig, which input_fn is given as `config`, names the worker.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import (
    Mistake,
    find_binding,
    find_method,
    list_calls,
)
from migrate.source.nodes import walk_breadth_first

_ESTIMATORS = ("tf.estimator.", "tf.contrib.learn.", "tf.contrib.tpu.TPUEstimator")
_INPUT = "tf.estimator.TrainSpec"


def find(scopes: Scopes) -> Iterator[Mistake]:
    shown = _find_shown(scopes)
    tainted = _find_tainted(scopes, shown)
    for call, symbol in list_calls(scopes):
        for parameter, value in _find_functions(call, symbol):
            for part in [value, *reach.find_reached(scopes, [value])]:
                node = _find_read(scopes, part, shown, tainted)
                if node is not None:
                    yield _make_mistake(node, parameter)
                    break


def _make_mistake(node: ast.expr, parameter: str) -> Mistake:
    called = (
        "once for each worker" if parameter == "input_fn" else "once for all workers"
    )
    return Mistake(
        node,
        "D169",
        f"{parameter} reads the index or type of its task. With parameter "
        f"servers the chief's process calls it {called}, and always gets the "
        "chief's",
        "Give input_fn a parameter `config`, and use config.global_id_in_cluster."
        if parameter == "input_fn"
        else "Let hooks or input_fn do what differs between the tasks.",
    )


def _find_functions(call: ast.Call, symbol: str) -> Iterator[tuple[str, ast.expr]]:
    """Yields the model_fn and the training's input_fn among the arguments of a call."""
    first = call.args[0] if call.args else None
    if symbol == _INPUT or (not symbol and find_method(call) == "train"):
        value = names.find_argument(call, "input_fn") or first
        if value is not None:
            yield "input_fn", value
    elif symbol.startswith(_ESTIMATORS) and symbol.endswith("Estimator"):
        value = names.find_argument(call, "model_fn") or first
        if value is not None:
            yield "model_fn", value


def _find_shown(scopes: Scopes) -> set[str]:
    """Returns the task's values in TF_CONFIG: `{"type": job, "index": FLAGS.task_index}`."""
    found: set[str] = set()
    for node in scopes.walk():
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None or names.read_literal(key) != "task":
                continue
            task = find_binding(scopes, value) or value
            if isinstance(task, ast.Dict):
                told = [v for v in task.values if isinstance(v, ast.Attribute)]
                found |= {ast.dump(v) for v in told}
    return found


def _find_tainted(scopes: Scopes, shown: set[str]) -> set[tuple[int, str]]:
    """Returns names, with their scopes, that hold values that depend on the task."""
    found: set[tuple[int, str]] = set()
    size = -1
    while size != len(found):
        size = len(found)
        for node in scopes.walk():
            if isinstance(node, ast.Assign) and _find_read(
                scopes, node.value, shown, found
            ):
                for target in node.targets:
                    for part in walk_breadth_first(target):
                        if isinstance(part, ast.Name):
                            found |= _find_owned(scopes, part)
    return found


def _find_owned(scopes: Scopes, name: ast.Name) -> set[tuple[int, str]]:
    owner = scopes.find_scope(name).find_owner(name.id)
    return set() if owner is None else {(id(owner), name.id)}


def _find_read(
    scopes: Scopes, code: ast.AST, shown: set[str], tainted: set[tuple[int, str]]
) -> ast.expr | None:
    """Returns the first place where code asks for the task."""
    found = [
        node
        for node in walk_breadth_first(code)
        if isinstance(node, ast.expr)
        and (
            _asks(scopes, node)
            or (isinstance(node, ast.Attribute) and ast.dump(node) in shown)
            or (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and _find_owned(scopes, node) & tainted
            )
        )
    ]
    return min(found, key=lambda n: (n.lineno, n.col_offset), default=None)


def _asks(scopes: Scopes, node: ast.expr) -> bool:
    """Whether code is `config["task"]["index"]`, or uses `task = config.get("task", {})`."""
    base, key = _find_item(node)
    if base is None or key not in ("index", "type"):
        return False
    return _find_item(find_binding(scopes, base) or base)[1] == "task"


def _find_item(node: ast.expr) -> tuple[ast.expr | None, object]:
    """Returns a mapping and the key that is looked up in it; (None, None) for other code."""
    if isinstance(node, ast.Subscript):
        return node.value, names.read_literal(node.slice)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get"
        and node.args
    ):
        return node.func.value, names.read_literal(node.args[0])
    return None, None
