"""Towers whose losses are listed, and of which one mean is minimised, with a penalty; two optimizers."""
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.client import device_lib

directory = sys.argv[1].split("=")[1]
log = open(os.path.join(directory, "loss.0"), "w")


def get_available_gpus():
    devices = device_lib.list_local_devices()
    return [d.name for d in devices if d.device_type == "GPU"]


# Two towers where there are fewer GPUs, on whatever device there is.
num_gpus = max(len(get_available_gpus()), 2)


def encode(x):
    with tf.variable_scope("encoder"):
        w = tf.get_variable("w", [6, 3], initializer=tf.constant_initializer(
            np.linspace(-0.4, 0.6, 18).reshape(6, 3)))
        b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())
        return tf.nn.sigmoid(tf.matmul(x, w) + b)


def decode(code):
    with tf.variable_scope("decoder"):
        w = tf.get_variable("w", [3, 6], initializer=tf.constant_initializer(
            np.linspace(0.5, -0.2, 18).reshape(3, 6)))
        return tf.matmul(code, w)


images = tf.placeholder(tf.float32, [None, 6], name="images")
labels = tf.placeholder(tf.float32, [None, 1], name="labels")
losses = []
label_loss = 0
image_parts = tf.split(images, num_gpus)
label_parts = tf.split(labels, num_gpus)
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(num_gpus):
        with tf.device("/gpu:%d" % i):
            with tf.name_scope("tower_%d" % i):
                code = encode(image_parts[i])
                loss = tf.reduce_mean(tf.square(decode(code) - image_parts[i]))
                losses.append(loss)
                label_loss += tf.reduce_mean(tf.abs(tf.reduce_sum(code, 1, keepdims=True) - label_parts[i]))
                tf.get_variable_scope().reuse_variables()

global_step = tf.train.get_or_create_global_step()
encoder_vars = [v for v in tf.trainable_variables() if v.op.name.startswith("encoder")]
loss = tf.reduce_mean(tf.stack(losses))
penalty = 0.01 * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
total_loss = loss + penalty
train_op = tf.train.MomentumOptimizer(0.2, 0.9).minimize(
    total_loss, global_step=global_step, colocate_gradients_with_ops=True)
label_opt = tf.train.GradientDescentOptimizer(0.05)
pairs = label_opt.compute_gradients(label_loss, var_list=encoder_vars, colocate_gradients_with_ops=True)
label_op = label_opt.apply_gradients([(tf.clip_by_value(g, -0.2, 0.2), v) for g, v in pairs])

rng = np.random.RandomState(1)
config = tf.ConfigProto(allow_soft_placement=True)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(8):
        batch = rng.rand(4 * num_gpus, 6)
        feed_dict = {images: batch, labels: batch[:, :1] + batch[:, 1:2]}
        _, value, all_of_it = sess.run([train_op, loss, total_loss], feed_dict=feed_dict)
        _, told = sess.run([label_op, label_loss], feed_dict=feed_dict)
        log.write("%d %r\n" % (step, float(value)))
        log.write("%d %r\n" % (step, float(all_of_it)))
        log.write("%d %r\n" % (step, float(told)))
    log.write("%d %r\n" % (sess.run(global_step), 0.0))
log.close()
