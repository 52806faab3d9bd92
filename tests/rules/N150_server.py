import tensorflow as tf

class A:
  def start(self):
    self.server = tf.train.Server(self.spec)
    self.x = tf.placeholder(tf.float32)
