"""TF1 to TF1: a wrong test for the chief is that of the worker's index."""

from __future__ import annotations

import ast

from migrate.facts.scopes import build_scopes
from migrate.normalise.text import Edit, Text
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
