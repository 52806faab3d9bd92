"""Feeds are written out where they are used, and each value is computed once.

What is written is run by tests/programs/clustered/feeds.py; here are the shapes that must stay
as they are because what they hold depends on the path taken.
"""

from __future__ import annotations

import ast

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise import Text, write_out_feeds


def written(text: str) -> str:
    return write_out_feeds(Text.read_source(text)).source


RUN = "sess.run(train, feed_dict=feed)"

PLACEHOLDER = "import tensorflow as tf\ny = tf.placeholder(tf.float32)\n"

CHANGED = {
    "values computed once": (
        f"feed = {{x: draw(), y: draw()}}\n{RUN}\n{RUN}\n",
        "x_feed = draw()\ny_feed = draw()\n"
        "sess.run(train, feed_dict={x: x_feed, y: y_feed})\n"
        "sess.run(train, feed_dict={x: x_feed, y: y_feed})\n",
    ),
    "added to": (
        f"feed = {{}}\nfeed[x] = draw()\nfeed[model.y] = 1\n{RUN}\n",
        "x_feed = draw()\nsess.run(train, feed_dict={x: x_feed, model.y: 1})\n",
    ),
    "copied and added to": (
        f"base = {{x: 1}}\nfeed = dict(base)\nfeed[k] = 0.5\n{RUN}\nother = base.copy()\n"
        f"other.update({{k: 1.0}})\n{RUN.replace('=feed', '=other')}\n",
        "sess.run(train, feed_dict={x: 1, k: 0.5})\n"
        "sess.run(train, feed_dict={x: 1, k: 1.0})\n",
    ),
    "fetches that grow": (
        "ops = {'loss': loss}\nops['train'] = train\nsess.run(ops)\n",
        "sess.run({'loss': loss, 'train': train})\n",
    ),
    "given by a lambda": (
        "feed = lambda b: {x: b, y: b + k}\nsess.run(train, feed(rows))\n",
        "sess.run(train, {x: rows, y: rows + k})\n",
    ),
    "given by a lambda, computed once": (
        "f = lambda b, c: {x: b, y: b + c}\nv = sess.run([train, loss], f(draw(), 2))[1]\n"
        "w = [sess.run(loss, f(a, 1)) for a in rows]\n",
        "b_fed = draw()\nv = sess.run([train, loss], {x: b_fed, y: b_fed + 2})[1]\n"
        "w = [sess.run(loss, {x: a, y: a + 1}) for a in rows]\n",
    ),
    "overwritten later": (
        f"feed = {{x: draw(), k: 0.5}}\n{RUN}\nfeed[k] = 1.0\n{RUN}\n",
        "x_feed = draw()\nk_feed = 0.5\n"
        "sess.run(train, feed_dict={x: x_feed, k: k_feed})\nk_feed = 1.0\n"
        "sess.run(train, feed_dict={x: x_feed, k: k_feed})\n",
    ),
    "added after a use": (
        f"feed = {{x: draw()}}\n{RUN}\nfeed[k] = 1.0\n{RUN}\n",
        "x_feed = draw()\nsess.run(train, feed_dict={x: x_feed})\n"
        "sess.run(train, feed_dict={x: x_feed, k: 1.0})\n",
    ),
    "either of two": (
        f"if last:\n    feed = {{x: a(), y: b()}}\nelse:\n    feed = {{y: c(), x: d()}}\n"
        f"{RUN}\n",
        "if last:\n    x_feed = a()\n    y_feed = b()\nelse:\n    y_feed = c()\n"
        "    x_feed = d()\nsess.run(train, feed_dict={x: x_feed, y: y_feed})\n",
    ),
    "begun in every block": (
        f"feed = {{x: draw()}}\nfeed[y] = 1\n{RUN}\nfor i in range(3):\n"
        f"    feed = {{x: draw()}}\n    {RUN}\n    feed[k] = i\n    {RUN}\n",
        "x_feed = draw()\nsess.run(train, feed_dict={x: x_feed, y: 1})\n"
        "for i in range(3):\n    x_feed = draw()\n"
        "    sess.run(train, feed_dict={x: x_feed})\n"
        "    sess.run(train, feed_dict={x: x_feed, k: i})\n",
    ),
    "what is not given": (
        f"{PLACEHOLDER}feed = {{x: draw()}}\nif a is not None:\n    feed[y] = a\n{RUN}\n",
        f"{PLACEHOLDER}x_feed = draw()\n"
        "sess.run(train, feed_dict={x: x_feed, y: a})\n",
    ),
    "beside the feed": (
        f"feed = {{x: draw()}}\nfeed, n = (feed, 3)\n{RUN}\n",
        "x_feed = draw()\nn = 3\nsess.run(train, feed_dict={x: x_feed})\n",
    ),
    "by a function, and added to": (
        f"def make(n):\n    return {{x: draw(n), y: 2}}\nfeed = make(3)\nfeed[k] = 1\n"
        f"{RUN}\n",
        "def make(n):\n    return draw(n), 2\nx_feed, y_feed = make(3)\n"
        "sess.run(train, feed_dict={x: x_feed, y: y_feed, k: 1})\n",
    ),
    "by a function": (
        f"def make(n):\n    return {{x: draw(n), y: 2}}\nfeed = make(3)\n{RUN}\n",
        "def make(n):\n    return draw(n), 2\nx_feed, y_feed = make(3)\n"
        "sess.run(train, feed_dict={x: x_feed, y: y_feed})\n",
    ),
    "by a function of the placeholders": (
        "def make(n, a, b):\n    return {a: draw(n), b: 2}\n"
        "def main():\n    sess.run(t, make(3, x, y))\n    sess.run(t, make(4, u, w))\n",
        "def make(n):\n    return draw(n), 2\n"
        "def main():\n    x_feed, y_feed = make(3)\n"
        "    sess.run(t, {x: x_feed, y: y_feed})\n    u_feed, w_feed = make(4)\n"
        "    sess.run(t, {u: u_feed, w: w_feed})\n",
    ),
}


@pytest.mark.parametrize("case", CHANGED)
def test_written_out(case: str) -> None:
    before, after = CHANGED[case]
    assert written(before) == after
    assert written(after) == after


UNCHANGED = {
    "what is computed where it is not fed": (
        "import tensorflow as tf\ny = iterator.get_next()\nfeed = {x: draw()}\n"
        f"if a is not None:\n    feed[y] = a\n{RUN}\n"
    ),
    "a default where it is not fed": (
        "import tensorflow as tf\ny = tf.placeholder_with_default(1.0, [])\n"
        f"feed = {{x: draw()}}\nif a is not None:\n    feed[y] = a\n{RUN}\n"
    ),
    "another value than what is asked for": (
        f"{PLACEHOLDER}feed = {{x: draw()}}\nif a is not None:\n    feed[y] = a[0]\n{RUN}\n"
    ),
    "added to in the round before": (
        f"feed = {{x: draw()}}\nfor i in range(3):\n    {RUN}\n    feed[k] = i\n"
        f"feed = {{y: draw()}}\n{RUN}\n"
    ),
    "already": "sess.run(train, feed_dict={x: draw(), y: 1})\n",
    "used at once": f"feed = {{x: draw()}}\n{RUN}\n",
    "names only": f"feed = {{x: a, y: b}}\n{RUN}\n{RUN}\n",
    "added on a condition": f"feed = {{x: draw()}}\nif k:\n    feed[y] = 1\n{RUN}\n{RUN}\n",
    "a lambda of another name's value": (
        "f = lambda b: {x: b * k}\ndef go(k):\n    sess.run(train, f(k))\n"
    ),
    "a lambda of two": (
        "f = lambda b: {x: b}\nsess.run(train, f(a))\nf = lambda b: {x: b * 2}\n"
        "sess.run(train, f(a))\n"
    ),
    "a lambda that a function changes": (
        "def go():\n    global f\n    f = lambda b: {x: b * 2}\nf = lambda b: {x: b}\n"
        "sess.run(train, f(a))\n"
    ),
    "a lambda's argument that must be computed before": (
        "f = lambda b: {x: b, y: b}\nv = [sess.run(train, f(draw())) for _ in a]\n"
        "v = go() + sess.run(train, f(draw()))\n"
    ),
    "a lambda with a default": (
        "f = lambda b, k=draw(): {x: b * k}\nsess.run(train, f(a))\n"
    ),
    "a lambda of its own loop": (
        "f = lambda b: {x: [c * b for c in a]}\nfor c in a:\n    sess.run(train, f(c))\n"
    ),
    "other keys in a branch": (
        "if k:\n    feed = {x: draw()}\nelse:\n    feed = {y: draw()}\n"
        f"print(k)\n{RUN}\n"
    ),
    "given away": f"feed = {{x: draw()}}\nfill(feed)\n{RUN}\n{RUN}\n",
    "looked into": f"feed = {{x: draw()}}\nprint(feed[x])\n{RUN}\n{RUN}\n",
    "a copy": f"feed = dict(other)\n{RUN}\n",
    "a copy of what changes": (
        f"base = {{x: 1}}\nfeed = dict(base)\n{RUN}\nbase[x] = 2\n{RUN}\n"
    ),
    "fetches on a condition": (
        "ops = {'loss': loss}\nif k:\n    ops['train'] = train\nsess.run(ops)\n"
    ),
    "fetches that are looked at": (
        "ops = {'loss': loss}\nops['train'] = train\nprint(len(ops))\nsess.run(ops)\n"
    ),
    "fetches computed there": (
        "ops = {'loss': loss}\nops['twice'] = loss * 2\nsess.run(ops)\n"
    ),
    "a function that may give none": (
        f"def make():\n    if k:\n        return None\n    return {{x: 1}}\nfeed = make()\n{RUN}\n"
    ),
    "a function called elsewhere": (
        f"def make():\n    return {{x: draw()}}\nfeed = make()\n{RUN}\nother = make\n"
    ),
    "a function that reads the placeholder": (
        f"def make(a):\n    return {{a: draw(a.shape)}}\nfeed = make(x)\n{RUN}\n"
    ),
    "in a condition": "ok = sess.run(t, make()) if k else 0\ndef make():\n    return {x: 1}\n",
}


@pytest.mark.parametrize("case", UNCHANGED)
def test_left_alone(case: str) -> None:
    ast.parse(UNCHANGED[case])
    assert written(UNCHANGED[case]) == UNCHANGED[case]


INLINED = """\
import tensorflow as tf


def inputs(size):
    return tf.placeholder(tf.float32, [None, size])


w = tf.Variable(tf.zeros([2, 1]))
x = inputs(2)
loss = tf.reduce_mean(tf.matmul(x, w) - OTHER)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: [[1.0, 2.0]]}))
"""


@pytest.mark.parametrize(
    "other", ["tf.matmul(inputs(2), w)", "inputs(1)", "2.0 * inputs(1)"]
)
def test_a_placeholder_that_no_run_can_feed_is_refused(other: str) -> None:
    """It is the value of a function that was inlined into an expression."""
    found = migrate_text(INLINED.replace("OTHER", other)).findings
    assert not [f for f in found if f.outcome is Outcome.FAILED]
    assert {f.code for f in found if f.outcome is Outcome.REFUSED} & {"S105", "S111"}
    fed = migrate_text(INLINED.replace("OTHER", "1.0")).findings
    assert not [f for f in fed if f.outcome is Outcome.REFUSED]


def test_a_lambda_that_fetches_its_parameter_is_refused() -> None:
    """The tool looked for more fetches in the body of the lambda, and failed."""
    found = migrate_text(
        "import tensorflow as tf\n"
        "x = tf.placeholder(tf.float32, [])\n"
        "y = x * 2.0\n"
        "sess = tf.Session()\n"
        "give = lambda tensor, value: sess.run(tensor, {x: value})\n"
        "print(give(y, 1.0))\n"
    ).findings
    assert not [f for f in found if f.outcome is Outcome.FAILED]
    assert "S109" in {f.code for f in found if f.outcome is Outcome.REFUSED}
