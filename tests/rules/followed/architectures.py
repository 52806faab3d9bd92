"""Programs whose servers, sessions or loops stand otherwise. Code -> what was there before."""

from __future__ import annotations

from reference.pages.cases import cases
from tests.rules.followed.bases import CLUSTER, EAGER, HEAD, MODEL_FN, change

_SERVER = """\
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
"""
_MAYBE = change(
    CLUSTER,
    (
        _SERVER,
        "    if FLAGS.job_name:\n"
        + _SERVER.replace("    ", "        ")
        + '        target = server.target\n    else:\n        target = ""\n',
    ),
    ("master=server.target", "master=target"),
)
_LOOP = CLUSTER[CLUSTER.index("    hooks =") : CLUSTER.index("\n\nif __name__")]
_SUPERVISED = change(
    CLUSTER,
    (
        _LOOP,
        """\
    sv = tf.train.Supervisor(is_chief=FLAGS.task_index == 0, logdir="logs", global_step=step)
    with sv.managed_session(server.target) as sess:
        print("alive")
        for i in range(5):
            sess.run(train, {x: batch})
""",
    ),
)
_CLIENT = """\
cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
with tf.device("/job:ps/task:1"):
    w = tf.get_variable("w", [3])
with tf.Session("grpc://c:1") as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(w))
"""
_STEP = EAGER[EAGER.index("def train_step") : EAGER.index("with tf.compat")]
_ROWS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "C101_elsewhere": (
        CLUSTER,
        (
            (_SERVER, ""),
            (
                "def main",
                f"def serve(cluster):\n{_SERVER}    return server\n\n\ndef main",
            ),
            ("master=server.target", "master=FLAGS.target"),
        ),
    ),
    "C101_condition": (
        _MAYBE,
        (("if FLAGS.job_name:\n", 'if FLAGS.job_name.split(":")[0]:\n'),),
    ),
    "C101_waits": (
        CLUSTER,
        (
            (
                "            sess.run(train, {x: batch})\n",
                "            sess.run(train, {x: batch})\n    server.join()\n",
            ),
        ),
    ),
    "C131": (HEAD + _CLIENT, ((_CLIENT.splitlines(True)[0], ""),)),
    "C131_several": (CLUSTER, ((CLUSTER, cases()["C131_several"].text),)),
    "D156_training": (
        EAGER,
        (
            (_STEP, ""),
            (
                "    for x, y in dataset:\n        sess.run(train_step(x, y))",
                "    model.fit_generator(dataset)",
            ),
        ),
    ),
    "E117_both_versions": (
        HEAD + "tf.set_random_seed(1)\ntf.estimator.LinearClassifier([])\n",
        (("tf.set_random_seed", "tf.random.set_seed"),),
    ),
    "H122_derived": (
        MODEL_FN,
        (
            (
                "estimator = tf",
                "class Hook(tf.train.CheckpointSaverHook):\n"
                "    def after_create_session(self, session, coord):\n"
                "        super(Hook, self).after_create_session(session, coord)\n\n\n"
                "estimator = tf",
            ),
        ),
    ),
    "N123_deployment": (
        change(
            cases()["N123_mixed_towers"].text,
            (
                'slim.fully_connected(parts[i], 2, scope="out")',
                'tf.layers.dense(parts[i], 2, tf.nn.relu, name="out")',
            ),
            ("from tensorflow.contrib import slim\n", ""),
        ),
        (
            (
                "import tensorflow as tf\n",
                "import tensorflow as tf\nfrom deployment import model_deploy\n",
            ),
        ),
    ),
    "C140_shared": (
        CLUSTER,
        (
            (
                _SERVER,
                _SERVER.splitlines(True)[0]
                + """\
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(2, tf.int32, shared_name="work")
    if FLAGS.job_name == "ps":
        sess = tf.Session(server.target)
        for _ in range(2):
            print(sess.run(queue.dequeue()))
""",
            ),
        ),
    ),
    "N120_beside": (
        _SUPERVISED,
        (('print("alive")', 'sv.loop(60, print, ("alive",))'),),
    ),
}
FOLLOWED = {
    code: (change(after, *changes), after) for code, (after, changes) in _ROWS.items()
}
