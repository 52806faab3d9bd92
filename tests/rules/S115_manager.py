import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(w - x))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
init_op = tf.global_variables_initializer()
manager = tf.train.SessionManager()
sess = manager.prepare_session("", init_op=init_op)
for batch in batches:
    sess.run(train_op, feed_dict={x: batch})
