"""TF1 to TF1: a wrong test for the chief is that of the worker's index.

And a value of the graph that only some tasks make, such as the chief's merged summaries, is
made by every task, if no task can notice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence, Set

from migrate.facts import names
from migrate.facts.scopes import build_scopes
from migrate.facts.task_values import TaskValues, find_task_values
from migrate.normalise.feeds.view import flatten_expression
from migrate.normalise.text import Edit, Text, find_lines_inside_strings, repeat_step
from migrate.rules.mistakes import chiefs
from migrate.source.nodes import parse_source


def mend_chief_tests(text: Text) -> tuple[Text, tuple[tuple[int, str], ...]]:
    """The text with correct tests for `is_chief`; the lines of wrong ones, and why.

    The same text if it is right, or if the index is no name.
    """
    if "Server(" not in text.source:
        return text, ()
    scopes = build_scopes(parse_source(text.source))
    index = chiefs.find_task_index(scopes)
    wrong = list(chiefs.find_wrong_tests(scopes)) if index is not None else []
    if not wrong:
        return text, ()
    edits = {
        id(test): _mend_test(given, test, f"{index} == 0")
        for given, test, _, _ in wrong
    }
    new = text.apply_edits(list(edits.values()))
    lines = dict.fromkeys(
        (text.origins[given.lineno - 1], reason) for given, _, reason, _ in wrong
    )
    return new, tuple(lines)


def _mend_test(given: ast.expr, test: ast.expr, right: str) -> Edit:
    """Corrects the test; if there is none, adds one to the call."""
    if given is not test or not isinstance(test, ast.Call):
        return Edit(test, right)
    value = ast.parse(right, mode="eval").body
    keywords = [*test.keywords, ast.keyword("is_chief", value)]
    return Edit(test, ast.unparse(ast.Call(test.func, test.args, keywords)))


def make_in_every_task(text: Text) -> Text:
    """The text with values made by every task that only some tasks made."""
    return repeat_step(text, _make_first, "Server(")


def _make_first(text: Text) -> Text | None:
    for values in find_task_values(build_scopes(parse_source(text.source))):
        new = _make(text, values)
        if new is not None:
            return new
    return None


def _make(text: Text, values: TaskValues) -> Text | None:
    """The text with one statement's values made by every task; None if lines are shared."""
    statement = values.statement
    gone = [*values.made, *values.none]
    if not all(text.is_alone(s) for s in (statement, *gone)):
        return None
    if any(find_lines_inside_strings(s) for s in gone):
        return None
    if isinstance(statement, ast.Assign):
        assert isinstance(statement.value, ast.IfExp)
        branches = [statement.value.body, statement.value.orelse]
        made = next(b for b in branches if not names.is_none_constant(b))
        text = text.apply_edits([Edit(statement.value, flatten_expression(text, made))])
        return _write_lines(text, {}, _list_lines(values.none))
    start = statement.lineno
    if not text.lines[start - 1].lstrip().startswith("if"):
        return None  # `elif`
    indent = text.find_indentation(statement)
    new: list[tuple[str, int]] = []
    for one in values.made:
        own = text.find_indentation(one)
        for number in sorted(_list_lines([one]) | _list_comments(text, one)):
            line = text.lines[number - 1]
            line = indent + line[len(own) :] if line.startswith(own) else line
            new.append((line, text.origins[number - 1]))
    body = [s for s in statement.body if s not in gone]
    other = [s for s in statement.orelse if s not in gone]
    lines = _list_lines(gone).union(*(_list_comments(text, s) for s in values.made))
    if not body and not other:
        lines |= _list_lines([statement])
    elif not body:  # The block keeps its statements of the other tasks.
        negated = ast.unparse(ast.UnaryOp(ast.Not(), statement.test))
        new.append((f"{indent}if {negated}:", text.origins[start - 1]))
        lines |= set(range(start, statement.orelse[0].lineno))
    elif statement.orelse and not other:
        # From `else:` on: only comments stand there beside what goes.
        end = body[-1].end_lineno or body[-1].lineno
        end = max(end, *_list_lines(statement.body))
        lines |= set(range(end + 1, (statement.end_lineno or end) + 1))
    return _write_lines(text, {start: new}, lines)


def _list_comments(text: Text, statement: ast.stmt) -> set[int]:
    """The lines of the comment above a statement."""
    start = statement.lineno
    while text.lines[start - 2].strip().startswith("#"):
        start -= 1
    return set(range(start, statement.lineno))


def _list_lines(statements: Iterable[ast.stmt]) -> set[int]:
    return {
        number
        for s in statements
        for number in range(s.lineno, (s.end_lineno or s.lineno) + 1)
    }


def _write_lines(
    text: Text, new: Mapping[int, Sequence[tuple[str, int]]], gone: Set[int]
) -> Text:
    """The text without some lines, and with new ones in front of others."""
    found: list[tuple[str, int]] = []
    for number, old in enumerate(zip(text.lines, text.origins), 1):
        found += new.get(number, ())
        if number not in gone:
            found.append(old)
    return Text(tuple(line for line, _ in found), tuple(at for _, at in found))
