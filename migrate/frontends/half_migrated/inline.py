"""A step that stands in the loop: which statements make it, and which tell of it.

What the update of the weights needs is the step. What prints, counts and logs stays in
the loop: where it stood before the step, or after the step has been run.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.rules.mistakes.mistake import find_method
from migrate.source.nodes import walk_breadth_first

_RECIPE = "Move code that reports on a step into the loop, after apply_gradients."
# What may be called of a step's values in the loop.
_FUNCTIONS = frozenset(
    {"print", "float", "int", "str", "len", "round", "format", "min", "max", "repr"}
)
_METHODS = frozenset({"numpy", "format", "append", "write", "flush", "item", "join"})
_MODULES = (
    "time.",
    "logging.",
    "tf.logging.",
    "tf.get_logger",
    "absl.logging.",
    "sys.",
)


def split_step(
    scopes: Scopes,
    suite: list[ast.stmt],
    sources: Collection[ast.stmt],
    counts: Collection[ast.expr],
) -> list[ast.stmt]:
    """The statements of a loop that are its step, in their order.

    Args:
      suite: the loop's statements.
      sources: those that take the batch, where they are some of them.
      counts: calls that update metrics; those that follow the update at once are of
        the step.

    Raises:
      Refused: no update is seen, or what is left could not stand around a run.
    """
    end = _find_update(suite) + 1
    while end < len(suite) and _is_one_of(suite[end], counts):
        end += 1
    before = [s for s in suite[:end] if s not in sources]
    step = _slice_needed_statements(before, counts)
    for index, statement in enumerate(before):
        if statement not in step and any(s in step for s in before[:index]):
            _check_telling(scopes, statement, step)
    told = {n for s in before if s not in step for n in names.find_binds(s)}
    for statement in step:
        clash = names.find_reads(statement) & told
        if clash:
            raise Refused(
                "D125",
                statement,
                f"the step depends on `{sorted(clash)[0]}`, which the loop changes. "
                "The migrated step would keep the value that it had when the step "
                "was traced",
                "Pass the value to the step as a part of the batch.",
            )
    return step


def check_changing(
    block: ast.With, step: list[ast.stmt], given: Collection[str]
) -> None:
    """Raises Refused if a step reads what the loops around it bind.

    Args:
      block: the session's.
      step: the statements, or the arguments of the call, that make the step.
      given: the names of the batch.
    """
    own = {n for s in step for n in names.find_binds(s)}
    inside = {id(n) for s in step for n in walk_breadth_first(s)}
    bound = {
        node.id
        for node in walk_breadth_first(block)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and id(node) not in inside
    }
    for statement in step:
        clash = names.find_reads(statement) & bound - own - set(given)
        if clash:
            at = statement.value if isinstance(statement, ast.Expr) else statement
            raise Refused(
                "D125",
                at,
                f"the step depends on `{sorted(clash)[0]}`, which the loop changes. "
                "The migrated step would keep the value that it had when the step "
                "was traced",
                "Pass the value to the step as a part of the batch, or keep it in "
                "a tf.Variable.",
            )


def _find_update(suite: list[ast.stmt]) -> int:
    for index, statement in enumerate(suite):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if find_method(statement.value) == "apply_gradients":
                return index
    raise Refused(
        "D125",
        suite[0],
        "no apply_gradients follows the tape",
        "Write the step with assignments, a tape, apply_gradients and a return.",
    )


def _is_one_of(statement: ast.stmt, calls: Collection[ast.expr]) -> bool:
    return isinstance(statement, ast.Expr) and statement.value in calls


def _slice_needed_statements(
    suite: list[ast.stmt], counts: Collection[ast.expr]
) -> list[ast.stmt]:
    """The backward slice of the update, the tape's block and the metrics."""
    found: list[ast.stmt] = []
    wanted: set[str] = set()
    for statement in reversed(suite):
        root = isinstance(statement, ast.With) or _is_one_of(statement, counts)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            root = root or find_method(statement.value) == "apply_gradients"
        # A counter that only the loop reads is not wanted; what the step is made of is.
        if root or names.find_binds(statement) & wanted:
            found.insert(0, statement)
            wanted |= names.find_reads(statement)
    return found


def _check_telling(scopes: Scopes, statement: ast.stmt, step: list[ast.stmt]) -> None:
    """Refuses code between tape and update that does more than report values."""
    for call in _find_calls(statement):
        dotted = scopes.resolve(call.func) or scopes.find_dotted_path(call.func) or ""
        plain = isinstance(call.func, ast.Name) and call.func.id in _FUNCTIONS
        if (
            not plain
            and find_method(call) not in _METHODS
            and not dotted.startswith(_MODULES)
        ):
            raise Refused(
                "D125",
                statement,
                f"the program calls `{ast.unparse(call.func)}` between the tape and "
                "the update, but the migrated program makes one step of the two",
                _RECIPE,
            )
    updated = {
        ast.unparse(node.func.value)
        for s in step
        for node in walk_breadth_first(s)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "apply_gradients"
    }
    touched = {
        n.value.id
        for n in walk_breadth_first(statement)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    }
    if touched & updated or any(
        isinstance(n, (ast.Break, ast.Continue, ast.Return))
        for n in walk_breadth_first(statement)
    ):
        raise Refused(
            "D125",
            statement,
            "the program does this between the tape and the update, but the "
            "migrated program makes one step of the two",
            _RECIPE,
        )


def _find_calls(statement: ast.stmt) -> Iterator[ast.Call]:
    return (n for n in walk_breadth_first(statement) if isinstance(n, ast.Call))
