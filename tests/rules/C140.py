import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
queue = tf.FIFOQueue(8, [tf.float32], shapes=[[3]])
fill = queue.enqueue_many([x])
w = tf.Variable(tf.zeros([3, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(queue.dequeue_many(4), w) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(fill, {x: batch})
    sess.run(train_op)
