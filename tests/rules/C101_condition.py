import os

import tensorflow as tf

host = os.environ.get("CHIEF")
if host.split(":")[0]:
    server = tf.train.Server({"worker": [host]}, job_name="worker", task_index=0)
    if not server.target:
        server.join()
    target = server.target
else:
    target = ""
w = tf.Variable(1.0)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(w * w)
with tf.train.MonitoredTrainingSession(master=target) as sess:
    sess.run(train_op)
