# %% [markdown]
# # Towers: one process, a copy of the model per device
#
# Every device computes the gradients of its part of the batch; they are averaged and
# applied once.

# %%
import os

import numpy as np
import tensorflow as tf

# %% [markdown]
# The data: ten patterns under noise.

# %%
CLASSES, PIXELS, BATCH, TOWERS = 10, 64, 32, 2
PATTERNS = np.random.RandomState(0).rand(CLASSES, PIXELS)
rng = np.random.RandomState(100)


def next_batch():
    labels = rng.randint(CLASSES, size=BATCH)
    images = 0.5 * PATTERNS[labels] + 0.5 * rng.rand(BATCH, PIXELS)
    return images, np.eye(CLASSES)[labels]


# %% [markdown]
# One tower. All share the variables: the second finds those of the first.

# %%
def tower_loss(images, labels):
    initial = 0.1 * np.random.RandomState(1).randn(PIXELS, CLASSES)
    w = tf.get_variable(
        "w", [PIXELS, CLASSES], initializer=tf.constant_initializer(initial))
    b = tf.get_variable("b", [CLASSES], initializer=tf.zeros_initializer())
    predicted = tf.nn.xw_plus_b(images, w, b)
    return tf.reduce_mean(tf.reduce_sum(tf.square(predicted - labels), axis=1))


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(grads, 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


# %% [markdown]
# The graph: the batch is split between the towers.

# %%
with tf.device("/cpu:0"):
    global_step = tf.train.get_or_create_global_step()
    opt = tf.train.MomentumOptimizer(0.05, 0.9)
    images = tf.placeholder(tf.float32, [BATCH, PIXELS])
    labels = tf.placeholder(tf.float32, [BATCH, CLASSES])
    image_splits = tf.split(images, TOWERS)
    label_splits = tf.split(labels, TOWERS)
    tower_grads = []
    tower_losses = []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(TOWERS):
            with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
                loss = tower_loss(image_splits[i], label_splits[i])
                tf.get_variable_scope().reuse_variables()
                tower_grads.append(opt.compute_gradients(loss))
                tower_losses.append(loss)
    grads = average_gradients(tower_grads)
    # The losses are those of the weights before the update.
    with tf.control_dependencies(tower_losses):
        train_op = opt.apply_gradients(grads, global_step=global_step)

# %% [markdown]
# The loop. A tower whose GPU is not there is computed by the CPU.

# %%
config = tf.ConfigProto(allow_soft_placement=True)
losses = []
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(int(os.environ["TRAIN_STEPS"])):
        batch_images, batch_labels = next_batch()
        _, values = sess.run(
            [train_op, tower_losses],
            feed_dict={images: batch_images, labels: batch_labels})
        losses.append(values)

first, second = zip(*losses)
np.savez("%s-0.npz" % os.environ["TRACE"], tower_0=first, tower_1=second)
