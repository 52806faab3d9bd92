"""A Supervisor's session, taken in the two steps of the classic replica example."""
from __future__ import print_function

import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "Comma-separated hosts")
flags.DEFINE_string("worker_hosts", "", "Comma-separated hosts")
flags.DEFINE_string("job_name", None, "worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index, >= 0")
flags.DEFINE_integer("replicas_to_aggregate", None, "Replicas to aggregate")
flags.DEFINE_integer("hidden_units", 10, "Units of the hidden layer")
flags.DEFINE_integer("train_steps", 40, "Global steps to perform")
flags.DEFINE_integer("batch_size", 20, "Batch size")
flags.DEFINE_float("learning_rate", 0.1, "Learning rate")
flags.DEFINE_boolean("sync_replicas", False, "Aggregate gradients of the workers")
flags.DEFINE_string("dir", "/tmp/train", "Output directory")
FLAGS = flags.FLAGS


def main(unused_argv):
  if FLAGS.job_name is None or FLAGS.job_name == "":
    raise ValueError("Must specify an explicit `job_name`")
  ps_spec = FLAGS.ps_hosts.split(",")
  worker_spec = FLAGS.worker_hosts.split(",")
  num_workers = len(worker_spec)
  cluster = tf.train.ClusterSpec({"ps": ps_spec, "worker": worker_spec})
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  is_chief = (FLAGS.task_index == 0)
  rng = np.random.RandomState(FLAGS.task_index)
  with tf.device(tf.train.replica_device_setter(
      worker_device="/job:worker/task:%d" % FLAGS.task_index,
      ps_device="/job:ps/cpu:0",
      cluster=cluster)):
    global_step = tf.Variable(0, name="global_step", trainable=False)

    hid_w = tf.Variable(tf.truncated_normal(
        [6, FLAGS.hidden_units], stddev=0.5, seed=1), name="hid_w")
    hid_b = tf.Variable(tf.zeros([FLAGS.hidden_units]), name="hid_b")
    sm_w = tf.Variable(tf.truncated_normal(
        [FLAGS.hidden_units, 3], stddev=0.3, seed=2), name="sm_w")
    sm_b = tf.Variable(tf.zeros([3]), name="sm_b")

    x = tf.placeholder(tf.float32, [None, 6])
    y_ = tf.placeholder(tf.float32, [None, 3])
    hid = tf.nn.relu(tf.nn.xw_plus_b(x, hid_w, hid_b))
    y = tf.nn.softmax(tf.nn.xw_plus_b(hid, sm_w, sm_b))
    cross_entropy = -tf.reduce_mean(
        tf.reduce_sum(y_ * tf.log(tf.clip_by_value(y, 1e-10, 1.0)), 1))

    opt = tf.train.GradientDescentOptimizer(FLAGS.learning_rate)
    if FLAGS.sync_replicas:
      if FLAGS.replicas_to_aggregate is None:
        replicas_to_aggregate = num_workers
      else:
        replicas_to_aggregate = FLAGS.replicas_to_aggregate
      opt = tf.train.SyncReplicasOptimizer(
          opt,
          replicas_to_aggregate=replicas_to_aggregate,
          total_num_replicas=num_workers,
          name="replica_sync")
    train_step = opt.minimize(cross_entropy, global_step=global_step)

    if FLAGS.sync_replicas:
      local_init_op = opt.local_step_init_op
      if is_chief:
        local_init_op = opt.chief_init_op
      ready_for_local_init_op = opt.ready_for_local_init_op
      # Initial token and chief queue runners required by the sync_replicas mode
      chief_queue_runner = opt.get_chief_queue_runner()
      sync_init_op = opt.get_init_tokens_op()

    init_op = tf.global_variables_initializer()
    if FLAGS.sync_replicas:
      sv = tf.train.Supervisor(
          is_chief=is_chief,
          logdir=FLAGS.dir,
          init_op=init_op,
          local_init_op=local_init_op,
          ready_for_local_init_op=ready_for_local_init_op,
          recovery_wait_secs=1,
          global_step=global_step)
    else:
      sv = tf.train.Supervisor(
          is_chief=is_chief,
          logdir=FLAGS.dir,
          init_op=init_op,
          recovery_wait_secs=1,
          global_step=global_step)

    sess_config = tf.ConfigProto(
        allow_soft_placement=True,
        log_device_placement=False,
        device_filters=["/job:ps", "/job:worker/task:%d" % FLAGS.task_index])
    if is_chief:
      print("Worker %d: Initializing session..." % FLAGS.task_index)
    else:
      print("Worker %d: Waiting for session to be initialized..." %
            FLAGS.task_index)
    sess = sv.prepare_or_wait_for_session(server.target, config=sess_config)
    print("Worker %d: Session initialization complete." % FLAGS.task_index)
    if FLAGS.sync_replicas and is_chief:
      # Chief worker will start the chief queue runner and call the init op.
      sess.run(sync_init_op)
      sv.start_queue_runners(sess, [chief_queue_runner])

    # Perform training
    time_begin = time.time()
    print("Training begins @ %f" % time_begin)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    local_step = 0
    while True:
      xs = rng.randn(FLAGS.batch_size, 6)
      ys = np.eye(3)[np.argmax(xs[:, :3], 1)]
      train_feed = {x: xs, y_: ys}
      _, step, loss = sess.run([train_step, global_step, cross_entropy],
                               feed_dict=train_feed)
      local_step += 1
      log.write("%d %r\n" % (local_step, float(loss)))
      if step >= FLAGS.train_steps:
        break
    time_end = time.time()
    print("Training ends @ %f" % time_end)
    print("Training elapsed time: %f s" % (time_end - time_begin))

    # Validation feed
    xs = np.random.RandomState(100).randn(50, 6)
    val_feed = {x: xs, y_: np.eye(3)[np.argmax(xs[:, :3], 1)]}
    val_xent = sess.run(cross_entropy, feed_dict=val_feed)
    log.write("0 %r\n" % float(val_xent))
    log.close()
    print("After %d training step(s), validation cross entropy = %g" %
          (FLAGS.train_steps, val_xent))


if __name__ == "__main__":
  tf.app.run()
