"""May be a client of servers that run already; a Supervisor's session either way."""
from __future__ import print_function

import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", None, "ps or worker")
flags.DEFINE_integer("task_index", None, "index within the job")
flags.DEFINE_string("ps_hosts", "", "comma-separated host:port")
flags.DEFINE_string("worker_hosts", "", "comma-separated host:port")
flags.DEFINE_boolean("existing_servers", False, "use the servers of the worker hosts")
flags.DEFINE_boolean("sync_replicas", False, "average the workers' gradients")
flags.DEFINE_integer("num_gpus", 0, "GPUs of this machine")
flags.DEFINE_string("dir", "/tmp/train", "where losses go")
FLAGS = flags.FLAGS


def main(unused_argv):
  worker_spec = FLAGS.worker_hosts.split(",")
  num_workers = len(worker_spec)
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": worker_spec})
  if not FLAGS.existing_servers:
    # A server in this process.
    server = tf.train.Server(
        cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
      server.join()

  is_chief = (FLAGS.task_index == 0)
  if FLAGS.num_gpus > 0:
    worker_device = "/job:worker/task:%d/gpu:%d" % (FLAGS.task_index, 0)
  elif FLAGS.num_gpus == 0:
    worker_device = "/job:worker/task:%d/cpu:%d" % (FLAGS.task_index, 0)
  with tf.device(tf.train.replica_device_setter(
      worker_device=worker_device, ps_device="/job:ps/cpu:0", cluster=cluster)):
    global_step = tf.Variable(0, name="global_step", trainable=False)
    weights = tf.Variable(tf.fill([6, 3], 0.1), name="weights")
    bias = tf.Variable(tf.zeros([3]), name="bias")
    x = tf.placeholder(tf.float32, [None, 6])
    y_ = tf.placeholder(tf.float32, [None, 3])
    y = tf.nn.softmax(tf.nn.xw_plus_b(x, weights, bias))
    loss = -tf.reduce_sum(y_ * tf.log(tf.clip_by_value(y, 1e-10, 1.0)))
    opt = tf.train.AdamOptimizer(0.01)
    if FLAGS.sync_replicas:
      opt = tf.train.SyncReplicasOptimizer(
          opt, replicas_to_aggregate=num_workers, total_num_replicas=num_workers)
    train_step = opt.minimize(loss, global_step=global_step)
    if FLAGS.sync_replicas:
      local_init_op = opt.local_step_init_op
      if is_chief:
        local_init_op = opt.chief_init_op
      ready_for_local_init_op = opt.ready_for_local_init_op
      chief_queue_runner = opt.get_chief_queue_runner()
      sync_init_op = opt.get_init_tokens_op()

    init_op = tf.global_variables_initializer()
    train_dir = tempfile.mkdtemp()
    if FLAGS.sync_replicas:
      sv = tf.train.Supervisor(
          is_chief=is_chief, logdir=train_dir, init_op=init_op,
          local_init_op=local_init_op,
          ready_for_local_init_op=ready_for_local_init_op,
          recovery_wait_secs=1, global_step=global_step)
    else:
      sv = tf.train.Supervisor(
          is_chief=is_chief, logdir=train_dir, init_op=init_op,
          recovery_wait_secs=1, global_step=global_step)
    sess_config = tf.ConfigProto(
        allow_soft_placement=True,
        device_filters=["/job:ps", "/job:worker/task:%d" % FLAGS.task_index])

    if FLAGS.existing_servers:
      server_grpc_url = "grpc://" + worker_spec[FLAGS.task_index]
      print("Using the server at %s" % server_grpc_url)
      sess = sv.prepare_or_wait_for_session(server_grpc_url, config=sess_config)
    else:
      sess = sv.prepare_or_wait_for_session(server.target, config=sess_config)
    if FLAGS.sync_replicas and is_chief:
      sess.run(sync_init_op)
      sv.start_queue_runners(sess, [chief_queue_runner])

    rng = np.random.RandomState(5)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    while True:
      xs = rng.rand(8, 6)
      fed = {x: xs, y_: np.eye(3)[(xs.sum(1) * 10).astype(int) % 3]}
      value = sess.run(loss, feed_dict=fed)
      _, step = sess.run([train_step, global_step], feed_dict=fed)
      log.write("%d %r\n" % (step, float(value)))
      if step >= 30:
        break
    log.close()


if __name__ == "__main__":
  tf.app.run()
