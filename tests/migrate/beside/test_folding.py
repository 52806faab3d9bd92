"""Checks which variables of specialised functions go, and that others stay."""

from __future__ import annotations

import ast

import pytest

from migrate.beside.folding import count_mentions, fold_variables

# What stands in a function, and what is left of it; "" if all of it is.
CASES = {
    "an attribute in the next statement": (
        "a = self.b\n    return g(a)",
        "return g(self.b)",
    ),
    "an argument, later and twice": (
        "a = x\n    f()\n    return g(a, a)",
        "f()\n    return g(x, x)",
    ),
    "constants of a tuple": ("a, b = None, 5\n    return g(b, a)", "return g(5, None)"),
    "a test": ("a = x not in y\n    if a:\n        f()", "if x not in y:\n        f()"),
    "a call in a test": ("a = g(x)\n    if a:\n        f()", "if g(x):\n        f()"),
    "a function of TensorFlow, later": (
        "a = tf.io.read_file\n    f()\n    return a(x)",
        "f()\n    return tf.io.read_file(x)",
    ),
    "a body": (
        "a = x.b\n    with f():\n        g(a)",
        "with f():\n        g(x.b)",
    ),
    "an attribute that a call may change": ("a = self.b\n    return g(f(), a)", ""),
    "the same before a body": ("a = self.b\n    with f():\n        g(a)", ""),
    "an attribute, later": ("a = self.b\n    f()\n    return g(a)", ""),
    "an attribute in a loop": ("a = self.b\n    while f():\n        g(a)", ""),
    "an attribute in a function of its own": ("a = self.b\n    g(lambda: a)", ""),
    "a call among others": ("a = f()\n    return g(h(), a)", ""),
    "an argument that changes": ("a = x\n    x = f()\n    return g(a)", ""),
    "a variable that changes": ("a = x\n    a = g(a)\n    return a", ""),
    "a list, twice": ("a = [x]\n    return g(a, a)", ""),
    "what needs brackets": ("a = x or y\n    return a.b", ""),
    "a comment": ("# Why.\n    a = self.b\n    return g(a)", ""),
    "a long line": (f"a = self.{'b' * 70}\n    return g(aa, a)", ""),
    "a line that a formatter would join": (
        "a = self.b\n    return some_function(\n        a\n    )",
        "",
    ),
}


def _fold(body: str, before: str, told: frozenset[str] = frozenset()) -> str:
    text = f"def function(self, x, y):\n    {body}\n"
    whole = ast.parse(f"def function(self, x, y):\n    {before}\n")
    return fold_variables(text, count_mentions(whole), told, lambda tree: told)


@pytest.mark.parametrize("case", CASES)
def test_a_value_stands_where_its_variable_was(case: str) -> None:
    body, left = CASES[case]
    head = "def function(self, x, y):\n    "
    more = f"{body}\n    g(a, b)\n    g(a, b)"
    assert _fold(body, more) == f"{head}{left or body}\n"
    assert _fold(body, body) == f"{head}{body}\n"  # Nothing of the function has gone.


def test_what_a_later_run_looks_for_stays() -> None:
    body = "a = self.b\n    return g(a)"
    text = f"def function(self, x, y):\n    {body}\n"
    mentions = count_mentions(ast.parse(f"{text}    return a\n"))
    told = frozenset({ast.dump(ast.parse("a = self.b").body[0])})

    def find_told(tree: ast.AST) -> frozenset[str]:
        return told & {ast.dump(node) for node in ast.walk(tree)}

    assert fold_variables(text, mentions, told, find_told) == text
    assert fold_variables(text, mentions, frozenset(), find_told) != text
