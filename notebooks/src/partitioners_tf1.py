# %% [markdown]
# # An embedding table in shards on two parameter servers
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
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()

# %% [markdown]
# The data: bags of three words, and a vector to be found for each.

# %%
WORDS, SIZE = 23, 4
MEANING = np.random.RandomState(0).randn(WORDS, SIZE)
rng = np.random.RandomState(100 + index)


def next_batch(size=16):
    bags = rng.randint(WORDS, size=(size, 3))
    return bags, MEANING[bags].mean(axis=1)


# %% [markdown]
# The tables: three shards of 8, 8 and 7 rows, and one table in shards of at most 96
# bytes. Word 5 of a "mod" lookup is row 5 // 3 of shard 5 % 3.

# %%
def rows_of(shape, dtype=tf.float32, partition_info=None):
    start = partition_info.var_offset[0] if partition_info is not None else 0
    table = 0.1 * np.random.RandomState(1).randn(WORDS, SIZE)
    return tf.constant(table[start:start + shape[0]], dtype)


with tf.device(tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % index, cluster=cluster)):
    bags = tf.placeholder(tf.int32, [None, 3])
    wanted = tf.placeholder(tf.float32, [None, SIZE])
    by_count = tf.get_variable(
        "by_count", [WORDS, SIZE], initializer=rows_of,
        partitioner=tf.fixed_size_partitioner(3))
    by_bytes = tf.get_variable(
        "by_bytes", [WORDS, SIZE], initializer=rows_of,
        partitioner=tf.variable_axis_size_partitioner(max_shard_bytes=96))
    mod = tf.nn.embedding_lookup(by_count, bags)
    div = tf.nn.embedding_lookup(by_bytes, bags, partition_strategy="div")
    mod_error = tf.square(tf.reduce_mean(mod, axis=1) - wanted)
    div_error = tf.square(tf.reduce_mean(div, axis=1) - wanted)
    mod_loss = tf.reduce_mean(tf.reduce_sum(mod_error, axis=1))
    div_loss = tf.reduce_mean(tf.reduce_sum(div_error, axis=1))
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    train_op = optimizer.minimize(mod_loss + div_loss, global_step=global_step)

# %%
hooks = [tf.train.StopAtStepHook(last_step=int(os.environ["TRAIN_STEPS"]))]
mod_losses, div_losses = [], []
with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=index == 0, hooks=hooks) as sess:
    while not sess.should_stop():
        words, vectors = next_batch()
        _, mod_value, div_value = sess.run(
            [train_op, mod_loss, div_loss], feed_dict={bags: words, wanted: vectors})
        mod_losses.append(mod_value)
        div_losses.append(div_value)

np.savez("%s-%d.npz" % (os.environ["TRACE"], index), mod=mod_losses, div=div_losses)
