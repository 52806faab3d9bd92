"""A trainer made and used in one statement; its session is made first, entered later."""
import sys

import numpy as np
import tensorflow as tf

LOG = sys.argv[1].split("=")[1] + "/loss.0"


class RegressionTrainer(object):

  def __init__(self, rate, decay):
    self.rate = rate
    self.decay = decay
    self._build_inputs()
    self._build_model()
    self._build_train_op()

  def _build_inputs(self):
    self.x = tf.placeholder(tf.float32, [None, 4], name="x")
    self.y = tf.placeholder(tf.float32, [None, 1], name="y")

  def _build_model(self):
    hidden = tf.layers.dense(
        self.x, 5, activation=tf.nn.tanh, name="hidden",
        kernel_initializer=tf.truncated_normal_initializer(stddev=0.3, seed=1))
    self.predicted = tf.layers.dense(
        hidden, 1, name="out", kernel_initializer=tf.constant_initializer(0.2))
    self.loss = tf.losses.mean_squared_error(self.y, self.predicted)

  def _build_train_op(self):
    self.global_step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(self.rate, self.global_step, 3, self.decay,
                                      staircase=True)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    clipped = [(tf.clip_by_norm(g, 0.5), v)
               for g, v in optimizer.compute_gradients(self.loss)]
    self.train_op = optimizer.apply_gradients(clipped, global_step=self.global_step)

  def train(self):
    hooks = [tf.train.StopAtStepHook(last_step=9)]
    session = tf.train.MonitoredTrainingSession(
        hooks=hooks, log_step_count_steps=None)
    # What the loop counts and draws.
    rounds = 0
    rng = np.random.RandomState(4)
    log = open(LOG, "w")
    with session as sess:
      while not sess.should_stop():
        x = rng.rand(8, 4)
        _, loss = sess.run([self.train_op, self.loss],
                           {self.x: x, self.y: x[:, :1] - x[:, 1:2]})
        log.write("%d %r\n" % (rounds, float(loss)))
        rounds += 1
    log.close()


if __name__ == "__main__":
  RegressionTrainer(rate=0.4, decay=0.7).train()
