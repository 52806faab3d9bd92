import tensorflow as tf

queue = tf.train.string_input_producer(["a", "b"], shuffle=False)
reader = tf.TextLineReader()
key, line = reader.read(queue)
x = tf.string_to_number(line)
batch = tf.train.batch([x], 4)
w = tf.Variable(1.0)
loss = tf.reduce_mean(batch * w + tf.to_float(queue.size()))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(sess)
    print(sess.run(loss))
