"""A function that reads a name of its own before it binds it would fail when it is called."""

from __future__ import annotations

from migrate.gates.effects import find_differences

ORIGINAL = """\
y = 2


def step(x):
    z = x * y
    return z


print(step(1))
"""


def test_a_name_that_is_bound_below_its_read_is_found() -> None:
    result = ORIGINAL.replace("    return z\n", "    y = 2\n    return z\n")
    assert ["`y` would be read before it is bound"] == [
        d.reason for d in find_differences(ORIGINAL, result)
    ]


def test_what_a_loop_binds_it_may_read_in_the_next_round() -> None:
    result = ORIGINAL.replace(
        "    z = x * y\n",
        "    for i in range(2):\n        if i:\n            z = last\n        last = x\n",
    )
    assert not find_differences(ORIGINAL, result)


def test_what_the_first_round_reads_is_found() -> None:
    """`out` was a variable of the module, and became the function's own name."""
    for added in ("total = total * y", "total += y"):
        loop = f"    for i in range(2):\n        {added}\n    z = total\n"
        result = ORIGINAL.replace("    z = x * y\n", loop)
        assert ["`total` would be read before it is bound"] == [
            d.reason for d in find_differences(ORIGINAL, result)
        ]
        begun = result.replace("    for", "    total = 1\n    for")
        assert not find_differences(ORIGINAL, begun)
    defined = ORIGINAL.replace(
        "    z = x * y\n",
        "    for i in range(2):\n        def add(a):\n            return a\n"
        "        z = add(x)\n",
    )
    assert not find_differences(ORIGINAL, defined)
    skipped = ORIGINAL.replace(
        "    z = x * y\n",
        "    for i in range(2):\n        if not i:\n            last = x\n"
        "            continue\n        z = last\n",
    )
    assert not find_differences(ORIGINAL, skipped)


def test_what_was_so_stays() -> None:
    wrong = ORIGINAL.replace("    return z\n", "    y = 2\n    return z\n")
    assert not find_differences(
        wrong, wrong + "\n\nprint(3)\n".replace("print(3)\n", "")
    )


def test_a_function_that_is_defined_below_is_another_one() -> None:
    """The first call does not read what only the second function reads."""
    second = "w = 3\n\n\ndef step(x):\n    return x * w\n\n\nprint(step(2))\n"
    assert not find_differences(ORIGINAL + second, ORIGINAL + second)
    early = ORIGINAL + second.replace("w = 3\n\n\n", "").replace("(2))", "(2))\nw = 3")
    assert ["`w` would be read before it is bound"] == [
        d.reason for d in find_differences(ORIGINAL + second, early)
    ]
