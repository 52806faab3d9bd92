"""A Supervisor and its session are an object's: made with it, used by its methods."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("dir", "", "where the log and the checkpoints go")
FLAGS = flags.FLAGS


class Trainer(object):
    def __init__(self, points, logdir):
        self.points = points
        self.logdir = logdir
        self.max_step = 12
        self.step = tf.Variable(0, name="step", trainable=False)
        self.build_model()
        self.saver = tf.train.Saver()
        self.sv = tf.train.Supervisor(
            logdir=self.logdir, is_chief=True, saver=self.saver, summary_op=None,
            save_model_secs=300, global_step=self.step, ready_for_local_init_op=None)
        config = tf.ConfigProto(allow_soft_placement=True)
        self.sess = self.sv.prepare_or_wait_for_session(config=config)

    def build_model(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        hidden = tf.layers.dense(
            self.x, 4, tf.tanh, kernel_initializer=tf.constant_initializer(0.3))
        self.out = tf.layers.dense(hidden, 1, kernel_initializer=tf.ones_initializer())
        self.loss = tf.reduce_mean(tf.square(self.out - 1.0))
        self.rate = tf.Variable(0.1, trainable=False, name="rate")
        self.slower = tf.assign(self.rate, self.rate * 0.5, name="slower")
        optimizer = tf.train.AdamOptimizer(self.rate)
        self.train_op = optimizer.minimize(self.loss, global_step=self.step)

    def train(self):
        with open(FLAGS.dir + "/loss.0", "a") as log:
            for step in range(self.max_step):
                if self.sv.should_stop():
                    break
                feed = {self.x: self.points[4 * step:4 * step + 4]}
                fetches = {"train": self.train_op, "loss": self.loss}
                result = self.sess.run(fetches, feed_dict=feed)
                log.write("%d %r\n" % (step, float(result["loss"])))
                if step % 5 == 4:
                    self.sess.run(self.slower)
            log.write("100 %r\n" % float(self.score(self.points[:2]).sum()))
            log.write("%d 1\n" % (200 + self.sess.run(self.step)))
        self.sv.stop()
        self.saver.save(self.sess, self.logdir + "/last")

    def score(self, points):
        return self.sess.run(self.out, {self.x: points})


def main(_):
    points = np.random.RandomState(0).randn(48, 3).astype(np.float32)
    trainer = Trainer(points, FLAGS.dir)
    trainer.train()
    names = [name for name, _ in tf.train.list_variables(FLAGS.dir + "/last")]
    with open(FLAGS.dir + "/loss.0", "a") as log:
        log.write("300 %d\n" % len(names))
        log.write("%d 1\n" % (301 + names.index("step")))


if __name__ == "__main__":
    tf.app.run()
