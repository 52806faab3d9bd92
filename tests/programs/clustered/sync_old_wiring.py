"""Synchronous under a flag, the older queue-runner wiring kept beside the hook; two workers."""
import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "localhost:2222", "")
flags.DEFINE_string("worker_hosts", "localhost:2223", "")
flags.DEFINE_string("job_name", None, "")
flags.DEFINE_integer("task_index", None, "")
flags.DEFINE_string("dir", None, "")
flags.DEFINE_bool("sync_replicas", True, "")
flags.DEFINE_integer("replicas_to_aggregate", None, "")
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
  worker_device = "/job:worker/task:%d" % FLAGS.task_index
  with tf.device(
      tf.train.replica_device_setter(
          worker_device=worker_device, ps_device="/job:ps/cpu:0", cluster=cluster)):
    global_step = tf.Variable(0, name="global_step", trainable=False)
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.float32, [None, 1])
    with tf.variable_scope("layer"):
      w = tf.get_variable("w", shape=[4, 1], initializer=tf.constant_initializer(0.2))
    loss = tf.reduce_sum(tf.square(tf.matmul(x, w) - y), reduction_indices=[0, 1]) / 16.0
    opt = tf.train.MomentumOptimizer(0.02, 0.5)
    if FLAGS.sync_replicas:
      if FLAGS.replicas_to_aggregate is None:
        replicas_to_aggregate = num_workers
      else:
        replicas_to_aggregate = FLAGS.replicas_to_aggregate
      opt = tf.train.SyncReplicasOptimizer(
          opt,
          replicas_to_aggregate=replicas_to_aggregate,
          total_num_replicas=num_workers,
          name="sync")
    train_step = opt.minimize(loss, global_step=global_step)
    if FLAGS.sync_replicas:
      local_init_op = opt.local_step_init_op
      if is_chief:
        local_init_op = opt.chief_init_op
      ready_for_local_init_op = opt.ready_for_local_init_op
      # Initial token and chief queue runners required by the sync_replicas mode
      chief_queue_runner = opt.get_chief_queue_runner()
      sync_init_op = opt.get_init_tokens_op(num_tokens=0)
    init_op = tf.global_variables_initializer()

  hooks = [tf.train.StopAtStepHook(last_step=15),
           tf.train.LoggingTensorHook([loss], every_n_secs=1)]
  if FLAGS.sync_replicas:
    hooks += [opt.make_session_run_hook(is_chief, num_tokens=0)]
  sess_config = tf.ConfigProto(
      allow_soft_placement=True,
      log_device_placement=False,
      device_filters=["/job:ps", worker_device])
  rng = np.random.RandomState(FLAGS.task_index)
  with tf.train.MonitoredTrainingSession(
      master=server.target, is_chief=is_chief, hooks=hooks, config=sess_config,
      checkpoint_dir=FLAGS.dir + "/t", stop_grace_period_secs=1) as sess:
    time_begin = time.time()
    local_step = 0
    log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
    while True:
      bx = rng.rand(16, 4)
      _, step, value = sess.run([train_step, global_step, loss],
                                feed_dict={x: bx, y: bx.sum(1)[:, None]})
      local_step += 1
      log.write("%d %r\n" % (local_step, float(value)))
      log.flush()
      if sess.should_stop():
        break
    print("Training elapsed time: %f s" % (time.time() - time_begin))


if __name__ == "__main__":
  tf.app.run()
