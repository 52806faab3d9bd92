"""A function may stand in the place of each of its calls, and no more often."""

from __future__ import annotations

import pytest

from migrate.gates.effects import find_differences

ORIGINAL = """
def show(x):
    print("shown", x)


def work(x):
    show(x)
    open("done", "w")


work(1)
show(2)
"""


@pytest.mark.parametrize(
    "result",
    [
        'print("shown", 1)\nopen("done", "w")\nprint("shown", 2)\n',
        'def work(x):\n    print("shown", x)\n    open("done", "w")\n\n\n'
        'work(1)\nprint("shown", 2)\n',
    ],
)
def test_each_call_is_its_function(result: str) -> None:
    assert not find_differences(ORIGINAL, result)


@pytest.mark.parametrize(
    "result",
    [
        'print("shown", 1)\nopen("done", "w")\nprint("shown", 2)\nprint("shown", 3)\n',
        'print("shown", 1)\nopen("done", "w")\nopen("done", "w")\nprint("shown", 2)\n',
        'for x in (1, 2):\n    print("shown", x)\nopen("done", "w")\n',
    ],
    ids=["once more", "another twice", "in a loop"],
)
def test_what_is_done_more_often_is_a_difference(result: str) -> None:
    assert find_differences(ORIGINAL, result)
