# %% [markdown]
# # A classifier on parameter servers
#
# Every task of the cluster runs this notebook, each with its own `TF_CONFIG`.

# %%
import json
import os

import numpy as np
import tensorflow as tf

# %% [markdown]
# The cluster: a `ps` serves and never returns from `join`.

# %%
config = json.loads(os.environ["TF_CONFIG"])
cluster = tf.train.ClusterSpec(config["cluster"])
job, index = config["task"]["type"], config["task"]["index"]
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()

# %% [markdown]
# The data: ten patterns under noise; each worker draws its own batches.

# %%
CLASSES, PIXELS, UNITS = 10, 64, 16
PATTERNS = np.random.RandomState(0).rand(CLASSES, PIXELS)
rng = np.random.RandomState(100 + index)


def next_batch(size=32):
    labels = rng.randint(CLASSES, size=size)
    images = 0.5 * PATTERNS[labels] + 0.5 * rng.rand(size, PIXELS)
    return images, np.eye(CLASSES)[labels]


# %% [markdown]
# The model: variables on the parameter servers in turn, computation on this worker.

# %%
weights = np.random.RandomState(1)
first = (0.1 * weights.randn(PIXELS, UNITS)).astype("float32")
second = (0.1 * weights.randn(UNITS, CLASSES)).astype("float32")

with tf.device(tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % index, cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, PIXELS])
    y = tf.placeholder(tf.float32, [None, CLASSES])
    w1 = tf.get_variable("w1", initializer=first)
    b1 = tf.get_variable("b1", [UNITS], initializer=tf.zeros_initializer())
    w2 = tf.get_variable("w2", initializer=second)
    b2 = tf.get_variable("b2", [CLASSES], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.nn.xw_plus_b(x, w1, b1))
    logits = tf.nn.xw_plus_b(hidden, w2, b2)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(logits - y), axis=1))
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf.train.MomentumOptimizer(0.02, 0.9)
    train_op = optimizer.minimize(loss, global_step=global_step)

# %% [markdown]
# The loop: workers do not wait for each other.

# %%
hooks = [tf.train.StopAtStepHook(last_step=int(os.environ["TRAIN_STEPS"]))]
losses = []
with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=index == 0, hooks=hooks) as sess:
    while not sess.should_stop():
        images, labels = next_batch()
        _, value = sess.run([train_op, loss], feed_dict={x: images, y: labels})
        losses.append(value)

np.savez("%s-%d.npz" % (os.environ["TRACE"], index), loss=losses)
