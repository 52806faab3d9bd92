import tensorflow as tf
opt = tf.train.SyncReplicasOptimizer(
    opt, replicas_to_aggregate=num_workers + 1, total_num_replicas=num_workers)
