"""Plans hooks of an Estimator program that feed, load, update or write summaries."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends.estimators.hook_updates import find_hook_updates
from migrate.frontends.estimators.hooks import find_variable_loads
from migrate.plan import Dropped, Plan
from migrate.program.code import make_code
from migrate.source.nodes import walk_breadth_first
from migrate.tables import estimator as table
from migrate.tables.hooks import CALLBACK

_RUN_ARGS = frozenset({"tf.train.SessionRunArgs", "tf.estimator.SessionRunArgs"})
_WRITER = "tf.summary.FileWriter"
_SHARED_WRITER = "tf.summary.FileWriterCache.get"


def refuse_feeds_in_hooks(scopes: Scopes) -> list[Finding]:
    """Refuses `SessionRunArgs(fetches, feed_dict=...)`: a step gets only its batch."""
    found = []
    for node, symbol in table.find_uses(scopes):
        call = scopes.parents.get(node)
        if symbol not in _RUN_ARGS or not isinstance(call, ast.Call):
            continue
        given = [k.value for k in call.keywords if k.arg == "feed_dict"]
        for feeds in [*given, *call.args[1:2]]:
            empty = isinstance(feeds, ast.Dict) and not feeds.keys
            if not empty and not (
                isinstance(feeds, ast.Constant) and feeds.value is None
            ):
                found.append(_make_refusal(feeds, symbol))
    return found


def _make_refusal(feeds: ast.expr, symbol: str) -> Finding:
    return Finding(
        feeds.lineno,
        feeds.col_offset + 1,
        "H122",
        Outcome.REFUSED,
        symbol,
        "a hook feeds the step, but a step function takes only its batch",
        "Replace what is fed by a variable: tf.get_variable(name, [], "
        "trainable=False, initializer=...). Set its value by variable.load(value, "
        "run_context.session) in before_run. " + CALLBACK,
    )


def plan_loads(scopes: Scopes, plan: Plan) -> list[Finding]:
    """Rewrites `variable.load(value, session)` in hooks.

    The session does it, because a variable's method would be traced when the hook is first
    asked for its request.
    """
    found = []
    for load in find_variable_loads(scopes):
        plan.replace(
            load.call,
            make_code(load.session, ".load(", load.variable, ", ", load.value, ")"),
        )
        found.append(
            Finding(
                load.call.lineno,
                load.call.col_offset + 1,
                "H110",
                Outcome.REWRITTEN,
                "",
                "an assignment: the next step finds the value",
            )
        )
    return found


def plan_updates(
    scopes: Scopes, plan: Plan
) -> tuple[dict[ast.AST, tuple[str, str]], set[ast.Call], list[Finding]]:
    """Turns updates that a hook's `begin` builds into assignments where the session ran them.

    Returns:
      Removed node -> (code, reason); the runs that are assignments now; and findings for
      updates that cannot be rewritten.
    """
    claimed: dict[ast.AST, tuple[str, str]] = {}
    done: set[ast.Call] = set()
    refused = []
    for update in find_hook_updates(scopes):
        if not update.runs or update.variable is None:
            refused.append(_refuse_update(update.call))
            continue
        for call, session, value in update.runs:
            new = make_code(session, ".load(", update.variable, ", ", value, ")")
            plan.replace(call, new)
            done.add(call)
        for statement in update.statements:
            plan.statements[statement] = [Dropped(statement)]
            for node in walk_breadth_first(statement.value):
                claimed[node] = (
                    "H110",
                    "dropped: the hook's session assigns the value",
                )
    return claimed, done, refused


def _refuse_update(call: ast.Call) -> Finding:
    return Finding(
        call.lineno,
        call.col_offset + 1,
        "H122",
        Outcome.REFUSED,
        "",
        "a hook's `begin` builds an update. In TensorFlow 1 the update ran when "
        "the hook asked for it. A traced function would run it in every step",
        "Keep the variable in an attribute. Where the hook ran the update, call "
        "variable.load(value, run_context.session). " + CALLBACK,
    )


def plan_writers(scopes: Scopes, plan: Plan) -> dict[ast.AST, tuple[str, str]]:
    """Rewrites writers of summaries; returns node -> (code, reason).

    A writer with more arguments than a directory and a graph stays, and is refused.
    """
    claimed: dict[ast.AST, tuple[str, str]] = {}
    for node, symbol in table.find_uses(scopes):
        call = scopes.parents.get(node)
        if symbol not in (_WRITER, _SHARED_WRITER) or not isinstance(call, ast.Call):
            continue
        keywords = {k.arg: k.value for k in call.keywords}
        given = dict(zip(("logdir", "graph"), call.args, strict=False)) | keywords
        directory = given.get("logdir")
        if call.func is not node or directory is None or len(call.args) > 2:
            continue
        if not set(given) <= {"logdir", "graph"}:
            continue
        name = "writer_of" if symbol == _SHARED_WRITER else "SummaryWriter"
        plan.replace(call, make_code(f"training_session.{name}(", directory, ")"))
        claimed[node] = ("M110", f"training_session.{name}")
        plan.imports.append("import training_session")
    return claimed
