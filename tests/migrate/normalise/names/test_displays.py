"""Fetched lists that the program adds to."""

from __future__ import annotations

import pytest

from migrate.normalise.names.displays import join_additions, write_out_lists
from migrate.normalise.text import Text

RUN = "sess.run(ops)\n"


def _join(source: str) -> str:
    return join_additions(Text.read_source(source + RUN)).source.removesuffix(RUN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ops = [a]\nops.append(b)\n", "ops = [a, b]\n"),
        ("ops = []\nops += [f(1), b]\nops.extend([c])\n", "ops = [f(1), b, c]\n"),
        ("ops = [f()]\nops.append(g())\n", "ops = [f(), g()]\n"),
        (
            "a = f()\nops = [a]\nprint(1)\nops.append(b)\n",
            "a = f()\nprint(1)\nops = [a, b]\n",
        ),
        (
            "ops = [1]\nops.append(b)\nx = [sess.run(ops) for _ in y]\n",
            "ops = [1, b]\nx = [sess.run(ops) for _ in y]\n",
        ),
        (
            "ops = []\nc = d()\nfor a, b in zip(c, e):\n    ops.append(b.assign(a))\n",
            "c = d()\nops = [b.assign(a) for a, b in zip(c, e)]\n",
        ),
        (
            "ops = []\nfor a in c:\n    b = f(a)\n    ops.append(b)\nops.append(d)\n",
            "ops = [f(a) for a in c]\nops.append(d)\n",
        ),
    ],
)
def test_what_is_added_at_once(old: str, new: str) -> None:
    assert _join(old) == new


@pytest.mark.parametrize(
    "source",
    [
        # Another name, or another function, has the list.
        "ops = [a]\nmore = ops\nops.append(b)\n",
        "more = ops = [a]\nops.append(b)\n",
        "ops = [a]\ndef f():\n    return len(ops)\nops.append(f())\n",
        "def f():\n    ops.append(c)\nops = [a]\nf()\nops.append(b)\n",
        # It holds the value of before.
        "a = f()\nops = [a]\na = g()\nops.append(b)\n",
        "ops = [f()]\nprint(1)\nops.append(b)\n",
        # It is not always added, or several times.
        "ops = [1]\nif a:\n    ops.append(b)\n",
        "ops = [1]\nfor a in c:\n    ops.append(b)\n",
        "for a in c:\n    ops = [1]\n    if a:\n        continue\n    ops.append(b)\n",
        # The loop does more, or its names are read later.
        "ops = []\nfor a in c:\n    f()\n    ops.append(a)\n",
        "ops = []\nfor a in c:\n    if a:\n        ops.append(a)\n",
        "ops = []\nfor a in c:\n    ops.append(a)\nelse:\n    f()\n",
        "ops = []\nfor a in c:\n    ops.append(a)\nf(a)\n",
        "ops = []\nfor a in c:\n    b = f(a)\n    ops.append(b)\nf(b)\n",
        "ops = []\nfor a in c:\n    a = f(a)\n    ops.append(a)\n",
        "ops = []\nfor a in c:\n    ops.append(len(ops))\n",
        "ops = []\nfor a in c:\n    ops.append(lambda: a)\n",
        "ops = []\nmore = ops\nfor a in c:\n    ops.append(a)\n",
        "ops = []\nfor a.b in c:\n    ops.append(1)\n",
        # It is another change.
        "ops = [1]\nops.insert(0, b)\n",
        "ops = [1]\nops.append(len(ops))\n",
        # Nobody fetches it.
        "others = [1]\nothers.append(b)\n",
    ],
)
def test_what_else_is_done_stays(source: str) -> None:
    assert _join(source) == source


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "ops = [opt(r).minimize(a) for r, a in [(0.2, x), (-1, y.z)]]\n",
            "ops = [opt(0.2).minimize(x), opt(-1).minimize(y.z)]\n",
        ),
        (
            "def f():\n    return [opt.minimize(a, var_list=v) for a, v in ((x, [y]),)]\n",
            "def f():\n    return [opt.minimize(x, var_list=[y])]\n",
        ),
    ],
)
def test_updates_that_a_comprehension_makes(old: str, new: str) -> None:
    assert write_out_lists(Text.read_source(old)).source == new


@pytest.mark.parametrize(
    "source",
    [
        # What is computed for each round is computed before the first.
        "ops = [opt(r).minimize(x) for r in [draw(), draw()]]\n",
        "@property\ndef z(self):\n    return f()\nops = [opt.minimize(a) for a in [x.z, x]]\n",
        "ops = [opt.minimize(a) for a in [x, y] if a]\n",
        "ops = [opt.minimize(a) for a in losses]\n",
        "ops = [opt.minimize(a) for a, b in [x, y]]\n",
        "ops = [opt.minimize(a, callback=lambda b: a) for a in [x, y]]\n",
        "ops = {1: [opt.minimize(a) for a in [x, y]]}\n",
        "ops = [print(a) for a in [x, y]]  # minimize()\n",
    ],
)
def test_what_another_comprehension_makes_stays(source: str) -> None:
    assert write_out_lists(Text.read_source(source)).source == source
