"""D109: CollectiveCommunication, as it was called before TensorFlow 2.4."""
import sys

import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
strategy = tf.distribute.MultiWorkerMirroredStrategy(
    tf.distribute.experimental.CollectiveCommunication.RING)
log.write("0 %d\n" % strategy.num_replicas_in_sync)
log.close()
