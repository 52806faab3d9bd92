"""A model_fn's docstring, as that of the class that it becomes."""

from __future__ import annotations

import pytest

from migrate.backends.keras.descriptions import drop_sections

GOOGLE = """Two towers.

    Args:
        features: numbers and
            more.
        labels: [batch, 1].
        mode: one of ModeKeys.

    Raises:
        ValueError: no numbers.

    Returns:
        An EstimatorSpec.
    """


@pytest.mark.parametrize(
    "parameters, expected",
    [
        (
            ["features"],
            "Two towers.\n\n    Args:\n        features: numbers and\n            more.\n\n"
            "    Raises:\n        ValueError: no numbers.\n    ",
        ),
        ([], "Two towers.\n\n    Raises:\n        ValueError: no numbers.\n    "),
    ],
)
def test_what_a_class_does_not_take_or_return_goes(
    parameters: list[str], expected: str
) -> None:
    assert drop_sections(GOOGLE, parameters) == expected


def test_one_line_is_left() -> None:
    assert drop_sections("A.\n\n  Returns:\n    A spec.\n  ", []) == "A."


def test_fields() -> None:
    text = "A.\n\n  :param x: a\n  :param labels: b\n    more\n  :return: spec\n  "
    assert drop_sections(text, ["x"]) == "A.\n\n  :param x: a\n  "


@pytest.mark.parametrize("text", ["A.", "A.\n\n  Returns a spec: always.\n  ", ""])
def test_other_texts_stay(text: str) -> None:
    assert drop_sections(text, []) == text
