import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])


def layer(v):
  w = tf.get_variable("w", [3, 1])
  tf.summary.histogram("w", w)
  return tf.matmul(v, w)


with tf.name_scope("net"):
  loss = tf.reduce_mean(layer(x))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  sess.run(train_op, {x: [[1.0, 2.0, 3.0]]})
