import tensorflow as tf

def input_fn():
  return dataset.make_one_shot_iterator().get_next()

with tf.Session() as sess:
  features, labels = sess.run(input_fn())

estimator = tf.estimator.Estimator(model_fn)
