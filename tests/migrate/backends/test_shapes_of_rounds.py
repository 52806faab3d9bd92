"""Variables that are made by the shape of a tensor whose name has another tensor later."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """import functools
import numpy as np
import tensorflow as tf
X = np.random.RandomState(0).randn(20, 4)
Y = X.sum(1, keepdims=True)
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
{made}
loss = tf.reduce_mean(tf.square(out - y))
train = tf.train.MomentumOptimizer(.02, .9).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for e in range(5):
        _, l = sess.run([train, loss], {{x: X, y: Y}})
        print(e, '%.6f' % l)
"""
NET = """def net(x, sizes):
    for i, n in enumerate(sizes):
        w = tf.get_variable('w%d' % i, [[4, 6][i], n], initializer={initial})
        x = tf.matmul(x, w)
    return x
out = net(x, [6, 1])
"""
OF_SHAPE = "tf.constant_initializer(.1 * int(x.shape[1]))"
WIDTH = "def width(t):\n    return int(t.get_shape()[-1])\n"
LAYER = f"""def layer(x, n):
    w = tf.get_variable('w%d' % n, [6 if n == 1 else 4, n], initializer={OF_SHAPE})
    return tf.matmul(x, w)
"""

REFUSED = {
    "a parameter": NET.format(initial=OF_SHAPE),
    "a parameter, asked by a function": WIDTH
    + NET.format(initial="tf.constant_initializer(.1 * width(x))"),
    "a parameter of a method": """class Net(object):
    def build(self, x):
        for i, n in enumerate([6, 1]):
            w = tf.get_variable('w%d' % i, [int(x.shape[1]), n])
            x = tf.matmul(x, w)
        return x
net = Net()
out = net.build(x)
""",
    "layers": f"""def net(x):
    for n in [6, 1]:
        x = tf.layers.dense(x, n, kernel_initializer={OF_SHAPE}, name='d%d' % n)
    return x
out = net(x)
""",
    "a function that makes them": f"""{LAYER}
def net(x):
    for n in [6, 1]:
        x = layer(x, n)
    return x
out = net(x)
""",
    "another name in a function": """def net(x):
    h = x
    for i, n in enumerate([6, 1]):
        w = tf.get_variable('w%d' % i, [int(h.shape[1]), n])
        h = tf.matmul(h, w)
    return h
out = net(x)
""",
    "another name in the module": """h = x
for i, n in enumerate([6, 1]):
    w = tf.get_variable('w%d' % i, [int(h.shape[1]), n])
    h = tf.matmul(h, w)
out = h
""",
    "a number at a round's end": """def net(x):
    d = int(x.shape[1])
    for i, n in enumerate([6, 1]):
        w = tf.get_variable('w%d' % i, [d, n])
        x = tf.matmul(x, w)
        d = int(x.shape[1])
    return x
out = net(x)
""",
    "after the loop": """def net(x):
    for i, n in enumerate([6, 3]):
        x = tf.matmul(x, tf.zeros([[4, 6][i], n]))
    return tf.matmul(x, tf.get_variable('v', [int(x.shape[1]), 1]))
out = net(x)
""",
    "after branches": """def net(x, wide):
    if wide:
        x = tf.concat([x, x], 1)
    else:
        x = tf.concat([x, x, x], 1)
    return tf.matmul(x, tf.get_variable('v', [int(x.shape[1]), 1]))
out = net(x, True)
""",
    "a while loop": """def net(x):
    i = 0
    while i < 2:
        w = tf.get_variable('w%d' % i, [int(x.shape[1]), [6, 1][i]])
        x = tf.matmul(x, w)
        i += 1
    return x
out = net(x)
""",
    "a recursion": """def net(x, sizes):
    w = tf.get_variable('w%d' % len(sizes), [int(x.shape[1]), sizes[0]])
    x = tf.matmul(x, w)
    if len(sizes) > 1:
        return net(x, sizes[1:])
    return x
out = net(x, [6, 1])
""",
    "reduce": f"{LAYER}out = functools.reduce(layer, [6, 1], x)\n",
    "another variable in between": """def net(x):
    w = tf.get_variable('w', [4, 6])
    x = tf.matmul(x, w)
    w = tf.get_variable('v', [6, 3])
    u = tf.get_variable('u', [int(x.shape[1]) // 2, 1])
    return tf.matmul(tf.matmul(x, w), u)
out = net(x)
""",
}


@pytest.mark.parametrize("made", REFUSED.values(), ids=REFUSED)
def test_a_shape_that_changes_from_round_to_round_is_refused(made: str) -> None:
    found = migrate_text(PROGRAM.format(made=made)).findings
    assert "N104" in {f.code for f in found if f.outcome is Outcome.REFUSED}


MIGRATES = {
    "numbers of Python": (
        """def net(x, sizes):
    d = int(x.shape[1])
    for i, n in enumerate(sizes):
        w = tf.get_variable('w%d' % i, [d, n])
        x = tf.matmul(x, w)
        d = n
    return x
out = net(x, [6, 1])
""",
        "        d = n\n        w_list.append(w)",
    ),
    "a shape in the step": (
        NET.format(initial="tf.zeros_initializer()").replace(
            "tf.matmul(x, w)", "tf.matmul(x, w) / int(x.shape[1])"
        ),
        "x = tf.matmul(x, w) / int(x.shape[1])",
    ),
    "one layer after another": (
        """def net(x, keep):
    w = tf.get_variable('w', [int(x.shape[1]), 6])
    x = tf.matmul(x, w) * keep
    v = tf.get_variable('v', [int(x.shape[1]), 1])
    return tf.matmul(x, v)
out = net(x, .5)
""",
        "x_spec_2 = training_session.spec_of(lambda x: tf.matmul(x, w) * keep, x)",
    ),
    "one call after another": (
        f"{LAYER}def net(x):\n    x = layer(x, 6)\n    return layer(x, 1)\nout = net(x)\n",
        "x_spec_2 = training_session.spec_of(x_of, x)\n    layer_of = layer(x=x_spec_2, ",
    ),
    "another tensor of a loop": (
        """def net(x):
    x = tf.reshape(x, [-1, 2, 2])
    for i in range(2):
        w = tf.get_variable('w%d' % i, [2, int(x.shape[2])])
        out = tf.tensordot(x, w, 1)
    return tf.reduce_sum(out, 1)
out = net(x)
""",
        "training_session.spec_of(lambda x: tf.reshape(x, [-1, 2, 2]), x)",
    ),
}


@pytest.mark.parametrize("made,expected", MIGRATES.values(), ids=MIGRATES)
def test_a_shape_that_is_the_same_is_known(made: str, expected: str) -> None:
    migration = migrate_text(PROGRAM.format(made=made))
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert expected in migration.text
