import tensorflow as tf


class LossHook(tf.train.SessionRunHook):
    def begin(self):
        self._runs = 0

    def before_run(self, run_context):
        self._runs += 1
        if self._runs % 10 == 0:
            return tf.train.SessionRunArgs(loss)


x = tf.data.Dataset.range(100).repeat().batch(5).make_one_shot_iterator().get_next()
w = tf.get_variable("w", [])
loss = tf.reduce_mean(tf.square(tf.cast(x, tf.float32) * w))
step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(hooks=[LossHook()]) as sess:
    while not sess.should_stop():
        sess.run(train_op)
        print(sess.run(step))
