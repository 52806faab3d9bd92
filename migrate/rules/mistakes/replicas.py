"""Finds strategies of a TensorFlow 2 module, their datasets, and the functions they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import find_method
from migrate.source.nodes import walk_breadth_first

# Strategies whose replicas make one step together.
SYNCHRONOUS = frozenset(
    f"tf.distribute.{name}"
    for name in (
        *("MirroredStrategy", "experimental.CentralStorageStrategy"),
        *("MultiWorkerMirroredStrategy", "experimental.MultiWorkerMirroredStrategy"),
        *("TPUStrategy", "experimental.TPUStrategy"),
    )
)
# Strategies of one replica, which a program takes if there is only one device.
_OF_ONE = frozenset({"tf.distribute.get_strategy", "tf.distribute.OneDeviceStrategy"})
RUNS = ("run", "experimental_run_v2")
_DISTRIBUTES = frozenset(
    {
        "experimental_distribute_dataset",
        "distribute_datasets_from_function",
        "experimental_distribute_datasets_from_function",
    }
)
# Methods of a dataset that do not change the structure of its elements.
_SAME_ELEMENTS = frozenset(
    {"batch", "shuffle", "repeat", "prefetch", "cache", "take", "skip", "shard"}
    | {"with_options", "filter"}
)
_GIVE_DATASETS = _SAME_ELEMENTS | {
    "map",
    "apply",
    "padded_batch",
    "unbatch",
    "enumerate",
}
_OF_PARTS = frozenset(
    f"tf.data.Dataset.{name}" for name in ("from_tensor_slices", "from_tensors", "zip")
)


def find_strategy(scopes: Scopes, node: ast.expr) -> str:
    """Returns the class of a strategy, "" if it is not known to be one.

    If a program chooses between several, it is the one with several replicas.
    """
    made = values.find_values(scopes, node) or []
    found = [
        scopes.resolve(m.func) or "" if isinstance(m, ast.Call) else "" for m in made
    ]
    if not found or not all(s.startswith("tf.distribute.") for s in found):
        return ""
    several = [s for s in found if s not in _OF_ONE]
    if len(set(found)) == 1:
        return found[0]
    return several[0] if several and set(several) <= SYNCHRONOUS else ""


def list_runs(scopes: Scopes) -> list[tuple[ast.Call, ast.FunctionDef]]:
    """Returns calls of a strategy's `run`, with the function that is run."""
    found: list[tuple[ast.Call, ast.FunctionDef]] = []
    for node in walk_breadth_first(scopes.tree):
        if not (isinstance(node, ast.Call) and find_method(node) in RUNS and node.args):
            continue
        assert isinstance(node.func, ast.Attribute)
        function = find_function(scopes, node.args[0])
        if function is not None and find_strategy(scopes, node.func.value):
            found.append((node, function))
    return found


def find_function(scopes: Scopes, node: ast.expr) -> ast.FunctionDef | None:
    """Returns the only definition of a named function or method.

    `tf.function(step)` stands for the function, and so does a name for it.
    """
    for _ in range(3):
        if isinstance(node, ast.Attribute):
            return values.find_named_method(scopes, node)
        if isinstance(node, ast.Call):
            if scopes.resolve(node.func) != "tf.function" or not node.args:
                return None
            node = node.args[0]
            continue
        if not isinstance(node, ast.Name):
            return None
        owner = scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings.get(node.id, []) if owner is not None else []
        if len(bound) != 1:
            return None
        if isinstance(bound[0], ast.FunctionDef):
            return bound[0]
        made = bound[0]
        if not isinstance(made, ast.Assign) or not isinstance(
            made.targets[0], ast.Name
        ):
            return None
        node = made.value
    return None


def find_loop(scopes: Scopes, node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Returns the innermost `for` around a node, as (target, iterated object).

    For `for i, batch in enumerate(dataset)` these are `batch` and `dataset`.
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
    """Whether a name holds a tf.data.Dataset, or an expression calls its methods."""
    return _find_root(node) is not None and _makes_dataset(
        scopes, node, frozenset(), wide=True
    )


def _find_root(node: ast.expr) -> ast.expr | None:
    """Returns the name at the beginning of a chain of a dataset's method calls."""
    while isinstance(node, ast.Call) and find_method(node) in _GIVE_DATASETS:
        assert isinstance(node.func, ast.Attribute)
        node = node.func.value
    return node if names.find_key(node) is not None else None


def is_distributed(scopes: Scopes, node: ast.expr) -> bool:
    """Whether an expression is a dataset that a strategy has distributed."""
    made = values.find_values(scopes, node) or [node]
    if (
        isinstance(node, ast.Name)
        and (last := values.find_latest_value(scopes, node)) is not None
    ):
        made = [last]
    return all(isinstance(m, ast.Call) and find_method(m) in _DISTRIBUTES for m in made)


def gives_dataset(scopes: Scopes, node: ast.expr) -> bool:
    """Whether a value is a tf.data.Dataset; functions of the file are read."""
    return _makes_dataset(scopes, node, frozenset(), wide=False)


def _makes_dataset(
    scopes: Scopes, node: ast.expr, seen: frozenset[str], wide: bool
) -> bool:
    """
    Args:
      wide: whether parameters and attributes are followed to what they are given.
    """
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            return _returns_datasets(scopes, node.func, seen, wide)
        if (scopes.resolve(node.func) or "").startswith("tf.data."):
            return True
        if not isinstance(node.func, ast.Attribute) or node.func.attr in _DISTRIBUTES:
            return False
        node = node.func.value
    shown = names.find_key(node)
    if shown is None:
        return False
    if shown in seen:
        return True  # `dataset = dataset.batch(8)`: its other statements decide.
    if not wide and not (
        isinstance(node, ast.Name) and _is_only_assigned(scopes, node)
    ):
        return False
    found = values.find_sources(scopes, node) or []
    return bool(found) and all(
        _makes_dataset(scopes, v, seen | {shown}, wide) for v in found
    )


def _is_only_assigned(scopes: Scopes, name: ast.Name) -> bool:
    owner = scopes.find_scope(name).find_owner(name.id)
    return owner is not None and all(
        isinstance(b, ast.Assign) and isinstance(b.targets[0], ast.Name)
        for b in owner.bindings.get(name.id, [])
    )


def _returns_datasets(
    scopes: Scopes, name: ast.Name, seen: frozenset[str], wide: bool
) -> bool:
    """Whether a function of the file returns only datasets."""
    function = find_function(scopes, name)
    if name.id in seen or function is None:
        return False
    returns = [
        n for n in names.walk_scope_of_function(function) if isinstance(n, ast.Return)
    ]
    return bool(returns) and all(
        r.value is not None and _makes_dataset(scopes, r.value, seen | {name.id}, wide)
        for r in returns
    )


def count_elements(scopes: Scopes, node: ast.expr) -> int | None:
    """Counts the parts of a dataset's element; None if it is not known.

    A dataset that is a range has elements without parts: 1.
    """
    counts = set(_find_element_counts(scopes, node, frozenset()))
    return counts.pop() if len(counts) == 1 else None


def _find_element_counts(
    scopes: Scopes, node: ast.expr, seen: frozenset[str]
) -> Iterator[int | None]:
    """Yields the count by every statement that makes the dataset."""
    while isinstance(node, ast.Call):
        symbol = scopes.resolve(node.func) or ""
        if symbol == "tf.data.Dataset.range":
            yield 1
            return
        if symbol in _OF_PARTS:
            given = node.args[0] if node.args else None
            if isinstance(given, ast.Name):
                given = values.find_single(scopes, given)
            yield len(given.elts) if isinstance(given, ast.Tuple) else None
            return
        if find_method(node) == "experimental_distribute_dataset" and node.args:
            node = node.args[0]
        elif find_method(node) in _SAME_ELEMENTS and isinstance(
            node.func, ast.Attribute
        ):
            node = node.func.value
        else:
            break
    shown = names.find_key(node)
    if shown is None:
        yield None
        return
    if shown in seen:
        return  # `dataset = dataset.batch(8)`: its other statements decide.
    found = values.find_sources(scopes, node)
    if not found:
        yield None
    for value in found or ():
        yield from _find_element_counts(scopes, value, seen | {shown})


def list_parameters(function: ast.FunctionDef) -> list[str]:
    """Returns the positional parameters of a function; of a method without its object."""
    found = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    return found[1:] if found[:1] == ["self"] else found


def count_required_arguments(function: ast.FunctionDef) -> tuple[int, int] | None:
    """Returns the least and the largest number of a function's positional arguments."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        return None
    count = len(list_parameters(function))
    return count - len(arguments.defaults), count


def trains(function: ast.FunctionDef) -> bool:
    """Whether a function computes gradients and applies them."""
    called = {
        find_method(n) or getattr(n.func, "id", "")
        for n in names.walk_scope_of_function(function)
        if isinstance(n, ast.Call)
    }
    return "GradientTape" in called and bool(called & {"apply_gradients", "minimize"})


def find_called_outside(
    scopes: Scopes,
) -> list[tuple[ast.Call, ast.FunctionDef, ast.expr]]:
    """Returns calls of a training step that nothing replicates, with step and strategy."""
    strategies = _list_entered_scopes(scopes)
    if not strategies or len({names.find_key(s) for s in strategies}) != 1:
        return []
    inside = [
        function for call, function in list_runs(scopes) if _is_used(scopes, call)
    ]
    replicated = {*inside, *reach.find_reached(scopes, inside)}
    found = []
    for node in walk_breadth_first(scopes.tree):
        if not isinstance(node, ast.Call):
            continue
        step = find_function(scopes, node.func)
        if step is None:
            step = _find_method(scopes, node)
        if step is None or step in replicated or not trains(step):
            continue
        if not _is_used(scopes, node) or _is_within(scopes, node, replicated):
            continue
        if _is_only_called(scopes, step):
            found.append((node, step, strategies[0]))
    return found


def _is_used(scopes: Scopes, node: ast.AST) -> bool:
    """Whether any code outside of a node's function names that function."""
    function = values.find_function(scopes, node)
    if function is None or function.name.startswith("__"):
        return True
    inside = set(walk_breadth_first(function))
    if any(n not in inside for n in _find_reads(scopes, function)):
        return True
    return values.find_function(scopes, function) is None and _is_public(scopes)


def _find_reads(scopes: Scopes, function: ast.FunctionDef) -> list[ast.AST]:
    """Returns the reads of a function's name, or of a method's on whatever object."""
    return [
        node
        for node in scopes.walk()
        if isinstance(node, (ast.Name, ast.Attribute))
        and isinstance(node.ctx, ast.Load)
        and (node.id if isinstance(node, ast.Name) else node.attr) == function.name
    ]


def _is_public(scopes: Scopes) -> bool:
    """Whether other files may call a function, because this file runs nothing by itself."""
    return not any(
        isinstance(s, (ast.Expr, ast.For, ast.While, ast.With, ast.If))
        and any(isinstance(n, ast.Call) for n in walk_breadth_first(s))
        for s in scopes.tree.body
    )


def _find_method(scopes: Scopes, call: ast.Call) -> ast.FunctionDef | None:
    """Returns the method `train_step` that `trainer.train_step(x)` calls."""
    for function in reach.find_methods(scopes).get(find_method(call), []):
        assert isinstance(function, ast.FunctionDef)
        if call in (values.find_calls(scopes, function) or []):
            return function
    return None


def _list_entered_scopes(scopes: Scopes) -> list[ast.expr]:
    """Returns the strategies of several replicas whose `scope()` is entered."""
    found: list[ast.expr] = []
    for node in walk_breadth_first(scopes.tree):
        for item in node.items if isinstance(node, ast.With) else []:
            call = item.context_expr
            if isinstance(call, ast.Call) and find_method(call) == "scope":
                assert isinstance(call.func, ast.Attribute)
                entered = call.func.value
                if find_strategy(scopes, entered) in SYNCHRONOUS:
                    found.append(entered)
    return found


def _is_only_called(scopes: Scopes, step: ast.FunctionDef) -> bool:
    """Whether a function is not passed on to code that could replicate it."""
    for node in _find_reads(scopes, step):
        parent = scopes.parents[node]
        called = isinstance(parent, ast.Call) and parent.func is node
        if not called and _is_used(scopes, node):
            return False
    return True


def _is_within(scopes: Scopes, node: ast.AST, functions: set[ast.AST]) -> bool:
    """Whether a node is in one of some functions, or in a method that is passed on."""
    while node in scopes.parents:
        node = scopes.parents[node]
        if node in functions or isinstance(node, ast.Lambda):
            return True
        if (
            isinstance(node, ast.FunctionDef)
            and isinstance(scopes.parents[node], ast.ClassDef)
            and not _is_only_called(scopes, node)
        ):
            return True
    return False
