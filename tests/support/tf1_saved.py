"""A program of TensorFlow 1.15.5 (Python 3.7) that trains and saves every kind of entry.

    python tf1_saved.py DIRECTORY mixed|adam FIRST_STEPS MORE_STEPS

Writes checkpoints after FIRST_STEPS and after MORE_STEPS more, and `expected.npz`: all
values at the first, and predictions from the weights and from their moving averages.
"""

import os
import sys

import numpy as np


def batch(step):
    random = np.random.RandomState(step)
    x = random.rand(4, 6).astype(np.float32)
    return x, random.randint(0, 11, 4), random.rand(4, 2).astype(np.float32)


def main(directory, optimizers, first, more):
    import tensorflow as tf

    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [None, 6])
    ids = v1.placeholder(tf.int32, [None])
    y = v1.placeholder(tf.float32, [None, 2])

    def variable(name, shape, shards, seed, axis=0):
        return v1.get_variable(
            name,
            shape,
            partitioner=v1.fixed_size_partitioner(shards, axis=axis),
            initializer=v1.random_normal_initializer(seed=seed),
        )

    def dense(inputs, units, name, seed):
        kernel = v1.glorot_normal_initializer(seed=seed)
        return v1.layers.dense(inputs, units, name=name, kernel_initializer=kernel)

    with v1.variable_scope("tower"):
        # Three parts, ids spread by "mod": 4, 4 and 3 rows.
        table = tf.nn.embedding_lookup(variable("table", [11, 3], 3, 1), ids)
        hidden = tf.nn.relu(dense(tf.concat([x, table], 1), 5, "hidden", 2))
    wide = tf.convert_to_tensor(variable("wide", [6, 2], 2, 4))
    columns = tf.convert_to_tensor(variable("columns", [2, 8], 4, 5, axis=1))
    out = dense(hidden, 2, "out", 3)
    logits = out + tf.matmul(x, wide) + tf.reduce_sum(columns, 1)
    loss = tf.reduce_mean(tf.square(logits - y))
    step = v1.train.get_or_create_global_step()

    def of(prefix):
        return [v for v in v1.trainable_variables() if v.op.name.startswith(prefix)]

    train = v1.train
    if optimizers == "adam":
        minimize = [train.AdamOptimizer(0.01).minimize(loss, global_step=step)]
    else:
        chosen = [
            ("tower", train.AdamOptimizer(0.01)),
            ("out/kernel", train.MomentumOptimizer(0.01, 0.9)),
            ("out/bias", train.RMSPropOptimizer(0.01, momentum=0.5)),
            ("columns", train.RMSPropOptimizer(0.01, centered=True)),
            ("wide", train.FtrlOptimizer(0.01)),
        ]
        minimize = [o.minimize(loss, var_list=of(prefix)) for prefix, o in chosen]
        minimize.append(v1.assign_add(step, 1))
    averages = train.ExponentialMovingAverage(0.9)
    if optimizers != "adam":
        with tf.control_dependencies(minimize):
            minimize = [averages.apply(of("out"))]
    saver = train.Saver()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())

        def train_until(last):
            for number in range(session.run(step), last):
                xs, rows, ys = batch(number)
                session.run(minimize, {x: xs, ids: rows, y: ys})
            saver.save(session, os.path.join(directory, "model.ckpt"), step)

        train_until(int(first))
        variables = {v.op.name: v for v in v1.global_variables()}
        found = {k.replace("/", "|"): v for k, v in session.run(variables).items()}
        xs, rows, _ = batch(1000)
        found["logits"] = session.run(logits, {x: xs, ids: rows})
        if optimizers != "adam":
            kept = session.run(of("out"))
            for v in of("out"):
                session.run(v.assign(averages.average(v)))
            found["averaged"] = session.run(logits, {x: xs, ids: rows})
            for v, value in zip(of("out"), kept):
                v.load(value, session)
        np.savez(os.path.join(directory, "expected.npz"), **found)
        train_until(int(first) + int(more))


if __name__ == "__main__":
    main(*sys.argv[1:])
