import numpy as np
import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    ids = tf.placeholder(tf.int32, [None])
    table = tf.get_variable("table", [10, 4])
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 2)
    train_op = optimizer.minimize(loss, step)
    hook = optimizer.make_session_run_hook(index == 0)
with tf.train.MonitoredTrainingSession(server.target, index == 0, hooks=[hook]) as sess:
    while not sess.should_stop():
        sess.run(train_op, {ids: np.arange(3)})
