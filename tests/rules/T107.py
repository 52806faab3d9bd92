import tensorflow as tf

def run(directory):

  params = tf.contrib.training.HParams(rate=0.05)
