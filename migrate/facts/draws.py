"""Numbers that Python draws: once where a graph is built, and in their order.

`tf.constant(rng.rand(8, 3))` is a constant of TensorFlow 1's graph. A step function that
had the call would draw whenever it is traced, and never in the order of the graph.
"""

from __future__ import annotations

import ast
import weakref
from collections.abc import Mapping, Sequence

from migrate.facts import effects, reach
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables.worker_state import GENERATORS, NUMPY_STATEFUL, SEEDS

# Methods of generators of numbers, whatever they are called.
_DRAWING = frozenset(
    {"rand", "randn", "randint", "random", "random_sample", "normal", "uniform"}
    | {"standard_normal", "choice", "permutation", "shuffle", "sample", "integers"}
)

# Functions of a generator that draw nothing, and what makes generators.
_KEEPING = frozenset({"seed", "get_state", "set_state", "getstate", "setstate"})
_MAKERS = NUMPY_STATEFUL | {"random.Random"}

# The nodes of each analysed module that draw. Each of its calls asks for them.
_known: weakref.WeakKeyDictionary[Scopes, frozenset[ast.AST]] = (
    weakref.WeakKeyDictionary()
)


def draws_within(scopes: Scopes, root: ast.AST) -> bool:
    """Whether code, or a function of the module that it calls, draws numbers by Python."""
    return any(
        isinstance(node, ast.Call) and draws_by_itself(scopes, node)
        for part in [root, *reach.find_reached(scopes, [root])]
        for node in walk_breadth_first(part)
    )


def draws_by_itself(scopes: Scopes, call: ast.Call) -> bool:
    """Whether a call is of a method, or a function, that draws numbers by Python."""
    return (
        effects.consumes(call)
        or draws_from_module(scopes, call)
        or draws_from_generator(scopes, call)
    )


def draws_from_module(scopes: Scopes, call: ast.Call) -> bool:
    """`np.random.rand(3)`, `random.random()`: of the generator of a module."""
    path = scopes.find_dotted_path(call.func) or ""
    return any(path.startswith(f"{module}.") for module in GENERATORS)


def draws_from_generator(scopes: Scopes, call: ast.Call) -> bool:
    """`rng.rand(3)`: by its name a method of a generator."""
    return (
        isinstance(call.func, ast.Attribute)
        and scopes.resolve(call.func) is None
        and call.func.attr in _DRAWING
    )


def draws_without_seed(scopes: Scopes, call: ast.Call) -> bool:
    """Whether it draws from a module's generator, or one that is made without a seed.

    Of the module's generator it is not asked whether the program seeds that: see
    `is_seeded`.
    """
    path = scopes.find_dotted_path(call.func) or ""
    module, _, last = path.rpartition(".")
    if module in GENERATORS:
        return last not in _KEEPING | GENERATORS[module][1]
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _DRAWING:
        return False
    made = [call.func.value]
    if isinstance(call.func.value, ast.Name):
        owner = scopes.find_scope(call).find_owner(call.func.value.id)
        bound = owner.bindings[call.func.value.id] if owner is not None else []
        made = [b.value for b in bound if isinstance(b, ast.Assign)]
    return any(
        isinstance(value, ast.Call)
        and scopes.find_dotted_path(value.func) in _MAKERS
        and not (value.args or value.keywords)
        for value in made
    )


def shuffles(scopes: Scopes, call: ast.Call) -> bool:
    """Whether it is a call of a generator that changes the order of its argument."""
    return (scopes.find_dotted_path(call.func) or "") in {
        f"{module}.shuffle" for module in GENERATORS
    }


def is_seeded(scopes: Scopes) -> bool:
    """Whether the file gives a module's generator a seed that is the same in each run."""
    return any(
        isinstance(node, ast.Call)
        and scopes.find_dotted_path(node.func) in SEEDS
        and _is_fixed(node)
        for node in scopes.walk()
    )


def _is_fixed(seed: ast.Call) -> bool:
    """`np.random.seed(FLAGS.seed)`; not of None, which is none, nor of a clock."""
    given = [*seed.args, *(k.value for k in seed.keywords)]
    return bool(given) and not any(
        isinstance(node, (ast.Call, ast.IfExp))
        or (isinstance(node, ast.Constant) and node.value is None)
        for node in walk_breadth_first(given[0])
    )


def draws_by_function(scopes: Scopes, call: ast.Call) -> bool:
    """Whether it calls a function of the module that draws, or calls one that does."""
    drawing = _find_functions(scopes)
    return bool(drawing) and not drawing.isdisjoint(
        _find_definitions(scopes, call.func, reach.find_methods(scopes))
    )


def _find_functions(scopes: Scopes) -> frozenset[ast.AST]:
    """Functions, methods and lambdas of the module that draw."""
    if scopes not in _known:
        _known[scopes] = frozenset(_search(scopes))
    return _known[scopes]


def _search(scopes: Scopes) -> set[ast.AST]:
    kinds = (ast.FunctionDef, ast.Lambda)
    functions = [node for node in scopes.walk() if isinstance(node, kinds)]
    drawing: set[ast.AST] = {
        function
        for function in functions
        if any(
            isinstance(node, ast.Call) and draws_by_itself(scopes, node)
            for node in walk_breadth_first(function)
        )
    }
    if not drawing:
        return set()
    methods = reach.find_methods(scopes)
    callers: dict[ast.AST, set[ast.AST]] = {}
    for function in functions:
        for node in walk_breadth_first(function):
            for called in _find_definitions(scopes, node, methods):
                callers.setdefault(called, set()).add(function)
    todo = list(drawing)
    while todo:
        new = callers.get(todo.pop(), set()) - drawing
        drawing |= new
        todo += new
    return drawing


def _find_definitions(
    scopes: Scopes, node: ast.AST, methods: Mapping[str, Sequence[ast.AST]]
) -> Sequence[ast.AST]:
    """Definitions that a name, or a method of the name, may stand for."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return reach.find_definitions(scopes, node)
    return methods.get(node.attr, ()) if isinstance(node, ast.Attribute) else []
