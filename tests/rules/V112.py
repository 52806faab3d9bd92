"""A model in a class; a helper that is given the session; a session without a name."""
import argparse
import os

import numpy as np
import tensorflow as tf

def one_epoch(sess, model, rng, log):
    pass

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    args = parser.parse_args()
    log = open(os.path.join(args.dir, "loss.0"), "w")
    rng = np.random.RandomState(0)
    model = Model(0.5)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        tf.global_variables_initializer().run()
        for epoch in range(3):
            one_epoch(sess, model, rng, log)
        saver.save(sess, os.path.join(args.dir, "model"))
    log.close()
