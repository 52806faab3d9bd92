"""A Supervisor that starts the queue runners; lines of text read by a helper, in epochs."""
import os

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "hosts of the parameter servers")
flags.DEFINE_string("worker_hosts", "", "hosts of the workers")
flags.DEFINE_string("job_name", "", "'ps' or 'worker'")
flags.DEFINE_integer("task_index", 0, "index of the task")
flags.DEFINE_string("dir", "/tmp/train", "where to read and to write")
flags.DEFINE_integer("batch_size", 6, "")
FLAGS = flags.FLAGS


def write_lines(path):
  with open(path, "w") as f:
    for i in range(40):
      x = (i * 7 % 40) / 40.0
      f.write("%g\t%g\t%g\n" % (x, 1 - x * x, 3 * x - 1))


def read_line(file_queue):
  reader = tf.TextLineReader()
  _, line = reader.read(file_queue)
  a, b, y = tf.decode_csv(line, [[0.0], [0.0], [0.0]], field_delim="\t")
  return tf.stack([a, b]), tf.expand_dims(y, 0)


def main(_):
  ps_hosts = FLAGS.ps_hosts.split(",")
  worker_hosts = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  else:
    path = os.path.join(FLAGS.dir, "lines.tsv")
    write_lines(path)
    with tf.device(tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
      global_step = tf.Variable(0, name="global_step", trainable=False)
      file_queue = tf.train.string_input_producer([path], shuffle=False)
      x, y = read_line(file_queue)
      x_batch, y_batch = tf.train.batch([x, y], FLAGS.batch_size, capacity=100, num_threads=1)
      with tf.name_scope("model"):
        w = tf.Variable(tf.zeros([2, 1]), name="w")
        b = tf.Variable(tf.zeros([1]), name="b")
        prediction = tf.matmul(x_batch, w) + b
        loss = tf.reduce_mean(tf.square(prediction - y_batch))
      train_op = tf.train.GradientDescentOptimizer(0.2).minimize(loss, global_step=global_step)
      init_op = tf.global_variables_initializer()

    sv = tf.train.Supervisor(is_chief=(FLAGS.task_index == 0),
                             logdir=os.path.join(FLAGS.dir, "logs"),
                             init_op=init_op, summary_op=None,
                             global_step=global_step, save_model_secs=0)
    with sv.managed_session(server.target) as sess:
      # Supervisors start the queue runners of the graph; starting them again does nothing.
      threads = sv.start_queue_runners(sess)
      with open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w") as log:
        step = 0
        while not sv.should_stop() and step < 25:
          _, value, step = sess.run([train_op, loss, global_step])
          log.write("%d %r\n" % (step, float(value)))
    sv.stop()


if __name__ == "__main__":
  tf.app.run()
