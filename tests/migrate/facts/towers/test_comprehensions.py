"""Towers of comprehensions, and of loops one after the other, are those of one loop."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.text import Text
from migrate.normalise.towers import convert_to_replicas

PROGRAM = """\
import numpy as np
import tensorflow as tf

N = 2
LOOPS_OF_SERVERS = ""


def tower_loss(device, images, labels):
    with tf.device(device), tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.3))
        return tf.reduce_mean(tf.square(tf.matmul(images, w) - labels))


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
devices = ["/gpu:%d" % i for i in range(N)]
losses = [tower_loss(*args) for args in zip(devices, tf.split(x, N), tf.split(y, N))]
opt = tf.train.GradientDescentOptimizer(0.1)
grads = [opt.compute_gradients(loss) for loss in losses]
mean = [(sum(g for g, _ in pairs) / N, pairs[0][1]) for pairs in zip(*grads)]
train_op = opt.apply_gradients(mean)
total = tf.reduce_mean(losses)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(10):
        data = np.ones([8, 3])
        _, value = sess.run([train_op, total], {x: data, y: data[:, :1]})
        print(step, value)
"""
LOSSES = """\
losses = [tower_loss(*args) for args in zip(devices, tf.split(x, N), tf.split(y, N))]
"""
GRADS = "grads = [opt.compute_gradients(loss) for loss in losses]\n"
LOOP = """\
losses, grads = [], []
for device, images, labels in zip(devices, tf.split(x, N), tf.split(y, N)):
    with tf.device(device):
        losses.append(tower_loss(device, images, labels))
"""
NAMED = """\
losses, grads = [], []
for device, images, labels in zip(devices, tf.split(x, N), tf.split(y, N)):
    loss = tower_loss(device, images, labels)
    losses.append(loss)
"""


def _write(losses: str, grads: str) -> str:
    assert PROGRAM.count(LOSSES) == PROGRAM.count(GRADS) == 1
    return PROGRAM.replace(LOSSES, losses).replace(GRADS, grads)


def _list_refusals(text: str) -> set[str]:
    found = migrate_text(text).findings
    return {f.code for f in found if f.outcome in (Outcome.REFUSED, Outcome.FAILED)}


@pytest.mark.parametrize(
    ("losses", "grads"),
    [
        (LOSSES, GRADS),
        (LOSSES, "grads = list(map(opt.compute_gradients, losses))\n"),
        (LOSSES.replace("[t", "list(t").replace("])", "])"), GRADS),
        (
            "losses = list(map(lambda args: tower_loss(*args), zip(devices, "
            "tf.split(x, N), tf.split(y, N))))\n",
            GRADS,
        ),
        (LOOP.replace(", grads = [], []", " = []"), GRADS),
        (LOOP, "for one in losses:\n    grads.append(opt.compute_gradients(one))\n"),
        (NAMED, "for loss in losses:\n    grads.append(opt.compute_gradients(loss))\n"),
        (
            LOOP,
            "for i, loss in enumerate(losses):\n"
            "    with tf.device(devices[i]):\n"
            "        pairs = opt.compute_gradients(loss)\n"
            "        grads.append(pairs)\n",
        ),
        (
            LOOP,
            "for i in range(len(losses)):\n"
            "    grads.append(opt.compute_gradients(losses[i]))\n",
        ),
        # A name of the comprehension's that means something else outside of it.
        (LOSSES, "grads = [opt.compute_gradients(x) for x in losses]\n"),
        # The last value of the name is not the one that is listed.
        (
            NAMED + "    loss = loss * 3.0\n",
            "for loss in losses:\n    grads.append(opt.compute_gradients(loss))\n",
        ),
    ],
)
def test_towers(losses: str, grads: str) -> None:
    if losses.startswith("losses = list(t"):
        losses = losses.replace("N))]", "N)))")
    text = _write(losses, grads)
    towers = convert_to_replicas(Text.read_source(text))
    assert towers is not None and towers.count == "N"
    assert not _list_refusals(text)
    assert "MirroredStrategy" in migrate_text(text).text


def test_one_tower() -> None:
    towers = convert_to_replicas(Text.read_source(PROGRAM))
    assert towers is not None
    expected = """\
device = devices[tower]
images = tf.split(x, N)[tower]
labels = tf.split(y, N)[tower]
"""
    assert expected in towers.text.source
    assert "    with tf.variable_scope(" in towers.text.source  # Not on a device.


@pytest.mark.parametrize(
    ("losses", "grads"),
    [
        # The list changes between the loops, under its name or under another one.
        (f"{LOOP}losses.reverse()\n", GRADS),
        (f"{LOOP}losses[1] = losses[0]\n", GRADS),
        (f"{LOSSES}losses.append(losses[0])\n", GRADS),
        (
            LOOP.replace("\nfor", "\nevery = losses\nfor")
            + "        every.append(tower_loss(device, images, labels))\n",
            GRADS,
        ),
        # Not each tower's own gradients.
        (LOSSES, GRADS.replace("in losses", "in losses[1:]")),
        (LOSSES, GRADS.replace("losses]", "losses if loss is not None]")),
        (
            LOOP,
            "for i in range(len(losses)):\n"
            "    grads.append(opt.compute_gradients(losses[i - 1]))\n",
        ),
        # The last tower's value, in the gradients of all.
        (
            f"{NAMED}    extra = loss * loss\n",
            "for one in losses:\n"
            "    grads.append(opt.compute_gradients(one + extra))\n",
        ),
        # The second loop changes what the first one reads.
        (
            "scale = 1.0\n" + NAMED.replace("labels)\n", "labels) * scale\n"),
            "for one in losses:\n"
            "    scale = 2.0\n"
            "    grads.append(opt.compute_gradients(one * scale))\n",
        ),
        # What it prints comes after all that the first loop does.
        (
            LOOP,
            "for one in losses:\n"
            "    print(len(grads))\n"
            "    grads.append(opt.compute_gradients(one))\n",
        ),
        # A name of all parts together that is used for more.
        (
            "losses, grads = [], []\n"
            "for args in zip(devices, tf.split(x, N), tf.split(y, N)):\n"
            "    losses.append(tower_loss(*args))\n"
            "print(args[0])\n",
            GRADS,
        ),
    ],
)
def test_no_towers(losses: str, grads: str) -> None:
    text = _write(losses, grads)
    assert convert_to_replicas(Text.read_source(text)) is None
    assert _list_refusals(text)


def test_a_function_that_is_on_tasks_of_a_cluster_stays_there() -> None:
    text = PROGRAM.replace('SERVERS = ""', 'SERVERS = "/job:worker"')
    assert text != PROGRAM
    towers = convert_to_replicas(Text.read_source(text))
    assert towers is not None and "with tf.device(device), tf.var" in towers.text.source


GRADIENTS = """\
tvars = tf.trainable_variables()
grads = [tf.gradients(loss, tvars) for loss in losses]
"""


def test_variables_that_are_listed_between_the_loops() -> None:
    text = _write(LOOP.replace(", grads = [], []", " = []"), GRADIENTS)
    text = text.replace(
        "mean = [(sum(g for g, _ in pairs) / N, pairs[0][1]) for pairs in zip(*grads)]",
        "means = [tf.add_n(gs) / N for gs in zip(*grads)]\nmean = zip(means, tvars)",
    )
    towers = convert_to_replicas(Text.read_source(text))
    assert towers is not None
    assert not _list_refusals(text)
    for other in ("tf.global_variables()", "tf.trainable_variables()[:1]"):
        changed = text.replace("tf.trainable_variables()", other)
        assert convert_to_replicas(Text.read_source(changed)) is None


@pytest.mark.parametrize(
    ("losses", "taken"),
    [
        (LOOP, True),
        (NAMED, True),
        (f"{NAMED}    loss = loss * 3.0\n", False),
        (f"{NAMED}    losses.append(loss * 3.0)\n", False),
    ],
)
def test_the_last_item_of_a_list(losses: str, taken: bool) -> None:
    indent = "    "
    text = _write(
        f"{losses}{indent}grads.append(opt.compute_gradients(losses[-1]))\n", ""
    )
    towers = convert_to_replicas(Text.read_source(text))
    assert (towers is not None) == taken


def test_a_range_beside_lists() -> None:
    text = _write(
        "losses = [tower_loss(i, a, b) for i, a, b in zip(range(N), tf.split(x, N), "
        "tf.split(y, N))]\n",
        GRADS,
    ).replace("tf.device(device)", 'tf.device("/gpu:%d" % device)')
    towers = convert_to_replicas(Text.read_source(text))
    assert towers is not None and towers.count == "N"
    assert not _list_refusals(text)


TOWER = """\
losses, grads = [], []
for device, images, labels in zip(devices, tf.split(x, N), tf.split(y, N)):
    loss = tower_loss(device, images, labels)
    losses.append(loss)
    grads.append(opt.compute_gradients(loss))
"""
APPENDED = "    losses.append(loss)\n"


@pytest.mark.parametrize(
    ("before", "appended"),
    [
        ("", "    if labels is not None:\n        losses.append(loss)\n"),
        ("", "    for part in [loss]:\n        losses.append(part)\n"),
        ("", "    losses.extend([loss])\n"),
        ("found = {}\n", "    found[device] = loss\n"),
        ("found = {}\n", "    found.setdefault(device, []).append(loss)\n"),
        ("add = losses.append\n", "    add(loss)\n"),
        (
            "def keep(found, value):\n    hold(value, found)\n"
            "def hold(value, into):\n    into.append(value)\n",
            "    keep(losses, loss)\n",
        ),
        (
            "ALL = []\ndef keep(value):\n    ALL.append(value)\n    return value\n",
            "    losses.append(keep(loss))\n",
        ),
    ],
)
def test_what_all_towers_fill_in_another_way(before: str, appended: str) -> None:
    tower = TOWER.replace(APPENDED, appended)
    if before.startswith("add"):
        tower = tower.replace("[], []\n", f"[], []\n{before}")
    else:
        tower = before + tower
    text = _write("", tower)
    assert convert_to_replicas(Text.read_source(text)) is None
    reasons = [f.reason for f in migrate_text(text).findings if f.code == "N126"]
    assert any("a tower changes a list, dict or object" in r for r in reasons)


@pytest.mark.parametrize("appended", ["loss", "loss * 1.0"])
def test_a_list_that_is_filled_in_a_scope(appended: str) -> None:
    tower = TOWER.replace(
        "    loss = tower_loss(device, images, labels)\n    losses.append(loss)\n",
        '    with tf.variable_scope("a", reuse=tf.AUTO_REUSE) as scope:\n'
        "        loss = tower_loss(device, images, labels)\n"
        f"        losses.append({appended})\n",
    )
    text = _write("", tower)
    towers = convert_to_replicas(Text.read_source(text))
    assert towers is not None
    assert "\nlosses = replicas.towers(" in towers.text.source
