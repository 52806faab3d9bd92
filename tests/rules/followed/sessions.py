"""Programs with a session of one process. Code -> what the followed program had instead."""

from __future__ import annotations

from tests.rules.followed.bases import PLAIN, change

LAYER = change(PLAIN, ("tf.matmul(x, w)", "tf.layers.dense(x, 1) * w[0]"))
# A variable behind layers that have no names of their own.
MIXED = change(
    PLAIN,
    (
        "h = tf.matmul(x, w)",
        "h = x\nfor _ in range(2):\n    h = tf.layers.dense(h, 3)\n"
        "b = tf.Variable(1.0)\nh = tf.matmul(h, w) * b",
    ),
)
LOOK = change(PLAIN, ("train, {x: batch})", "[train, h], {x: batch})"))
HOOK = change(
    PLAIN,
    (
        "batch = ",
        "class Hook(tf.train.SessionRunHook):\n    def __init__(self, tensor):\n"
        "        self.tensor = tensor\n\n    def before_run(self, run_context):\n"
        "        return tf.train.SessionRunArgs(self.tensor)\n\n\nbatch = ",
    ),
    (
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n",
        "root = tf.sqrt(loss)\n"
        "with tf.train.MonitoredTrainingSession(hooks=[Hook(root)]) as sess:\n",
    ),
)
# Code -> the followed program, and (its text, the text that is refused) as often as needed.
_ROWS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "C101": (
        PLAIN,
        (
            ("tf.Session()", "tf.train.MonitoredTrainingSession(server.target)"),
            ("    sess.run(tf.global_variables_initializer())\n", ""),
        ),
    ),
    "S109": (
        LOOK,
        (("[train, h]", "[train, h2]"),),
    ),
    "N191_assigned": (
        change(
            PLAIN,
            (
                "with tf.Session",
                "clip = w.assign(tf.clip_by_value(w, -0.01, 0.01))\nwith tf.Session",
            ),
            (
                "sess.run(train, {x: batch})",
                "sess.run(train, {x: batch})\n        sess.run(clip)",
            ),
        ),
        (
            (
                "sess.run(train, {x: batch})\n        sess.run(clip)",
                "sess.run([train, clip], {x: batch})",
            ),
        ),
    ),
    "S107": (
        change(
            PLAIN,
            (
                "h = tf.matmul",
                "scale = tf.placeholder(tf.float32, [])\nh = scale * tf.matmul",
            ),
            ("{x: batch}", "{x: batch, scale: 2.0}"),
        ),
        (
            (
                "scale = tf.placeholder(tf.float32, [])",
                "scale, other = tf.unstack([1.0, 2.0])",
            ),
        ),
    ),
    "S120_idle": (
        PLAIN,
        (
            ("    sess.run(tf.global_variables_initializer())\n", "    pass\n"),
            ("    for i in range(3):\n        sess.run(train, {x: batch})\n", ""),
            ("tf.Session()", "tf.train.MonitoredTrainingSession()"),
        ),
    ),
    "S104_feed": (
        PLAIN,
        (("{x: batch}", "dict(zip(keys(), [batch]))"),),
    ),
    "N151_session": (
        change(PLAIN, ("tf.Session()", "tf.Session(config=tf.ConfigProto())")),
        (("tf.Session(config=tf.ConfigProto())", "tf.Session(*settings)"),),
    ),
    "S104_fetches": (
        LOOK,
        (("[train, h]", "[train, *parts]"),),
    ),
    "S105_loop": (
        change(PLAIN, ("train = ", "y = tf.placeholder(tf.float32, [])\ntrain = ")),
        (
            ("y = tf.placeholder(tf.float32, [])\n", ""),
            (
                "    for i in range(3):\n",
                "    told = {}\n    for i in range(3):\n        told[i] = tf.placeholder(tf.float32, [])\n",
            ),
        ),
    ),
    "S185": (
        change(
            PLAIN,
            ("with tf.Session", "saver = tf.train.Saver()\nwith tf.Session"),
            ("{x: batch})\n", '{x: batch})\n    saver.save(sess, "/tmp/model")\n'),
        ),
        (
            (
                'saver.save(sess, "/tmp/model")',
                'saver.export_meta_graph("/tmp/model.meta")',
            ),
        ),
    ),
    "C140": (
        change(
            PLAIN,
            (
                "x = tf.placeholder(tf.float32, [None, 3])",
                "rows = tf.data.Dataset.from_generator(lambda: iter([batch] * 3), tf.float32, [2, 3])\n"
                "x = rows.make_one_shot_iterator().get_next()",
            ),
            ("sess.run(train, {x: batch})", "sess.run(train)"),
        ),
        (
            (
                "rows = tf.data.Dataset.from_generator(lambda: iter([batch] * 3), tf.float32, [2, 3])\n"
                "x = rows.make_one_shot_iterator().get_next()",
                "queue = tf.FIFOQueue(8, [tf.float32], shapes=[[3]])\nfill = queue.enqueue_many([batch])\n"
                "x = queue.dequeue_many(2)",
            ),
            ("sess.run(train)", "sess.run(fill)\n        sess.run(train)"),
        ),
    ),
    "I101_placeholders": (
        change(
            PLAIN,
            (
                "x = tf.placeholder(tf.float32, [None, 3])",
                "rows = tf.data.Dataset.from_tensor_slices(batch).repeat().batch(2)\n"
                "x = rows.make_one_shot_iterator().get_next()",
            ),
            ("sess.run(train, {x: batch})", "sess.run(train)"),
        ),
        (
            (
                "rows = tf.data.Dataset.from_tensor_slices(batch)",
                "p = tf.placeholder(tf.float32, [2, 3])\nrows = tf.data.Dataset.from_tensor_slices(p)",
            ),
        ),
    ),
    "I101": (
        change(
            PLAIN,
            (
                "x = tf.placeholder(tf.float32, [None, 3])",
                "rows = tf.data.Dataset.from_tensors(batch).repeat()\n"
                "rows = rows.make_one_shot_iterator()\nx = rows.get_next()",
            ),
            ("sess.run(train, {x: batch})", "sess.run(train)"),
        ),
        (
            (
                "rows = rows.make_one_shot_iterator()\nx = rows.get_next()",
                'all_of = {}\nall_of["a"] = rows.make_one_shot_iterator()\nx = all_of["a"].get_next()',
            ),
        ),
    ),
    "N151_layer": (
        LAYER,
        (("tf.layers.dense(x, 1)", "tf.layers.dense(x, **layer)"),),
    ),
    "N104_made_in_a_step": (
        LAYER,
        (("tf.layers.dense(x, 1)", "tf.layers.dense(x, **layer)"),),
    ),
    "V103_regulariser": (
        change(
            LAYER,
            (
                "h - 1.0))",
                "h - 1.0)) + 0.1 * tf.nn.l2_loss(tf.trainable_variables()[-1])",
            ),
        ),
        (
            (
                "tf.layers.dense(x, 1)",
                "tf.layers.dense(x, 1, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))",
            ),
            (
                "0.1 * tf.nn.l2_loss(tf.trainable_variables()[-1])",
                'tf.losses.get_regularization_loss(scope="")',
            ),
        ),
    ),
    "V103": (
        change(PLAIN, ("h - 1.0))", "h - 1.0)) + 0.1 * tf.nn.l2_loss(w)")),
        (
            ("[3, 1])", "[3, 1], regularizer=tf.contrib.layers.l2_regularizer(0.1))"),
            ("0.1 * tf.nn.l2_loss(w)", 'tf.losses.get_regularization_loss(scope="")'),
        ),
    ),
    "V103_getter": (
        change(PLAIN, ("w = tf.get_variable(", "w = 0.5 * tf.get_variable(")),
        (
            (
                "w = 0.5 * tf.get_variable(",
                "def halve(getter, *args, **kwargs):\n"
                "    return 0.5 * getter(*args, **kwargs)\n\n\nw = tf.get_variable(",
            ),
            ("[3, 1])", "[3, 1], custom_getter=halve)"),
        ),
    ),
    "V103_scope_getter": (
        change(PLAIN, ("w = tf", 'with tf.variable_scope("net"):\n    w = 0.5 * tf')),
        (
            (
                'with tf.variable_scope("net"):\n    w = 0.5 * tf',
                "def halve(getter, *args, **kwargs):\n"
                "    return 0.5 * getter(*args, **kwargs)\n\n\n"
                'with tf.variable_scope("net", custom_getter=halve):\n    w = tf',
            ),
        ),
    ),
    "V103_constraint": (
        change(
            PLAIN,
            ("with tf.S", "clip = w.assign(tf.nn.relu(w))\nwith tf.S"),
            ("batch})", "batch})\n        sess.run(clip)"),
        ),
        (
            ("[3, 1])", "[3, 1], constraint=tf.nn.relu)"),
            ("clip = w.assign(tf.nn.relu(w))\n", ""),
            ("\n        sess.run(clip)", ""),
        ),
    ),
    "V103_scope_constraint": (
        change(
            PLAIN,
            ("w = tf", 'with tf.variable_scope("net"):\n    w = tf'),
            ("with tf.S", "clip = w.assign(tf.nn.relu(w))\nwith tf.S"),
            ("batch})", "batch})\n        sess.run(clip)"),
        ),
        (
            ('("net")', '("net", constraint=tf.nn.relu)'),
            ("clip = w.assign(tf.nn.relu(w))\n", ""),
            ("\n        sess.run(clip)", ""),
        ),
    ),
    "V103_device": (PLAIN, (("[3, 1])", '[3, 1], caching_device="/cpu:0")'),)),
    "N151_variable": (PLAIN, (('"w", [3, 1]', '"w", **shape'),)),
    "N105_store": (PLAIN, (('"w", [3, 1]', '"w"'),)),
    "N104_initial_value": (
        change(
            PLAIN,
            ("w = tf.get", "v = tf.Variable(np.mean(batch, 0))\nw = tf.get"),
            ("h - 1.0", "h - v[0]"),
        ),
        (("tf.Variable(np.mean(batch, 0))", "tf.Variable(tf.reduce_mean(x, 0))"),),
    ),
    "V103_scope": (
        change(
            LAYER,
            (
                "tf.layers.dense(x, 1)",
                "tf.layers.dense(x, 1, kernel_initializer=tf.ones_initializer())",
            ),
        ),
        (
            (
                "h = tf.layers.dense(x, 1, kernel_initializer=tf.ones_initializer())",
                'firsts = {"net": tf.ones_initializer()}\nwith tf.variable_scope("net", initializer=firsts["net"]):\n    h = tf.layers.dense(x, 1)',
            ),
        ),
    ),
    # Followed, the program computes with its own variables what the layer computed.
    "V103_layer": (
        change(
            PLAIN,
            (
                'w = tf.get_variable("w", [3, 1])\nh = tf.matmul(x, w)',
                'with tf.variable_scope("out"):\n'
                '    kernel = tf.get_variable("kernel", [3, 1])\n'
                '    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())\n'
                "h = tf.nn.bias_add(tf.matmul(x, kernel), bias)",
            ),
            ("h - 1.0))", "h - 1.0)) + 0.1 * tf.nn.l2_loss(kernel)"),
        ),
        (
            (
                'with tf.variable_scope("out"):\n'
                '    kernel = tf.get_variable("kernel", [3, 1])\n'
                '    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())\n'
                "h = tf.nn.bias_add(tf.matmul(x, kernel), bias)",
                'h = tf.layers.dense(x, 1, name="out")\n'
                'with tf.variable_scope("out", reuse=True):\n'
                '    kernel = tf.get_variable("kernel", [3, 1])',
            ),
        ),
    ),
    "V103_scope_object": (
        change(PLAIN, ("w = tf.get", 'with tf.variable_scope("net"):\n    w = tf.get')),
        (('variable_scope("net")', "variable_scope(None)"),),
    ),
    "V111": (
        change(
            PLAIN, ("with tf.Session", "saver = tf.train.Saver([w])\nwith tf.Session")
        ),
        (("Saver([w])", "Saver(chosen())"),),
    ),
    "N103": (
        change(PLAIN, ("loss = ", "h = tf.where(h > 0, h, -h)\nloss = ")),
        (("h = tf.where(h > 0, h, -h)\n", "if h > 0:\n    h = -h\n"),),
    ),
    "N104": (
        change(
            PLAIN,
            (
                "loss = ",
                'n = tf.get_variable("n", [3])\nif x.shape[1] == n.shape[0]:\n    h = h * 2.0\nloss = ',
            ),
        ),
        (
            (
                'n = tf.get_variable("n", [3])\nif x.shape[1] == n.shape[0]',
                'if x.shape[1] == tf.get_variable("n", [3]).shape[0]',
            ),
        ),
    ),
    "N151_call": (
        change(
            PLAIN,
            ("batch = ", "def net(a, b):\n    return tf.matmul(a, b)\n\n\nbatch = "),
            ("w = tf.get", "w = tf.get"),
            ("h = tf.matmul(x, w)", "h = net(x, w)"),
        ),
        (
            (
                "return tf.matmul(a, b)",
                'return tf.matmul(a, b) * tf.get_variable("v", [])',
            ),
            ("net(x, w)", "net(*pair)"),
        ),
    ),
    "O117_loop": (
        change(
            PLAIN,
            (
                "train = tf",
                "losses = []\nfor i in range(2):\n    losses.append(loss * (i + 1.0))\ntrain = tf",
            ),
            ("minimize(loss)", "minimize(tf.add_n(losses))"),
        ),
        (
            (
                "losses = []\nfor i in range(2):\n    losses.append(loss * (i + 1.0))\ntrain = tf.train.GradientDescentOptimizer(0.1).minimize(tf.add_n(losses))",
                "optimizer = tf.train.GradientDescentOptimizer(0.1)\nfor i in range(2):\n    grads = optimizer.compute_gradients(loss)\n"
                "train = optimizer.apply_gradients(grads)",
            ),
        ),
    ),
    "N126": (
        PLAIN,
        (
            (
                "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)",
                "optimizer = tf.train.GradientDescentOptimizer(0.1)\nfor i in range(2):\n    with tf.device(f'/gpu:{i}'):\n        grads = optimizer.compute_gradients(loss)\n"
                "train = optimizer.apply_gradients(grads)",
            ),
        ),
    ),
    "V103_recurrent": (
        change(
            PLAIN,
            (
                "h = tf.matmul(x, w)",
                'cell = tf.nn.rnn_cell.GRUCell(3)\nout, _ = tf.nn.dynamic_rnn(cell, x[:, None], dtype=tf.float32, scope="rnn")\n'
                "h = tf.matmul(out[:, 0], w)",
            ),
        ),
        (('scope="rnn"', "scope=name"),),
    ),
    "V104": (
        change(
            MIXED,
            (
                "    for i",
                "    for v in sorted(tf.global_variables(), key=lambda v: v.name):\n"
                "        print(v.name)\n    for i",
            ),
        ),
        (
            (
                "sorted(tf.global_variables(), key=lambda v: v.name)",
                "tf.global_variables()",
            ),
        ),
    ),
    "N105_joined": (
        change(
            MIXED,
            (
                "loss =",
                "every = sorted(tf.trainable_variables(), key=lambda v: v.name)\n"
                "both = tf.concat([tf.reshape(v, [-1]) for v in every], 0)\nloss =",
            ),
            ("sess.run(train", "sess.run([train, both]"),
        ),
        (
            (
                "sorted(tf.trainable_variables(), key=lambda v: v.name)",
                "tf.trainable_variables()",
            ),
        ),
    ),
    "N105_graph": (
        change(
            LAYER,
            ("GradientDescentOptimizer(0.1)", "AdamOptimizer()"),
            ("    for i", "    print(tf.trainable_variables())\n    for i"),
        ),
        (
            ("    print(tf.trainable_variables())\n", ""),
            (
                "with tf.Session",
                "both = tf.add_n([tf.reduce_sum(v) for v in tf.global_variables()])\nwith tf.Session",
            ),
            ("sess.run(train", "sess.run([train, both]"),
        ),
    ),
    "H122": (
        HOOK,
        (
            ("SessionRunArgs(self.tensor)", "SessionRunArgs(self.error)"),
            (
                "        self.tensor = tensor\n",
                "        self.tensor = tensor\n\n    def begin(self):\n        self.error = tf.sqrt(loss)\n",
            ),
        ),
    ),
    "N150_own_hook": (
        HOOK,
        (
            (
                HOOK,
                "import tensorflow as tf\nclass Hook(tf.train.SessionRunHook):\n    pass\n",
            ),
        ),
    ),
    "D156": (
        change(
            PLAIN,
            (
                "h = tf.matmul(x, w)",
                "model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])\nh = model(x) * w[0]",
            ),
        ),
        (("h = model", 'model.compile("sgd", "mse")\nh = model'),),
    ),
    "D156_updates": (
        change(
            PLAIN,
            (
                "h = tf.matmul(x, w)",
                "h = tf.matmul(tf.layers.batch_normalization(x, training=True), w)",
            ),
            (
                "train = tf",
                "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n    train = tf",
            ),
        ),
        (
            (
                "tf.layers.batch_normalization(x, training=True)",
                "tf.keras.layers.BatchNormalization()(x)",
            ),
        ),
    ),
    "N123_mixed": (
        change(
            PLAIN,
            (
                "batch = ",
                'from tensorflow.contrib import slim\n\n\ndef network(inputs):\n    return slim.fully_connected(inputs, 1, scope="hidden")\n\n\nbatch = ',
            ),
            ("tf.matmul(x, w)", "network(x) * w[0]"),
        ),
        (
            (
                'return slim.fully_connected(inputs, 1, scope="hidden")',
                'return slim.fully_connected(inputs, 1, scope="hidden") * tf.Variable(0.5, name="scale")',
            ),
        ),
    ),
}
_ROWS |= {
    "N151_made_of": (
        change(PLAIN, ("tf.matmul(x, w)", "tf.layers.Dense(1)(tf.matmul(x, w))")),
        (("tf.layers.Dense(1)(tf.matmul(x, w))", "tf.layers.Dense(tf.matmul(x, w))"),),
    ),
    "S112_statement": (
        PLAIN,
        (
            (
                "        sess.run(train, {x: batch})\n",
                "        sess.run(train, {x: batch})\n"
                "        tf.report_uninitialized_variables()\n",
            ),
        ),
    ),
}
FOLLOWED = {
    code: (change(after, *changes), after) for code, (after, changes) in _ROWS.items()
}
