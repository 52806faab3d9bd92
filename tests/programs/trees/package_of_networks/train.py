import argparse
import os

import tensorflow as tf

from data import Data
from networks.mlp import MLP


def main(args):
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.float32, [None, 1])
    net = MLP(x, y)
    train_op = net.train(0.02)
    saver = tf.train.Saver()
    data = Data(5)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with open(os.path.join(args.dir, "loss.0"), "w") as log:
            for step in range(12):
                xs, ys = data.batch(16)
                _, loss = sess.run([train_op, net.loss], feed_dict={x: xs, y: ys})
                log.write("%d %r\n" % (step, float(loss)))
        saver.save(sess, os.path.join(args.dir, "model.ckpt"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", default="/tmp")
    main(parser.parse_args())
