import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.train.MonitoredTrainingSession(is_chief=task == 0) as sess:
    sess.run(train_op, {x: xs})
