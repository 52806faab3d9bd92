"""Checks code that TF1 ran once, with the graph, and the order of reads and draws."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise import Text
from migrate.normalise.feeds import write_out_feeds
from tests.migrate.normalise.test_step_functions import HEAD, TAIL

LOOP = TAIL.split("\n", 2)[2]
MODEL = "w = tf.Variable([1.0, 1.0])\nloss = tf.reduce_sum(x * w)\n"
UPDATE = "op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)\n"
NUMPY = "import numpy as np\n"


def result(body: str, loop: str = LOOP) -> tuple[str, set[str]]:
    """The migrated text, and the codes of what was refused."""
    text = NUMPY + HEAD + textwrap.indent(body, "    ") + loop
    migration = migrate_text(text)
    assert not any(f.outcome is Outcome.FAILED for f in migration.findings)
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    return migration.text, refused - {"N100"}


STAND = {
    "a list of the variables there are by then": (
        "w = tf.Variable([1.0, 1.0])\n"
        "penalty = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])\n"
        "b = tf.Variable(1.0)\nloss = tf.reduce_sum(x * w) + b + penalty\n" + UPDATE,
        "    variables_by_then = replicas.trainable_variables\n    b = tf.Variable(1.0)",
    ),
    "a list kept before others are made": (
        "w = tf.Variable([1.0, 1.0])\nfirst = tf.trainable_variables()\n"
        "b = tf.Variable(1.0)\nloss = tf.reduce_sum(x * w) + b\n"
        + UPDATE.replace("loss,", "loss, var_list=first,"),
        "    first = replicas.trainable_variables\n    b = tf.Variable(1.0)",
    ),
    "numbers drawn once": (
        "np.random.seed(7)\nw = tf.Variable(np.random.rand(2).astype('f'))\n"
        "h = x * np.random.rand(2)\nloss = tf.reduce_sum(h * w)\n" + UPDATE,
        "    drawn = np.random.rand(2)\n",
    ),
    "a constant drawn once": (
        MODEL + "noise = tf.constant(np.random.rand(2))\n"
        "loss = tf.reduce_sum(x * w * noise)\n" + UPDATE,
        "    noise = tf.constant(np.random.rand(2))\n    optimizer",
    ),
    "what an iterator gave": (
        "sizes = iter([2.0, 3.0])\nh = x * next(sizes)\nw = tf.Variable([1.0, 1.0])\n"
        "loss = tf.reduce_sum(h * w)\n" + UPDATE,
        "    drawn = next(sizes)\n",
    ),
    "lists of variables that change": (
        MODEL
        + "some = []\nsome.append(w)\nsome.append(tf.Variable(1.0))\nsome.pop()\n"
        + UPDATE.replace("loss,", "loss, var_list=some,"),
        "    some.pop()\n",
    ),
    "pairs that change": (
        MODEL + "opt = tf.train.AdamOptimizer()\npairs = opt.compute_gradients(loss)\n"
        "pairs.reverse()\nlast = pairs.pop()\npairs.append(last)\n"
        "op = opt.apply_gradients(pairs, global_step=step)\n",
        "        pairs.reverse()\n        last = pairs.pop()\n        pairs.append(last)",
    ),
    "the gradient of one variable": (
        MODEL + "g = tf.gradients(loss, w)[0]\n"
        "op = tf.train.AdamOptimizer().apply_gradients([(g, w)], global_step=step)\n",
        "g = tape.gradient(loss, [w])[0]",
    ),
    "the name of a variable's operation": (
        MODEL + UPDATE + "for v in [w]:\n    tf.summary.histogram(v.op.name, v)\n"
        "merged = tf.summary.merge_all()\n",
        'v.name.split(":")[0]',
    ),
    "a variable that is got again": (
        "with tf.variable_scope('s', reuse=tf.AUTO_REUSE):\n"
        "    w = tf.get_variable('w', [2])\n"
        "with tf.variable_scope('s', reuse=True):\n    u = tf.get_variable('w', [2])\n"
        "loss = tf.reduce_sum(x * w * u)\n" + UPDATE,
        "u = w",
    ),
    "a variable of a branch in a loop": (
        "h = x\nfor i in range(2):\n    if i < 5:\n"
        "        w = tf.get_variable('w%d' % i, [2])\n    h = h * w\n"
        "loss = tf.reduce_sum(h)\n" + UPDATE,
        "w = next(made_w)",
    ),
    "functions within the driver": (
        "def net(v, reuse=False):\n    with tf.variable_scope('n', reuse=reuse):\n"
        "        return v * tf.get_variable('w', [2])\n"
        "loss = tf.reduce_sum(net(x) + net(2.0 * x, reuse=True))\n" + UPDATE,
        "    def net(reuse=False):\n",
    ),
}


@pytest.mark.parametrize(("body", "part"), STAND.values(), ids=STAND)
def test_is_done_when_the_graph_was_built(body: str, part: str) -> None:
    loop = LOOP.replace("[op, loss]", "[op, loss, merged]").replace(
        "_, value", "_, value, text"
    )
    text, refused = result(body, loop if "merged" in body else LOOP)
    assert not refused
    assert part in text


REFUSED = {
    "a value behind an update": (
        "S136",
        MODEL + UPDATE + "with tf.control_dependencies([op]):\n    after = step + 1\n",
        LOOP.replace("[op, loss]", "[after, loss]"),
    ),
    "initialises variables again": (
        "S122",
        MODEL + UPDATE + "again = tf.variables_initializer([w])\n",
        LOOP + "        sess.run(again)\n",
    ),
    "averages that nothing moves": (
        "L123",
        "h = tf.layers.batch_normalization(x, training=True)\n"
        "loss = tf.reduce_sum(h)\n" + UPDATE,
        LOOP,
    ),
    "taken again by every step": (
        "N116",
        "sizes = [1.0, 2.0]\nh = x\nfor i in range(2):\n    size = sizes.pop()\n"
        "    h = h * size\nw = tf.Variable([1.0, 1.0])\n"
        "loss = tf.reduce_sum(h * w)\n" + UPDATE,
        LOOP,
    ),
    "Python in the graph": (
        "N115",
        "h = tf.py_func(lambda v: v, [x], tf.float32)\nw = tf.Variable([1.0, 1.0])\n"
        "loss = tf.reduce_sum(h * w)\n" + UPDATE,
        LOOP,
    ),
    "the update is not made in every case": (
        "N107",
        MODEL + "opt = tf.train.AdamOptimizer()\npairs = opt.compute_gradients(loss)\n"
        "op = tf.cond(loss > 0, lambda: opt.apply_gradients(pairs, step), tf.no_op)\n",
        LOOP,
    ),
    "a global that a model changes": (
        "N104",
        "def net(v):\n    global count\n    count += 1\n"
        "    return v * tf.get_variable('w', [2])\n"
        "loss = tf.reduce_sum(net(x))\n" + UPDATE,
        LOOP,
    ),
    "a list before layers are made": (
        "N105",
        "w = tf.Variable([1.0, 1.0])\nfirst = tf.trainable_variables()\n"
        "loss = tf.reduce_sum(tf.layers.dense(x * w, 1))\n"
        + UPDATE.replace("loss,", "loss, var_list=first,"),
        LOOP,
    ),
    "a variable removed by value": (
        "V127",
        MODEL + "some = tf.trainable_variables()\nsome.remove(w)\n" + UPDATE,
        LOOP,
    ),
    "a counter read after it was raised": (
        "S136",
        "count = tf.Variable(0.0, trainable=False)\nup = tf.assign_add(count, 1.0)\n"
        "w = tf.Variable([1.0, 1.0])\nloss = tf.reduce_sum(x * w) * count\n" + UPDATE,
        LOOP.replace("[op, loss]", "[op, loss, up]").replace("_, value", "_, value, n"),
    ),
    "two variables that swap their values": (
        "S136",
        MODEL
        + UPDATE
        + "other = tf.Variable([0.0, 1.0])\n"
        + "swap = tf.group(tf.assign(other, w), tf.assign(w, other))\n",
        LOOP + "        sess.run(swap)\n",
    ),
    "a value computed beside an assignment": (
        "S136",
        MODEL
        + UPDATE
        + "count = tf.Variable(0.0, trainable=False)\n"
        + "both = tf.tuple([tf.assign(count, 2.0), count + 1.0])\n",
        LOOP + "        sess.run(both)\n",
    ),
    "a feed of a run that reads a variable": (
        "S104",
        MODEL + UPDATE,
        LOOP + "        sess.run(w, {x: reader.next()})\n",
    ),
    "a layer asked before it is built": (
        "N105",
        "layer = tf.layers.Dense(1)\nh = layer(x)\ncount = len(layer.weights)\n"
        "loss = tf.reduce_sum(h)\n" + UPDATE,
        LOOP,
    ),
    "an update in a collection": (
        "N105",
        MODEL
        + "tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign(w, w))\n"
        + UPDATE,
        LOOP,
    ),
    "a while loop over a list that variables shorten": (
        "N116",
        "names = ['a', 'b']\nh = x\nwhile names:\n"
        "    h = h * tf.get_variable(names.pop(), [2])\nloss = tf.reduce_sum(h)\n"
        + UPDATE,
        LOOP,
    ),
    "a name that a loop's variables take": (
        "N111",
        "w = tf.get_variable('w', [2])\nh = x * w\nfor i in range(2):\n"
        "    w = tf.get_variable('w%d' % i, [2])\n    h = h * w\n"
        "loss = tf.reduce_sum(h)\n" + UPDATE,
        LOOP,
    ),
    "a variable of the round before": (
        "N111",
        "h = x\nw = tf.get_variable('w', [2])\nfor i in range(2):\n    h = h * w\n"
        "    w = tf.get_variable('w%d' % i, [2])\n"
        "loss = tf.reduce_sum(h * w)\n" + UPDATE,
        LOOP,
    ),
    "a decorated model": (
        "N104",
        "@timed\ndef net(v):\n    return v * tf.get_variable('w', [2])\n"
        "loss = tf.reduce_sum(net(x))\n" + UPDATE,
        LOOP,
    ),
    "a feed that is not needed": (
        "S104",
        "y = tf.placeholder(tf.float32)\n" + MODEL + UPDATE,
        LOOP.replace("x: [[1.0, 2.0]]", "x: [[1.0, 2.0]], y: reader.next()"),
    ),
}


@pytest.mark.parametrize(("code", "body", "loop"), REFUSED.values(), ids=REFUSED)
def test_what_tf2_would_do_otherwise_is_refused(
    code: str, body: str, loop: str
) -> None:
    assert code in result(body, loop)[1]


def test_variables_of_layers_are_listed_in_the_step() -> None:
    """There a layer has them: `d_vars` of two networks of layers."""
    text, refused = result(
        "h = tf.layers.dense(x, 1, name='dis')\nloss = tf.reduce_sum(h)\n"
        "every = tf.trainable_variables()\n"
        "some = [v for v in every if v.name.startswith('dis')]\n"
        + UPDATE.replace("loss,", "loss, var_list=some,")
    )
    assert not refused
    assert "        every = replicas.trainable_variables\n" in text


def test_read_value_behind_an_update_is_the_new_value() -> None:
    body = (
        MODEL
        + UPDATE
        + "with tf.control_dependencies([op]):\n    after = step.read_value() + 1\n"
    )
    text, refused = result(body, LOOP.replace("[op, loss]", "[after, loss]"))
    assert not refused and "after = step.read_value() + 1" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "sess.run(op, {y: draw(), x: draw()})\n",
            "y_feed = draw()\nx_feed = draw()\nsess.run(op, {y: y_feed, x: x_feed})\n",
        ),
        (
            "sess.run(op, {y: draw(), x: np.array(z), k: 0.5})\n",
            "sess.run(op, {y: draw(), x: np.array(z), k: 0.5})\n",
        ),
    ],
)
def test_feeds_are_computed_in_their_order(old: str, new: str) -> None:
    assert write_out_feeds(Text.read_source(NUMPY + old)).source == NUMPY + new


def test_what_is_dropped_is_said() -> None:
    text = HEAD + textwrap.indent(
        "h = x * 2.0\nprint('h', h.get_shape())\n" + MODEL + UPDATE, "    "
    )
    found = migrate_text(text + LOOP).findings
    assert [f.line for f in found if f.code == "S114" and not f.symbol] == [13]


@pytest.mark.parametrize("where", ["before the graph", "after it"])
def test_who_is_the_chief_is_not_asked_once_for_all(where: str) -> None:
    """A chief task's process runs the loops of all: each would be told that it is one."""
    head = HEAD.replace(
        "tf.app.flags.DEFINE",
        "tf.app.flags.DEFINE_string('job', '', '')\ntf.app.flags.DEFINE",
        1,
    )
    head = head.replace('job_name="worker"', "job_name=FLAGS.job")
    head = head.replace('"worker": ["b:2"]', '"chief": ["c:1"], "worker": ["b:2"]')
    head = head.replace("if False:", "if FLAGS.job == 'ps':")
    asked = "is_chief = FLAGS.job == 'chief'\n"
    loop = LOOP.replace("FLAGS.task_index == 0", "is_chief")
    if where == "before the graph":
        head = head.replace("with tf.device", asked + "with tf.device")
    else:
        loop = asked + loop
    text = head + textwrap.indent(MODEL + UPDATE, "    ") + loop
    found = migrate_text(text).findings
    assert "C107" in {f.code for f in found if f.outcome is Outcome.REFUSED}
