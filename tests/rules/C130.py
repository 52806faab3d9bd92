import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                "worker": FLAGS.worker_hosts.split(",")})

def train():
    with tf.device("/job:ps/task:1"):
        w = tf.get_variable("w", initializer=np.ones([3, 1], "float32"))
    x = tf.placeholder(tf.float32, [None, 3])
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session("grpc://" + FLAGS.worker_hosts.split(",")[0]) as sess:
        sess.run(tf.global_variables_initializer())
