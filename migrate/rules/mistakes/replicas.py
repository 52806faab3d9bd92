"""Strategies of a TensorFlow 2 module, their datasets, and the functions they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import binding, method

# Strategies whose replicas make one step together.
SYNCHRONOUS = frozenset(
    f"tf.distribute.{name}"
    for name in (
        *("MirroredStrategy", "experimental.CentralStorageStrategy"),
        *("MultiWorkerMirroredStrategy", "experimental.MultiWorkerMirroredStrategy"),
        *("TPUStrategy", "experimental.TPUStrategy"),
    )
)
RUNS = ("run", "experimental_run_v2")
_DISTRIBUTES = frozenset(
    {
        "experimental_distribute_dataset",
        "distribute_datasets_from_function",
        "experimental_distribute_datasets_from_function",
    }
)
# Methods of a dataset that leave the structure of its elements as it is.
_SAME_ELEMENTS = frozenset(
    {"batch", "shuffle", "repeat", "prefetch", "cache", "take", "skip", "shard"}
    | {"with_options", "filter"}
)
_OF_PARTS = frozenset(
    f"tf.data.Dataset.{name}" for name in ("from_tensor_slices", "from_tensors", "zip")
)


def strategy_of(scopes: Scopes, node: ast.expr) -> str:
    """The class a strategy's name was made of, "" where the name is not one's."""
    made = binding(scopes, node)
    symbol = scopes.resolve(made.func) if isinstance(made, ast.Call) else None
    return symbol if symbol is not None and symbol.startswith("tf.distribute.") else ""


def runs(scopes: Scopes) -> list[tuple[ast.Call, ast.FunctionDef]]:
    """Calls of a strategy's `run` with the function that is run."""
    found: list[tuple[ast.Call, ast.FunctionDef]] = []
    for node in ast.walk(scopes.tree):
        if not (isinstance(node, ast.Call) and method(node) in RUNS and node.args):
            continue
        assert isinstance(node.func, ast.Attribute)
        function = function_of(scopes, node.args[0])
        if function is not None and strategy_of(scopes, node.func.value):
            found.append((node, function))
    return found


def function_of(scopes: Scopes, node: ast.expr) -> ast.FunctionDef | None:
    """The one definition of a function that is named."""
    if not isinstance(node, ast.Name):
        return None
    owner = scopes.scope_of(node).owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
        return bound[0]
    return None


def loop_of(scopes: Scopes, node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """The innermost `for` around a node, as (target, what is iterated).

    Of `for i, batch in enumerate(dataset)` these are `batch` and `dataset`.
    """
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            return None
        if isinstance(node, ast.For):
            over, target = node.iter, node.target
            if (
                isinstance(over, ast.Call)
                and isinstance(over.func, ast.Name)
                and over.func.id == "enumerate"
                and over.args
                and isinstance(target, ast.Tuple)
                and len(target.elts) == 2
            ):
                return target.elts[1], over.args[0]
            return target, over
    return None


def is_dataset(scopes: Scopes, node: ast.expr) -> bool:
    """A name that holds a tf.data.Dataset, made by chains of its methods."""
    return isinstance(node, ast.Name) and _made(scopes, node, frozenset())


def is_distributed(scopes: Scopes, node: ast.expr) -> bool:
    """A dataset that a strategy has distributed, by name or made in place."""
    made = binding(scopes, node) or node
    return isinstance(made, ast.Call) and method(made) in _DISTRIBUTES


def gives_dataset(scopes: Scopes, node: ast.expr) -> bool:
    """An expression whose value is a tf.data.Dataset; functions of the file are read."""
    return _made(scopes, node, frozenset(), functions=True)


def _made(
    scopes: Scopes, node: ast.expr, seen: frozenset[str], functions: bool = False
) -> bool:
    while isinstance(node, ast.Call):
        if functions and isinstance(node.func, ast.Name):
            return _returned(scopes, node.func, seen)
        if (scopes.resolve(node.func) or "").startswith("tf.data."):
            return True
        if not isinstance(node.func, ast.Attribute) or node.func.attr in _DISTRIBUTES:
            return False
        node = node.func.value
    if not isinstance(node, ast.Name):
        return False
    if node.id in seen:
        return True  # `dataset = dataset.batch(8)`: its other statements tell.
    owner = scopes.scope_of(node).owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    return bool(bound) and all(
        isinstance(b, ast.Assign)
        and len(b.targets) == 1
        and isinstance(b.targets[0], ast.Name)
        and _made(scopes, b.value, seen | {node.id}, functions)
        for b in bound
    )


def _returned(scopes: Scopes, name: ast.Name, seen: frozenset[str]) -> bool:
    """Whether all that a function of the file returns are datasets."""
    function = function_of(scopes, name)
    if name.id in seen or function is None:
        return False
    returns = [
        n for n in names.walk_scope_of_function(function) if isinstance(n, ast.Return)
    ]
    return bool(returns) and all(
        r.value is not None and _made(scopes, r.value, seen | {name.id}, True)
        for r in returns
    )


def elements(scopes: Scopes, node: ast.expr) -> int | None:
    """How many parts an element of a dataset has; None where that is not told.

    A dataset that is a range has elements without parts: 1.
    """
    counts = set(_elements(scopes, node, frozenset()))
    return counts.pop() if len(counts) == 1 else None


def _elements(
    scopes: Scopes, node: ast.expr, seen: frozenset[str]
) -> Iterator[int | None]:
    """The count by every statement that makes the dataset."""
    while isinstance(node, ast.Call):
        symbol = scopes.resolve(node.func) or ""
        if symbol == "tf.data.Dataset.range":
            yield 1
            return
        if symbol in _OF_PARTS:
            given = node.args[0] if node.args else None
            if isinstance(given, ast.Name):
                given = binding(scopes, given)
            yield len(given.elts) if isinstance(given, ast.Tuple) else None
            return
        if method(node) == "experimental_distribute_dataset" and node.args:
            node = node.args[0]
        elif method(node) in _SAME_ELEMENTS and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            break
    if not isinstance(node, ast.Name):
        yield None
        return
    if node.id in seen:
        return  # `dataset = dataset.batch(8)`: its other statements tell.
    owner = scopes.scope_of(node).owner(node.id)
    for bound in owner.bindings.get(node.id, []) if owner is not None else []:
        if isinstance(bound, ast.Assign) and isinstance(bound.targets[0], ast.Name):
            yield from _elements(scopes, bound.value, seen | {node.id})
        else:
            yield None


def required(function: ast.FunctionDef) -> tuple[int, int] | None:
    """How many positional arguments a function takes at least and at most."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        return None
    count = len(arguments.posonlyargs) + len(arguments.args)
    return count - len(arguments.defaults), count


def trains(function: ast.FunctionDef) -> bool:
    """Whether a function computes gradients and applies them."""
    called = {
        method(n) or getattr(n.func, "id", "")
        for n in names.walk_scope_of_function(function)
        if isinstance(n, ast.Call)
    }
    return "GradientTape" in called and bool(called & {"apply_gradients", "minimize"})


def called_outside(scopes: Scopes) -> list[tuple[ast.Call, ast.FunctionDef, ast.expr]]:
    """Calls of a training step that nothing replicates, with it and the strategy."""
    strategies = _scopes_entered(scopes)
    if len({names.key(s) for s in strategies}) != 1:
        return []
    inside = [function for _, function in runs(scopes)]
    replicated = {*inside, *reach.reached(scopes, inside)}
    found = []
    for node in ast.walk(scopes.tree):
        if not isinstance(node, ast.Call):
            continue
        step = function_of(scopes, node.func)
        if step is None or step in replicated or not trains(step):
            continue
        if _only_called(scopes, step) and not _within(scopes, node, replicated):
            found.append((node, step, strategies[0]))
    return found


def _scopes_entered(scopes: Scopes) -> list[ast.expr]:
    """Strategies of several replicas whose `scope()` is entered, by name."""
    found: list[ast.expr] = []
    for node in ast.walk(scopes.tree):
        for item in node.items if isinstance(node, ast.With) else []:
            call = item.context_expr
            if isinstance(call, ast.Call) and method(call) == "scope":
                assert isinstance(call.func, ast.Attribute)
                entered = call.func.value
                if strategy_of(scopes, entered) in SYNCHRONOUS:
                    found.append(entered)
    return found


def _only_called(scopes: Scopes, step: ast.FunctionDef) -> bool:
    """Whether the function is given to nothing, which could replicate it."""
    for node in ast.walk(scopes.tree):
        if isinstance(node, ast.Name) and node.id == step.name:
            parent = scopes.parents[node]
            if isinstance(node.ctx, ast.Load) and not (
                isinstance(parent, ast.Call) and parent.func is node
            ):
                return False
    return True


def _within(scopes: Scopes, node: ast.AST, functions: set[ast.AST]) -> bool:
    while node in scopes.parents:
        node = scopes.parents[node]
        if node in functions or isinstance(node, (ast.ClassDef, ast.Lambda)):
            return True
    return False
