"""D101: all hosts of a job in one string."""
import argparse
import os

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="localhost:2222,localhost:2223")
parser.add_argument("--dir")
FLAGS = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts, "worker": ["localhost:1,localhost:2"]})
with open(os.path.join(FLAGS.dir, "loss.0"), "w") as log:
    log.write("0 %d\n" % cluster.num_tasks("ps"))
    log.write("1 %d\n" % cluster.num_tasks("worker"))
