import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
dataset = tf.data.Dataset.from_tensor_slices(x).batch(2)
iterator = dataset.make_initializable_iterator()
batch = iterator.get_next()
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.matmul(batch, w))
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  sess.run(iterator.initializer, feed_dict={x: [[1.0, 2.0, 3.0]]})
  print(sess.run(loss))
