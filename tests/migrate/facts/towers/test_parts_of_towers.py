"""Lists of what belongs to one tower each, sums, and scopes around towers."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.text import Text
from migrate.normalise.towers import convert_to_replicas

PROGRAM = """\
import collections
import numpy as np
import tensorflow as tf

N = 2
Tower = collections.namedtuple("Tower", "loss grads")


def net(x):
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
    return tf.matmul(x, w)


def average(tower_grads):
    found = []
    for pairs in zip(*tower_grads):
        g = tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0)
        found.append((g, pairs[0][1]))
    return found


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
xs, ys = tf.split(x, N), tf.split(y, N)
opt = tf.train.GradientDescentOptimizer(0.1)
BODY
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(10):
        data = np.ones([8, 3])
        _, value = sess.run([train_op, loss], {x: data, y: data[:, :1]})
        print(step, value)
"""
LISTED = """\
towers = []
for i in range(N):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=i > 0):
        tower_loss = tf.reduce_mean(tf.square(net(xs[i]) - ys[i]))
        tower_grads = opt.compute_gradients(tower_loss)
        towers.append((tower_loss, tower_grads))
"""
UNPACKED = """\
losses, grads = zip(*towers)
loss = tf.reduce_mean(losses)
train_op = opt.apply_gradients(average(grads))
"""
BY_NUMBER = """\
loss = tf.add_n([t[0] for t in towers]) / N
train_op = opt.apply_gradients(average([t[1] for t in towers]))
"""
PAIR = "(tower_loss, tower_grads)"


def _fill(*parts: str) -> str:
    return PROGRAM.replace("BODY\n", "".join(parts))


def _list_refused(text: str) -> set[str]:
    refused = (Outcome.REFUSED, Outcome.FAILED)
    return {f.code for f in migrate_text(text).findings if f.outcome in refused}


def _check_migrates(text: str) -> None:
    assert convert_to_replicas(Text.read_source(text)) is not None
    assert not _list_refused(text)
    assert "MirroredStrategy" in migrate_text(text).text


@pytest.mark.parametrize(
    ("part", "rest"),
    [
        (PAIR, UNPACKED),
        (PAIR, BY_NUMBER),
        (
            '{"loss": tower_loss, "grads": tower_grads}',
            BY_NUMBER.replace("t[0]", 't["loss"]').replace("t[1]", 't["grads"]'),
        ),
        (
            "Tower(tower_loss, tower_grads)",
            BY_NUMBER.replace("t[0]", "t.loss").replace("t[1]", "t.grads"),
        ),
        (
            "Tower(grads=tower_grads, loss=tower_loss)",
            BY_NUMBER.replace("t[0]", "t.loss").replace("t[1]", "t.grads"),
        ),
    ],
)
def test_a_list_of_parts(part: str, rest: str) -> None:
    _check_migrates(_fill(LISTED.replace(PAIR, part), rest))


@pytest.mark.parametrize(
    ("more", "rest"),
    [
        # The list changes, or is used as a whole.
        ("towers.reverse()\n", UNPACKED),
        ("towers = towers[:1] * 2\n", UNPACKED),
        ("other = towers\nother[1] = other[0]\n", UNPACKED),
        ("", UNPACKED.replace("*towers", "*sorted(towers)")),
        ("", UNPACKED + "print(len(towers))\n"),
        # Only some of them, or other parts.
        (
            "",
            BY_NUMBER.replace("[t[0] for t in towers]", "[t[0] for t in towers if t]"),
        ),
        ("", BY_NUMBER.replace("t[0]", "t[-2]")),
        ("", BY_NUMBER.replace("t[1]", "t[0]")),
        # A part has another value later.
        ("", UNPACKED.replace("loss =", "losses = losses[::-1]\nloss =")),
        ("        tower_loss = tower_loss * 3.0\n", UNPACKED),
    ],
)
def test_another_use_of_the_list(more: str, rest: str) -> None:
    text = _fill(LISTED, more, rest)
    assert convert_to_replicas(Text.read_source(text)) is None
    assert _list_refused(text)


TOWER = """\
def tower(i, x, y):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        loss = tf.reduce_mean(tf.square(net(x) - y))
        return loss, opt.compute_gradients(loss)


"""


@pytest.mark.parametrize(
    "towers",
    [
        f"{TOWER}towers = [tower(i, xs[i], ys[i]) for i in range(N)]\n{UNPACKED}",
        f"{TOWER}losses, grads = [], []\nfor i in range(N):\n"
        "    one, pairs = tower(i, xs[i], ys[i])\n"
        "    losses.append(one)\n    grads.append(pairs)\n"
        "loss = tf.reduce_mean(losses)\n"
        "train_op = opt.apply_gradients(average(grads))\n",
    ],
)
def test_a_function_that_returns_a_tower(towers: str) -> None:
    text = _fill(towers)
    assert not _list_refused(text)
    assert "MirroredStrategy" in migrate_text(text).text


LOOP = """\
losses = [None] * N
grads = [None] * N
for i in range(N):
    with tf.device("/gpu:%d" % i):
        with tf.variable_scope("net", reuse=None if i == 0 else True):
            losses[i] = tf.reduce_mean(tf.square(net(xs[i]) - ys[i]))
        grads[i] = opt.compute_gradients(losses[i])
loss = sum(losses) / N
train_op = opt.apply_gradients(average(grads))
"""
BY_KEY = """\
losses = {}
for i in range(N):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=i > 0):
        losses[i] = tf.reduce_mean(tf.square(net(xs[i]) - ys[i]))
loss = tf.add_n(list(losses.values())) / N
train_op = opt.minimize(loss, colocate_gradients_with_ops=True)
"""
ADDED = """\
total = 0.0
grads = []
for i, (a, b) in enumerate(zip(xs, ys)):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=bool(i)):
        tower_loss = tf.reduce_mean(tf.square(net(a) - b))
        grads.append(opt.compute_gradients(tower_loss))
        total = total + tower_loss
loss = total / N
train_op = opt.apply_gradients(average(grads))
"""
SHARED = """\
with tf.variable_scope(tf.get_variable_scope()) as scope:
    losses, grads = [], []
    for i in range(N):
        with tf.device("/gpu:%d" % i):
            tower_loss = tf.reduce_mean(tf.square(net(xs[i]) - ys[i]))
            scope.reuse_variables()
            grads.append(opt.compute_gradients(tower_loss))
            losses.append(tower_loss)
loss = tf.reduce_mean(losses)
train_op = opt.apply_gradients(average(grads))
"""


@pytest.mark.parametrize("towers", [LOOP, BY_KEY, ADDED, SHARED])
def test_other_spellings_of_towers(towers: str) -> None:
    _check_migrates(_fill(towers))


@pytest.mark.parametrize(
    ("towers", "old", "new"),
    [
        (LOOP, "gradients(losses[i])", "gradients(losses[0])"),
        (LOOP, "gradients(losses[i])", "gradients(losses[i - 1] if i else losses[i])"),
        (BY_KEY, "list(losses.values())", "[losses[k] for k in sorted(losses)]"),
        (BY_KEY, "loss = tf", "losses[1] = losses[0]\nloss = tf"),
        (BY_KEY, "losses = {}", "losses = {5: tf.constant(1.0)}"),
        (BY_KEY, "for i", "keep = losses\nfor i"),
        (ADDED, "total = 0.0", "total = 1.0"),
        (ADDED, "total + tower_loss", "total * 0.5 + tower_loss"),
        (
            SHARED,
            "losses, grads = [], []",
            "w = tf.get_variable('v', [])\n    losses, grads = [], []",
        ),
        (SHARED, "scope.reuse_variables()", "print(scope.name)"),
    ],
)
def test_towers_that_are_others(towers: str, old: str, new: str) -> None:
    assert old in towers
    text = _fill(towers.replace(old, new))
    assert _list_refused(text)


MODELS = """\
class Model(object):
    def __init__(self, x, y, reuse):
        with tf.variable_scope("net", reuse=reuse):
            self.loss = tf.reduce_mean(tf.square(net(x) - y))


models = []
for i in range(N):
    with tf.device("/gpu:%d" % i):
        models.append(Model(xs[i], ys[i], reuse=i > 0))
grads = [opt.compute_gradients(m.loss) for m in models]
loss = tf.add_n([m.loss for m in models]) / N
train_op = opt.apply_gradients(average(grads))
"""


def test_an_object_for_each_tower() -> None:
    text = _fill(MODELS)
    assert not _list_refused(text)
    assert "MirroredStrategy" in migrate_text(text).text
    begun = MODELS.index("models = []")
    end = MODELS.index("grads = [")
    made = "models = [Model(xs[i], ys[i], reuse=i > 0) for i in range(N)]\n"
    assert not _list_refused(_fill(MODELS[:begun], made, MODELS[end:]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("grads = [", "models.reverse()\ngrads = ["),
        ("grads = [", "models[1].loss = models[0].loss\ngrads = ["),
        ("tf.add_n([m.loss for m in models]) / N", "models[0].loss"),
        ("[m.loss for m in models]", "[m.loss for m in models[:1] * 2]"),
    ],
)
def test_objects_that_are_used_otherwise(old: str, new: str) -> None:
    assert old in MODELS
    assert _list_refused(_fill(MODELS.replace(old, new)))
