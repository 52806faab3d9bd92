"""Checks what stands around the step of eager code: uses of session and model."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.keras_names import find_called_function
from migrate.program.eager import Source, Step
from migrate.rules.mistakes.mistake import find_method
from migrate.source.nodes import walk_breadth_first

# What the emitted session has, beside `run` of the step.
_METHODS = frozenset({"should_stop", "request_stop", "close"})
# Keras's own loops: on parameter servers they want to be told their steps, and among
# workers all have to enter them.
_LOOPS = frozenset({"fit", "evaluate", "predict", "train_on_batch", "test_on_batch"})


def check(
    scopes: Scopes,
    found: list[tuple[ast.Call, str]],
    block: ast.With,
    session: str,
    source: Source,
    step: Step,
) -> None:
    """Raises Refused if something around the step would not run, or mean another."""
    _check_session(scopes, block, session, step)
    _check_batch(scopes, block, source, step)
    for call, symbol in found:
        own = (
            find_called_function(scopes, call.func) is not None
        )  # An object's of the file.
        if find_method(call) in _LOOPS and not symbol and not own:
            raise Refused(
                "D121",
                call,
                f"`{find_method(call)}` is a training loop of Keras, beside the "
                "program's own loop",
                "Write the training as steps. Or use Keras alone: make and compile "
                "the model in the strategy's scope, without a session.",
            )


def check_counts(
    session: ast.Call,
    arguments: dict[str, ast.expr],
    found: list[tuple[ast.Call, str]],
    step: Step,
) -> None:
    """Raises Refused if a session would count the updates of an optimizer of TF1's."""
    if len(step.apply.args) + len(step.apply.keywords) > 1:
        raise Refused(
            "D125",
            step.apply,
            "the program gives apply_gradients more than gradients",
            "Leave the other arguments out.",
        )
    if "checkpoint_dir" in arguments or any(s.endswith("Hook") for _, s in found):
        raise Refused(
            "D125",
            session,
            "hooks and checkpoints count the optimizer's updates, and this "
            "optimizer does not count them",
            "Make the optimizer by tf.keras.optimizers.",
        )


def _check_session(scopes: Scopes, block: ast.With, session: str, step: Step) -> None:
    """Refuses a use of the session that needs a graph."""
    runs = {step.fetched.func} if step.fetched is not None else set()
    for node in walk_breadth_first(block):
        if not (
            isinstance(node, ast.Name)
            and node.id == session
            and isinstance(node.ctx, ast.Load)
        ):
            continue
        parent = scopes.parents[node]
        used = isinstance(parent, ast.Attribute) and (
            parent in runs or parent.attr in _METHODS
        )
        if not used:
            raise Refused(
                "D121",
                node,
                f"`{ast.unparse(parent)}` needs a graph, and this session has none",
                "Remove it, or compute the value eagerly.",
            )


def _check_batch(scopes: Scopes, block: ast.With, source: Source, step: Step) -> None:
    """Refuses changes of the batch before the step, and datasets made in a loop."""
    inside = {id(n) for s in (*step.body, *source.takes) for n in walk_breadth_first(s)}
    for node in walk_breadth_first(block):
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, (ast.Store, ast.Del))
            and node.id in source.names
            and id(node) not in inside
            and not any(n is node for n in walk_breadth_first(source.target))
            and not _is_of_other_loop(scopes, node, source)
        ):
            raise Refused(
                "D125",
                node,
                f"the program changes `{node.id}` between the dataset and the step",
                "Change it in the dataset, by dataset.map(...), or in the step.",
            )
    if source.dataset is None:
        return
    given = names.find_reads(source.dataset)
    bound = {n for s in block.body for n in names.find_binds(s)}
    if given & bound:
        raise Refused(
            "D125",
            source.dataset,
            "the loop makes the dataset again",
            "Make the dataset before the session.",
        )


def _is_of_other_loop(scopes: Scopes, node: ast.AST, source: Source) -> bool:
    """Whether a name is bound by a loop that does not hold the step."""
    while node in scopes.parents:
        parent = scopes.parents[node]
        if isinstance(parent, ast.For) and parent is not source.statement:
            return source.statement not in walk_breadth_first(parent)
        if parent is source.statement:
            return False
        node = parent
    return False
