"""TF1 to TF1: a wrong test for the chief is that of the worker's index."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.normalise.text import Edit, Text
from migrate.rules.mistakes import chiefs


def mended(text: Text) -> tuple[Text, tuple[tuple[int, str], ...]]:
    """The text with `is_chief` tested rightly; the lines where it was not, and why.

    The same text where it is right, or where the index is no name.
    """
    if "is_chief" not in text.source:
        return text, ()
    scopes = Scopes(ast.parse(text.source))
    index = chiefs.task_index(scopes)
    wrong = list(chiefs.wrong_tests(scopes)) if index is not None else []
    if not wrong:
        return text, ()
    tests = {id(test): test for _, test, _, _ in wrong}
    new = text.edited([Edit(test, f"{index} == 0") for test in tests.values()])
    lines = dict.fromkeys(
        (text.origins[given.lineno - 1], reason) for given, _, reason, _ in wrong
    )
    return new, tuple(lines)
