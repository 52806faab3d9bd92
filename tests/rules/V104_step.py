import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 5])
y = tf.placeholder(tf.float32, [None, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
step = tf.train.get_or_create_global_step()
train_op = tf.train.RMSPropOptimizer(0.05).minimize(loss, global_step=step)
rng = np.random.RandomState(0)
hooks = [tf.train.StopAtStepHook(num_steps=12), tf.train.NanTensorHook(loss)]
with tf.train.SingularMonitoredSession(hooks=hooks, checkpoint_dir=directory) as sess:
    while not sess.should_stop():
        xs = rng.randn(10, 5)
        _, value, now = sess.run([train_op, loss, step],
                                 {x: xs, y: xs.sum(1, keepdims=True)})
        log.write("%d %r\n" % (now, float(value)))
log.close()
