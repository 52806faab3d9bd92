import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})

def serve():
    server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)

def train():
    with tf.device("/job:worker/task:%d" % FLAGS.task_index):
        pass
    with tf.Session("grpc://" + FLAGS.worker_hosts.split(",")[0]) as sess:
        sess.run(tf.global_variables_initializer())
