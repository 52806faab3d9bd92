"""Loops over towers that are no replicas: refused, with the reason. See test_alone.py too."""

from __future__ import annotations

import pathlib
import re

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

ALONE = pathlib.Path(__file__).parents[3] / "programs" / "alone"
PROGRAM = (ALONE / "towers_by_reuse.py").read_text()
CLIPPED = (ALONE / "towers_clipped.py").read_text()
LOSS = "loss = tower_loss(image_parts[i], label_parts[i])\n"
INDENT = " " * 24


def _refused(old: str, new: str) -> dict[str, str]:
    assert PROGRAM.count(old) == 1
    migration = migrate_text(PROGRAM.replace(old, new))
    return {
        f.code: f.reason for f in migration.findings if f.outcome is Outcome.REFUSED
    }


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (LOSS, f"{LOSS}{INDENT}v = tf.Variable(1.0)\n", "its own variable"),
        (
            LOSS,
            f"{LOSS}{INDENT}loss *= tf.get_variable('scale_%d' % i, [])\n",
            "its own variable",
        ),
        (
            LOSS,
            f"name = 'scale_{{}}'.format(i)\n{INDENT}{LOSS}"
            f"{INDENT}loss *= tf.get_variable(name, [])\n",
            "its own variable",
        ),
        (
            LOSS,
            f"with tf.variable_scope('tower_%d' % i):\n{INDENT}  {LOSS}",
            "its own variable",
        ),
        (
            LOSS,
            f"{LOSS}{INDENT}loss *= tf.get_variable('scale', [], tf.float64, "
            "trainable=(i > 0))\n",
            "makes it from a tower's number",
        ),
        (
            LOSS,
            f"{LOSS}{INDENT}width = i + 1\n"
            f"{INDENT}loss *= tf.reduce_mean(tf.get_variable('scale', [width], tf.float64))\n",
            "makes it from a tower's number",
        ),
        (
            LOSS,
            f"{LOSS}{INDENT}tf.summary.scalar('loss', loss)\n"
            f"{INDENT}summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)\n",
            "do not belong to one tower",
        ),
        (
            LOSS,
            f"{LOSS}{INDENT}tf.summary.scalar('loss', loss)\n"
            f"{INDENT}merged = tf.summary.merge_all()\n",
            "summaries of only some towers",
        ),
        (
            LOSS,
            f"{LOSS}{INDENT}with tf.name_scope('part_%d' % i):\n"
            f"{INDENT}  tf.summary.scalar('loss', loss)\n",
            "no name scope",
        ),
        (
            LOSS,
            "x = tf.layers.batch_normalization(image_parts[i], training=True)\n"
            f"{INDENT}loss = tower_loss(x, label_parts[i])\n"
            f"{INDENT}updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)\n"
            f"{INDENT}loss = loss + len(updates)\n",
            "how the program runs their UPDATE_OPS",
        ),
        (
            LOSS,
            "x = tf.contrib.layers.batch_norm(image_parts[i])\n"
            f"{INDENT}loss = tower_loss(x, label_parts[i])\n",
            "normalise batches",
        ),
        (
            LOSS,
            f"{LOSS}{INDENT}opt.apply_gradients(grads)\n",
            "applies its own gradients",
        ),
        (LOSS, f"{LOSS}{INDENT}x, y = queue.dequeue()\n", "its own batch"),
        ("return result\n", "return result[:1]\n", "not average"),
        ("axis=0), pairs", "axis=1), pairs", "not average"),
    ],
)
def test_towers_that_are_no_replicas(old: str, new: str, reason: str) -> None:
    refused = _refused(old, new)
    assert reason in refused["N126"]


def test_a_number_that_is_only_known_in_the_graph() -> None:
    refused = _refused(
        "image_parts = tf.split(images, FLAGS.num_gpus)",
        "parts = FLAGS.num_gpus\n        image_parts = tf.split(images, parts)",
    )
    assert not refused  # Only the loop's own number counts.
    text = PROGRAM.replace("range(FLAGS.num_gpus)", "range(count)").replace(
        "image_parts = tf.split(images, FLAGS.num_gpus)",
        "count = FLAGS.num_gpus\n        image_parts = tf.split(images, count)",
    )
    codes = {f.code for f in migrate_text(text).findings}
    assert "N126" in codes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "for i in range(FLAGS.num_gpus):",
            "for i, (a, b) in enumerate(zip(image_parts, label_parts)):",
        ),
        ("for i in range(FLAGS.num_gpus):", "for i, a in enumerate(image_parts):"),
        (
            "with tf.variable_scope(tf.get_variable_scope()):",
            "with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):",
        ),
    ],
)
def test_other_spellings_of_the_loop(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new)
    if "(a, b)" in new:
        text = text.replace("image_parts[i], label_parts[i]", "a, b")
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "MirroredStrategy(tower_devices(FLAGS.num_gpus))" in migration.text
    assert "S138" in {f.code for f in migration.findings}


@pytest.mark.parametrize(
    ("asked", "whose"),
    [
        ("if i == 0:\n        update_ops = tf.get_collection({0}, scope)\n", "first"),
        ("update_ops = tf.get_collection({0}, scope)\n", "last"),
        ("", "all"),
    ],
)
def test_whose_statistics_move_the_averages(asked: str, whose: str) -> None:
    key = "tf.GraphKeys.UPDATE_OPS"
    text = (ALONE / "towers_normalised.py").read_text()
    begin = text.index("if i == 0:")
    end = text.index("      reuse = True")
    shown = "error = tf.reduce_mean(tf.abs(predictions - _y))\n"
    asked = f"{asked.format(key)}      " if asked else ""
    after = "" if asked else f"  update_ops = tf.get_collection({key})\n"
    text = f"{text[:begin]}{asked}{shown}{text[end:]}"
    text = text.replace("  with tf.control", f"{after}  with tf.control")
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert f'updated_by="{whose}"' in migration.text
    told = [f.reason for f in migration.findings if f.code == "S138"]
    (found,) = [
        reason for reason in told if reason.startswith("batches are normalised")
    ]
    assert whose in found


def test_layers_that_nothing_shares_are_each_tower_s_own() -> None:
    text = (ALONE / "towers_merged.py").read_text()
    for shares in (", reuse=(i > 0)", ", reuse=None", ", reuse=reuse"):
        assert text.count(shares) == 1
        text = text.replace(shares, "")
    reasons = [f.reason for f in migrate_text(text).findings if f.code == "N126"]
    assert len(reasons) == 1 and "its own layer" in reasons[0]


def test_a_list_that_is_made_of_none_and_filled() -> None:
    text = PROGRAM.replace("tower_grads = []", "tower_grads = [None] * FLAGS.num_gpus")
    text = text.replace("tower_grads.append(grads)", "tower_grads[i] = grads")
    assert "[None]" in text and ".append(grads)" not in text
    assert migrate_text(text).text == migrate_text(PROGRAM).text
    other = text.replace("[None] * FLAGS.num_gpus", "[None] * 3")
    assert "N126" in {f.code for f in migrate_text(other).findings}


def test_what_a_loop_carries_on_is_not_taken() -> None:
    refused = _refused(LOSS, f"{LOSS}{INDENT}images = images + 1\n")
    assert "N126" in refused


IN_ONE = (ALONE / "towers_in_one.py").read_text()
AVERAGE = "tf.add_n(grads) / num_gpus"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (AVERAGE, "tf.add_n(grads)"),
        (AVERAGE, "tf.add_n(grads) / 3"),
        (AVERAGE, "tf.add_n(grads[1:]) / num_gpus"),
        # What the statements of the average bind is read after them.
        ("mean_loss = tf.add_n", "print(grad_and_vars)\nmean_loss = tf.add_n"),
    ],
)
def test_statements_that_are_no_average(old: str, new: str) -> None:
    assert IN_ONE.count(old) == 1
    found = migrate_text(IN_ONE.replace(old, new)).findings
    reasons = [f.reason for f in found if f.code == "N126"]
    assert len(reasons) == 1 and "not average" in reasons[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Of all towers so far, where it is read; only of this one, where it is not.
        (
            'losses = tf.get_collection("losses", scope)',
            'losses = tf.get_collection("losses")',
        ),
    ],
)
def test_collected_losses_that_are_of_more_than_a_tower(old: str, new: str) -> None:
    text = (ALONE / "towers_collected.py").read_text()
    assert text.count(old) == 1
    found = migrate_text(text.replace(old, new)).findings
    assert [f for f in found if f.outcome is Outcome.REFUSED]


LISTED = (ALONE / "towers_losses.py").read_text()
MEAN = "loss = tf.reduce_mean(tf.stack(losses))"


def test_losses_that_are_minimised_after_the_loop() -> None:
    migration = migrate_text(LISTED)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "MirroredStrategy(plain_session.tower_devices(num_gpus))" in migration.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (MEAN, "loss = tf.add_n(losses) / num_gpus"),
        (MEAN, "loss = sum(losses) / float(num_gpus)"),
        (MEAN, "mean = tf.reduce_mean(losses, axis=0)\nloss = tf.identity(mean)"),
        (MEAN, f"{MEAN}\nloss += 0.1 * tf.nn.l2_loss(encoder_vars[0])"),
        # Neither a sum nor a penalty of all towers alike changes what each minimises.
        (MEAN, "loss = tf.add_n(losses)"),
        (
            "label_opt.compute_gradients(label_loss, var_list=encoder_vars, "
            "colocate_gradients_with_ops=True)",
            "list(zip(tf.gradients(label_loss, encoder_vars), encoder_vars))",
        ),
    ],
)
def test_other_spellings_of_the_mean(old: str, new: str) -> None:
    assert LISTED.count(old) == 1
    migration = migrate_text(LISTED.replace(old, new))
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (MEAN, "loss = tf.reduce_max(losses)"),
        (MEAN, "loss = losses[0]"),
        (MEAN, "loss = tf.add_n(losses) / 3"),
        (MEAN, "loss = 0.5 * tf.add_n(losses)"),
        # What the last tower computed is not what every tower would add.
        (MEAN, f"{MEAN} + tf.reduce_sum(code)"),
        (MEAN, f"last = tf.exp(loss)\n{MEAN} + last"),
        (MEAN, f"losses.append(tf.constant(1.0))\n{MEAN}"),
        (
            MEAN,
            f"{MEAN}\nloss += tf.add_n(tf.get_collection('penalties'))",
        ),
        # A loss that a tower minimises by itself, and one that another list is in.
        ("label_loss, var_list", "label_loss + loss, var_list"),
        ("label_loss = 0\n", "label_loss = 1\n"),
    ],
)
def test_losses_that_are_no_mean_of_all_towers(old: str, new: str) -> None:
    assert LISTED.count(old) == 1
    reasons = {
        f.code: f.reason
        for f in migrate_text(LISTED.replace(old, new)).findings
        if f.outcome is Outcome.REFUSED
    }
    assert "N126" in reasons


GRADIENTS = (ALONE / "towers_gradients.py").read_text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[tf.add_n(grads) / NUM_GPUS for", "[tf.add_n(grads) for"),
        ("grad / num_gpus, var", "grad, var"),
        ("(d_tower_grads, NUM_GPUS)", "(d_tower_grads, 3)"),
        ("range(1, num_gpus)", "range(0, num_gpus)"),
    ],
)
def test_gradients_that_are_not_averaged(old: str, new: str) -> None:
    assert GRADIENTS.count(old) == 1
    found = migrate_text(GRADIENTS.replace(old, new)).findings
    reasons = [f.reason for f in found if f.code == "N126"]
    assert reasons and "not average" in reasons[0]


def test_averages_where_they_are_applied() -> None:
    text = GRADIENTS.replace(
        "average_gradients(d_tower_grads, NUM_GPUS)",
        "[(tf.reduce_mean([g for g, _ in p], 0), p[0][1]) for p in zip(*d_tower_grads)]",
    )
    found = migrate_text(text).findings
    assert not [f for f in found if f.outcome is Outcome.REFUSED]
    worse = text.replace("tf.reduce_mean([g", "tf.add_n([g").replace(
        "for g, _ in p], 0", "for g, _ in p]"
    )
    assert "N126" in {f.code for f in migrate_text(worse).findings}


def test_summaries_whose_names_have_no_number() -> None:
    text = GRADIENTS.replace('"d_loss_%d" % i', '"d_loss"')
    reasons = [f.reason for f in migrate_text(text).findings if f.code == "N126"]
    assert reasons and "no name scope keeps them apart" in reasons[0]


CLASS = (ALONE / "towers_of_class.py").read_text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The parts where they are gone through; sharing by position, in a function.
        ("for i in range(n):", "for i, (xs, ys) in enumerate(zip(x_split, y_split)):"),
        (
            "for i in range(n):",
            "for i, (xs, ys) in enumerate(zip(tf.split(self.x, n), tf.split(self.y, n))):",
        ),
        ("reuse=(i > 0)", "i > 0"),
        ("reuse=(i > 0)", "i != 0"),
    ],
)
def test_what_a_tower_is_told_to_share(old: str, new: str) -> None:
    text = CLASS.replace(old, new)
    if "xs" in new:
        text = text.replace("x_split[i]", "xs").replace("y_split[i]", "ys")
    assert text != CLASS
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "reuse = False" in migration.text or "reuse" not in migration.text


def test_a_function_is_told_by_position_to_share() -> None:
    assert CLIPPED.count("network(_x, reuse_vars)") == 1
    text = CLIPPED.replace("network(_x, reuse_vars)", "network(_x, i > 0)")
    text = text.replace("            reuse_vars = True\n", "")
    assert migrate_text(text).text == migrate_text(CLIPPED).text


@pytest.mark.parametrize("told", ["i > 0", "reuse=i > 0", "reuse_vars"])
def test_a_function_that_computes_otherwise_where_it_shares(told: str) -> None:
    text = CLIPPED.replace("network(_x, reuse_vars)", f"network(_x, {told})")
    last = "kernel_initializer=tf.constant_initializer(0.3))"
    assert text.count(last) == 1
    found = migrate_text(
        text.replace(last, last + " * (2.0 if reuse else 1.0)")
    ).findings
    assert [f for f in found if f.code == "N126" and f.outcome is Outcome.REFUSED]


BY_HAND = """\
import tensorflow as tf

cluster = tf.train.ClusterSpec({"worker": ["localhost:2223", "localhost:2224"]})
x = tf.placeholder(tf.float32, [None, 4])
w = tf.Variable(tf.zeros([4, 1]), name="w")
updates = []
for i in range(2):
    with tf.device("/job:worker/task:%d" % i):
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        grad = tf.gradients(loss, [w])[0]
        updates.append(w.assign_sub(0.1 * grad))
train = tf.group(*updates)
with tf.Session("grpc://localhost:2223") as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train, feed_dict={x: [[1.0, 2.0, 3.0, 4.0]]})
"""


def test_what_is_told_of_updates_by_hand_in_a_loop_is_migrated() -> None:
    """O117's recipe: the losses in a list, and one optimizer that minimises their sum."""
    found = migrate_text(BY_HAND).findings
    told = [f for f in found if f.code == "O117" and "add_n" in f.recipe]
    assert len(told) == 1 and "minimize(tf.add_n(losses))" in told[0].recipe
    program = re.sub(r" +grad = .*\n", "", BY_HAND)
    program = program.replace("updates = []", "losses = []")
    program = re.sub(r"updates.append\(.*\n", "losses.append(loss)\n", program)
    train = "tf.train.GradientDescentOptimizer(0.1).minimize(tf.add_n(losses))"
    assert train.replace("0.1", "rate") in told[0].recipe
    done = migrate_text(program.replace("tf.group(*updates)", train))
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    assert "training_loss = tf.add_n(losses)" in done.text


PARTS_ON_DEVICES = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
h = tf.layers.dense(x, 2, kernel_regularizer=tf.nn.l2_loss)
loss = tf.reduce_mean(tf.square(h))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
parts = []
for i in range(2):
    with tf.device("/gpu:%d" % i):
        parts.append(tf.square(h))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: np.ones([2, 2])})
    sess.run(tf.get_collection("mine"))
"""
SEVERAL_UPDATES = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", [2, 1])
optimizer = tf.train.GradientDescentOptimizer(0.1)
updates = []
for k in [1.0, 2.0]:
    loss = k * tf.reduce_mean(tf.matmul(x, w))
    updates.append(optimizer.apply_gradients(optimizer.compute_gradients(loss)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(updates, {x: np.ones([2, 2])})
"""


@pytest.mark.parametrize("text", [PARTS_ON_DEVICES, SEVERAL_UPDATES])
def test_a_loop_that_makes_no_towers_is_not_called_one(text: str) -> None:
    refused = {
        f.code for f in migrate_text(text).findings if f.outcome is Outcome.REFUSED
    }
    assert refused - {"N100"} and "N126" not in refused


def test_a_list_that_is_minimised_is_of_towers() -> None:
    text = PARTS_ON_DEVICES.replace("tf.square(h))\nwith", "tf.reduce_mean(h))\nwith")
    train = "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
    text = text.replace(train, "").replace(
        "with tf.Session()", f"loss = tf.reduce_max(parts)\n{train}with tf.Session()"
    )
    assert "N126" in {f.code for f in migrate_text(text).findings}
