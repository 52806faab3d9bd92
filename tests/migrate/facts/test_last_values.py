"""What a name certainly holds where it is read."""

from __future__ import annotations

import ast
import textwrap

import pytest

from migrate.facts.last_values import find_last_value
from migrate.facts.scopes import build_scopes


def _find(source: str) -> str | None:
    """The value of the `op` that is given to `look`."""
    tree = ast.parse(textwrap.dedent(source))
    (call,) = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and ast.unparse(n.func) == "look"
    ]
    read = call.args[0]
    assert isinstance(read, ast.Name)
    value = find_last_value(build_scopes(tree), read)
    return None if value is None else ast.unparse(value)


@pytest.mark.parametrize(
    "source",
    [
        "op = None\nop = a\nlook(op)\n",
        "op = a\nif b:\n    look(op)\n",
        "op = a\nwith b:\n    for c in d:\n        look(op)\n",
        "op = c\nif b:\n    op = a\n    look(op)\nelse:\n    op = d\n",
        "def f(op):\n    op = a\n    while look(op):\n        pass\n",
        "op = a\nprint([op for op in b])\nlook(op)\nop = c\n",
    ],
)
def test_the_last_assignment_is_found(source: str) -> None:
    assert _find(source) == "a"


@pytest.mark.parametrize(
    "source",
    [
        "look(op)\n",
        "def f(op):\n    look(op)\n",
        "op = a\ndef f():\n    look(op)\nop = b\n",
        "op = a\nif b:\n    op = c\nlook(op)\n",
        "op = a\nfor b in c:\n    look(op)\n    op = d\n",
        "op = a\nfor b in c:\n    look(op)\n    for op in d:\n        pass\n",
        "op = a\nwhile look(op):\n    op = b\n",
        "op = a\nfor op in look(op):\n    pass\n",
        "op = a\nwith b as op:\n    look(op)\n",
        "op = a\ntry:\n    op = b\nexcept E:\n    pass\nlook(op)\n",
        "try:\n    op = a\nexcept E:\n    look(op)\n",
        "op = a\nx, op = b\nlook(op)\n",
        "op = a\nop += b\nlook(op)\n",
        "op = a\ndel op\nlook(op)\n",
        "op = a\ndef f():\n    global op\n    op = b\nf()\nlook(op)\n",
        "op = a\nif (op := b) and look(op):\n    pass\n",
        "op = (op := a)\nlook(op)\n",
        "op = a\nfrom b import *\nlook(op)\n",
        "op = a\nmatch b:\n    case [op]:\n        pass\nlook(op)\n",
        "op = a\n[look(op) for op in b]\n",
    ],
)
def test_a_value_that_is_not_certain_is_not_found(source: str) -> None:
    assert _find(source) is None
