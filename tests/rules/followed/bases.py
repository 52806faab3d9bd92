"""The programs that are changed: each is migrated as it is."""

from __future__ import annotations

HEAD = "import tensorflow as tf\n"
# A module of TensorFlow 1 in which something stays to be rewritten.
MODULE = HEAD + "y = tf.log(1.0)\n"
PLAIN = """\
import numpy as np
import tensorflow as tf

batch = np.ones([2, 3], np.float32)
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
h = tf.matmul(x, w)
loss = tf.reduce_mean(tf.square(h - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: batch})
"""
CLUSTER = """\
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "localhost:2222", "")
flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224", "")
flags.DEFINE_string("job_name", "worker", "")
flags.DEFINE_integer("task_index", 0, "")
FLAGS = flags.FLAGS


def main(_):
    batch = np.ones([2, 3], np.float32)
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", [3, 1])
        h = tf.matmul(x, w)
        loss = tf.reduce_mean(tf.square(h - 1.0))
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        train = optimizer.minimize(loss, global_step=step)
    hooks = [tf.train.StopAtStepHook(last_step=5)]
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=FLAGS.task_index == 0, hooks=hooks) as sess:
        while not sess.should_stop():
            sess.run(train, {x: batch})


if __name__ == "__main__":
    tf.app.run()
"""
# The same with synchronous updates.
SYNC = CLUSTER.replace(
    "optimizer = tf.train.GradientDescentOptimizer(0.1)",
    "optimizer = tf.train.SyncReplicasOptimizer("
    "tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=2)",
).replace(
    "last_step=5)]",
    "last_step=5), optimizer.make_session_run_hook(FLAGS.task_index == 0)]",
)
EAGER = """\
import numpy as np
import tensorflow as tf

task, job = 0, "worker"
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.distribute.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()
xs, ys = np.ones([8, 3], np.float32), np.ones([8, 1], np.float32)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
mse = tf.keras.losses.MeanSquaredError()
optimizer = tf.keras.optimizers.SGD(0.1)
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(4)


def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = mse(y, model(x))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


with tf.compat.v1.train.MonitoredTrainingSession(master=server.target, is_chief=(task == 0)) as sess:
    for x, y in dataset:
        sess.run(train_step(x, y))
"""
MODEL_FN = """\
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
    h = tf.layers.dense(features["x"], 4, tf.nn.relu)
    logits = tf.layers.dense(h, 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    arrays = {"x": np.ones([8, 2], np.float32)}, np.zeros([8], np.int32)
    return tf.data.Dataset.from_tensor_slices(arrays).batch(4)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
estimator.train(input_fn, steps=2)
"""


def change(base: str, *changes: tuple[str, str]) -> str:
    """The program with each old text replaced; each must be there."""
    for old, new in changes:
        assert old in base, old
        base = base.replace(old, new)
    return base
