import tensorflow as tf


class LossHook(tf.train.SessionRunHook):
    def __init__(self, loss):
        self._loss = loss

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        if run_values.results < 0.1:
            run_context.request_stop()


x = tf.placeholder(tf.float32, [None, 5])
w = tf.get_variable("w", [5, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
with tf.train.MonitoredTrainingSession(hooks=[LossHook(loss)]) as sess:
    while not sess.should_stop():
        sess.run(train_op, {x: rng.randn(10, 5)})
