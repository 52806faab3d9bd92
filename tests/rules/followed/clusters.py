"""Programs of a cluster, of graphs and of eager steps: the followed one and what is refused."""

from __future__ import annotations

from tests.rules.followed.bases import CLUSTER, EAGER, MODULE, SYNC, change

JOIN = '    if FLAGS.job_name == "ps":\n        server.join()\n'
SERVER = (
    "    server = tf.train.Server(cluster, job_name=FLAGS.job_name,"
    " task_index=FLAGS.task_index)\n"
)
SET = "with tf.device(tf.train.replica_device_setter(cluster=cluster)):"
VARIABLE = 'w = tf.get_variable("w", [3, 1])'
STOP = "tf.train.StopAtStepHook(last_step=5)"
RUN = "sess.run(train, {x: batch})"
ROWS = "dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(4)"
LOG = change(CLUSTER, (STOP, STOP + ', tf.train.LoggingTensorHook({"loss": loss}, 10)'))
_ROWS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "C101_unnamed": (
        CLUSTER,
        (
            (SERVER, SERVER.replace("server = ", "")[:-1] + ".join()\n"),
            (JOIN, ""),
            ("server.target", '""'),
        ),
    ),
    "C101_incomplete": (CLUSTER, ((", task_index=FLAGS.task_index)\n", ")\n"),)),
    "C101_no_join": (CLUSTER, ((JOIN, ""),)),
    # The count is made in the function that opens the session.
    "C109": (
        change(
            CLUSTER,
            ("    hooks = [", "    count = 0\n    hooks = ["),
            (RUN, f"{RUN}\n            count += 1"),
        ),
        (
            ("    count = 0\n", ""),
            ("            count += 1", "            counted()"),
            (
                "def main(_)",
                "count = 0\n\n\ndef counted():\n    global count\n    count += 1\n\n\ndef main(_)",
            ),
        ),
    ),
    "C101_beside": (
        change(
            CLUSTER,
            (
                "tf.train.MonitoredTrainingSession(master=server.target, "
                "is_chief=FLAGS.task_index == 0, hooks=hooks)",
                "tf.Session(server.target)",
            ),
            (
                "        while not sess.should_stop():\n",
                "        sess.run(tf.global_variables_initializer())\n"
                "        for _ in range(5):\n",
            ),
            (f"    hooks = [{STOP}]\n", ""),
        ),
        (("tf.Session(server.target)", "tf.Session()"),),
    ),
    "C101_jobs": (
        CLUSTER,
        (
            ('"worker": FLAGS', '"learner": FLAGS'),
            ('"job_name", "worker"', '"job_name", "learner"'),
        ),
    ),
    "C107": (
        change(
            CLUSTER,
            ("w = tf.get", "rate = tf.placeholder(tf.float32, [])\n        w = tf.get"),
            ("h - 1.0))", "h - 1.0)) * rate"),
            ("x: batch", "x: batch, rate: float(FLAGS.task_index)"),
        ),
        (
            ("h - 1.0)) * rate", "h - 1.0)) * FLAGS.task_index"),
            (", rate: float(FLAGS.task_index)", ""),
        ),
    ),
    "C107_chosen": (
        change(
            CLUSTER,
            (
                "    hooks =",
                "        more, other = 2.0 * loss, 3.0 * loss\n    hooks =",
            ),
            (
                RUN,
                "if FLAGS.task_index == 0:\n"
                "                print(sess.run([train, more], {x: batch}))\n"
                "            else:\n"
                "                print(sess.run([train, other], {x: batch}))",
            ),
        ),
        (
            (
                "        more, other = 2.0 * loss, 3.0 * loss\n",
                "        if FLAGS.task_index == 0:\n"
                "            more = 2.0 * loss\n"
                "        else:\n"
                "            more = 3.0 * loss\n",
            ),
            (
                "if FLAGS.task_index == 0:\n"
                "                print(sess.run([train, more], {x: batch}))\n"
                "            else:\n"
                "                print(sess.run([train, other], {x: batch}))",
                "print(sess.run([train, more], {x: batch}))",
            ),
        ),
    ),
    "O111": (
        change(
            SYNC,
            (
                "    hooks =",
                "        seen = 2 * tf.cast(step, tf.int32)\n    hooks =",
            ),
            ("sess.run(train, {x: batch})", "sess.run([train, seen], {x: batch})"),
        ),
        (
            (
                "seen = 2 * tf.cast(step, tf.int32)",
                'seen = tf.assign_add(tf.get_variable("seen", [], trainable=False), 1.0)',
            ),
        ),
    ),
    "C107_job": (
        change(
            CLUSTER,
            (
                '{"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")}',
                "jobs",
            ),
        ),
        (("is_chief=FLAGS.task_index == 0", 'is_chief=FLAGS.job_name == "chief"'),),
    ),
    "C111": (CLUSTER, (("setter(cluster=cluster)", "setter()"),)),
    "C115": (
        CLUSTER,
        (
            (
                "tf.device(tf.train.replica_device_setter(cluster=cluster))",
                'tf.device("/job:worker/task:0")',
            ),
        ),
    ),
    "D144": (CLUSTER, ((SERVER, ""), (JOIN, ""), ("master=server.target, ", ""))),
    "D145": (SYNC, (("2, total_num_replicas=2", "2 + 1, total_num_replicas=2"),)),
    "N151_hook": (CLUSTER, ((STOP, "tf.train.StopAtStepHook(**limits)"),)),
    "N150_hook": (CLUSTER, ((STOP, "tf.train.StopAtStepHook(**limits)"),)),
    "H102": (LOG, (('{"loss": loss}', '["loss:0"]'),)),
    "N151_hook_tensors": (LOG, (('{"loss": loss}', "{name: loss}"),)),
    "N151_hook_list": (LOG, (('{"loss": loss}', "tensors"),)),
    "N105_layer": (
        change(
            CLUSTER,
            (
                "h = tf.matmul(x, w)",
                "layer = tf.layers.Dense(1)\n        h = layer(x) * w[0]\n        count = len(tf.trainable_variables())",
            ),
        ),
        (("len(tf.trainable_variables())", "len(layer.weights)"),),
    ),
    "L123": (
        change(
            CLUSTER,
            ("tf.matmul(x, w)", "tf.matmul(tf.layers.batch_normalization(x), w)"),
        ),
        (("batch_normalization(x)", "batch_normalization(x, training=True)"),),
    ),
    "L123_read": (
        change(
            CLUSTER,
            (
                "h = tf.matmul(x, w)",
                'h = tf.matmul(tf.layers.batch_normalization(x, training=True, name="norm"), w)\n'
                '        tested = tf.layers.batch_normalization(x, name="norm", reuse=True)',
            ),
            (
                "        train = optimizer.minimize(loss, global_step=step)",
                "        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n"
                "            train = optimizer.minimize(loss, global_step=step)",
            ),
            (RUN, f"{RUN}\n            print(sess.run(tested, {{x: batch}}))"),
        ),
        (
            (
                f"{RUN}\n            print(sess.run(tested, {{x: batch}}))",
                "print(sess.run([train, tested], {x: batch})[1])",
            ),
        ),
    ),
    "S105_helper": (
        CLUSTER,
        (
            (
                "def main",
                "def inputs(kind):\n"
                "    return tf.placeholder(tf.float32, [None, 3]) if kind else None\n"
                "\n\ndef main",
            ),
            ("x = tf.placeholder(tf.float32, [None, 3])", "x = inputs(FLAGS.kind)"),
        ),
    ),
    "N107": (
        CLUSTER,
        (
            (
                "def main",
                "def update(loss, step):\n    for rate in (0.1, 0.01):\n        if FLAGS.fast or rate < 0.1:\n            return tf.train.AdamOptimizer(rate).minimize(loss, step)\n\n\ndef main",
            ),
            ("optimizer.minimize(loss, global_step=step)", "update(loss, step)"),
        ),
    ),
    "N104_loop": (
        change(
            CLUSTER,
            (
                VARIABLE,
                "net = Net()\n        "
                + VARIABLE
                + '\n        for name in ["a", "b"]:\n            if name == "a":'
                "\n                v = tf.get_variable(name, [1])"
                "\n            w = w * v\n        net.v = v",
            ),
            ("def main", "class Net(object):\n    pass\n\n\ndef main"),
        ),
        (
            ("                v = tf", "                net.v = tf"),
            ("w = w * v\n        net.v = v", "w = w * net.v"),
        ),
    ),
    "N104_collection": (
        change(
            CLUSTER,
            (
                VARIABLE,
                "ws = []\n        " + VARIABLE + '\n        for name in ["a", "b"]:'
                "\n            v = tf.get_variable(name, [1])"
                "\n            ws.append(v)\n            w = w * v",
            ),
        ),
        (("w = w * v", "w = w * ws[-1]"),),
    ),
    "N104_decorated": (
        change(
            CLUSTER,
            (
                "h = tf.matmul(x, w)",
                "\n        @timed\n        def net(a, w):\n            return tf.matmul(a, w)\n\n        h = net(x, w)",
            ),
            ("def main", "def timed(function):\n    return function\n\n\ndef main"),
        ),
        (
            (
                "            return tf.matmul(a, w)",
                '            return tf.matmul(a, w) * tf.get_variable("v", [1])',
            ),
        ),
    ),
    "N115": (
        CLUSTER,
        (("tf.matmul(x, w)", "tf.py_func(lambda a, b: a @ b, [x, w], tf.float32)"),),
    ),
    "N116": (
        change(
            CLUSTER,
            (
                "h = tf.matmul(x, w)",
                "h = tf.matmul(x, w)\n        for size in sizes:\n            h = h * size",
            ),
            ("    with tf.device", "    sizes = [1.0, 2.0]\n    with tf.device"),
        ),
        (("for size in sizes:", "for i in range(2):\n            size = sizes.pop()"),),
    ),
    "N116_iterator": (
        change(
            CLUSTER,
            (
                "h = tf.matmul(x, w)",
                "h = tf.matmul(x, w)\n        for size in sizes:\n            h = h * size",
            ),
            (
                "    with tf.device",
                "    sizes = list(iter([1.0, 2.0]))\n    with tf.device",
            ),
        ),
        (("list(iter([1.0, 2.0]))", "iter([1.0, 2.0])"),),
    ),
    "N134": (
        CLUSTER,
        (
            (
                'if FLAGS.job_name == "ps":',
                'if FLAGS.job_name == "ps" or FLAGS.task_index != 1:',
            ),
            ("is_chief=FLAGS.task_index == 0", "is_chief=True"),
        ),
    ),
    "S185_server": (
        change(
            SYNC, (SET, "print(cluster, FLAGS.job_name, FLAGS.task_index)\n    " + SET)
        ),
        (
            (
                "print(cluster, FLAGS.job_name, FLAGS.task_index)",
                "register(server.target)",
            ),
        ),
    ),
    "O106_several": (
        SYNC,
        (
            (
                "        train = ",
                "        optimizer = tf.train.SyncReplicasOptimizer(optimizer, 2)\n        train = ",
            ),
        ),
    ),
    "N107_argument": (
        change(
            CLUSTER,
            (
                "optimizer = tf.train.GradientDescentOptimizer(0.1)",
                "rate = tf.placeholder(tf.float32, [])\n        slow = rate * 0.1\n        optimizer = tf.train.GradientDescentOptimizer(slow)",
            ),
            ("x: batch", "x: batch, rate: 1.0"),
        ),
        (("GradientDescentOptimizer(slow)", "GradientDescentOptimizer(rate * 0.1)"),),
    ),
    "N107_expression": (
        CLUSTER,
        (
            (
                "optimizer.minimize(loss, global_step=step)",
                "tf.cond(loss > 0, lambda: optimizer.minimize(loss, global_step=step), tf.no_op)",
            ),
        ),
    ),
    "N151_partitioner": (
        change(
            CLUSTER, ("[3, 1])", "[3, 1], partitioner=tf.fixed_size_partitioner(2))")
        ),
        (("tf.fixed_size_partitioner(2)", "tf.fixed_size_partitioner(**parts)"),),
    ),
    "P102": (
        CLUSTER,
        (("[3, 1])", "[3, 1], partitioner=tf.fixed_size_partitioner(2, axis=1))"),),
    ),
    "N111_loop": (
        change(CLUSTER, (RUN, RUN + "\n            now = sess.run(w)")),
        (("now = sess.run(w)", "w = sess.run(w)"),),
    ),
    "N120_scaffold": (
        CLUSTER,
        (("hooks=hooks)", "hooks=hooks, scaffold=tf.train.Scaffold(init_fn=start))"),),
    ),
    "S136": (
        change(
            CLUSTER,
            (
                "    hooks = ",
                "        with tf.control_dependencies([train]):\n            after = step.read_value() + 1\n    hooks = ",
            ),
            ("run(train,", "run([train, after],"),
        ),
        (("step.read_value() + 1", "step + 1"),),
    ),
    "S136_slot": (
        change(
            CLUSTER,
            ("GradientDescentOptimizer(0.1)", "MomentumOptimizer(0.1, 0.9)"),
            (
                "    hooks = ",
                '        slot = optimizer.get_slot(w, "momentum")\n    hooks = ',
            ),
            (RUN, f"{RUN}\n            print(sess.run(slot))"),
        ),
        (
            (
                f"{RUN}\n            print(sess.run(slot))",
                "print(sess.run([train, slot], {x: batch})[1])",
            ),
        ),
    ),
    "S136_pairs": (
        change(
            CLUSTER,
            (
                "train = optimizer.minimize(loss, global_step=step)",
                "pairs = optimizer.compute_gradients(loss)\n"
                "        gradients = [g for g, _ in pairs]\n"
                "        train = optimizer.apply_gradients(pairs, global_step=step)",
            ),
            (RUN, "print(sess.run([train, gradients], {x: batch})[1])"),
        ),
        (
            ("        gradients = [g for g, _ in pairs]\n", ""),
            ("[train, gradients]", "[train, pairs]"),
        ),
    ),
    "V127": (
        change(
            CLUSTER,
            (
                "h = tf.matmul(x, w)",
                "factors = [2.0]\n        h = tf.matmul(x, w) * factors[0]",
            ),
        ),
        (("factors = [2.0]", "factors = {w: 2.0}"), ("factors[0]", "factors[w]")),
    ),
    "N105_too_early": (
        change(
            CLUSTER,
            (
                "tf.matmul(x, w)",
                "tf.layers.dense(x, 1) * w[0]\n        seen = tf.trainable_variables()",
            ),
        ),
        (
            ("\n        seen = tf.trainable_variables()", ""),
            ("        h = ", "        seen = tf.trainable_variables()\n        h = "),
        ),
    ),
    "D121_mixed": (EAGER, ((ROWS, ROWS + "\np = tf.compat.v1.placeholder('float')"),)),
    "D121": (
        EAGER,
        (
            (
                "with tf.compat.v1.train.MonitoredTrainingSession(master=server.target, is_chief=(task == 0)) as sess:\n",
                "sess = tf.compat.v1.train.MonitoredTrainingSession(master=server.target, is_chief=(task == 0))\nif sess:\n",
            ),
        ),
    ),
    "D121_cluster": (
        EAGER,
        (
            (
                'ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})',
                "ClusterSpec(jobs)",
            ),
        ),
    ),
    "D121_client": (
        EAGER,
        (
            (
                'server = tf.distribute.Server(cluster, job_name=job, task_index=task)\nif job == "ps":\n    server.join()\n',
                "",
            ),
        ),
    ),
    "D125_model": (
        EAGER,
        ((ROWS, ROWS + '\nwith tf.device("/job:ps/task:0"):\n    pass'),),
    ),
    "D125": (
        change(
            EAGER,
            ("train_step(x, y))", "train_step(x, y, float(task)))"),
            ("def train_step(x, y)", "def train_step(x, y, scale)"),
            ("mse(y, model(x))", "mse(y, model(x)) * scale"),
        ),
        (
            ("train_step(x, y, float(task))", "train_step(x, y)"),
            ("(x, y, scale)", "(x, y)"),
            ("* scale", "* task"),
        ),
    ),
    "D125_optimizer": (
        EAGER,
        (("optimizer = tf.keras.optimizers.SGD(0.1)\n", "optimizer = made()\n"),),
    ),
    "D125_metrics": (
        change(
            EAGER,
            ("dataset =", "seen = tf.keras.metrics.Mean()\ndataset ="),
            ("    return loss", "    seen(loss)\n    return loss"),
        ),
        (
            (
                "seen = tf.keras.metrics.Mean()\n",
                "seen = tf.keras.metrics.Mean()\nall_of = [seen]\n",
            ),
        ),
    ),
    "D125_data": (EAGER, (("in dataset:", "in reader:"),)),
    "D125_sums": (
        change(
            EAGER,
            ('{"ps": ["a:1"], "worker"', '{"worker"'),
            ('if job == "ps":\n    server.join()\n', ""),
        ),
        (("    return loss", "    return loss, grads"),),
    ),
    "C109_eager": (
        change(EAGER, ("        sess.run", "        count = 1\n        sess.run")),
        (("        count = 1\n", "        global count\n        count = 1\n"),),
    ),
}
_MINIMIZE = "        train = "
_TOGETHER = (
    "optimizer = tf.train.SyncReplicasOptimizer(optimizer, 2, total_num_replicas=2)"
)
_SOMETIMES = change(
    CLUSTER,
    ("FLAGS = ", 'flags.DEFINE_bool("together", False, "")\nFLAGS = '),
    (_MINIMIZE, f"        if FLAGS.together:\n            {_TOGETHER}\n{_MINIMIZE}"),
)
_LOOKUP = change(
    CLUSTER,
    ("tf.matmul(x, w)", 'tf.nn.embedding_lookup(w, [0, 1], partition_strategy="mod")'),
    (", {x: batch}", ""),
    ("        x = tf.placeholder(tf.float32, [None, 3])\n", ""),
)
_ROWS |= {
    "O106_else": (_SOMETIMES, (("if FLAGS", "if not FLAGS"),)),
    "O106": (
        _SOMETIMES,
        (
            (
                "        if FLAGS.together",
                "        together = len(w.shape) > 1\n        if together",
            ),
        ),
    ),
    "P102_strategy": (_LOOKUP, (('"mod"', "FLAGS.lookup"),)),
    "S122_loop": (
        change(
            CLUSTER,
            ("    hooks =", "        again = w.assign(tf.zeros([3, 1]))\n    hooks ="),
            (RUN, "sess.run(again)\n            " + RUN),
        ),
        (("w.assign(tf.zeros([3, 1]))", "tf.variables_initializer([w])"),),
    ),
    "N120_monitored": (
        CLUSTER,
        ((CLUSTER, MODULE + "s = tf.train.MonitoredSession\n"),),
    ),
    "N120": (CLUSTER, ((CLUSTER, MODULE + "s = tf.train.Supervisor\n"),)),
}
_DRAWN = change(
    CLUSTER,
    (
        "x = tf.placeholder(tf.float32, [None, 3])",
        'rows = tf.data.Dataset.from_tensors({"a": batch, "b": batch}).repeat()\n'
        "        rows = rows.make_one_shot_iterator()\n"
        "        one = rows.get_next()\n"
        '        x = one["a"] + one["b"]',
    ),
    (", {x: batch}", ""),
)
_ROWS |= {
    "I101_several": (_DRAWN, (('one["b"]', 'rows.get_next()["b"]'),)),
    "I101_get_next": (
        _DRAWN,
        (
            (
                "rows = rows.make_one_shot_iterator()\n        one = rows.get_next()",
                "one = tf.data.make_one_shot_iterator().get_next()",
            ),
        ),
    ),
}
# One file for each task: worker 0's.
_ALONE = (
    (
        SERVER,
        SERVER.replace("FLAGS.job_name", '"worker"').replace("FLAGS.task_index", "0"),
    ),
    (JOIN, ""),
)
_ELASTIC = (
    "optimizer = tf.train.GradientDescentOptimizer(0.1)",
    'getter = tf.contrib.opt.ElasticAverageCustomGetter("/job:worker/task:0")\n'
    "        optimizer = tf.contrib.opt.ElasticAverageOptimizer("
    "tf.train.GradientDescentOptimizer(0.1), 2, getter)",
)
_HOOK = "optimizer.make_session_run_hook(FLAGS.task_index == 0)"
_ROWS |= {
    "C101_one_task": (CLUSTER, _ALONE),
    "C101_one_job": (
        CLUSTER,
        ((JOIN, ""), ('"ps": FLAGS.ps_hosts.split(","), ', "")),
    ),
    "O110_elastic": (CLUSTER, (*_ALONE, _ELASTIC)),
    "T111_elastic": (CLUSTER, (*_ALONE, _ELASTIC)),
    "S185_synchronous": (
        change(
            SYNC,
            (f", {_HOOK}]", ", hook]"),
            ("    hooks = [", f"    hook = {_HOOK}\n    hooks = ["),
        ),
        (
            (", hook]", "]"),
            (f"    hook = {_HOOK}\n", f'    named = {{"hook": {_HOOK}}}\n'),
            ("hooks=hooks", "hooks=hooks + list(named.values())"),
        ),
    ),
}
FOLLOWED = {
    code: (change(after, *changes), after) for code, (after, changes) in _ROWS.items()
}
