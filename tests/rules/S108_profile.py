import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    writer = tf.summary.FileWriter("logs")
    sess.run(tf.global_variables_initializer())
    for i in range(10):
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        metadata = tf.RunMetadata()
        sess.run(train, {x: [[1.0, 2.0, 3.0]]}, options, metadata)
        writer.add_run_metadata(metadata, "step%d" % i)
