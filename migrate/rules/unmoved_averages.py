"""Refuses batch normalisation whose moving averages TF1 did not update in every step.

tf.layers adds the updates of the averages to a collection. An update of the weights runs
them only if it waits for them. A function that is traced runs them always.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import collected_updates, names, normalised_branches
from migrate.facts.branches import is_elif, list_suites
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.source.nodes import walk_breadth_first
from migrate.tables import estimator as table

_CODE = "L123"
_NEVER = (
    "nothing in this program runs its updates. In TensorFlow 1 its moving averages "
    "kept their initial values, but TensorFlow 2 would move them"
)
_SOMETIMES = (
    "only one branch of a condition runs its updates. In TensorFlow 1 its moving "
    "averages kept their initial values in the other branch, but TensorFlow 2 "
    "would move them in both"
)
_PARTLY = (
    "the program runs only a part of UPDATE_OPS. TensorFlow 1 did not move the "
    "averages of layers whose updates are left out, but TensorFlow 2 would move all"
)
_EARLY = (
    "the program asks for UPDATE_OPS before it calls this layer. TensorFlow 1 "
    "never moved the layer's averages, but TensorFlow 2 would"
)
_RECIPE = (
    "Make the training operation under tf.control_dependencies of "
    "tf.get_collection(tf.GraphKeys.UPDATE_OPS), as TensorFlow 1's documentation "
    "says. Do this in every branch that makes one."
)


def find(
    uses: list[tuple[ast.expr, str]],
    scopes: Scopes,
    updates: bool = False,
    quiet: frozenset[str] = frozenset(),
) -> Iterator[Finding]:
    """Yields refusals of such layers in an Estimator's file, whose averages would move now.

    Args:
      updates: whether a file of the program runs the updates, this one or another.
      quiet: functions of other files that normalise no batches.
    """
    layers = [
        (node, symbol)
        for node, symbol in uses
        if symbol in table.BATCH_NORMALIZATION and not _updates_itself(node, scopes)
    ]
    runs = {
        node
        for node, symbol in uses
        if symbol.startswith(table.UPDATE_OPS[0]) or symbol in table.RUNS_UPDATES
    }
    runs |= {
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Constant) and node.value == table.UPDATE_OPS[1]
    }
    if not layers:
        return
    yield from find_partial(scopes, [node for node, _ in layers])
    reason = "" if runs or updates else _NEVER
    if runs and _updates_in_one_branch(
        runs, [node for node, _ in layers], scopes, quiet
    ):
        reason = _SOMETIMES
    left = layers
    if runs and not (reason or updates):
        reason = _NEVER
        without = _find_other_models(runs, [node for node, _ in layers], scopes)
        left = [(node, symbol) for node, symbol in layers if node in without]
    for node, symbol in left if reason else ():
        yield _refuse(node, symbol, reason)


def find_partial(
    scopes: Scopes, layers: list[ast.expr] | None = None
) -> Iterator[Finding]:
    """Yields lists of only some updates: of a scope, a selection, or asked for too early.

    Args:
      layers: expressions that name the layers that count; None for all.
    """
    asked = [n for n in scopes.walk() if collected_updates.is_list(scopes, n)]
    for ask in asked:
        assert isinstance(ask, ast.Call)
        if collected_updates.is_scoped(ask) or collected_updates.is_filtered(
            scopes, ask
        ):
            yield _refuse(ask, "tf.get_collection", _PARTLY)
    symbols = collected_updates.KERAS | collected_updates.CONTRIB
    walker = collected_updates.Events(scopes, symbols)
    late: dict[ast.Call, None] = {}
    for function in _list_askers(scopes, asked):
        events = [
            e for statement in function.body for e in walker.list_events(statement)
        ]
        events = [
            e
            for e in events
            if e.asks
            or (layers is None or e.call.func in layers)
            and names.read_literal(collected_updates.find_training(scopes, e.call))
            is not False
        ]
        for ask_event in [e for e in events if e.asks]:
            later = collected_updates.find_later(scopes, events, ask_event)
            if later is not None:
                late[later.call] = None
    for call in late:
        yield _refuse(call, scopes.resolve(call.func) or "", _EARLY)


def _list_askers(scopes: Scopes, asked: list[ast.AST]) -> list[ast.FunctionDef]:
    """Returns functions that ask for the updates, themselves or by those they call."""
    found: dict[ast.FunctionDef, None] = {}
    for function in scopes.scope_by_node:
        if isinstance(function, ast.FunctionDef):
            if any(node in asked for node in walk_breadth_first(function)):
                found.update(dict.fromkeys(_find_users(function, scopes)))
    return list(found)


def _refuse(node: ast.expr, symbol: str, reason: str) -> Finding:
    return Finding(
        node.lineno,
        node.col_offset + 1,
        _CODE,
        Outcome.REFUSED,
        symbol,
        reason,
        _RECIPE,
    )


def _updates_in_one_branch(
    runs: set[ast.expr],
    layers: list[ast.expr],
    scopes: Scopes,
    quiet: frozenset[str],
) -> bool:
    """Whether one branch of a condition updates the weights without the averages."""
    named = {
        target.id
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Assign) and runs & set(walk_breadth_first(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def is_running(nodes: Iterator[ast.AST]) -> bool:
        return any(
            node in runs
            or (
                isinstance(node, ast.Name)
                and node.id in named
                and isinstance(node.ctx, ast.Load)
            )
            for node in nodes
        )

    for function in scopes.scope_by_node:
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in walk_breadth_first(function):
            if not isinstance(node, ast.If) or is_elif(node, scopes):
                continue
            branches = [list(_walk_nodes(suite)) for suite in list_suites(node)]
            with_them = [b for b in branches if is_running(iter(b))]
            without = [b for b in branches if b not in with_them and _updates(b)]
            inside = set(walk_breadth_first(node))
            after = (
                n
                for n in walk_breadth_first(function)
                if n not in inside and getattr(n, "lineno", 0) > node.lineno
            )
            if not (with_them and without) or is_running(after):
                continue
            for user in _find_users(function, scopes):
                if not _find_reached(user, scopes).isdisjoint(layers):
                    if not normalised_branches.is_only_there(
                        node.test, user, scopes, quiet
                    ):
                        return True
    return False


def _find_other_models(
    runs: set[ast.expr], layers: list[ast.expr], scopes: Scopes
) -> set[ast.expr]:
    """Returns layers of functions that update their weights, but not their averages.

    A function counts if no other function of the file calls it, and if all code that runs
    the averages' updates is in functions too: not in a class, and not in the file's own
    statements.
    """
    functions = [f for f in scopes.scope_by_node if isinstance(f, ast.FunctionDef)]
    outer = [f for f in functions if isinstance(scopes.parents.get(f), ast.Module)]
    reached = {f: _find_reached(f, scopes, named=True) for f in outer}
    if not all(any(run in inside for inside in reached.values()) for run in runs):
        return set()
    found: set[ast.expr] = set()
    for function, inside in reached.items():
        own = inside.intersection(layers)
        if own and runs.isdisjoint(inside) and _updates(list(inside)):
            if _find_users(function, scopes) == {function}:
                found.update(node for node in layers if node in own)
    return found


def _walk_nodes(suite: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in suite:
        yield from walk_breadth_first(statement)


def _updates(nodes: list[ast.AST]) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("minimize", "apply_gradients")
        for node in nodes
    )


def _find_users(function: ast.FunctionDef, scopes: Scopes) -> set[ast.FunctionDef]:
    """Returns a function, and those of the file that call it, also indirectly."""
    found = {function}
    grows = True
    while grows:
        grows = False
        for other in scopes.scope_by_node:
            if not isinstance(other, ast.FunctionDef) or other in found:
                continue
            calls = (n for n in walk_breadth_first(other) if isinstance(n, ast.Call))
            if any(scopes.find_function(call.func) in found for call in calls):
                found.add(other)
                grows = True
    return found


def _find_reached(
    function: ast.FunctionDef, scopes: Scopes, named: bool = False
) -> set[ast.AST]:
    """Returns all nodes of a function, and of the functions of the file that it calls.

    Args:
      named: whether functions count that it only names.
    """
    found: set[ast.AST] = set()
    work = [function]
    while work:
        at = work.pop()
        if at in found:
            continue
        found.update(walk_breadth_first(at))
        for node in walk_breadth_first(at):
            other = None
            if isinstance(node, ast.Call):
                other = scopes.find_function(node.func)
            elif named and isinstance(node, ast.Name):
                other = scopes.find_function(node)
            if other is not None:
                work.append(other)
    return found


def _updates_itself(node: ast.expr, scopes: Scopes) -> bool:
    """Whether a layer is `batch_norm(..., updates_collections=None)`, of contrib.

    If it is an argument of other layers (`normalizer_fn`), or gets its arguments from a
    scope, this argument is elsewhere in the file.
    """
    call = scopes.parents.get(node)
    called = isinstance(call, ast.Call) and call.func is node
    if called and _updates_at_once(call):
        return True
    return any(
        _updates_at_once(other)
        and (not called or "arg_scope" in ast.unparse(other).partition("(")[0])
        for other in walk_breadth_first(scopes.tree)
        if other is not call
    )


def _updates_at_once(node: ast.AST | None) -> bool:
    """Whether a call or a dict has `updates_collections` with the value None."""
    pairs: list[tuple[object, ast.expr]] = []
    if isinstance(node, ast.Call):
        pairs = [(k.arg, k.value) for k in node.keywords]
    elif isinstance(node, ast.Dict):
        keys = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
        pairs = list(zip(keys, node.values))
    return any(
        name == "updates_collections"
        and isinstance(value, ast.Constant)
        and value.value is None
        for name, value in pairs
    )
