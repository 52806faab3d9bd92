"""A class whose methods read, batch and train; the end of the epochs is told to the Coordinator."""
import sys

import tensorflow as tf

DIR = sys.argv[1].split("=")[1]

class Trainer(object):
  def __init__(self, directory, batch_size=4):
    self.directory = directory
    self.batch_size = batch_size
    self._build_input()
    self._build_model()

  def _read(self, queue):
    reader = tf.TextLineReader()
    _, line = reader.read(queue)
    a, b = tf.decode_csv(line, [[0.0], [0.0]])
    return a, b

  def _build_input(self):
    with tf.variable_scope('input'):
      queue = tf.train.string_input_producer([self.directory + '/d.csv'], num_epochs=3)
      a, b = self._read(queue)
      self.x, self.y = tf.train.batch([a, b], batch_size=self.batch_size)

  def _build_model(self):
    self.w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
    self.loss = tf.reduce_mean(tf.square(self.x * self.w - self.y))
    self.train_op = tf.train.AdamOptimizer(0.1).minimize(self.loss)

  def train(self):
    with tf.Session() as sess:
      sess.run(tf.global_variables_initializer())
      sess.run(tf.local_variables_initializer())
      coord = tf.train.Coordinator()
      threads = tf.train.start_queue_runners(sess=sess, coord=coord)
      log = open(self.directory + '/loss.0', 'w')
      step = 0
      try:
        while not coord.should_stop():
          loss, _ = sess.run([self.loss, self.train_op])
          log.write('%d %r\n' % (step, float(loss)))
          step += 1
      except tf.errors.OutOfRangeError as e:
        coord.request_stop(e)
      finally:
        coord.request_stop()
        coord.join(threads)
      log.close()

open(DIR + '/d.csv', 'w').write(''.join('%g,%g\n' % (i / 10.0, i / 5.0 - 1) for i in range(11)))
trainer = Trainer(DIR)
trainer.train()
