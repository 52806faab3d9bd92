"""Updates and gradients that are part of an expression, and losses that are collected."""

from __future__ import annotations

import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise import Text
from migrate.normalise.graph_collections.losses import add_up_losses
from migrate.normalise.names.statements import name_updates
from tests.migrate.normalise.test_step_functions import HEAD, TAIL

MODEL = """
    w = tf.Variable([1.0, 1.0])
    loss = tf.reduce_sum(x * w)
    opt = tf.train.GradientDescentOptimizer(0.5)
"""
LOOP = TAIL.split("\n", 2)[2]


def migrated(update: str) -> str:
    migration = migrate_text(HEAD + MODEL + textwrap.indent(update, "    ") + LOOP)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    assert not [f for f in migration.findings if f.outcome in loud]
    return migration.text


@pytest.mark.parametrize(
    ("gradients", "stands"),
    [
        (
            "pairs = [(tf.clip_by_norm(g, 1.0), v) for g, v in opt.compute_gradients(loss)]",
            "pairs = [(tf.clip_by_norm(g, 1.0), v) for g, v in "
            "list(zip(tape.gradient(loss, variables), variables))]",
        ),
        (
            "pairs = list(reversed(opt.compute_gradients(loss)))",
            "pairs = list(reversed("
            "list(zip(tape.gradient(loss, variables), variables))))",
        ),
        (
            "grads, given = zip(*opt.compute_gradients(loss))\n"
            "pairs = zip(tf.clip_by_global_norm(grads, 1.0)[0], given)",
            "grads, given = zip(*list(zip(tape.gradient(loss, variables), variables)))",
        ),
        (
            "pairs = opt.compute_gradients(loss)",
            "pairs = list(zip(tape.gradient(loss, variables), variables))",
        ),
    ],
)
def test_what_is_done_to_gradients_stays(gradients: str, stands: str) -> None:
    update = f"{gradients}\nop = opt.apply_gradients(pairs, global_step=step)\n"
    assert stands in migrated(update)


def test_an_update_beside_others_is_made() -> None:
    text = migrated(
        "other = tf.assign(tf.Variable(0.0, trainable=False), 1.0)\n"
        "op = tf.group(opt.minimize(loss, global_step=step), other)\n"
    )
    assert "opt.apply_gradients(zip(gradients, variables), global_step=step)" in text


@pytest.mark.parametrize(
    "update",
    [
        "op = opt.minimize(loss) if x is not None else None",
        "op = [o.minimize(loss) for o in [opt]][0]",
    ],
)
def test_an_update_that_cannot_be_placed_is_refused(update: str) -> None:
    migration = migrate_text(HEAD + MODEL + f"    {update}\n" + LOOP)
    refused = [f.code for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert set(refused) - {"N100"}
    assert "training_session" not in migration.text


NAMED = {
    "in a group": (
        "op = tf.group(opt.minimize(loss), other)\n",
        "update_op = opt.minimize(loss)\nop = tf.group(update_op, other)\n",
    ),
    "in a block's header": (
        "with tf.control_dependencies([opt.minimize(loss)]):\n    op = average()\n",
        "update_op = opt.minimize(loss)\n"
        "with tf.control_dependencies([update_op]):\n    op = average()\n",
    ),
    "two in a statement": (
        "op = [opt.minimize(a), opt.minimize(b)]\n",
        "update_op = opt.minimize(a)\nupdate_op_2 = opt.minimize(b)\n"
        "op = [update_op, update_op_2]\n",
    ),
    "alone": ("op = opt.minimize(loss)\n", "op = opt.minimize(loss)\n"),
    "of something else": ("op = f(game.minimize(x))\n", "op = f(game.minimize(x))\n"),
}


@pytest.mark.parametrize(("old", "new"), NAMED.values(), ids=NAMED)
def test_an_update_has_a_statement(old: str, new: str) -> None:
    head = "import tensorflow as tf\nopt = tf.train.AdamOptimizer()\n"
    assert name_updates(Text.read_source(head + old)).source == head + new


LOSSES = {
    "functions and add_loss": (
        "a = tf.losses.huber_loss(x, y)\n"
        "tf.losses.log_loss(x, y)\n"
        "tf.losses.add_loss(b)\n"
        "total = tf.losses.get_total_loss()\n",
        "a = tf.losses.huber_loss(x, y)\n"
        "loss_1 = tf.losses.log_loss(x, y)\n"
        "total = tf.add_n([a, loss_1, b])\n",
    ),
    "one": (
        "a = tf.losses.huber_loss(x, y)\ntotal = tf.losses.get_total_loss()\n",
        "a = tf.losses.huber_loss(x, y)\ntotal = a\n",
    ),
    "as a list": (
        "a = tf.losses.huber_loss(x, y)\ntotal = tf.losses.get_losses()\n",
        "a = tf.losses.huber_loss(x, y)\ntotal = [a]\n",
    ),
    "not collected": (
        "a = tf.losses.huber_loss(x, y)\n"
        "c = tf.losses.log_loss(x, y, loss_collection=None)\n"
        "total = tf.losses.get_total_loss()\n",
        "a = tf.losses.huber_loss(x, y)\n"
        "c = tf.losses.log_loss(x, y, loss_collection=None)\n"
        "total = a\n",
    ),
}
UNCLEAR = {
    "in a loop": "for x in xs:\n    tf.losses.log_loss(x, y)\n",
    "in a branch": "if deep:\n    tf.losses.log_loss(x, y)\n",
    "in a helper called twice": (
        "def net(x):\n    tf.losses.log_loss(x, y)\nnet(1)\nnet(2)\n"
    ),
    "a name that changes": (
        "a = tf.losses.log_loss(x, y)\na = 2 * tf.losses.huber_loss(x, y)\n"
    ),
    "regularisers": (
        "h = tf.layers.dense(x, 1, kernel_regularizer=l2)\na = tf.losses.log_loss(h, y)\n"
    ),
    "later": "total = tf.losses.get_total_loss()\na = tf.losses.log_loss(x, y)\n",
}
IMPORTS = "import tensorflow as tf\nb = f()\n"


@pytest.mark.parametrize(("old", "new"), LOSSES.values(), ids=LOSSES)
def test_collected_losses_are_added_up_by_name(old: str, new: str) -> None:
    assert add_up_losses(Text.read_source(IMPORTS + old)).source == IMPORTS + new


@pytest.mark.parametrize("text", UNCLEAR.values(), ids=UNCLEAR)
def test_losses_that_are_not_clear_stay(text: str) -> None:
    text = IMPORTS + text
    if "get_total" not in text:
        text += "total = tf.losses.get_total_loss()\n"
    assert add_up_losses(Text.read_source(text)).source == text


def test_an_unused_function_is_judged_by_itself() -> None:
    """It is no part of the program: what TF2 lacks in it is refused at its line."""
    unused = "def unused(x):\n    return tf.layers.dense(x, 3)\n"
    text = "import tensorflow as tf\n" + unused + HEAD + MODEL
    migration = migrate_text(text + "    op = opt.minimize(loss)\n" + LOOP)
    assert "replicas.run(run_worker)" in migration.text
    refused = [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert [(f.line, f.symbol) for f in refused] == [(3, "tf.layers.dense")]
