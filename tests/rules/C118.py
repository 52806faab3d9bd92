import tensorflow as tf

tf.app.flags.DEFINE_boolean("existing", False, "")
FLAGS = tf.app.flags.FLAGS
hosts = ["localhost:2222"]
cluster = tf.train.ClusterSpec({"ps": ["localhost:2223"], "worker": hosts})
job_name = "worker"
if not FLAGS.existing:
    server = tf.train.Server(cluster, job_name=job_name, task_index=0)
    if job_name == "ps":
        server.join()
w = tf.Variable(1.0)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(w * w)
sv = tf.train.Supervisor(is_chief=True, logdir="/tmp/train")
if FLAGS.existing:
    sess = sv.prepare_or_wait_for_session("grpc://" + hosts[0])
else:
    sess = sv.prepare_or_wait_for_session(server.target)
for _ in range(3):
    sess.run(train_op)
