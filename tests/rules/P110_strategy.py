import tensorflow as tf

strategy = tf.distribute.ParameterServerStrategy(
    tf.distribute.cluster_resolver.TFConfigClusterResolver(),
    variable_partitioner=tf.compat.v1.fixed_size_partitioner(num_shards=2))
