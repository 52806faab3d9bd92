import tensorflow as tf


class ErrorHook(tf.train.SessionRunHook):
    def begin(self):
        self._error = tf.sqrt(loss)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._error)


x = tf.placeholder(tf.float32, [None, 5])
w = tf.get_variable("w", [5, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
with tf.train.MonitoredTrainingSession(hooks=[ErrorHook()]) as sess:
    while not sess.should_stop():
        sess.run(train_op, {x: rng.randn(10, 5)})
