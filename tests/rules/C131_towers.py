import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
if FLAGS.job_name == "ps":
  server.join()
x = tf.placeholder(tf.float32, [4, 3])
w = tf.get_variable("w", [3, 1])
optimizer = tf.train.GradientDescentOptimizer(0.1)
parts = tf.split(x, 2)
tower_grads = []
for i in range(2):
  with tf.device("/job:worker/task:%d" % i):
    tower_grads.append(optimizer.compute_gradients(tf.nn.l2_loss(tf.matmul(parts[i], w))))
grads = [(tf.add_n([g for g, _ in p]) / 2, p[0][1]) for p in zip(*tower_grads)]
train_op = optimizer.apply_gradients(grads)
with tf.Session(server.target) as sess:
  sess.run(train_op, {x: batch})
