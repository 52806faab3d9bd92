import tensorflow as tf

def input_fn():
  return dataset.make_one_shot_iterator().get_next()

estimator = tf.estimator.Estimator(model_fn)
