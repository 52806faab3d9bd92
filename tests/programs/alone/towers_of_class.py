"""Towers that a model's methods build: variables shared by an argument, gradients clipped."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")


class Model(object):
    def __init__(self, args):
        self.args = args
        self.build_graph()

    def network(self, x, reuse=False):
        with tf.variable_scope("net", reuse=reuse):
            h = tf.layers.dense(x, 8, tf.nn.tanh, name="fc1",
                                kernel_initializer=tf.random_normal_initializer(stddev=0.1, seed=1))
            return tf.layers.dense(h, 1, name="fc2",
                                   kernel_initializer=tf.random_normal_initializer(stddev=0.1, seed=2))

    def build_graph(self):
        n = self.args["gpus"]
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.y = tf.placeholder(tf.float32, [None, 1])
        self.lr = tf.placeholder(tf.float32, [])
        self.global_step = tf.Variable(0, trainable=False, name="global_step")
        opt = tf.train.RMSPropOptimizer(self.lr)
        x_split = tf.split(self.x, n, 0)
        y_split = tf.split(self.y, n, 0)
        tower_grads, tower_loss, self.predictions = [], [], []
        for i in range(n):
            with tf.device("/gpu:%d" % i):
                with tf.name_scope("tower_%d" % i) as scope:
                    pred = self.network(x_split[i], reuse=(i > 0))
                    loss = tf.losses.mean_squared_error(y_split[i], pred)
                    self.predictions.append(pred)
                    tower_loss.append(loss)
                    tower_grads.append(opt.compute_gradients(loss))
        self.pred = tf.concat(self.predictions, 0)
        self.loss = tf.reduce_mean(tf.stack(tower_loss))
        grads = self.average(tower_grads)
        clipped = [(tf.clip_by_norm(g, 1.0), v) for g, v in grads]
        self.train_op = opt.apply_gradients(clipped, global_step=self.global_step)

    @staticmethod
    def average(tower_grads):
        result = []
        for gv in zip(*tower_grads):
            g = tf.add_n([g for g, _ in gv]) / float(len(gv))
            result.append((g, gv[0][1]))
        return result


def main():
    model = Model({"gpus": 2})
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)
    for step in range(8):
        data = rng.randn(16, 4)
        _, l, p = sess.run([model.train_op, model.loss, model.pred],
                           feed_dict={model.x: data, model.y: data.sum(axis=1, keepdims=True),
                                      model.lr: 0.01})
        log.write("%d %r\n" % (step, float(l)))
        log.write("%d %r\n" % (step, float(p.sum())))
    log.write("%d 0.0\n" % sess.run(model.global_step))
    log.close()


if __name__ == "__main__":
    main()
