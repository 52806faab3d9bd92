import tensorflow as tf
tf.train.SyncReplicasOptimizer
