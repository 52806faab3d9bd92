"""Checks which binding of a name a read sees."""

from __future__ import annotations

import ast

import pytest

from migrate.facts.definitions import find_definition
from migrate.facts.scopes import build_scopes

# Each program reads `x` in the call `use(x)`; the line of the binding that it sees.
PROGRAMS = {
    "x = 1\nuse(x)\n": 1,
    "x = 1\nuse(x)\nx = 2\n": 1,
    "x = 1\nx = 2\nuse(x)\nx = 3\n": 2,
    "x = 1\nx = use(x)\n": 1,
    "x = 1\nif a:\n    use(x)\nx = 2\n": 1,
    "if a:\n    x = 1\n    x = 2\n    use(x)\n": 3,
    "def f():\n    x = 1\n    x = 2\n    use(x)\n": 3,
    "for a in b:\n    use(x)\nx = 1\n": 3,  # The only one; Python may raise before.
    # Not certain.
    "x = 1\nif a:\n    x = 2\nuse(x)\n": None,
    "if a:\n    x = 1\nelse:\n    x = 2\nuse(x)\n": None,
    "if a:\n    x = 1\n    x = 2\nuse(x)\n": None,
    "for a in b:\n    x = 1\n    use(x)\n    x = 2\n": None,
    "x = 1\ndef f():\n    use(x)\nx = 2\n": None,
    "x = 1\ndef f():\n    global x\n    x = 2\nf()\nuse(x)\n": None,
    "x = 1\nuse((x := 2), use(x))\n": None,
    "use(x)\nx = 1\nx = 2\n": None,
    "x = 1\nx, y = a\nuse(x)\n": None,
    "x = 1\nx += 1\nuse(x)\n": None,
    "use(x)\n": None,
}


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_binding_that_a_read_sees(text: str) -> None:
    scopes = build_scopes(ast.parse(text))
    (read,) = (
        n.args[0]
        for n in ast.walk(scopes.tree)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Name)
        and n.func.id == "use"
        and isinstance(n.args[0], ast.Name)
    )
    found = find_definition(read, scopes)
    assert getattr(found, "lineno", None) == PROGRAMS[text]
