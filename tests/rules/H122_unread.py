import tensorflow as tf
from otherlib.hooks import SpeedHook

x = tf.placeholder(tf.float32, [None, 5])
w = tf.get_variable("w", [5, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, step)
hooks = [SpeedHook(every=10), tf.train.StopAtStepHook(30)]
with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
    while not sess.should_stop():
        sess.run(train_op, {x: rng.randn(10, 5)})
