"""Warns of random operations in steps that draw other numbers than in TensorFlow 1.

In TensorFlow 1 an operation with a seed has one stream of numbers, from which all runs
draw. Each step function is a graph of its own, in which the stream begins at the seed
again. The seed is the operation's own, or the graph's. The graph's seed gives each
operation a stream by its number in the graph, and this number differs in a step function.
An operation with a seed of its own also draws by the seed that the graph had by then. A step
function takes the seed that there is when the step begins.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.graph_objects import is_graph
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models, random_symbols, roles

_REASON = (
    "several step functions compute this, and each draws its own stream of random "
    "numbers from the seed. In TensorFlow 1 all runs drew from one stream"
)
_OTHER_SESSION = (
    "several sessions run this. In TensorFlow 1 each session began the seed's stream of "
    "random numbers again. In the migrated program the stream goes on"
)
_OTHER_NUMBER = (
    "the graph's seed chooses the stream by the operation's number in the graph. A "
    "step function gives it another number, so it draws other values than in "
    "TensorFlow 1"
)
_FIRST_VALUES = (
    "the graph's seed chooses first values by each operation's number in the graph. "
    "TensorFlow 2 counts otherwise, so variables begin with other values than in "
    "TensorFlow 1"
)
_LATER_SEED = (
    "the graph gets another seed below. In TensorFlow 1 that was only for operations below "
    "it. In TensorFlow 2 it is for all steps, so this draws other values"
)
_RECIPE_OF_LATER = "Call `tf.set_random_seed` once, before all operations."
_RECIPE_OF_FIRST_VALUES = (
    "Give each initializer a seed of its own: `seed=...`. `tf1to2 verify` compares both "
    "programs from TensorFlow 1's values."
)
_AGAIN = (
    "the program initialises variables again. In TensorFlow 1 this then drew another first "
    "value. In the migrated program the variable begins with its first one again"
)
_RECIPE_OF_AGAIN = "To draw anew, assign a new value to the variable: `w.assign(tf.random.normal(...))`."
_RECIPE_OF_GRAPHS = "Give the operation a seed of its own: `seed=...`."


def find_streams(program: ir.TrainingProgram, scopes: Scopes) -> Iterator[Finding]:
    """Warns of what draws by a seed, and draws other numbers than in TensorFlow 1."""
    of_graph = _has_graph_seed(scopes)
    told: set[ast.AST] = set()
    for flow in list_every_flow(program.flows):
        computed = sum(_has(step, flow) for step in program.steps)
        if flow.suites or not computed:
            continue
        for node, by_graph in _find_seeded_calls(flow.statement, scopes, of_graph):
            later = not by_graph and _has_seed_below(flow.statement, scopes)
            again = _count_sessions(program, flow, scopes) > 1
            if node in told or not (computed > 1 or by_graph or later or again):
                continue
            told.add(node)
            reason, recipe = _OTHER_NUMBER, _RECIPE_OF_GRAPHS
            if again:
                reason, recipe = _OTHER_SESSION, ""
            elif computed > 1:
                reason, recipe = _REASON, ""
            elif later:
                reason, recipe = _LATER_SEED, _RECIPE_OF_LATER
            yield _warn(node, scopes.resolve(node.func) or "", reason, recipe)
    if of_graph and any(not _has_seed(c) for c in _list_first_draws(scopes, told)):
        yield from _tell_of_first_values(scopes)
    if program.initialises_again:
        yield from _tell_of_other_values(program, scopes, told)


def _tell_of_other_values(
    program: ir.TrainingProgram, scopes: Scopes, told: set[ast.AST]
) -> Iterator[Finding]:
    """Warns of first values that TensorFlow 1 drew anew where variables begin again.

    In another session a seed begins anew, too, and gives the same values.
    """
    one = not program.others
    drawn = [c for c in _list_first_draws(scopes, told) if one or not _has_seed(c)]
    for call in drawn[:1]:
        symbol = scopes.resolve(call.func) or ""
        yield _warn(call, symbol, _AGAIN, _RECIPE_OF_AGAIN)


def _list_first_draws(scopes: Scopes, told: set[ast.AST]) -> Iterator[ast.Call]:
    """Lists the calls that draw variables' first values."""
    calls = [node for node in scopes.walk() if isinstance(node, ast.Call)]
    starts = {
        node
        for call in calls
        if scopes.resolve(call.func) in roles.VARIABLES
        for node in walk_breadth_first(call)
    }
    given = {
        (id(scopes.find_scope(node)), node.id)
        for node in starts
        if isinstance(node, ast.Name)
    }
    for call in calls:
        symbol = scopes.resolve(call.func) or ""
        if call in told:
            continue
        if random_symbols.makes_drawn(symbol, {k.arg or "" for k in call.keywords}):
            yield call
            continue
        statement = names.find_statement(scopes.parents, call)
        bound = {
            (id(scopes.find_scope(call)), name) for name in names.find_binds(statement)
        }
        if random_symbols.draws(symbol) and (call in starts or bound & given):
            yield call


def _tell_of_first_values(scopes: Scopes) -> Iterator[Finding]:
    for node in scopes.walk():
        if _gives_seed(node, scopes):
            assert isinstance(node, ast.expr)
            symbol = "tf.set_random_seed"
            yield _warn(node, symbol, _FIRST_VALUES, _RECIPE_OF_FIRST_VALUES)


def _warn(node: ast.expr, symbol: str, reason: str, recipe: str) -> Finding:
    line, column = node.lineno, node.col_offset + 1
    return Finding(line, column, "I112", Outcome.WARNED, symbol, reason, recipe)


def _has(step: ir.StepFunction, flow: ir.Flow) -> bool:
    """Whether a step computes a statement, also one in a block."""
    return any(flow is one for one in list_every_flow(step.flows))


def _count_sessions(program: ir.TrainingProgram, flow: ir.Flow, scopes: Scopes) -> int:
    """Counts the blocks of sessions that run a step which computes a statement."""
    opened = {program.session_call, *program.others}
    found: set[ast.AST] = set()
    for run in program.runs:
        above: ast.AST = run.call
        if run.step is None or not _has(run.step, flow):
            continue
        while above in scopes.parents:
            above = scopes.parents[above]
            if isinstance(above, ast.With) and any(
                opened & set(walk_breadth_first(item.context_expr))
                for item in above.items
            ):
                found.add(above)
    return len(found)


def _has_graph_seed(scopes: Scopes) -> bool:
    """Whether the program gives its graph a seed, for operations without one."""
    return any(_gives_seed(node, scopes) for node in scopes.walk())


def _has_seed_below(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether the graph gets a seed, or another one, below a statement."""
    return any(
        _gives_seed(node, scopes) and node.lineno > statement.lineno  # type: ignore[attr-defined]
        for node in scopes.walk()
    )


def _gives_seed(node: ast.AST, scopes: Scopes) -> bool:
    """Whether a node is `tf.set_random_seed(7)` or `graph.seed = 7`."""
    if isinstance(node, ast.Call) and scopes.resolve(node.func) in keras_models.SEEDS:
        seed = names.find_argument(node, "seed", 0)
        return not (isinstance(seed, ast.Constant) and seed.value is None)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return node.attr == "seed" and is_graph(node.value, scopes)
    return False


def _find_seeded_calls(
    statement: ast.stmt, scopes: Scopes, of_graph: bool
) -> Iterator[tuple[ast.Call, bool]]:
    """Yields a statement's calls that draw, and whether by the graph's seed."""
    for part in [statement, *reach.find_reached(scopes, [statement])]:
        for node in walk_breadth_first(part):
            if not isinstance(node, ast.Call):
                continue
            if roles.is_initializer(scopes.resolve(node.func) or ""):
                continue  # It draws when a variable is made.
            made = _list_call_and_makers(
                node, scopes
            )  # A layer gets its seed where it is made.
            draws = any(
                random_symbols.draws(scopes.resolve(call.func) or "")
                and not _is_initial_value(call, scopes)
                for call in made
            )
            if any(map(_has_seed, made)):
                if part is statement or draws:
                    yield node, False
            elif of_graph and draws:
                yield node, True


def _has_seed(call: ast.Call) -> bool:
    seed = names.find_argument(call, "seed")
    return seed is not None and not (
        isinstance(seed, ast.Constant) and seed.value is None
    )


def _list_call_and_makers(call: ast.Call, scopes: Scopes) -> list[ast.Call]:
    """Returns a call; if it calls an object, also the call that made the object."""
    if isinstance(call.func, ast.Call):
        return [call, call.func]
    if not isinstance(call.func, ast.Name):
        return [call]
    owner = scopes.find_scope(call.func).find_owner(call.func.id)
    values = [
        getattr(binding, "value", None)
        for binding in (owner.bindings[call.func.id] if owner else ())
    ]
    return [call, *(value for value in values if isinstance(value, ast.Call))]


def _is_initial_value(node: ast.AST, scopes: Scopes) -> bool:
    """Whether a draw is the first value of a variable."""
    above = scopes.parents.get(node)
    while isinstance(above, (ast.expr, ast.keyword)):
        if isinstance(above, ast.Call):
            if scopes.resolve(above.func) in roles.VARIABLES:
                return True
        above = scopes.parents.get(above)
    return False
