"""A change that moves nothing has the same effects, in one order."""

from __future__ import annotations

import pytest

from migrate.gates.same_trace import has_same_trace

PROGRAM = """\
import random
log = open("a", "w")
for i in range(3):
    if i > 1:
        print(i, random.random())
    log.write("x")
log.close()
"""

CHANGES = {
    "one is gone": ("    log.write('x')\n".replace("'", '"'), ""),
    "one is done twice": ("log.close()\n", "log.close()\nlog.close()\n"),
    "another order": (
        'log = open("a", "w")\n',
        'print(random.random())\nlog = open("a", "w")\n',
    ),
    "another condition": ("    if i > 1:\n", "    if other():\n"),
    "out of its loop": ('    log.write("x")\n', 'log.write("x")\n'),
}


def test_what_computes_may_change() -> None:
    assert has_same_trace(PROGRAM, PROGRAM)
    assert has_same_trace(PROGRAM, PROGRAM.replace("print(i,", "print(i * 1,"))


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen(name: str) -> None:
    old, new = CHANGES[name]
    assert old in PROGRAM
    assert not has_same_trace(PROGRAM, PROGRAM.replace(old, new))
