import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy(
    tf.distribute.experimental.CollectiveCommunication.RING)
