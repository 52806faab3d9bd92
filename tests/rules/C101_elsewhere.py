import tensorflow as tf


def serve(cluster, job, index):
    server = tf.train.Server(cluster, job_name=job, task_index=index)
    if job == "ps":
        server.join()
    return server


def train(target, index):
    w = tf.Variable(1.0)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(w * w)
    with tf.train.MonitoredTrainingSession(target, index == 0) as sess:
        sess.run(train_op)
