"""TF1 to TF1: branches that are decided once a call's arguments stand in its body.

    if 0.04 is not None:
        weight_decay = tf.multiply(tf.nn.l2_loss(weights), 0.04)

is the assignment alone. Only tests that are literals are decided.
"""

from __future__ import annotations

import ast

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
