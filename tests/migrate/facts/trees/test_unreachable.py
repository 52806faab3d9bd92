"""Checks that code which never runs does not stop the migration of a program."""

from __future__ import annotations

import ast
import pathlib

import pytest

from migrate.facts.trees.unreachable import find_unreachable
from migrate.outcomes import Status
from migrate.report.summary import summarise
from migrate.run import run_programs
from reference.pages.cases import cases
from tests import ledger

GONE = "tf.contrib.nobody.knows(3)"
SCRIPT = """\
import tensorflow as tf
{module}
x = tf.placeholder(tf.float32, [])
with tf.Session() as sess:
    print(sess.run(tf.log(x), {{x: 1.0}}))
"""
MAIN = """\
import tensorflow as tf


def main():
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as sess:
        print(sess.run(tf.log(x), {x: 1.0}))
END

main()
"""


def status(text: str, path: pathlib.Path) -> tuple[Status | None, int, str]:
    path.write_text(text)
    ((result,),) = run_programs([path])
    new = result.new.decode() if result.changed else text
    return result.status, summarise([result]).exit_code, new


@pytest.mark.parametrize(
    "dead",
    [
        "if False:\n    {}",
        "if 0:\n    other = tf.Session('grpc://x:1')\n    {}",
        "if None:\n    {}\nelse:\n    print(1)",
        "if not True:\n    {}",
        "if True:\n    print(1)\nelse:\n    {}",
        "while 0:\n    {}",
        "for n in range(2):\n    continue\n    {}",
        "def helper(x):\n    return {}",
        "def helper(q):\n    with tf.Session() as sess:\n        return sess.run(q)",
        "def one():\n    return two()\ndef two():\n    return {}\nif False:\n    one()",
        "class Old:\n    def go(self):\n        return {}",
    ],
)
def test_of_a_script(dead: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    text = SCRIPT.format(module=dead.format(GONE))
    assert status(text, path)[:2] == (Status.MIGRATED, 0)
    # A control: what does run decides.
    alive = SCRIPT.format(module=GONE)
    assert status(alive, path)[:2] == (Status.REFUSED, 1)


@pytest.mark.parametrize("end", ["return", "raise SystemExit", "return 1"])
def test_below_the_end_of_a_function(end: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.py"
    text = MAIN.replace("END", f"    {end}\n    {GONE}")
    found = status(text, path)
    assert found[:2] == (Status.MIGRATED, 0) and "contrib" not in found[2]
    alive = MAIN.replace("END", f"    {GONE}\n    {end}")
    assert status(alive, path)[:2] == (Status.REFUSED, 1)


def test_of_a_tree(tmp_path: pathlib.Path) -> None:
    (tmp_path / "lib.py").write_text(
        "import tensorflow as tf\n\n\ndef used(x):\n    return tf.log(x)\n\n\n"
        f"def unused(x):\n    return {GONE}\n"
    )
    (tmp_path / "main.py").write_text(
        "import tensorflow as tf\nfrom lib import used\n"
        "x = tf.placeholder(tf.float32, [])\ny = used(x)\n"
        "with tf.Session() as sess:\n    print(sess.run(y, {x: 1.0}))\n"
    )
    results = [r for program in run_programs([tmp_path]) for r in program]
    assert {r.status for r in results} == {Status.MIGRATED}
    assert summarise(results).exit_code == 0
    # A control: of a library all may be called.
    (tmp_path / "main.py").unlink()
    (result,) = [r for program in run_programs([tmp_path]) for r in program]
    assert result.status is Status.REFUSED


def test_what_stays() -> None:
    """Code stays if running code depends on it, or if it has no lines of its own."""
    for text in (
        "def f():\n    return\n    yield 1\n",
        "def f(x=1):\n    print(y)\n    return\n    y = 2\n",
        "def f():\n    def g():\n        return n\n    return g\n    n = 1\n",
        "def f():\n    return; print(1)\n",
        "if True:\n    a()\nelif b:\n    c()\n",
        "if False: a()\n",
        "if x:\n    a()\n",
        "def f():\n    return 1\n",
        "while True:\n    a()\nelse:\n    b()\n",
    ):
        assert not find_unreachable(ast.parse(text), text), text
    text = "def f():\n    return 1\n    # Old.\n    @old\n    def g():\n        pass\n    g()\n"
    (dead,) = find_unreachable(ast.parse(text), text)
    assert (dead.first, dead.last, dead.stands) == (4, 7, "")


STARTED = {
    name: case.text
    for name, case in cases().items()
    if "import tensorflow as tf\n" in case.text
    and "\nwith tf." in case.text
    and "__future__" not in case.text
}


def test_dead_code_never_decides(tmp_path: pathlib.Path) -> None:
    """Dead code that is added to a migrated script changes no outcome."""
    ledger.rests_on(ledger.COMPILER, ledger.ROOT / "tests" / "rules")
    checked = 0
    path = tmp_path / "a.py"
    for text in STARTED.values():
        plain = status(text, path)
        if plain[0] is not Status.MIGRATED:
            continue
        dead = (
            f"\n\ndef nobody_calls_this(q):\n    return {GONE}\n\n\n"
            f"if False:\n    {GONE}\n    nobody_calls_this(1)\n"
        )
        assert status(text.rstrip("\n") + dead, path)[:2] == plain[:2], text
        checked += 1
    assert checked > 20
