"""Correlations, means, cells that convolve and others of contrib, line by line."""

import os

import numpy as np
import tensorflow as tf

tf.flags.DEFINE_string("dir", "/tmp/returned", "Where lines are written.")
FLAGS = tf.flags.FLAGS


def metrics():
    from tensorflow.contrib import metrics as contrib_metrics

    return contrib_metrics


def eager():
    from tensorflow.contrib.eager.python import tfe

    return tfe


def rnn():
    try:
        from tensorflow.contrib import rnn as contrib_rnn

        return contrib_rnn
    except ImportError:
        return None


def nn():
    return tf.contrib.nn


def framework():
    from tensorflow.contrib import framework as contrib_framework

    return contrib_framework


def image():
    """Nothing of it is used."""
    return tf.contrib.image


def values(*shape):
    return np.random.RandomState(sum(shape)).randn(*shape).astype("float32")


def correlated(session, write):
    """Three batches; the streams are read after each."""
    predictions = tf.placeholder(tf.float32, [None, 4])
    labels = tf.placeholder(tf.float32, [None, 4])
    wide = tf.placeholder(tf.float32, [None, 4, 1])
    weights = tf.abs(labels) + 0.5
    rows = tf.constant(values(1, 4) ** 2)
    streams = [
        ("pearson", metrics().streaming_pearson_correlation(predictions, labels)),
        (
            "pearson_weighted",
            metrics().streaming_pearson_correlation(predictions, labels, weights),
        ),
        (
            "pearson_wide",
            metrics().streaming_pearson_correlation(wide, labels, rows, ["found"]),
        ),
        (
            "covariance",
            metrics().streaming_covariance(labels, predictions, name="mine"),
        ),
        (
            "covariance_weighted",
            metrics().streaming_covariance(
                predictions, wide, weights[..., None], None, ["added"]
            ),
        ),
    ]
    session.run(tf.local_variables_initializer())
    for step in range(3):
        first, second = values(step + 2, 4), values(4, step + 2).T * 2 + step
        fed = {predictions: first + second, labels: second, wide: first[..., None]}
        for name, (found, update) in streams:
            added = session.run(update, fed)
            write(name, added, session.run(found))
    for variable in tf.local_variables():
        write("local_variables", sum(map(ord, variable.op.name)))
    for name in ("found", "added", tf.GraphKeys.METRIC_VARIABLES):
        write("collected", len(tf.get_collection(name)))


def averaged(session, write):
    plain = eager().metrics.Mean()
    named = eager().metrics.Mean("a mean", dtype=tf.float32, use_global_variables=True)
    batch = tf.placeholder(tf.float32, [None])
    adds = [plain(batch), *named(batch, tf.square(batch))]
    session.run([plain.init_variables(), named.init_variables()])
    for step in range(3):
        fed = {batch: values(step + 3)}
        write("mean_added", *session.run(adds, fed))
        write("mean", *session.run([plain.result(), named.value()]))
    session.run(plain.init_variables())
    write("mean_anew", *session.run([plain.numer, plain.denom, named.denom]))
    for mean in (plain, named):
        write("mean_name", *map(ord, mean.name))
        for variable in mean.variables:
            write("mean_variables", sum(map(ord, variable.op.name)))
    write("mean_global", len(tf.global_variables()))


def convolved(session, write):
    """Cells over one, two and three dimensions, trained over three steps of time."""
    outputs = []
    for name, build, shape in (
        (
            "one",
            lambda: rnn().Conv1DLSTMCell(
                input_shape=[5, 2], output_channels=3, kernel_shape=[3]
            ),
            (5, 2),
        ),
        (
            "two",
            lambda: rnn().ConvLSTMCell(
                2, [4, 5, 2], 3, (3, 2), use_bias=False, forget_bias=0.3
            ),
            (4, 5, 2),
        ),
        (
            "skips",
            lambda: rnn().Conv2DLSTMCell(
                input_shape=[4, 3, 2],
                output_channels=2,
                kernel_shape=[2, 2],
                skip_connection=True,
            ),
            (4, 3, 2),
        ),
        (
            "three",
            lambda: rnn().Conv3DLSTMCell(
                input_shape=[3, 2, 4, 1],
                output_channels=2,
                kernel_shape=[2, 2, 2],
                name="given",
            ),
            (3, 2, 4, 1),
        ),
    ):
        cell = build()
        write(f"{name}_size", *cell.output_size.as_list())
        state = cell.zero_state(2, tf.float32)
        with tf.variable_scope(name, initializer=tf.constant_initializer(0.2)):
            if name == "skips":  # What it gives out does not fit its own state.
                output, state = cell(values(2, *shape), state)
            else:
                given = [tf.constant(values(2 + i, *shape)[:2]) for i in range(3)]
                output, state = tf.nn.static_rnn(cell, given, state)
                output = output[-1]
        outputs.append((name, [output, *state]))
    loss = tf.add_n([tf.reduce_sum(tf.square(o - 0.1)) for _, f in outputs for o in f])
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        write("loss", session.run(loss))
        for name, found in outputs:
            write(name, *session.run(found))
        session.run(train)
    for variable in tf.global_variables():
        name = sum(map(ord, variable.op.name))
        write("variables", name, *variable.shape.as_list())


def others(session, write):
    table = tf.Variable(values(3, 6))
    for reverse in (False, True):
        found = nn().nth_element(table, 2, reverse=reverse, name="third")
        gradient = tf.gradients(found, table)[0]
        session.run(table.initializer)
        write("third", *session.run([found, gradient]))
    write("third_name", *map(ord, found.op.name))
    with tf.name_scope("outer"), tf.name_scope("inner"):
        write("scope", *map(ord, framework().get_name_scope()))
    flat = framework().nest.flatten([1, (2, [3])])
    write("flat", *flat)


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *found):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in found])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        for part in (correlated, averaged, convolved, others):
            with tf.Graph().as_default(), tf.Session() as session:
                part(session, write)


if __name__ == "__main__":
    tf.app.run()
