import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts, "worker": ["localhost:1,localhost:2"]})
