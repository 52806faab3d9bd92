"""Training loops as tutorials have them: two optimizers in turn, dropout or noise beside a look."""

from __future__ import annotations

import pathlib

import pytest
import tensorflow as tf

from reference.verify.verdict import Outcome
from tests.verify.support import copied, migrated, unproven, verified

IN_TURN = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
z = tf.placeholder(tf.float32, [None, 2])
d_w = tf.Variable(tf.random_normal([3, 1]))
g_w = tf.Variable(tf.random_normal([2, 3]))
made = tf.matmul(z, g_w)
d_loss = -tf.reduce_mean(tf.matmul(x, d_w)) + tf.reduce_mean(tf.matmul(made, d_w) ** 2)
g_loss = -tf.reduce_mean(tf.matmul(made, d_w))
d_train = tf.train.AdamOptimizer(1e-3).minimize(d_loss, var_list=[d_w])
g_train = tf.train.AdamOptimizer(2e-3).minimize(g_loss, var_list=[g_w])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        noise = np.random.rand(8, 2)
        sess.run(d_train, feed_dict={x: np.random.rand(8, 3), z: noise})
        sess.run(g_train, feed_dict={z: noise})
"""
DROPOUT = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 6])
keep_prob = tf.placeholder(tf.float32)
w = tf.Variable(tf.random_normal([6, 8]))
h = tf.nn.dropout(tf.nn.relu(tf.matmul(x, w)), keep_prob)
loss = tf.reduce_mean(tf.square(tf.reduce_sum(h, 1) - 1.0))
accuracy = tf.reduce_mean(tf.cast(tf.reduce_sum(h, 1) < 1.0, tf.float32))
train = tf.train.AdamOptimizer(1e-2).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        batch = np.random.rand(20, 6)
        if i % 3 == 0:
            print(sess.run(accuracy, feed_dict={x: batch, keep_prob: 1.0}))
        sess.run(train, feed_dict={x: batch, keep_prob: 0.5})
"""
# One draw for the runs that train and for those that only look, as in an autoencoder.
NOISE = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 6])
w = tf.Variable(tf.truncated_normal([6, 4], stddev=0.3))
mean = tf.matmul(x, w)
code = mean + 0.5 * tf.random_normal(tf.shape(mean))
loss = tf.reduce_mean(tf.square(tf.matmul(code, w, transpose_b=True) - x))
train = tf.train.AdamOptimizer(1e-2).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        batch = np.random.rand(20, 6)
        if i % 2 == 0:
            print(sess.run(loss, feed_dict={x: batch}))
        sess.run(train, feed_dict={x: batch})
"""
# Two optimizers of one variable; the second runs first.
EXCHANGED = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.random_normal([3, 1]))
y = tf.matmul(x, w)
near = tf.train.AdamOptimizer(1e-2).minimize(tf.reduce_mean(tf.square(y - 1.0)))
far = tf.train.AdamOptimizer(2e-2).minimize(tf.reduce_mean(tf.abs(y + 2.0)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        batch = np.random.rand(8, 3)
        sess.run(far, feed_dict={x: batch})
        sess.run(near, feed_dict={x: batch})
"""
# The session does not allow soft placement, and the machine need not have GPUs.
TOWERS = """\
import numpy as np
import tensorflow as tf

N = 2
x = tf.placeholder(tf.float32, [None, 3])
xs = tf.split(x, N)
opt = tf.train.MomentumOptimizer(0.1, 0.9)
tower_grads = []
for i in range(N):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [3, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(xs[i], w) - 1.0))
        tower_grads.append(opt.compute_gradients(loss))
average = []
for pairs in zip(*tower_grads):
    average.append((tf.add_n([g for g, _ in pairs]) / N, pairs[0][1]))
train_op = opt.apply_gradients(average)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        sess.run([train_op, loss], feed_dict={x: np.random.rand(8, 3)})
"""
PROGRAMS = {
    "towers": (TOWERS, ("g / strategy.num_replicas_in_sync", "g")),
    "two optimizers in turn": (IN_TURN, ("Optimizer(2e-3)", "Optimizer(2.1e-3)")),
    "the second optimizer first": (EXCHANGED, ("Optimizer(2e-2)", "Optimizer(2.1e-2)")),
    "dropout beside a look": (DROPOUT, ("rate=1 - keep_prob", "rate=0.9 - keep_prob")),
    "noise beside a look": (NOISE, ("0.5 * tf.random", "0.51 * tf.random")),
}


def written(name: str, tmp_path: pathlib.Path) -> pathlib.Path:
    """The program in a directory of its own."""
    path = tmp_path / "given" / "program.py"
    path.parent.mkdir()
    path.write_text(PROGRAMS[name][0])
    return copied(path, tmp_path / "old")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_migration_is_equal(name: str, tmp_path: pathlib.Path) -> None:
    old = written(name, tmp_path)
    verdict = verified(old, migrated(old, tmp_path / "new"), tmp_path / "work")
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    softened = name == "towers" and not tf.config.list_physical_devices("GPU")
    assert any("on its CPU" in line for line in verdict.reduced) is softened


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_fault_is_seen(name: str, tmp_path: pathlib.Path) -> None:
    old = written(name, tmp_path)
    new = migrated(old, tmp_path / "new", PROGRAMS[name][1])
    verdict = verified(old, new, tmp_path / "work")
    assert verdict.outcome is Outcome.DIFFERENT, unproven(verdict)


def test_slots_that_a_checkpoint_holds_keep_their_names(tmp_path: pathlib.Path) -> None:
    old = written("the second optimizer first", tmp_path)
    text = old.read_text() + "    tf.train.Saver().save(sess, 'model')\n"
    old.write_text(text)
    new = migrated(old, tmp_path / "new")
    verdict = verified(old, new, tmp_path / "work")
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    assert not any("is named" in line for line in verdict.unproven)
