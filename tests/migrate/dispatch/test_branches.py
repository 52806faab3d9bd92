"""Runs whose fetch the host chooses: the branches run what was run, or there are none.

The pass knows nothing of TensorFlow. So these programs have values and a session that are
Python's own, and the runs of both texts are compared.
"""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.dispatch.branches import split_chosen_runs
from migrate.findings import Outcome
from migrate.normalise.text import Text

START = """\
class Session:
    def __init__(self):
        self.runs = []

    def run(self, fetches, feed=None):
        if fetches is None:
            raise TypeError(fetches)
        self.runs.append((fetches, feed))
        return fetches


def make(name):
    return name.upper()


sess = Session()
a = make("a")
b = make("b")
c = make("c")
loss = make("loss")
"""


def _runs(source: str) -> object:
    names: dict[str, object] = {"__name__": "program"}
    exec(compile(source, "program", "exec"), names)
    return names["sess"].runs  # type: ignore[attr-defined]


def _split(body: str) -> tuple[str, str]:
    old = START + textwrap.dedent(body)
    return old, split_chosen_runs(Text.read_source(old)).source


@pytest.mark.parametrize(
    "body",
    [
        """
        for i in range(6):
            op = a if i < 3 else b
            value, _ = sess.run([op, loss], i)
        """,
        """
        for i in range(6):
            sess.run(a if i % 2 else b, feed=i)
        """,
        """
        ops = [a, b, c]
        for i in range(6):
            # Backward.
            sess.run({"op": ops[i % 3 - 1], "loss": loss},
                     feed=i)  # And forward.
        for op in ops:
            sess.run(op)
        for i, other in enumerate(reversed(ops)):
            sess.run((other, loss), i)
        sess.run(ops[-1])
        """,
        """
        phases = {"one": a, "two": b}
        for name in ["one", "two", "one"]:
            print(sess.run(phases[name]))
        for name, op in phases.items():
            sess.run(op, name)
        for op in phases.values():
            sess.run([op])
        """,
        """
        for name, op, times in [("one", a, 2), ("two", b, 1)]:
            for i in range(times):
                sess.run(op, (name, i))
        """,
        """
        def main():
            first = make("first")
            second = first
            table = [("x", first), ("y", c)]
            for pair in table:
                sess.run(pair[1])
            for i in range(4):
                if i == 0:
                    chosen = first
                elif i == 1:
                    chosen = second
                else:
                    chosen = table[i % 2][1]
                sess.run([loss, [chosen]])


        main()
        """,
        """
        x, y = make("x"), make("y")
        for (name, times), op in zip([("one", 1), ("two", 2)], (x, y)):
            sess.run(op, name * times)
        """,
        """
        for i in range(8):
            sess.run([a if i % 2 else b, loss if i < 4 else c])
        """,
        # There is one value, under another name.
        """
        for i in range(2):
            op = a
            for j in range(3):
                sess.run([op, loss], j)
        op_2 = b
        sess.run(op_2)
        """,
        """
        ops = [a]
        for i in range(len([a])):
            sess.run([ops[i], loss], i)
        """,
        # There may be none.
        """
        op = None
        for i in range(4):
            if i == 2:
                op = a
            if op is not None:
                sess.run([op, loss], i)
        """,
        """
        op = None
        try:
            for i in range(4):
                op = a if i < 2 else b if i < 3 else None
                sess.run(op, i)
        except TypeError:
            sess.run(c)
        """,
        # The statement does more than the run: only the run stands in branches.
        """
        total = ""
        for i in range(4):
            total += "%s %s" % (i, make(sess.run(a if i % 2 else b, i)))
            print(i, sess.run([loss, a if i % 2 else c], i)[0])
        sess.run(loss, total)
        """,
        """
        def add(op):
            sess.run(op)
            return op

        for i in range(2):
            x = add(c) + sess.run(a if i else b)
        """,
    ],
)
def test_the_same_is_run(body: str) -> None:
    old, new = _split(body)
    assert new != old
    assert _runs(new) == _runs(old)
    # Comments stay.
    assert new.count("# Backward.") == old.count("# Backward.")


def test_another_choice_is_noticed() -> None:
    old, new = _split("for i in range(4):\n    sess.run(a if i else b)\n")
    assert _runs(new.replace("sess.run(a)", "sess.run(c)")) != _runs(old)


@pytest.mark.parametrize(
    "body",
    [
        # Somebody looks at the value that the host holds.
        "for op in [a, b]:\n    print(op)\n    sess.run(op)\n",
        "for op in [a, b]:\n    if op is a:\n        sess.run(op)\n",
        "ops = [a, b]\nprint(a in ops)\nfor op in ops:\n    sess.run(op)\n",
        "ops = [a, b]\nfor op in ops:\n    sess.run(op)\nfirst, last = ops\n"
        "sess.run(first)\nprint(last)\n",
        "pairs = [(a, b), (b, c)]\nfor x, y in pairs:\n    sess.run(x)\n    print(y)\n"
        "for i in range(2):\n    sess.run(pairs[i][1])\n",
        "def show(op):\n    print(op)\nfor op in [a, b]:\n    sess.run(op)\n    show(op)\n",
        # Others may be in it.
        "ops = [a, b]\nops.append(c)\nfor op in ops:\n    sess.run(op)\n",
        "ops = [a, b]\nops[0] = c\nfor op in ops:\n    sess.run(op)\n",
        "ops = [*make('xy'), a]\nfor op in ops:\n    sess.run(op)\n",
        "ops = [a, b]\nops += [c]\nfor op in ops:\n    sess.run(op)\n",
        "def step(op):\n    for i in range(2):\n        sess.run(op if i else b)\nstep(a)\n",
        "for op in sorted([b, a]):\n    sess.run(op)\n",
        # The name is another one when it is run.
        "for i in range(2):\n    d = make(str(i))\n    op = d if i else b\n    sess.run(op)\n",
        "a = make('d')\nfor i in range(2):\n    sess.run(a if i else b)\n",
        "ops = [a, b]\ndef step(a, i):\n    sess.run(ops[i])\nstep(b, 0)\n",
        # It is not run once, where it stands.
        "for i in range(2):\n    all = [sess.run(op) for op in [a, b]]\n",
        "for i in range(2):\n    x = i and sess.run(a if i else b)\n",
        "i = 2\nwhile i and sess.run(a if i else b):\n    i -= 1\n",
        "for i in range(2): sess.run(a if i else b)\n",
        # Something is lost with the only value's place.
        "ops = [a]\nfor i in range(2):\n    sess.run(ops[int(make('0'))])\n",
        "ops = {'x': a}\ntry:\n    sess.run(ops['y' if loss else 'x'])\n"
        "except KeyError:\n    pass\n",
        # It has no end.
        "ops = (a, (b, c))\nfor i in range(1):\n    ops = ops[1]\n    sess.run(ops)\n",
        "p = q\nq = p\nsess.run(p if p else q)\n",
        # More than anybody reads.
        "ops = [a, b, c, loss, m, n, o, p, q]\nfor op in ops:\n    sess.run(op)\n"
        + "m, n, o, p, q = make('m'), make('n'), make('o'), make('p'), make('q')\n",
    ],
)
def test_what_is_not_known_stays(body: str) -> None:
    old, new = _split(body)
    assert new == old


PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(x - w))
slow = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
fast = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for op in [slow, fast]:
        sess.run(op, {x: [1.0, 2.0]})
        # MORE
"""


def test_an_operation_that_is_printed_is_refused() -> None:
    done = migrate_text(PROGRAM)
    assert not [f for f in done.findings if f.blocks]
    assert migrate_text(done.text).text == done.text
    refused = migrate_text(PROGRAM.replace("# MORE", "print(op)"))
    codes = {f.code for f in refused.findings if f.outcome is Outcome.REFUSED}
    assert {"S109", "S112"} <= codes


def test_what_is_bound_beside_an_operation_that_is_run_stays_one() -> None:
    """A part that one loop prints, and another runs, is not a name."""
    looped = PROGRAM.replace("for op in [slow, fast]", "for op, other in pairs")
    pairs = "pairs = [(slow, fast), (fast, slow)]\n\nwith"
    text = looped.replace("\nwith", pairs).replace("# MORE", "print(other.name)")
    text += "    for _, second in pairs:\n        sess.run(second, {x: [1.0]})\n"
    assert "S109" in {f.code for f in migrate_text(text).findings if f.blocks}
    seen = text.replace("print(other.name)", "sess.run(other, {x: [2.0]})")
    assert not [f for f in migrate_text(seen).findings if f.blocks]
