import tensorflow as tf

def input_fn(x, hook):
  x_ = tf.placeholder(tf.float32, x.shape)
  iterator = tf.data.Dataset.from_tensor_slices(x_).make_initializable_iterator()
  hook.start = lambda sess: sess.run(iterator.initializer, feed_dict={x_: x})
  return iterator.get_next()

estimator = tf.estimator.Estimator(model_fn)
