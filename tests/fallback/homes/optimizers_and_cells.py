"""Optimizers, a cell and an inspection of contrib: what each computes, line by line."""

import functools
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import opt
from tensorflow.contrib.rnn import LayerNormBasicLSTMCell
from tensorflow.python.estimator.util import fn_args

tf.flags.DEFINE_string("dir", "/tmp/optimizers", "Where lines are written.")
FLAGS = tf.flags.FLAGS


def look_up(name):
    return getattr(tf.contrib.opt, name, None)


def values(*shape):
    return np.random.RandomState(sum(shape)).randn(*shape).astype("float32")


def made(resource):
    """A matrix, and a table of which some rows are looked up, one twice."""
    given = {"use_resource": resource}
    matrix = tf.get_variable("matrix", initializer=values(3, 2), **given)
    table = tf.get_variable("table", initializer=values(6, 2), **given)
    return matrix, table


def trained(session, write, name, optimizer, resource, **decayed):
    """Four updates; each waits for its gradients, which are of other rows each time."""
    matrix, table = made(resource)
    step = tf.placeholder(tf.int32, [])
    rows = tf.gather(table, (tf.constant([0, 2, 2]) + step) % 6)
    loss = tf.reduce_sum(tf.square(tf.matmul(rows, matrix, transpose_b=True)))
    pairs = optimizer.compute_gradients(loss, [matrix, table])
    ready = [g.values if isinstance(g, tf.IndexedSlices) else g for g, _ in pairs]
    if decayed:
        decayed = {"decay_var_list": [table]}
    with tf.control_dependencies(ready):
        train = optimizer.apply_gradients(pairs, **decayed)
    session.run(tf.global_variables_initializer())
    for number in range(4):
        session.run(train, {step: number})
        write(name, *session.run([matrix, table]))
    write("slots", *[sum(map(ord, v.op.name)) for v in tf.global_variables()])


def optimizers(write):
    rate = {"learning_rate": 0.1}
    for resource in (False, True):
        for name, build in (
            ("lazy", lambda: opt.LazyAdamOptimizer(0.1, beta1=0.8)),
            ("found", lambda: look_up("LazyAdamOptimizer")(0.2)),
            ("adam", lambda: opt.AdamWOptimizer(0.02, **rate)),
            ("part", lambda: opt.AdamWOptimizer(0.02, **rate)),
            ("momentum", lambda: opt.MomentumWOptimizer(0.03, 0.01, 0.9)),
            (
                "extended",
                lambda: opt.extend_with_decoupled_weight_decay(
                    tf.train.AdagradOptimizer
                )(tf.constant(0.05), **rate),
            ),
            (
                "both",
                lambda: opt.extend_with_decoupled_weight_decay(
                    look_up("LazyAdamOptimizer")
                )(0.04, **rate),
            ),
        ):
            with tf.Graph().as_default(), tf.Session() as session:
                given = {"decay_var_list": True} if name == "part" else {}
                trained(session, write, name, build(), resource, **given)
    write("missing", look_up("NoOptimizer") is None)


def cells(session, write):
    """Three cells over four steps of time, trained."""
    inputs = tf.constant(values(2, 4, 3))
    outputs = []
    for name, given in (
        ("one", {}),
        ("two", {"layer_norm": False, "forget_bias": 0.5}),
        ("three", {"norm_gain": 0.7, "norm_shift": 0.1, "activation": tf.nn.relu}),
        ("four", {"dropout_keep_prob": 0.6, "dropout_prob_seed": 7}),
    ):
        cell = LayerNormBasicLSTMCell(5, **given)
        with tf.variable_scope(name, initializer=tf.constant_initializer(0.1)):
            output, state = tf.nn.static_rnn(
                cell, tf.unstack(inputs, axis=1), dtype=tf.float32
            )
        outputs.append((name, [*output, *state]))
    loss = tf.add_n(
        [
            tf.reduce_sum(tf.square(o - values(2, 5)))
            for _, all_ in outputs
            for o in all_
        ]
    )
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    # Rows of equal gates have no direction: the kernels begin with numbers that differ.
    first = [
        v.assign(values(*v.shape.as_list()))
        for v in tf.trainable_variables()
        if "kernel" in v.name
    ]
    session.run(tf.global_variables_initializer())
    session.run(first)
    for _ in range(3):
        for name, found in outputs[:3]:
            write(name, *session.run(found))
        session.run(train)
    for name, found in outputs[3:]:  # Its first draws are those of its seed.
        write(name, *session.run(found))
    for variable in tf.global_variables():
        name = sum(map(ord, variable.op.name))
        write("variables", name, variable.shape.as_list())


class Called:
    def __call__(self, one, two=2):
        return one, two

    def method(self, three, *rest, four=4):
        return three, rest, four


def arguments(write):
    for name, asked in (
        ("plain", look_up),
        ("object", Called()),
        ("method", Called().method),
        ("unbound", Called.method),
        ("class", LayerNormBasicLSTMCell),
        ("partial", functools.partial(trained, 1, optimizer=2)),
        ("layer", tf.layers.dense),
    ):
        names = fn_args(asked)
        write(f"arguments_{name}", len(names), *[sum(map(ord, n)) for n in names])


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *found):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in found])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        optimizers(write)
        with tf.Graph().as_default(), tf.Session() as session:
            cells(session, write)
        arguments(write)
        write("version", 1 if tf.__version__.startswith("1") else 2)
        kept = 0.25 if tf.__version__ < "2" else 0.75
        with tf.Session() as session:
            drawn = tf.nn.dropout(tf.ones([100]), kept, seed=3)
            write("dropped", session.run(drawn))


if __name__ == "__main__":
    tf.app.run()
