"""Objects that a list or a dict holds get names, if the program only takes them out.

The spellings of `tests/spellings/programs/several_models` show that the numbers are the same.
"""

from __future__ import annotations

import pytest

from migrate.frontends.sessions.listed_objects import name_objects
from migrate.normalise.text import Text

CLASS = "class Net:\n    pass\n\n\n"
LIST = "nets = [Net(n) for n in ('a', 'b')]\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"{LIST}a, b = nets\n", "a = Net('a')\nb = Net('b')\n"),
        (
            f"{LIST}b = nets[1]\nf(nets[0].x)\n",
            "nets_0 = Net('a')\nb = Net('b')\nf(nets_0.x)\n",
        ),
        (
            f"{LIST}f([n.x for n in nets], sum(n.x for n in nets), len(nets))\n",
            "nets_0 = Net('a')\nnets_1 = Net('b')\n"
            "f([nets_0.x, nets_1.x], sum([nets_0.x, nets_1.x]), 2)\n",
        ),
        (
            "nets = {n: Net(n) for n in ['a', 'b']}\na, b = nets['a'], nets['b']\n"
            "f({k: n.x for k, n in nets.items()}, [n.x for n in nets.values()])\n",
            "a = Net('a')\nb = Net('b')\nf({'a': a.x, 'b': b.x}, [a.x, b.x])\n",
        ),
        (
            "names = ['a', 'b']\nnets = [Net(n) for n in names]\nf(nets[0])\n",
            "names = ['a', 'b']\nnets_0 = Net('a')\nnets_1 = Net('b')\nf(nets_0)\n",
        ),
        ("a, b = [Net(i) for i in range(2)]\n", "a, b = [Net(0), Net(1)]\n"),
        # The names are taken: they stay other names.
        (
            f"a = 5\n{LIST}a, b = nets\n",
            "a = 5\nnets_0 = Net('a')\nb = Net('b')\na = nets_0\n",
        ),
    ],
)
def test_objects_of_a_list_have_names(old: str, new: str) -> None:
    text = name_objects(Text.read_source(CLASS + old)).source
    assert text == CLASS + new


@pytest.mark.parametrize(
    "code",
    [
        # The list is changed, given away, or another one.
        f"{LIST}nets.append(Net('c'))\nf(nets[0])\n",
        f"{LIST}nets[0] = Net('c')\nf(nets[0])\n",
        f"{LIST}f(nets)\n",
        f"{LIST}g = nets\nf(nets[0])\n",
        f"{LIST}if f():\n    nets = nets[::-1]\nf(nets[0])\n",
        f"{LIST}for net in nets:\n    f(net)\n",
        f"{LIST}f(nets[i])\n",
        f"{LIST}f(nets[True], nets[2])\n",
        f"{LIST}a, b, c = nets\n",
        f"for i in f():\n    {LIST}    f(nets[0])\n",
        "names = ['a']\nnames.append('b')\nnets = [Net(n) for n in names]\nf(nets[0])\n",
        "names = ['a']\ng = [names for i in 'ab']\nnets = [Net(n) for n in names]\nf(nets[0])\n",
        # Each lambda sees the last name.
        "nets = [Net(lambda: n) for n in ('a', 'b')]\nf(nets[0])\n",
        f"{LIST}f([lambda: n.x for n in nets])\n",
        # Not all of it may be computed.
        f"{LIST}f(any(n.x for n in nets))\n",
        "nets = [Net('a'), f()]\ng(nets[0])\n",
        "nets = {'a': Net('a'), 'a': Net('b')}\nf(nets['a'])\n",
        "nets = {n: Net(n) for n in ('a', 'b')}\nf([k for k in nets])\n",
    ],
)
def test_objects_of_another_list_stay(code: str) -> None:
    text = name_objects(Text.read_source(CLASS + code)).source
    assert text == CLASS + code
