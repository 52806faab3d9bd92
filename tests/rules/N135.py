import tensorflow as tf

def loss_of(labels, scales):
  for scale in scales:
    if scale > 0.5:
      return scale * tf.reduce_mean(tf.square(prediction - labels))
  return tf.reduce_mean(prediction - labels)

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
prediction = tf.matmul(x, w)
loss = loss_of(1.0, [0.1, 0.7])
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  sess.run(train, {x: [[1.0, 2.0, 3.0]]})
