"""Checks names and lines that mix code of the graph with code of every step.

Programs like tests/programs/clustered/fed_rates.py run these; here is each shape alone.
"""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise import Text
from migrate.normalise.names.statements import run_by_session
from migrate.normalise.names.versions import rename_later_bindings
from tests.migrate.normalise.test_step_functions import HEAD, TAIL

LOOP = TAIL.split("\n", 2)[2]
MODEL = "w = tf.Variable([1.0, 1.0])\nloss = tf.reduce_sum(x * w)\n"
UPDATE = "op = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=step)\n"


def result(body: str, loop: str = LOOP) -> tuple[str, set[str]]:
    """The migrated text, and the codes of what was refused."""
    text = HEAD + textwrap.indent(body, "    ") + loop
    migration = migrate_text(text)
    assert not any(f.outcome is Outcome.FAILED for f in migration.findings)
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    return migration.text, refused - {"N100"}


STAND = {
    "a function that needs the step's tensors": (
        "w = tf.get_variable('w', [2])\nfirst = tf.reduce_mean(x, 0)\n"
        "def twice():\n    return 2. * first\n"
        "half = lambda: first / 2.\n"
        "chosen = tf.cond(tf.reduce_sum(x) > 1., twice, half)\n"
        "loss = tf.reduce_sum(chosen * w)\nrate = 0.1\n" + UPDATE,
        [
            "def train_step(x):",
            "            def twice():\n                return 2. * first",
            "            half = lambda: first / 2.",
        ],
    ),
    "a rate that is fed": (
        "rate = tf.placeholder(tf.float32)\n" + MODEL + UPDATE,
        [
            'MomentumOptimizer(replicas.fed("rate"), 0.9)',
            "def train_step(x, rate):",
            'replicas.feed("rate", rate)',
        ],
    ),
    "a rate that is computed": (
        "rate = tf.minimum(0.1, tf.rsqrt(tf.cast(step, tf.float32)))\n"
        + MODEL
        + UPDATE,
        ['replicas.fed("rate")', 'replicas.feed("rate", rate)'],
    ),
    "a schedule that is bounded": (
        "rate = tf.train.exponential_decay(0.1, step, 3, 0.8)\n"
        "rate = tf.maximum(rate, 0.03)\n" + MODEL + UPDATE,
        ["rate_2 = tf.maximum(rate(), 0.03)", 'replicas.fed("rate_2")'],
    ),
    "a variable that is normalised": (
        "w = tf.get_variable('w', [2])\n"
        "w = tf.nn.l2_normalize(w, 0)\n"
        "loss = tf.reduce_sum(x * w)\nrate = 0.1\n" + UPDATE,
        ["w_2 = tf.nn.l2_normalize(w, 0)", "loss = tf.reduce_sum(x * w_2)"],
    ),
    "a sum that begins at nothing": (
        MODEL + "rate = 0.1\npenalty = 0.\nfor v in [w]:\n"
        "    penalty += tf.nn.l2_loss(v)\nloss = loss + penalty\n" + UPDATE,
        ["penalty = 0.\n            for v in [w]:\n                penalty +="],
    ),
    "a dict that is filled": (
        "net = {}\nw = tf.Variable([1.0, 1.0])\nnet['h'] = x * w\nrate = 0.1\n"
        "loss = tf.reduce_sum(net['h'])\n" + UPDATE,
        ["net = {}\n            net['h'] = x * w"],
    ),
    "the other variables": (
        MODEL + "first = [w]\nrest = [v for v in tf.trainable_variables() "
        "if v not in first]\nrate = 0.1\n"
        + UPDATE.replace("loss,", "loss, var_list=rest,"),
        ["if all(v is not other for other in first)]"],
    ),
    "two losses": (
        MODEL + "rate = 0.1\nop = tf.group("
        "tf.train.AdamOptimizer(rate).minimize(loss), "
        "tf.train.MomentumOptimizer(rate, 0.9).minimize(2.0 * loss, global_step=step))\n",
        [
            "with tf.GradientTape(persistent=True) as tape:",
            "minimized_loss = 2.0 * loss",
            "gradients = tape.gradient(minimized_loss, variables)",
        ],
    ),
    "gradients that are changed in place": (
        MODEL + "opt = tf.train.AdamOptimizer()\npairs = opt.compute_gradients(loss)\n"
        "for i, (g, v) in enumerate(pairs):\n    if g is not None:\n"
        "        pairs[i] = (tf.clip_by_norm(g, 5), v)\n"
        "op = opt.apply_gradients(pairs, global_step=step)\n",
        ["pairs[i] = (tf.clip_by_norm(g, 5), v)"],
    ),
    "gradients that are left out": (
        MODEL + "opt = tf.train.AdamOptimizer()\npairs = []\n"
        "for g, v in opt.compute_gradients(loss):\n    if g is None:\n"
        "        continue\n    pairs.append((g, v))\n"
        "op = opt.apply_gradients(pairs, global_step=step)\n",
        ["if g is None:\n                continue\n            pairs.append((g, v))"],
    ),
    "gradients by tf.gradients": (
        MODEL + "opt = tf.train.AdamOptimizer()\nvs = [w]\n"
        "gs = tf.gradients(loss + 1.0, vs, aggregation_method=2, name='g')\n"
        "op = opt.apply_gradients(zip(gs, vs), global_step=step)\n",
        ["training_loss = loss + 1.0", "gs = tape.gradient(training_loss, vs)"],
    ),
}
REFUSED = {
    "N107": "rate = 0.5 * tf.placeholder(tf.float32)\n"
    + MODEL
    + UPDATE.replace("rate", "rate * 0.1"),
    "N104": "w = tf.get_variable('w', [2])\nfirst = tf.reduce_sum(x)\n"
    "def inner():\n    with tf.variable_scope('s'):\n"
    "        return first * tf.get_variable('v', [])\n"
    "loss = tf.cond(first > 1., inner, lambda: first) * w[0]\nrate = 0.1\n" + UPDATE,
    "V127": MODEL + "factors = {w: 2.0}\nrate = 0.1\n" + UPDATE,
    "O117": MODEL
    + "g = tf.gradients(loss, [w])[0]\nloss = loss + tf.reduce_sum(g)\nrate = 0.1\n"
    + UPDATE,
}


@pytest.mark.parametrize(("body", "parts"), STAND.values(), ids=STAND)
def test_both_times_are_told_apart(body: str, parts: list[str]) -> None:
    loop = LOOP
    if "rate = tf.placeholder" in body:
        loop = LOOP.replace("x: [[1.0, 2.0]]", "x: [[1.0, 2.0]], rate: 0.1")
    text, refused = result(body, loop)
    assert not refused
    for part in parts:
        assert part in text


@pytest.mark.parametrize(("code", "body"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_told_apart_is_refused(code: str, body: str) -> None:
    assert code in result(body)[1]


CHANGED_FETCHES = {
    "appended": "fetches = [op]\nif rate:\n    fetches.append(loss)\n",
    "added": "fetches = [op]\nprint(fetches)\nfetches += [loss]\n",
    "stored": "fetches = {'op': op}\nfetches['loss'] = loss\n",
}


@pytest.mark.parametrize("made", CHANGED_FETCHES.values(), ids=CHANGED_FETCHES)
def test_fetches_that_change_are_refused(made: str) -> None:
    loop = LOOP.replace("_, value = sess.run([op, loss]", "value = sess.run(fetches")
    assert "S104" in result(MODEL + "rate = 0.1\n" + UPDATE + made, loop)[1]


SPREAD_FETCHES = ("{**parts, 'op': op}", "dict(parts, op=op)", "[*parts, op]")


@pytest.mark.parametrize("fetches", SPREAD_FETCHES)
def test_fetches_put_together_are_refused(fetches: str) -> None:
    loop = LOOP.replace("_, value = sess.run([op, loss]", f"v = sess.run({fetches}")
    body = MODEL + "rate = 0.1\n" + UPDATE + "parts = {'loss': loss}\n"
    assert "S104" in result(body, loop)[1]


def test_parts_of_an_element_are_taken_from_one() -> None:
    body = (
        "data = tf.data.Dataset.from_tensor_slices({'a': [1.0], 'b': [2.0]})\n"
        "it = data.make_one_shot_iterator()\n"
        "a = it.get_next()['a']\nw = tf.Variable(1.0)\nrate = 0.1\nloss = a * w\n"
    )
    loop = LOOP.replace(", feed_dict={x: [[1.0, 2.0]]}", "")
    text, refused = result(body + UPDATE, loop)
    assert not refused
    assert "a = element['a']" in text and "sess.run(train_step, it.get_next())" in text
    two = body.replace("a * w", "a * w * it.get_next()['b']")
    assert "I101" in result(two + UPDATE, loop)[1]


NAMES = {
    "rebound": (
        "w = tf.Variable(1.0)\nw = f(w)\nreturn_(w)\n",
        "w = tf.Variable(1.0)\nw_2 = f(w)\nreturn_(w_2)\n",
    ),
    "twice": (
        "w = tf.Variable(1.0)\nw = f(w)\nw = g(w)\nreturn_(w)\n",
        "w = tf.Variable(1.0)\nw_2 = f(w)\nw_2 = g(w_2)\nreturn_(w_2)\n",
    ),
    "augmented": (
        "w = tf.Variable(1.0)\nw *= a + b\nreturn_(w)\n",
        "w = tf.Variable(1.0)\nw_2 = w * (a + b)\nreturn_(w_2)\n",
    ),
    "in a lambda": (
        "w = tf.Variable(1.0)\nw = f(lambda: w)\nreturn_(lambda: w)\n",
        "w = tf.Variable(1.0)\nw_2 = f(lambda: w)\nreturn_(lambda: w_2)\n",
    ),
}
# In a step, `w` is a name of its own, with the variable's value first.
NAMES |= {
    "in a loop": (
        "w = tf.Variable(1.0)\nv = w + 1.0\nfor i in range(3):\n    w = f(w)\ng(w)\n",
        "w_2 = tf.Variable(1.0)\nv = w_2 + 1.0\nw = tf.identity(w_2)\n"
        "for i in range(3):\n    w = f(w)\ng(w)\n",
    ),
    "added to in a branch": (
        "def build():\n    w = tf.Variable(1.0)\n    if deep:\n        w += 1\n    return w\n",
        "def build():\n    w_2 = tf.Variable(1.0)\n    w = tf.identity(w_2)\n"
        "    if deep:\n        w += 1\n    return w\n",
    ),
    "in nested blocks": (
        "w = tf.get_variable('w', [])\nwhile n:\n    n -= 1\n    if deep:\n        w = f(w)\n",
        "w_2 = tf.get_variable('w', [])\nw = tf.identity(w_2)\n"
        "while n:\n    n -= 1\n    if deep:\n        w = f(w)\n",
    ),
}
NOT_CLEAR = {
    "assigned to": "w = tf.Variable(1.0)\nif deep:\n    w = f(w)\nw.assign(0.0)\n",
    "saved": "w = tf.Variable(1.0)\nif deep:\n    w = f(w)\nsaver = tf.train.Saver([w])\n",
    "new in a branch": "w = tf.Variable(1.0)\nif deep:\n    w = f(v)\n",
    "read later": "w = tf.Variable(1.0)\ndef g():\n    return w\nif deep:\n    w = f(w)\n",
    "read by a function": "w = tf.Variable(1.0)\ndef g():\n    return w\nw = f(w)\n",
    "both made once": "w = tf.Variable(1.0)\nw = tf.Variable(2.0)\n",
}


@pytest.mark.parametrize(("old", "new"), NAMES.values(), ids=NAMES)
def test_a_name_of_a_variable_is_no_other_value(old: str, new: str) -> None:
    head = "import tensorflow as tf\n"
    assert rename_later_bindings(Text.read_source(head + old)).source == head + new


@pytest.mark.parametrize("text", NOT_CLEAR.values(), ids=NOT_CLEAR)
def test_names_are_left_where_their_order_is_not_clear(text: str) -> None:
    text = "import tensorflow as tf\n" + text
    assert rename_later_bindings(Text.read_source(text)).source == text


def test_what_a_session_evaluates_it_runs() -> None:
    old = "a = loss.eval({x: 1}, session=sess)\nop.run(session=sess)\nb = c.eval()\n"
    new = "a = sess.run(loss, {x: 1})\nsess.run(op)\nb = c.eval()\n"
    assert run_by_session(Text.read_source(old)).source == new


LENGTHS = MODEL + "parts = [loss, loss + 1.0]\nn = len(parts)\nrate = 0.1\n"


@pytest.mark.parametrize("test", ["len(parts) > 1", "n == 2 and len(parts) < 9"])
def test_how_many_tensors_there_are_is_known_to_python(test: str) -> None:
    text, refused = result(f"{LENGTHS}if {test}:\n    loss = tf.add_n(parts)\n{UPDATE}")
    assert not refused
    assert f"if {test}:\n" in text


@pytest.mark.parametrize(
    "body",
    [
        "if len(parts) > loss:\n    loss = tf.add_n(parts)\n",
        "if parts[0] > 1.0:\n    loss = tf.add_n(parts)\n",
        # Made before the step, which alone has the list.
        "if len(parts) > 1:\n    v = tf.get_variable('v', [])\n    loss = loss * v\n",
        "while len(parts) > 1:\n    loss = loss + parts.pop()\n",
        "def len(x):\n    return x[0]\nif len(parts) > 1:\n    loss = loss + 1.0\n",
    ],
)
def test_a_branch_that_asks_more_than_lengths(body: str) -> None:
    _, refused = result(LENGTHS + body + UPDATE)
    assert refused
