"""Checks the values that a step function reads from code that ran before it."""

from __future__ import annotations

import ast
import textwrap

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

HEAD = """
import tensorflow as tf
tf.app.flags.DEFINE_integer("task_index", 0, "")
FLAGS = tf.app.flags.FLAGS
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:2"]})
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 2])
"""
TAIL = """
    op = tf.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    while not sess.should_stop():
        _, value = sess.run([op, loss], feed_dict={x: [[1.0, 2.0]]})
"""


def migrated(body: str) -> str:
    text = HEAD + textwrap.indent(textwrap.dedent(body), "    ") + TAIL
    migration = migrate_text(text)
    loud = [
        f for f in migration.findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    assert not loud, loud
    return migration.text


def step_value(text: str) -> float:
    """Runs the migrated build and one step in this process, on the default strategy."""
    import tensorflow as tf

    from migrate.support import training_session

    tree = ast.parse(text)
    block = next(
        n
        for n in tree.body
        if isinstance(n, ast.With) and "strategy.scope" in ast.unparse(n.items[0])
    )
    module = ast.Module([block], [])
    replicas = training_session.SynchronousReplicas(tf.distribute.get_strategy(), 0)
    import tf_keras

    space = {
        "tf": tf,
        "tf_keras": tf_keras,
        "training_session": training_session,
        "replicas": replicas,
        "strategy": tf.distribute.get_strategy(),
    }
    exec(compile(module, "<migrated>", "exec"), space)
    train_step = space["train_step"]
    results = replicas.call(train_step, train_step.convert_arguments(([[1.0, 2.0]],)))
    return float(results["fetches"])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            """
            w = tf.Variable([[1.0], [1.0]])
            h = tf.matmul(x, w)
            w = tf.Variable([[10.0]])
            h = tf.matmul(h, w)
            loss = tf.reduce_sum(h)
            """,
            30.0,
            id="one-name-two-variables",
        ),
        pytest.param(
            """
            h = x
            for i in range(3):
                w = tf.Variable(float(i + 1))
                h = h * w
            loss = tf.reduce_sum(h)
            """,
            18.0,
            id="variables-in-a-loop",
        ),
        pytest.param(
            """
            w = tf.Variable(1.0)
            scale = 2.0
            a = tf.reduce_sum(x * w) * scale
            scale = 3.0
            b = tf.reduce_sum(x * w) * scale
            loss = a + b
            """,
            15.0,
            id="python-value-that-changes",
        ),
        pytest.param(
            """
            w = tf.Variable(1.0)
            total = tf.reduce_sum(x * w)
            for i in range(3):
                factor = i + 1
                total = total * factor
            loss = total
            """,
            18.0,
            id="python-value-in-a-loop",
        ),
        pytest.param(
            """
            w = tf.Variable(1.0)
            if FLAGS is None:
                loss = tf.reduce_sum(x * w)
            else:
                loss = tf.reduce_mean(x * w)
            """,
            None,
            id="both-branches-stay",
        ),
        pytest.param(
            """
            h = x
            for i in range(2):
                h = tf.layers.dense(h, 2, use_bias=False, name="fc%d" % i,
                                    kernel_initializer=tf.constant_initializer(i + 1.0))
            loss = tf.reduce_sum(h)
            """,
            24.0,
            id="layers-in-a-loop",
        ),
        pytest.param(
            """
            h = tf.layers.Dense(2, use_bias=False,
                                kernel_initializer=tf.ones_initializer())(x)
            loss = tf.reduce_sum(tf.layers.Dense(
                1, use_bias=False, name="head",
                kernel_initializer=tf.ones_initializer())(tf.layers.Flatten()(h)))
            """,
            6.0,
            id="layer-objects-applied-at-once",
        ),
    ],
)
def test_step_sees_the_right_values(body: str, expected: float | None) -> None:
    text = migrated(body)
    if expected is None:
        assert "tf.reduce_sum(x * w)" in text and "tf.reduce_mean(x * w)" in text
    else:
        assert step_value(text) == expected


LOOKUP = """
table = tf.get_variable("t", [4, 2])
loss = tf.reduce_sum(tf.nn.embedding_lookup(table, tf.cast(x[:, 0], tf.int32)))
"""


def _codes(text: str) -> dict[str, Outcome]:
    return {f.code: f.outcome for f in migrate_text(text).findings}


def test_an_optimizer_of_contrib_is_written_beside_the_program() -> None:
    """LazyAdam is Adam for dense gradients only, so it is never made Adam."""
    tail = TAIL.replace(
        "tf.train.GradientDescentOptimizer", "tf.contrib.opt.LazyAdamOptimizer"
    )
    for model in (
        "    loss = tf.reduce_sum(x * tf.Variable(1.0))",
        textwrap.indent(LOOKUP, "    "),
    ):
        migration = migrate_text(HEAD + model + tail)
        assert "contrib_optimizers.LazyAdamOptimizer(0.5)" in migration.text
        assert "contrib_optimizers.py" in migration.support


def _one_step(body: str, dtype: str) -> str:
    return migrated(body).replace(
        "tf.TensorSpec([None, 2], tf.float32)", f"tf.TensorSpec([None, 2], tf.{dtype})"
    )


@pytest.mark.parametrize("form", ["dense(x, 1", "Dense(1"])
def test_layers_compute_in_the_dtype_of_their_input(form: str) -> None:
    """Keras's own default is float32: it would round what it is called with."""
    applied = "" if form.startswith("dense") else "(x)"
    body = f"""
    h = tf.layers.{form}, use_bias=False, name="h",
                      kernel_initializer=tf.constant_initializer(0.1)){applied}
    loss = tf.reduce_sum(h)
    """
    assert step_value(_one_step(body, "float64")) == 0.1 * 1.0 + 0.1 * 2.0
    in_float32 = step_value(_one_step(body, "float32"))
    assert in_float32 != 0.1 * 1.0 + 0.1 * 2.0
    assert in_float32 == pytest.approx(0.3)


def test_a_dtype_that_the_program_gives_keras_is_kept() -> None:
    import tf_keras

    from migrate.support import training_session

    replicas = training_session.SynchronousReplicas(None, 0)
    before = tf_keras.mixed_precision.global_policy()
    with replicas.recording():
        assert tf_keras.layers.Dense(1).compute_dtype is None
        assert tf_keras.layers.Dense(1, dtype="float16").compute_dtype == "float16"
    assert tf_keras.mixed_precision.global_policy().name == before.name
    tf_keras.mixed_precision.set_global_policy("mixed_bfloat16")
    try:
        with replicas.recording():
            assert tf_keras.layers.Dense(1).compute_dtype == "bfloat16"
        assert tf_keras.mixed_precision.global_policy().name == "mixed_bfloat16"
    finally:
        tf_keras.mixed_precision.set_global_policy(before)


def test_a_seed_of_dropout_gives_tf1s_values() -> None:
    """TF 1.15.5 gives: tf.layers.dropout(tf.ones([2, 6]), 0.4, seed=11), first run.

    A Keras layer draws by another seed every time that it is traced, and a step
    function is traced before it first runs.
    """
    body = """
    w = tf.Variable(1.0)
    h = tf.layers.dropout(tf.tile(x[:, :1], [2, 6]), 0.4, seed=11, training=True)
    loss = w * tf.reduce_sum(h * [[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], [0.0] * 6])
    """
    text = migrated(body)
    assert "Dropout" not in text
    assert step_value(text) == pytest.approx((4 + 8) / 0.6)
    unseeded = migrated(body.replace(", seed=11", ""))
    assert "tf_keras.layers.Dropout(rate=0.4)" in unseeded


def test_a_seed_of_the_dropout_class_is_said_to_draw_otherwise() -> None:
    body = """
    drop = tf.layers.Dropout(0.4, seed=11)
    loss = tf.reduce_sum(drop(x, training=True))
    """
    text = HEAD + textwrap.indent(textwrap.dedent(body), "    ") + TAIL
    reasons = [f.reason for f in migrate_text(text).findings if f.code == "L104"]
    assert reasons == [
        "tf_keras.layers.Dropout; by this seed it draws other values than TF1 did"
    ]


def test_sparse_gradients_in_synchronous_training_are_said_at_the_line() -> None:
    tail = TAIL.replace(
        "tf.train.GradientDescentOptimizer(0.5)",
        "tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 1)",
    )
    text = HEAD + textwrap.indent(LOOKUP, "    ") + tail
    assert "O111" in _codes(text)


def test_a_synchronous_optimizer_without_a_name_is_that_with_one() -> None:
    """Its update said `train_op = loss`, of which nothing was bound (G009)."""
    made = "tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 1)"
    inline = TAIL.replace("tf.train.GradientDescentOptimizer(0.5)", made)
    lines = [line for line in inline.splitlines() if made in line]
    (line,) = lines
    indent = line[: len(line) - len(line.lstrip())]
    named = inline.replace(
        line, f"{indent}optimizer = {made}\n{line.replace(made, 'optimizer')}"
    )
    model = HEAD + "    w = tf.Variable([1.0, 1.0])\n    loss = tf.reduce_sum(x * w)\n"
    first, second = (migrate_text(model + tail) for tail in (inline, named))
    assert not any(f.blocks for f in first.findings)
    assert first.text == second.text


def test_dropout_without_a_rate_has_that_of_tensorflow_1() -> None:
    """Keras's layer demands one: the program was refused for a call that the tool wrote."""
    body = """
    loss = tf.reduce_sum(tf.layers.dropout(x, training=True))
    """
    assert "tf_keras.layers.Dropout(rate=0.5)" in migrated(body)
