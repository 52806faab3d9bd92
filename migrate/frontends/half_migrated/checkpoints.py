"""`tf.train.Checkpoint` and its manager beside the loop: what they hold, and who saves."""

from __future__ import annotations

import ast
from collections.abc import Collection

from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.rules.mistakes.mistake import find_binding
from migrate.source.nodes import walk_breadth_first

_CHECKPOINT, _MANAGER = "tf.train.Checkpoint", "tf.train.CheckpointManager"
_SAVE = frozenset({"save", "write"})
_READ = frozenset({"latest_checkpoint", "checkpoints", "directory", "save_counter"})
_RESTORE = frozenset({"restore", "read", "restore_or_initialize"})
_RECIPE = "Give the session a checkpoint_dir. It then saves and restores."


def find_saves(
    scopes: Scopes,
    found: list[tuple[ast.Call, str]],
    suite: list[ast.stmt],
    session: ast.stmt,
    made: Collection[ast.stmt],
) -> tuple[ast.Call, ...]:
    """Finds the calls that save, each of which only one worker should run.

    Args:
      suite: the session's, with its statement `session`.
      made: the statements that make the model and what belongs to it.

    Raises:
      Refused: what is saved would be another, or is restored in the loop.
    """
    kept: dict[str, ast.Call] = {}
    for call, symbol in found:
        if symbol not in (_CHECKPOINT, _MANAGER):
            continue
        statement = scopes.parents[call]
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name) or statement not in suite:
            raise Refused(
                "D121",
                call,
                "the program does not keep the checkpoint in a variable",
                _RECIPE,
            )
        if symbol == _CHECKPOINT:
            _check_held(scopes, call, made)
        kept[target.id] = call
    before = {n for s in suite[: suite.index(session)] for n in walk_breadth_first(s)}
    saving = []
    for node in scopes.walk():
        if not (
            isinstance(node, ast.Name)
            and node.id in kept
            and isinstance(node.ctx, ast.Load)
            and find_binding(scopes, node) is kept[node.id]
        ):
            continue
        around = scopes.parents[node]
        use = scopes.parents[around]
        if isinstance(around, ast.Call) and around in kept.values():
            continue  # The manager of a checkpoint.
        if isinstance(around, ast.Attribute) and around.attr in _READ:
            continue
        called = isinstance(use, ast.Call) and use.func is around
        if called and around.attr in _SAVE:  # type: ignore[attr-defined]
            assert isinstance(use, ast.Call)
            saving.append(use)
        elif not (called and around.attr in _RESTORE and node in before):  # type: ignore[attr-defined]
            raise Refused(
                "D121",
                node,
                "the program uses the checkpoint for more than to restore before "
                "the session and to save",
                _RECIPE,
            )
    return tuple(saving)


def _check_held(scopes: Scopes, call: ast.Call, made: Collection[ast.stmt]) -> None:
    """Refuses a checkpoint with objects that each worker makes for itself."""
    held = [*call.args, *(k.value for k in call.keywords)]
    for value in held:
        found = find_binding(scopes, value)
        statement = scopes.parents.get(found) if found is not None else None
        if statement not in made or (
            isinstance(found, ast.Call) and scopes.resolve(found.func) == "tf.Variable"
        ):
            raise Refused(
                "D121",
                value,
                f"the checkpoint contains `{ast.unparse(value)[:40]}`, and every "
                "worker's process had its own",
                "Save only the model and the optimizer.",
            )
