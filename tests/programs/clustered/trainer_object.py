"""A trainer object that builds the graph in its methods and opens the session itself."""
import os

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("ps_hosts", "", "Comma-separated hosts")
tf.app.flags.DEFINE_string("worker_hosts", "", "Comma-separated hosts")
tf.app.flags.DEFINE_string("job_name", "", "ps or worker")
tf.app.flags.DEFINE_integer("task_index", 0, "Index of the task")
tf.app.flags.DEFINE_string("dir", "/tmp/train", "Output directory")
FLAGS = tf.app.flags.FLAGS


class Config(object):
    """Hyperparameters."""
    num_features = 6
    hidden = 8
    learning_rate = 0.05
    max_steps = 30
    batch_size = 16


def linear(x, size, name):
    in_size = x.get_shape()[1]
    with tf.variable_scope(name):
        w = tf.get_variable("w", [in_size, size],
                            initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=size))
        b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


class Trainer(object):
    decay = 0.9

    def __init__(self, config, server, cluster):
        self.config = config
        self.server = server
        self.cluster = cluster
        self._rng = np.random.RandomState(FLAGS.task_index)

    def _next_batch(self):
        x = self._rng.randn(self.config.batch_size, self.config.num_features)
        y = np.tanh(x[:, :1] - x[:, 1:2])
        return x, y

    def _add_inputs(self):
        self._x = tf.placeholder(tf.float32, [None, self.config.num_features], name="x")
        self._y = tf.placeholder(tf.float32, [None, 1], name="y")

    def _add_network(self):
        # A hidden layer with tanh.
        hidden = tf.tanh(linear(self._x, self.config.hidden, "hidden"))
        self._output = linear(hidden, 1, "output")

    def _add_training(self):
        self._global_step = tf.train.get_or_create_global_step()
        self._loss = tf.reduce_mean(tf.squared_difference(self._output, self._y))
        opt = tf.train.MomentumOptimizer(self.config.learning_rate, self.decay)
        grads = opt.compute_gradients(self._loss)
        clipped = [(tf.clip_by_norm(g, 1.0), v) for g, v in grads if g is not None]
        self._train_op = opt.apply_gradients(clipped, global_step=self._global_step)

    def build(self):
        """Builds the whole graph."""
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index,
                cluster=self.cluster)):
            self._add_inputs()
            self._add_network()
            self._add_training()

    def _step(self, sess):
        x, y = self._next_batch()
        _, loss, step = sess.run([self._train_op, self._loss, self._global_step],
                                 feed_dict={self._x: x, self._y: y})
        return loss, step

    def train(self):
        self.build()
        hooks = [tf.train.StopAtStepHook(last_step=self.config.max_steps)]
        log = open(os.path.join(FLAGS.dir, "loss.%d" % FLAGS.task_index), "w")
        with tf.train.MonitoredTrainingSession(
                master=self.server.target,
                is_chief=FLAGS.task_index == 0,
                hooks=hooks) as sess:
            while not sess.should_stop():
                loss, step = self._step(sess)
                log.write("%d %r\n" % (step, float(loss)))
                log.flush()
        log.close()


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    trainer = Trainer(Config(), server, cluster)
    trainer.train()


if __name__ == "__main__":
    tf.app.run()
