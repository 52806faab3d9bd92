"""D143: one seed shuffles the data of every worker.

All of them then read the same records in the same order: N workers see what one sees,
N times. TensorFlow 1 programs are migrated as they are, and told; a dataset function
of TensorFlow 2 is mended. Parameter servers' workers have no number in their
InputContext (it is 0 in each), so that theirs draw an order without a seed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, make_code
from migrate.rules.mistakes import chiefs, replicas
from migrate.rules.mistakes.mistake import (
    Mistake,
    find_binding,
    find_method,
    find_name,
    list_calls,
)
from migrate.source.nodes import find_plain_names, walk_breadth_first

_FROM_FUNCTION = frozenset(
    {
        "distribute_datasets_from_function",
        "experimental_distribute_datasets_from_function",
        "create_per_worker_dataset",
    }
)
_WORKERS = frozenset(
    {
        "tf.distribute.MultiWorkerMirroredStrategy",
        "tf.distribute.experimental.MultiWorkerMirroredStrategy",
    }
)
_SERVERS = frozenset(
    {
        "tf.distribute.ParameterServerStrategy",
        "tf.distribute.experimental.ParameterServerStrategy",
    }
)
_REPEATS = frozenset(
    {
        "tf.data.experimental.shuffle_and_repeat",
        "tf.contrib.data.shuffle_and_repeat",
    }
)
# Queues that shuffle unless they are told not to, with the seed's position.
_PRODUCERS = {
    "tf.train.string_input_producer": 3,
    "tf.train.input_producer": 4,
    "tf.train.slice_input_producer": 3,
    "tf.train.range_input_producer": 3,
}
# What they shuffle by where they are read as datasets.
_SHUFFLES = ("tf.random_shuffle", "tf.random.shuffle")
_ORDERS = frozenset({"shuffle", "permutation", "sample"})
_GENERATORS = frozenset({"RandomState", "default_rng", "Random"})
# What may draw which rows are taken.
_DRAWS = frozenset({"choice", "choices", "randint", "random_integers", "randrange"})
_OF_HOSTS = re.compile(
    r"host|worker|task|server|device|addr|node|\bps(\b|_)", re.IGNORECASE
)
_RECIPE = (
    "Give each worker its own order by the seed seed + task_index. Or give it a "
    "part of the data: dataset.shard(num_workers, task_index)."
)

_RECIPE_OF_FUNCTION = "Write seed + context.input_pipeline_id. With parameter servers, leave the seed out."


def find(scopes: Scopes) -> Iterator[Mistake]:
    if any(find_method(call) == "shard" for call, _ in list_calls(scopes)):
        return  # Each worker has a part of its own.
    made = {symbol for _, symbol in list_calls(scopes)}
    if "tf.train.Server" in made:
        yield from _find_in_processes(scopes)
    elif made & (_WORKERS | _SERVERS):
        alone = not made & _SERVERS
        for function in _find_dataset_functions(scopes):
            for call, seed in _find_shuffles(scopes, function):
                yield _mend_seed(scopes, function, call, seed, alone)


def _find_in_processes(scopes: Scopes) -> Iterator[Mistake]:
    """Every worker runs the whole program, and shuffles by the number it has."""
    if _takes_own_part(scopes):
        return
    for call, seed in (*_find_shuffles(scopes, scopes.tree), *_find_producers(scopes)):
        yield _report_seed(call, seed)
    for call, _ in list_calls(scopes):
        function = call.func
        if not isinstance(function, ast.Attribute):
            continue
        if function.attr not in _ORDERS and not (
            function.attr in _DRAWS and _is_index(scopes, call)
        ):
            continue
        seeded = _find_seed(scopes, function.value)
        if seeded is None and (_is_index(scopes, call) or _is_iterated(scopes, call)):
            seeded = _find_seed_number(scopes, function.value)
        if seeded is not None:
            yield _report_seed(call, seeded)


def _takes_own_part(scopes: Scopes) -> bool:
    """Whether a worker picks by its index: `order[task_index::n]`, `i % n == task_index`."""
    index = chiefs.find_task_index(scopes)

    def is_index(node: ast.expr | None) -> bool:
        if node is None:
            return False
        made = find_binding(scopes, node) or node
        return any(
            names.find_key(n) == index
            for n in (*walk_breadth_first(node), *walk_breadth_first(made))
        )

    for node in scopes.walk() if index is not None else ():
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Slice):
                parts = (node.slice.lower, node.slice.upper, node.slice.step)
                if any(is_index(part) for part in parts):
                    return True
            elif is_index(node.slice) and not _OF_HOSTS.search(ast.unparse(node.value)):
                return True
        elif (
            isinstance(node, ast.Compare)
            and isinstance(node.left, ast.BinOp)
            and isinstance(node.left.op, ast.Mod)
            and is_index(node.comparators[0])
        ):
            return True
    return False


def _is_index(scopes: Scopes, call: ast.Call) -> bool:
    """Whether what is drawn chooses rows: `data[np.random.choice(n, 8)]`."""
    name = scopes.parents[call]
    target = name.targets[0] if isinstance(name, ast.Assign) else None
    for node in scopes.walk():
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if any(n is call for n in walk_breadth_first(node.slice)):
                return True
            if isinstance(target, ast.Name) and target.id in names.find_reads(
                node.slice
            ):
                return True
    return False


def _report_seed(call: ast.Call, seed: ast.expr) -> Mistake:
    return Mistake(
        call,
        "D143",
        f"every worker shuffles by the seed {ast.unparse(seed)}, so all workers "
        "read the same records in the same order, as in TensorFlow 1",
        _RECIPE,
        kept=True,
    )


def _is_iterated(scopes: Scopes, call: ast.Call) -> bool:
    """Whether a loop goes through what is drawn: `for i in rng.permutation(n): ...run(...)`.

    That takes a step of each, or a row, or gives it on.
    """
    around = scopes.parents[call]
    name = names.find_key(around.targets[0]) if isinstance(around, ast.Assign) else None
    for loop in scopes.walk():
        if not isinstance(loop, ast.For):
            continue
        if not any(n is call for n in walk_breadth_first(loop.iter)) and (
            name is None or name not in names.find_reads(loop.iter)
        ):
            continue
        rows = find_plain_names(loop.target)
        for node in walk_breadth_first(loop):
            if isinstance(node, ast.Yield) or (
                isinstance(node, ast.Call) and find_method(node) == "run"
            ):
                return True
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                if rows & names.find_reads(node.slice):
                    return True
    return False


def _find_seed_number(scopes: Scopes, made: ast.expr | None) -> ast.expr | None:
    """The number of `np.random.RandomState(0)`, `random.Random(0)`."""
    if isinstance(made, ast.Call) and find_method(made) in _GENERATORS:
        return _find_number(scopes, names.find_argument(made, "seed", 0))
    return None


def _find_seed(scopes: Scopes, generator: ast.expr) -> ast.expr | None:
    """The number by which numpy's or Python's generator is seeded, if it is one."""
    seed = _find_seed_number(scopes, find_binding(scopes, generator))
    if seed is not None:
        return seed
    shown = names.find_key(generator)
    if shown is None or shown.rpartition(".")[2] != "random":
        return None
    for node in walk_breadth_first(scopes.tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "seed"
            and names.find_key(node.func.value) == shown
        ):
            given = names.find_argument(node, "seed", 0) or names.find_argument(
                node, "a"
            )
            return _find_number(scopes, given)
    return None


def _find_shuffles(
    scopes: Scopes, root: ast.AST
) -> Iterator[tuple[ast.Call, ast.expr]]:
    """`shuffle(n, seed=7)` of datasets, and `shuffle_and_repeat`, with the seed."""
    for node in walk_breadth_first(root):
        if isinstance(node, ast.Call) and find_method(node) == "shuffle":
            seed = _find_number(scopes, names.find_argument(node, "seed", 1))
            if seed is not None and (
                names.find_argument(node, "buffer_size", 0) is not None
            ):
                yield node, seed
        elif isinstance(node, ast.Call) and find_name(scopes, node.func) in _REPEATS:
            seed = _find_number(scopes, names.find_argument(node, "seed", 2))
            if seed is not None:
                yield node, seed


def _find_producers(scopes: Scopes) -> Iterator[tuple[ast.Call, ast.expr]]:
    """`tf.train.string_input_producer(files, seed=7)`, which shuffles."""
    for call, symbol in list_calls(scopes):
        if symbol in _SHUFFLES:
            seed = _find_number(scopes, names.find_argument(call, "seed", 1))
            if seed is not None:
                yield call, seed
        if symbol not in _PRODUCERS:
            continue
        at = _PRODUCERS[symbol]
        shuffle = names.find_argument(call, "shuffle", at - 1)
        seed = _find_number(scopes, names.find_argument(call, "seed", at))
        if seed is not None and (
            shuffle is None or names.read_literal(shuffle) is True
        ):
            yield call, seed


def _find_number(scopes: Scopes, node: ast.expr | None) -> ast.expr | None:
    """A number that is written out, or the name of one."""
    made = find_binding(scopes, node) if node is not None else None
    return node if isinstance(names.read_literal(made or node), int) else None


def _find_dataset_functions(scopes: Scopes) -> Iterator[ast.FunctionDef]:
    """Functions that a strategy calls for every worker's dataset."""
    for call, _ in list_calls(scopes):
        if find_method(call) in _FROM_FUNCTION and call.args:
            function = replicas.find_function(scopes, call.args[0])
            if function is not None:
                yield function


def _mend_seed(
    scopes: Scopes,
    function: ast.FunctionDef,
    call: ast.Call,
    seed: ast.expr,
    numbered: bool,
) -> Mistake:
    """
    Args:
      numbered: whether the workers' InputContexts have their numbers.
    """
    edits: tuple[tuple[ast.expr, Code], ...] = ()
    recipe = _RECIPE_OF_FUNCTION
    context = function.args.args[0].arg if function.args.args else None
    if numbered and context is not None:
        edits = ((seed, make_code(seed, f" + {context}.input_pipeline_id")),)
    elif not numbered and _draws_by_seed(scopes):
        recipe = (
            "Leave out the seed here, and the seed of the whole program. With parameter "
            "servers no worker knows its number."
        )
    elif not numbered:
        edits = ((seed, make_code("None")),)
    return Mistake(
        call,
        "D143",
        f"every worker's dataset shuffles by the seed {ast.unparse(seed)}, so all "
        "workers read the same records in the same order",
        recipe,
        edits,
    )


def _draws_by_seed(scopes: Scopes) -> bool:
    """Whether what has no seed of its own takes the program's."""
    return any(
        find_name(scopes, call.func)
        in ("tf.random.set_seed", "tf.keras.utils.set_random_seed")
        for call, _ in list_calls(scopes)
    )
