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


TOLD = """
def run(x, told=False):
    print("begins", x)
    if told:
        print("step", x)
    if not told:
        open("quiet", "w")
    print("ends", x)


run(1, told=True)
run(2)
"""
FIRST = 'print("begins", 1)\nprint("step", 1)\nprint("ends", 1)\n'
SECOND = 'print("begins", 2)\nopen("quiet", "w")\nprint("ends", 2)\n'


def test_a_call_says_which_branch_its_function_takes() -> None:
    assert not find_differences(TOLD, FIRST + SECOND)
    always = TOLD.replace("run(2)", "run(2, True)")
    assert not find_differences(always, FIRST + FIRST.replace("1", "2"))
    never = TOLD.replace("run(1, told=True)", "run(1)")
    assert not find_differences(never, SECOND.replace("2", "1") + SECOND)


@pytest.mark.parametrize(
    "result",
    [
        FIRST.replace('print("step", 1)\n', "") + SECOND,
        FIRST + SECOND.replace("open", 'print("step", 2)\nopen'),
        FIRST.replace('print("step", 1)\n', "")
        + SECOND.replace("open", 'print("step", 2)\nopen'),
        FIRST.replace("print(", 'open("quiet", "w")\nprint(', 1) + SECOND,
        FIRST + SECOND.replace('open("quiet", "w")\n', ""),
        'print("step", 1)\n' + FIRST.replace('print("step", 1)\n', "") + SECOND,
    ],
)
def test_an_effect_of_another_branch_is_noticed(result: str) -> None:
    assert find_differences(TOLD, result)


@pytest.mark.parametrize(
    "original",
    [
        TOLD.replace("    print(", "    told = x > 1\n    print(", 1),
        TOLD.replace("run(2)", "run(2, *flags)"),
        TOLD.replace("run(1, told=True)", "run(1, told=known)"),
        TOLD.replace("def run", "@again\ndef run"),
        TOLD.replace("run(2)", "run(2)\nmap(run, [2])"),
    ],
)
def test_a_parameter_that_no_call_says_keeps_its_test(original: str) -> None:
    assert find_differences(original, FIRST + SECOND)
