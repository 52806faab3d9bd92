import tensorflow as tf

def train():
    with tf.device("/job:ps/task:1"):
        pass
    with tf.Session("grpc://" + FLAGS.worker_hosts.split(",")[0]) as sess:
        sess.run(tf.global_variables_initializer())
