"""Statements that end with a semicolon stand alone in their lines."""

from __future__ import annotations

import pytest

from migrate.normalise.names.semicolons import split_lines
from migrate.normalise.text import Text


@pytest.mark.parametrize(
    "old, new",
    [
        ("a = f();\nb = 1\n", "a = f()\nb = 1\n"),
        ("if a:\n    b = 1;  # One.\n", "if a:\n    b = 1  # One.\n"),
        ("a = f(\n  1);\n", "a = f(\n  1)\n"),
        ("a = 1; b = 2;\n", "a = 1\nb = 2\n"),
        (
            "for i in x:\n    a = 1; b = 22222;\n    c = 1;\nd = 1\n",
            "for i in x:\n    a = 1\n    b = 22222\n    c = 1\nd = 1\n",
        ),
        ("a = ';'\nb = 'c;'  # d;\n", "a = ';'\nb = 'c;'  # d;\n"),
    ],
)
def test_semicolons_at_the_ends_of_lines_go(old: str, new: str) -> None:
    assert split_lines(Text.read_source(old)).source == new
