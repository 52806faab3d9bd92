"""What a session program adds to collections that TensorFlow 1 itself read is not lost."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

GRAPH = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
v = tf.Variable(2.0, trainable=False, name="v")
more = tf.assign(v, 3.0)
{}
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) * v - 1.0))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
tf.summary.scalar("loss", loss)
"""
PLAIN = """\
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([train, loss, merged], {x: [[1.0, 2.0, 3.0]]}))
"""
MONITORED = """\
with tf.train.MonitoredTrainingSession(
        hooks=[tf.train.StopAtStepHook(last_step=3)]) as sess:
    while not sess.should_stop():
        print(sess.run([train, loss], {x: [[1.0, 2.0, 3.0]]}))
"""
SUPERVISED = """\
sv = tf.train.Supervisor(logdir=None, saver=None)
with sv.managed_session() as sess:
    for i in range(3):
        print(sess.run([train, loss], {x: [[1.0, 2.0, 3.0]]}))
"""
_ADD = "tf.add_to_collection(tf.GraphKeys.{}, {})"
_EXTRA = 'tf.summary.scalar("extra", v, collections=[])'
LOST = {
    "trained": (_ADD.format("TRAINABLE_VARIABLES", "v"), PLAIN),
    "by its text": ('tf.add_to_collection("trainable_variables", v)', PLAIN),
    "by keyword": ('tf.add_to_collection(name="trainable_variables", value=v)', PLAIN),
    "several": ('tf.add_to_collections(["own", "trainable_variables"], v)', PLAIN),
    "by the graph": (
        'tf.get_default_graph().add_to_collection("trainable_variables", v)',
        PLAIN,
    ),
    "cleared": (
        "tf.get_default_graph().clear_collection(tf.GraphKeys.TRAINABLE_VARIABLES)",
        PLAIN,
    ),
    "saved": (_ADD.format("GLOBAL_VARIABLES", "v"), PLAIN),
    "merged": (_ADD.format("SUMMARIES", _EXTRA), PLAIN),
    "merged, by its text": (f'tf.add_to_collection("summaries", {_EXTRA})', PLAIN),
    **{
        f"{key} of {name}": (_ADD.format(key, "more"), session)
        for key in (
            *("INIT_OP", "LOCAL_INIT_OP", "READY_OP", "SUMMARY_OP"),
            "TABLE_INITIALIZERS",
        )
        for name, session in (("MONITORED", MONITORED), ("SUPERVISED", SUPERVISED))
    },
}
KEPT = {
    "the program's own": ('tf.add_to_collection("own", v)', PLAIN),
    "what a plain session does not look for": (_ADD.format("INIT_OP", "more"), PLAIN),
    "initialisers": (
        _ADD.format("TABLE_INITIALIZERS", "tf.tables_initializer()"),
        MONITORED,
    ),
    "nothing merges": (
        _ADD.format("SUMMARIES", _EXTRA),
        PLAIN.split("\n", 1)[1].replace(", merged]", "]"),
    ),
}


def _find_lost(graph: str, session: str) -> list[int]:
    found = migrate_text(GRAPH.format(graph) + session).findings
    return [
        f.line
        for f in found
        if f.outcome is Outcome.REFUSED and "in this collection" in f.reason
    ]


@pytest.mark.parametrize(("graph", "session"), LOST.values(), ids=LOST)
def test_what_tensorflow_1_reads_is_refused(graph: str, session: str) -> None:
    assert _find_lost(graph, session) == [6]


@pytest.mark.parametrize(("graph", "session"), KEPT.values(), ids=KEPT)
def test_what_nothing_reads_is_not(graph: str, session: str) -> None:
    assert not _find_lost(graph, session)


MODEL = """\
import tensorflow as tf
def model_fn(features, labels, mode):
    v = tf.Variable(2.0, trainable=False, name="v")
    tf.add_to_collection(tf.GraphKeys.TRAINABLE_VARIABLES, v)
    loss = tf.reduce_mean(tf.square(features["x"] * v - labels))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
def input_fn():
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [2.0])).repeat()
tf.estimator.Estimator(model_fn, "d").train(input_fn, steps=3)
"""


def test_a_model_fn_in_a_graph_of_its_own_keeps_it() -> None:
    done = migrate_text(MODEL)
    kept = "add_to_collection(tf.compat.v1.GraphKeys.TRAINABLE_VARIABLES, v)"
    refused = [f for f in done.findings if f.outcome is Outcome.REFUSED]
    assert kept in done.text and not refused


SQUARES = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
penal = tf.contrib.layers.l2_regularizer(0.1)
{}
{}
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([train, loss], {{x: [[1.0, 2.0, 3.0]]}}))
"""
DENSE = "out = tf.contrib.layers.fully_connected(x, 1, weights_regularizer=penal)"
WEIGHT = """\
w = tf.get_variable("w", [3, 1], regularizer=penal)
out = tf.matmul(x, w)"""
MEAN = "loss = tf.reduce_mean(out)"
PENALTY = f"{MEAN} + tf.losses.get_regularization_loss()"
TOTAL = "tf.losses.mean_squared_error(x[:, :1], out)\nloss = tf.losses.get_total_loss()"
LISTED = f"{MEAN} + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))"
_KEY = "tf.GraphKeys.REGULARIZATION_LOSSES"


@pytest.mark.parametrize(
    ("made", "loss"),
    [
        (f"{DENSE}\ntf.add_to_collection({_KEY}, tf.norm(out))", PENALTY),
        (f"{DENSE}\ntf.add_to_collection({_KEY}, tf.norm(out))", LISTED),
        (f"{DENSE}\ntf.add_to_collection({_KEY}, tf.norm(out))", TOTAL),
        (f"{WEIGHT}\ntf.add_to_collection({_KEY}, tf.norm(out))", PENALTY),
        (f"{WEIGHT}\ntf.add_to_collections([{_KEY}], tf.norm(out))", PENALTY),
        (
            f'{WEIGHT}\ntf.add_to_collection("regularization_losses", tf.norm(out))',
            PENALTY,
        ),
        (
            f"{WEIGHT}\ntf.get_default_graph().add_to_collection("
            f"name={_KEY}, value=tf.norm(out))",
            PENALTY,
        ),
        (f"{DENSE}\ntf.get_collection_ref({_KEY}).append(tf.norm(out))", PENALTY),
        (
            f"{WEIGHT}\ntf.losses.add_loss(tf.norm(out), loss_collection={_KEY})",
            PENALTY,
        ),
        (f"{DENSE}\ntf.add_to_collection(tf.GraphKeys.LOSSES, tf.norm(out))", TOTAL),
        (f'{DENSE}\ntf.add_to_collection("losses", tf.norm(out))', TOTAL),
    ],
)
def test_a_loss_that_a_collection_has_beside_others_is_not_lost(
    made: str, loss: str
) -> None:
    migration = migrate_text(SQUARES.format(made, loss))
    refused = [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "N105" in {f.code for f in refused}


@pytest.mark.parametrize(
    ("made", "loss"),
    [
        (DENSE, PENALTY),
        (DENSE, LISTED),
        (f"{DENSE}\ntf.losses.add_loss(tf.norm(out))", TOTAL),
        # The program alone fills this collection, and alone reads it.
        (
            f'{DENSE}\ntf.add_to_collection("losses", tf.norm(out))',
            f'{MEAN} + tf.add_n(tf.get_collection("losses"))',
        ),
        # A function that stays graph code adds to the collection of the step's graph.
        (
            "def net(v):\n"
            "    made = tf.contrib.layers.fully_connected(v, 1)\n"
            f"    tf.add_to_collection({_KEY}, tf.norm(made))\n"
            "    return made\n"
            "out = net(x)",
            PENALTY,
        ),
    ],
)
def test_losses_that_are_collected_still_migrate(made: str, loss: str) -> None:
    migration = migrate_text(SQUARES.format(made, loss))
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
