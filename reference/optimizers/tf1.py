"""Every optimizer of tf.train, side by side, on copies of one small model.

Each optimizer trains weights of its own, dense and sparse (an embedding whose ids
repeat within a batch); several follow a learning-rate schedule, and the values of all
schedules are kept.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("job_name", "worker", "job name: worker or ps")
flags.DEFINE_integer("task_index", 0, "Index of this task in its job")
flags.DEFINE_string("ps_hosts", "localhost:2222", "host:port of the parameter servers")
flags.DEFINE_string("worker_hosts", "localhost:2223", "host:port of the workers")
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 120, "Number of training steps")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")

FLAGS = flags.FLAGS

FEATURES, VOCABULARY, OUTPUTS, BATCH = 6, 30, 3, 16


def initial_values(seed):
  rng = np.random.RandomState(seed)
  return (0.3 * rng.randn(FEATURES, OUTPUTS), 0.3 * rng.randn(VOCABULARY, OUTPUTS))


def predict(name, features, ids, initial_w, initial_table):
  """A linear model of dense features and of two ids per example."""
  with tf.variable_scope(name):
    w = tf.get_variable("w", initializer=initial_w)
    table = tf.get_variable("table", initializer=initial_table)
    vectors = tf.nn.embedding_lookup(table, ids)
    return tf.matmul(features, w) + tf.reduce_sum(vectors, axis=1)


def squared_error(predicted, wanted):
  return tf.reduce_mean(tf.reduce_sum(tf.square(predicted - wanted), axis=1))


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  np_dtype = np.dtype(FLAGS.dtype)
  w0, table0 = [v.astype(np_dtype) for v in initial_values(FLAGS.seed)]

  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    global_step = tf.train.get_or_create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)
    x = tf.placeholder(dtype, [None, FEATURES])
    ids = tf.placeholder(tf.int32, [None, 2])
    y = tf.placeholder(dtype, [None, OUTPUTS])

    # Schedules. The proximal optimizers take numbers of the variables' own dtype only,
    # hence the constants. The noise of the last one has no op seed, so it is given none.
    exponential = tf.train.exponential_decay(
        0.1, global_step, 10, 0.9, staircase=True)
    smooth = tf.train.exponential_decay(0.1, global_step, 10, 0.9)
    natural_exp = tf.train.natural_exp_decay(0.1, global_step, 10, 0.2)
    inverse_time = tf.train.inverse_time_decay(
        tf.constant(0.1, dtype), global_step, 10, 0.5)
    polynomial = tf.train.polynomial_decay(0.2, global_step, 80, 0.01, power=2.0)
    cyclic = tf.train.polynomial_decay(0.1, global_step, 30, 0.01, cycle=True)
    piecewise = tf.train.piecewise_constant(global_step, [20, 70], [0.05, 0.02, 0.01])
    cosine = tf.train.cosine_decay(0.1, global_step, 90, alpha=0.1)
    restarts = tf.train.cosine_decay_restarts(
        0.1, global_step, 20, t_mul=1.5, m_mul=0.8, alpha=0.01)
    linear_cosine = tf.train.linear_cosine_decay(0.1, global_step, 90)
    noisy = tf.train.noisy_linear_cosine_decay(
        0.1, global_step, 90, initial_variance=0.0)

    # Optimizers.
    sgd_loss = squared_error(predict("sgd", x, ids, w0, table0), y)
    sgd = tf.train.GradientDescentOptimizer(smooth)
    sgd_op = sgd.minimize(sgd_loss)

    momentum_loss = squared_error(predict("momentum", x, ids, w0, table0), y)
    momentum = tf.train.MomentumOptimizer(exponential, 0.9)
    momentum_op = momentum.minimize(momentum_loss)

    nesterov_loss = squared_error(predict("nesterov", x, ids, w0, table0), y)
    nesterov = tf.train.MomentumOptimizer(piecewise, 0.9, use_nesterov=True)
    nesterov_op = nesterov.minimize(nesterov_loss)

    adagrad_loss = squared_error(predict("adagrad", x, ids, w0, table0), y)
    adagrad = tf.train.AdagradOptimizer(0.2, initial_accumulator_value=0.2)
    adagrad_op = adagrad.minimize(adagrad_loss)

    adadelta_loss = squared_error(predict("adadelta", x, ids, w0, table0), y)
    adadelta = tf.train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-6)
    adadelta_op = adadelta.minimize(adadelta_loss)

    adam_loss = squared_error(predict("adam", x, ids, w0, table0), y)
    adam = tf.train.AdamOptimizer(cosine, beta2=0.99)
    adam_op = adam.minimize(adam_loss)

    rmsprop_loss = squared_error(predict("rmsprop", x, ids, w0, table0), y)
    rmsprop = tf.train.RMSPropOptimizer(0.02)
    rmsprop_op = rmsprop.minimize(rmsprop_loss)

    heavy_loss = squared_error(predict("heavy", x, ids, w0, table0), y)
    heavy = tf.train.RMSPropOptimizer(0.01, decay=0.8, momentum=0.9, epsilon=1e-6)
    heavy_op = heavy.minimize(heavy_loss)

    centered_loss = squared_error(predict("centered", x, ids, w0, table0), y)
    centered = tf.train.RMSPropOptimizer(0.01, momentum=0.5, centered=True)
    centered_op = centered.minimize(centered_loss)

    ftrl_loss = squared_error(predict("ftrl", x, ids, w0, table0), y)
    ftrl = tf.train.FtrlOptimizer(
        cyclic,
        l1_regularization_strength=0.01,
        l2_regularization_strength=0.02)
    ftrl_op = ftrl.minimize(ftrl_loss)

    shrinking_loss = squared_error(predict("shrinking", x, ids, w0, table0), y)
    shrinking = tf.train.FtrlOptimizer(
        0.2,
        learning_rate_power=-0.6,
        initial_accumulator_value=0.3,
        l2_shrinkage_regularization_strength=0.01)
    shrinking_op = shrinking.minimize(shrinking_loss)

    proximal_loss = squared_error(predict("proximal", x, ids, w0, table0), y)
    proximal = tf.train.ProximalGradientDescentOptimizer(
        inverse_time,
        l1_regularization_strength=tf.constant(0.01, dtype),
        l2_regularization_strength=tf.constant(0.02, dtype))
    proximal_op = proximal.minimize(proximal_loss)

    proximal_adagrad_loss = squared_error(
        predict("proximal_adagrad", x, ids, w0, table0), y)
    proximal_adagrad = tf.train.ProximalAdagradOptimizer(
        tf.constant(0.2, dtype),
        l1_regularization_strength=tf.constant(0.01, dtype),
        l2_regularization_strength=tf.constant(0.02, dtype))
    proximal_adagrad_op = proximal_adagrad.minimize(proximal_adagrad_loss)

    # The last one counts the step.
    adagrad_da_loss = squared_error(predict("adagrad_da", x, ids, w0, table0), y)
    adagrad_da = tf.train.AdagradDAOptimizer(
        0.2,
        global_step,
        l1_regularization_strength=0.001,
        l2_regularization_strength=0.01)
    adagrad_da_op = adagrad_da.minimize(adagrad_da_loss, global_step=global_step)

  checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
  rng = np.random.RandomState(FLAGS.seed + 1)
  steps, rates, losses = [], [], []
  with tf.train.MonitoredTrainingSession(
      master=server.target,
      is_chief=(FLAGS.task_index == 0),
      checkpoint_dir=checkpoint_dir,
      save_checkpoint_steps=100000,
      save_summaries_steps=None,
      log_step_count_steps=None,
      hooks=[tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]) as sess:
    while not sess.should_stop():
      features = 0.5 * rng.randn(BATCH, FEATURES)
      words = rng.randint(VOCABULARY, size=(BATCH, 2))
      wanted = 0.5 * rng.randn(BATCH, OUTPUTS)
      feed = {x: features, ids: words, y: wanted}
      step, rate = sess.run([global_step, {
          "exponential": exponential,
          "smooth": smooth,
          "natural_exp": natural_exp,
          "inverse_time": inverse_time,
          "polynomial": polynomial,
          "cyclic": cyclic,
          "piecewise": piecewise,
          "cosine": cosine,
          "restarts": restarts,
          "linear_cosine": linear_cosine,
          "noisy": noisy}])
      steps.append(step)
      rates.append(rate)
      losses.append({
          "sgd": sess.run([sgd_op, sgd_loss], feed)[1],
          "momentum": sess.run([momentum_op, momentum_loss], feed)[1],
          "nesterov": sess.run([nesterov_op, nesterov_loss], feed)[1],
          "adagrad": sess.run([adagrad_op, adagrad_loss], feed)[1],
          "adadelta": sess.run([adadelta_op, adadelta_loss], feed)[1],
          "adam": sess.run([adam_op, adam_loss], feed)[1],
          "rmsprop": sess.run([rmsprop_op, rmsprop_loss], feed)[1],
          "heavy": sess.run([heavy_op, heavy_loss], feed)[1],
          "centered": sess.run([centered_op, centered_loss], feed)[1],
          "ftrl": sess.run([ftrl_op, ftrl_loss], feed)[1],
          "shrinking": sess.run([shrinking_op, shrinking_loss], feed)[1],
          "proximal": sess.run([proximal_op, proximal_loss], feed)[1],
          "proximal_adagrad": sess.run(
              [proximal_adagrad_op, proximal_adagrad_loss], feed)[1],
          "adagrad_da": sess.run([adagrad_da_op, adagrad_da_loss], feed)[1]})

  print("final losses: %s" % losses[-1])
  if FLAGS.trace:
    trace = {"rate/" + name: [r[name] for r in rates] for name in rates[0]}
    trace.update({"loss/" + name: [l[name] for l in losses] for name in losses[0]})
    # Weights and slots at the end, as the checkpoint has them.
    reader = tf.train.load_checkpoint(checkpoint_dir)
    trace.update({"final/" + name: [reader.get_tensor(name)]
                  for name in reader.get_variable_to_shape_map()})
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), global_step=steps, **trace)


if __name__ == "__main__":
  tf.app.run()
