# %% [markdown]
# # A classifier trained in step, with SyncReplicasOptimizer
#
# Every task of the cluster runs this notebook, each with its own `TF_CONFIG`.

# %%
import json
import os

import numpy as np
import tensorflow as tf

# %%
config = json.loads(os.environ["TF_CONFIG"])
cluster = tf.train.ClusterSpec(config["cluster"])
job, index = config["task"]["type"], config["task"]["index"]
num_workers = len(config["cluster"]["worker"])
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()

# %% [markdown]
# The data: ten patterns under noise; each worker draws its own batches.

# %%
CLASSES, PIXELS = 10, 64
PATTERNS = np.random.RandomState(0).rand(CLASSES, PIXELS)
rng = np.random.RandomState(100 + index)


def next_batch(size=16):
    labels = rng.randint(CLASSES, size=size)
    images = 0.5 * PATTERNS[labels] + 0.5 * rng.rand(size, PIXELS)
    return images, np.eye(CLASSES)[labels]


# %% [markdown]
# The model. One update for every `replicas_to_aggregate` gradients, with their mean.

# %%
initial = (0.1 * np.random.RandomState(1).randn(PIXELS, CLASSES)).astype("float32")
is_chief = index == 0

with tf.device(tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % index, cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, PIXELS])
    y = tf.placeholder(tf.float32, [None, CLASSES])
    w = tf.get_variable("w", initializer=initial)
    b = tf.get_variable("b", [CLASSES], initializer=tf.zeros_initializer())
    predicted = tf.nn.xw_plus_b(x, w, b)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(0.05),
        replicas_to_aggregate=num_workers,
        total_num_replicas=num_workers)
    train_op = optimizer.minimize(loss, global_step=global_step)

# %%
hooks = [
    optimizer.make_session_run_hook(is_chief, num_tokens=0),
    tf.train.StopAtStepHook(last_step=int(os.environ["TRAIN_STEPS"])),
]
losses = []
with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=is_chief, hooks=hooks,
        stop_grace_period_secs=5) as sess:
    while not sess.should_stop():
        images, labels = next_batch()
        _, value = sess.run([train_op, loss], feed_dict={x: images, y: labels})
        losses.append(value)

np.savez("%s-%d.npz" % (os.environ["TRACE"], index), loss=losses)
