# %% [markdown]
# # A training that is interrupted
#
# Every task of the cluster runs this notebook, each with its own `TF_CONFIG`. Started
# again with the same directory of checkpoints, it goes on where it was.

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
# The data: the batch of a step depends on the step alone.

# %%
FEATURES, OUTPUTS = 8, 3
TRUE = np.random.RandomState(0).randn(FEATURES, OUTPUTS)


def batch_of(number, size=16):
    inputs = np.random.RandomState(number).randn(size, FEATURES)
    return inputs, inputs.dot(TRUE)


# %% [markdown]
# The model. Adam keeps two slots per variable, and two numbers of its own; the rate
# falls with the global step. All of that is in the checkpoint.

# %%
initial = np.zeros([FEATURES, OUTPUTS], "float32")

with tf.device(tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % index, cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, FEATURES])
    y = tf.placeholder(tf.float32, [None, OUTPUTS])
    w = tf.get_variable("w", initializer=initial)
    b = tf.get_variable("b", [OUTPUTS], initializer=tf.zeros_initializer())
    predicted = tf.nn.xw_plus_b(x, w, b)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.2, global_step, 20, 0.8, staircase=True)
    train_op = tf.train.AdamOptimizer(rate).minimize(loss, global_step=global_step)

# %%
hooks = [tf.train.StopAtStepHook(last_step=int(os.environ["TRAIN_STEPS"]))]
steps, losses = [], []
with tf.train.MonitoredTrainingSession(
        master=server.target, is_chief=index == 0,
        checkpoint_dir=os.environ["CHECKPOINTS"], save_checkpoint_steps=1000,
        save_summaries_steps=None, hooks=hooks) as sess:
    while not sess.should_stop():
        step = sess.run(global_step)
        inputs, outputs = batch_of(step)
        _, value = sess.run([train_op, loss], feed_dict={x: inputs, y: outputs})
        steps.append(step)
        losses.append(value)

np.savez("%s-%d.npz" % (os.environ["TRACE"], index), step=steps, loss=losses)
