"""TF1 to TF1: branches that are decided once a call's arguments stand in its body.

    if 0.04 is not None:
        weight_decay = tf.multiply(tf.nn.l2_loss(weights), 0.04)

is the assignment alone. Only tests that are literals are decided. A parameter's default that
such a suite replaces at once, `op = None`, is dropped.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.fall_through import may_leave
from migrate.facts.last_values import is_only_read_there
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Text, find_lines_inside_strings, repeat_step
from migrate.source.nodes import parse_source, walk_breadth_first


def replace_decided_branches(text: Text) -> Text:
    """The text with the suites of decided branches in their place."""
    return repeat_step(text, _decide_branch)


def _decide_branch(text: Text) -> Text | None:
    tree = parse_source(text.source)
    for parent in walk_breadth_first(tree):
        for field in ("body", "orelse", "finalbody"):
            suite = getattr(parent, field, None)
            if not isinstance(suite, list):
                continue
            for statement in suite:
                if isinstance(statement, ast.If) and isinstance(
                    statement.test, ast.Constant
                ):
                    new = _replace_branch(text, statement, alone=len(suite) == 1)
                    if new is not None:
                        return new
    return None


def _replace_branch(text: Text, branch: ast.If, *, alone: bool) -> Text | None:
    """The text with the suite that is run, where the branch was; None if it cannot be."""
    assert isinstance(branch.test, ast.Constant)
    line = text.lines[branch.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    if not line.strip().startswith("if "):
        return None  # `elif`, or behind a semicolon.
    suite = branch.body if branch.test.value else branch.orelse
    last = branch.end_lineno or branch.lineno
    lines: list[str] = [indent + "pass"] * alone
    origins = [text.origins[branch.lineno - 1]] * alone
    if suite:
        own = text.lines[suite[0].lineno - 1]
        inner = own[: len(own) - len(own.lstrip())]
        if own.strip().startswith("elif ") or len(inner) <= len(indent):
            return None
        if any(find_lines_inside_strings(s) for s in suite):
            return None
        span = range(suite[0].lineno, (suite[-1].end_lineno or 0) + 1)
        lines = [
            indent + text.lines[n - 1].removeprefix(inner)
            if text.lines[n - 1].strip()
            else ""
            for n in span
        ]
        origins = [text.origins[n - 1] for n in span]
    return text.splice(branch.lineno, last, lines, origins)


def drop_unread_defaults(text: Text) -> Text:
    """The text without `op = None` where the same suite gives `op` another value unread."""
    return repeat_step(text, _drop_unread_default, " = None\n")


def _drop_unread_default(text: Text) -> Text | None:
    scopes = build_scopes(parse_source(text.source))
    for parent in scopes.walk():
        if isinstance(parent, (ast.Try, ast.ClassDef)):
            continue  # What stops a `try` may be between; a class keeps its names.
        for field in ("body", "orelse"):
            suite = getattr(parent, field, None)
            if not isinstance(suite, list):
                continue
            for index, statement in enumerate(suite):
                if _is_unread_default(statement, suite[index + 1 :], scopes):
                    if text.is_alone(statement):
                        line = statement.lineno
                        return text.splice(line, statement.end_lineno or line, [], [])
    return None


def _is_unread_default(
    statement: ast.stmt, following: Sequence[ast.stmt], scopes: Scopes
) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(None)):
            pass
        case _:
            return False
    if not _is_own(name, statement, scopes):
        return False
    for other in following:
        if isinstance(other, ast.With) and name not in names.find_header_reads(other):
            # A block of TensorFlow always runs, and does not go on after an error.
            calls = [
                i.context_expr
                for i in other.items
                if isinstance(i.context_expr, ast.Call)
            ]
            if len(calls) == len(other.items) and all(
                (scopes.resolve(c.func) or "").startswith("tf.") for c in calls
            ):
                return _is_unread_default(statement, other.body, scopes)
        if name in names.find_reads(other):
            return False
        if name in names.find_binds(other):
            return isinstance(other, ast.Assign) and len(other.targets) == 1
        if may_leave(other):
            return False
    return False


def _is_own(name: str, statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether only the code of the statement's own scope, outside of a `try`, has a name."""
    if any(isinstance(above, ast.Try) for above in scopes.walk_above(statement)):
        return False
    return is_only_read_there(scopes, scopes.find_scope(statement), name)
