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
import training_session

flags = tf.compat.v1.app.flags
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


def predict(name, initial_w, initial_table):
  """A linear model of dense features and of two ids per example."""
  with tf.name_scope(name):
    w = tf.Variable(initial_w, name="w")
    table = tf.Variable(initial_table, name="table")

  def apply(features, ids):
    with tf.name_scope(name):
      vectors = tf.nn.embedding_lookup(table, ids)
      return tf.matmul(features, w) + tf.reduce_sum(vectors, axis=1)

  return apply


def squared_error(predicted, wanted):
  return tf.reduce_mean(tf.reduce_sum(tf.square(predicted - wanted), axis=1))


def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                  "worker": FLAGS.worker_hosts.split(",")})
  server = tf.distribute.Server(
      cluster,
      job_name=FLAGS.job_name,
      task_index=FLAGS.task_index,
      config=training_session.server_config())
  if FLAGS.job_name == "ps":
    server.join()

  # Worker 0 is also the coordinator; the other workers serve it.
  if FLAGS.task_index != 0:
    training_session.serve(server)
  strategy = tf.distribute.ParameterServerStrategy(
      tf.distribute.cluster_resolver.SimpleClusterResolver(
          training_session.with_coordinator(cluster), rpc_layer="grpc"))
  replicas = training_session.AsynchronousReplicas(strategy, cluster)

  np_dtype = np.dtype(FLAGS.dtype)
  w0, table0 = [v.astype(np_dtype) for v in initial_values(FLAGS.seed)]

  with strategy.scope(), replicas.recording():
    global_step = training_session.create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)

    # Schedules. The proximal optimizers take numbers of the variables' own dtype only,
    # hence the constants. The noise of the last one has no op seed, so it is given none.
    exponential = tf.compat.v1.train.exponential_decay(
        0.1, global_step, 10, 0.9, staircase=True)
    smooth = tf.compat.v1.train.exponential_decay(0.1, global_step, 10, 0.9)
    natural_exp = tf.compat.v1.train.natural_exp_decay(0.1, global_step, 10, 0.2)
    inverse_time = tf.compat.v1.train.inverse_time_decay(
        tf.constant(0.1, dtype), global_step, 10, 0.5)
    polynomial = tf.compat.v1.train.polynomial_decay(0.2, global_step, 80, 0.01, power=2.0)
    cyclic = tf.compat.v1.train.polynomial_decay(0.1, global_step, 30, 0.01, cycle=True)
    piecewise = tf.compat.v1.train.piecewise_constant(global_step, [20, 70], [0.05, 0.02, 0.01])
    cosine = tf.compat.v1.train.cosine_decay(0.1, global_step, 90, alpha=0.1)
    restarts = tf.compat.v1.train.cosine_decay_restarts(
        0.1, global_step, 20, t_mul=1.5, m_mul=0.8, alpha=0.01)
    linear_cosine = tf.compat.v1.train.linear_cosine_decay(0.1, global_step, 90)
    noisy = tf.compat.v1.train.noisy_linear_cosine_decay(
        0.1, global_step, 90, initial_variance=0.0)
    sgd_loss_of = predict(name="sgd", initial_w=w0, initial_table=table0)
    sgd = tf.compat.v1.train.GradientDescentOptimizer(smooth)
    momentum_loss_of = predict(name="momentum", initial_w=w0, initial_table=table0)
    momentum = tf.compat.v1.train.MomentumOptimizer(exponential, 0.9)
    nesterov_loss_of = predict(name="nesterov", initial_w=w0, initial_table=table0)
    nesterov = tf.compat.v1.train.MomentumOptimizer(piecewise, 0.9, use_nesterov=True)
    adagrad_loss_of = predict(name="adagrad", initial_w=w0, initial_table=table0)
    adagrad = tf.compat.v1.train.AdagradOptimizer(0.2, initial_accumulator_value=0.2)
    adadelta_loss_of = predict(name="adadelta", initial_w=w0, initial_table=table0)
    adadelta = tf.compat.v1.train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-6)
    adam_loss_of = predict(name="adam", initial_w=w0, initial_table=table0)
    adam = tf.compat.v1.train.AdamOptimizer(cosine, beta2=0.99)
    rmsprop_loss_of = predict(name="rmsprop", initial_w=w0, initial_table=table0)
    rmsprop = tf.compat.v1.train.RMSPropOptimizer(0.02)
    heavy_loss_of = predict(name="heavy", initial_w=w0, initial_table=table0)
    heavy = tf.compat.v1.train.RMSPropOptimizer(0.01, decay=0.8, momentum=0.9, epsilon=1e-6)
    centered_loss_of = predict(name="centered", initial_w=w0, initial_table=table0)
    centered = tf.compat.v1.train.RMSPropOptimizer(0.01, momentum=0.5, centered=True)
    ftrl_loss_of = predict(name="ftrl", initial_w=w0, initial_table=table0)
    ftrl = tf.compat.v1.train.FtrlOptimizer(
        training_session.Rate(cyclic),
        l1_regularization_strength=0.01,
        l2_regularization_strength=0.02)
    shrinking_loss_of = predict(name="shrinking", initial_w=w0, initial_table=table0)
    shrinking = tf.compat.v1.train.FtrlOptimizer(
        0.2,
        learning_rate_power=-0.6,
        initial_accumulator_value=0.3,
        l2_shrinkage_regularization_strength=0.01)
    proximal_loss_of = predict(name="proximal", initial_w=w0, initial_table=table0)
    proximal = tf.compat.v1.train.ProximalGradientDescentOptimizer(
        training_session.Rate(inverse_time),
        l1_regularization_strength=tf.constant(0.01, dtype),
        l2_regularization_strength=tf.constant(0.02, dtype))
    proximal_adagrad_loss_of = predict(name="proximal_adagrad", initial_w=w0, initial_table=table0)
    proximal_adagrad = tf.compat.v1.train.ProximalAdagradOptimizer(
        tf.constant(0.2, dtype),
        l1_regularization_strength=tf.constant(0.01, dtype),
        l2_regularization_strength=tf.constant(0.02, dtype))
    adagrad_da_loss_of = predict(name="adagrad_da", initial_w=w0, initial_table=table0)
    adagrad_da = tf.compat.v1.train.AdagradDAOptimizer(
        0.2,
        global_step,
        l1_regularization_strength=0.001,
        l2_regularization_strength=0.01)

    @replicas.step_function()
    def compute_global_step():
      return [global_step, {"exponential": exponential(), "smooth": smooth(), "natural_exp": natural_exp(), "inverse_time": inverse_time(), "polynomial": polynomial(), "cyclic": cyclic(), "piecewise": piecewise(), "cosine": cosine(), "restarts": restarts(), "linear_cosine": linear_cosine(), "noisy": noisy()}]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step(x, ids, y):
      with tf.GradientTape() as tape:
        # Optimizers.
        sgd_loss = squared_error(sgd_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(sgd_loss, variables)
      sgd.apply_gradients(zip(gradients, variables))
      return [None, sgd_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_momentum_loss(x, ids, y):
      with tf.GradientTape() as tape:
        momentum_loss = squared_error(momentum_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(momentum_loss, variables)
      momentum.apply_gradients(zip(gradients, variables))
      return [None, momentum_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_nesterov_loss(x, ids, y):
      with tf.GradientTape() as tape:
        nesterov_loss = squared_error(nesterov_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(nesterov_loss, variables)
      nesterov.apply_gradients(zip(gradients, variables))
      return [None, nesterov_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_adagrad_loss(x, ids, y):
      with tf.GradientTape() as tape:
        adagrad_loss = squared_error(adagrad_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(adagrad_loss, variables)
      adagrad.apply_gradients(zip(gradients, variables))
      return [None, adagrad_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_adadelta_loss(x, ids, y):
      with tf.GradientTape() as tape:
        adadelta_loss = squared_error(adadelta_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(adadelta_loss, variables)
      adadelta.apply_gradients(zip(gradients, variables))
      return [None, adadelta_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_adam_loss(x, ids, y):
      with tf.GradientTape() as tape:
        adam_loss = squared_error(adam_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(adam_loss, variables)
      adam.apply_gradients(zip(gradients, variables))
      return [None, adam_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_rmsprop_loss(x, ids, y):
      with tf.GradientTape() as tape:
        rmsprop_loss = squared_error(rmsprop_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(rmsprop_loss, variables)
      rmsprop.apply_gradients(zip(gradients, variables))
      return [None, rmsprop_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_heavy_loss(x, ids, y):
      with tf.GradientTape() as tape:
        heavy_loss = squared_error(heavy_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(heavy_loss, variables)
      heavy.apply_gradients(zip(gradients, variables))
      return [None, heavy_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_centered_loss(x, ids, y):
      with tf.GradientTape() as tape:
        centered_loss = squared_error(centered_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(centered_loss, variables)
      centered.apply_gradients(zip(gradients, variables))
      return [None, centered_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_ftrl_loss(x, ids, y):
      with tf.GradientTape() as tape:
        ftrl_loss = squared_error(ftrl_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(ftrl_loss, variables)
      ftrl.apply_gradients(zip(gradients, variables))
      return [None, ftrl_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_shrinking_loss(x, ids, y):
      with tf.GradientTape() as tape:
        shrinking_loss = squared_error(shrinking_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(shrinking_loss, variables)
      shrinking.apply_gradients(zip(gradients, variables))
      return [None, shrinking_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_proximal_loss(x, ids, y):
      with tf.GradientTape() as tape:
        proximal_loss = squared_error(proximal_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(proximal_loss, variables)
      proximal.apply_gradients(zip(gradients, variables))
      return [None, proximal_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_proximal_adagrad_loss(x, ids, y):
      with tf.GradientTape() as tape:
        proximal_adagrad_loss = squared_error(
            proximal_adagrad_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(proximal_adagrad_loss, variables)
      proximal_adagrad.apply_gradients(zip(gradients, variables))
      return [None, proximal_adagrad_loss]

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 2], tf.int32),
        tf.TensorSpec([None, OUTPUTS], dtype))
    def train_step_with_adagrad_da_loss(x, ids, y):
      with tf.GradientTape() as tape:
        # The last one counts the step.
        adagrad_da_loss = squared_error(adagrad_da_loss_of(x, ids), y)
      variables = replicas.trainable_variables
      gradients = tape.gradient(adagrad_da_loss, variables)
      adagrad_da.apply_gradients(zip(gradients, variables), global_step=global_step)
      return [None, adagrad_da_loss]

  def run_worker(task_index):
    checkpoint_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
    rng = np.random.RandomState(FLAGS.seed + 1)
    steps, rates, losses = [], [], []
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=(task_index == 0),
        checkpoint_dir=checkpoint_dir,
        save_checkpoint_steps=100000,
        save_summaries_steps=None,
        log_step_count_steps=None,
        hooks=[training_session.StopAtStepHook(last_step=FLAGS.train_steps)]) as sess:
      while not sess.should_stop():
        features = 0.5 * rng.randn(BATCH, FEATURES)
        words = rng.randint(VOCABULARY, size=(BATCH, 2))
        wanted = 0.5 * rng.randn(BATCH, OUTPUTS)
        step, rate = sess.run(compute_global_step)
        steps.append(step)
        rates.append(rate)
        losses.append({
            "sgd": sess.run(train_step, features, words, wanted)[1],
            "momentum": sess.run(train_step_with_momentum_loss, features, words, wanted)[1],
            "nesterov": sess.run(train_step_with_nesterov_loss, features, words, wanted)[1],
            "adagrad": sess.run(train_step_with_adagrad_loss, features, words, wanted)[1],
            "adadelta": sess.run(train_step_with_adadelta_loss, features, words, wanted)[1],
            "adam": sess.run(train_step_with_adam_loss, features, words, wanted)[1],
            "rmsprop": sess.run(train_step_with_rmsprop_loss, features, words, wanted)[1],
            "heavy": sess.run(train_step_with_heavy_loss, features, words, wanted)[1],
            "centered": sess.run(train_step_with_centered_loss, features, words, wanted)[1],
            "ftrl": sess.run(train_step_with_ftrl_loss, features, words, wanted)[1],
            "shrinking": sess.run(train_step_with_shrinking_loss, features, words, wanted)[1],
            "proximal": sess.run(train_step_with_proximal_loss, features, words, wanted)[1],
            "proximal_adagrad": sess.run(train_step_with_proximal_adagrad_loss, features, words, wanted)[1],
            "adagrad_da": sess.run(train_step_with_adagrad_da_loss, features, words, wanted)[1]})

    print("final losses: %s" % losses[-1])
    if FLAGS.trace:
      trace = {"rate/" + name: [r[name] for r in rates] for name in rates[0]}
      trace.update({"loss/" + name: [l[name] for l in losses] for name in losses[0]})
      # Weights and slots at the end, as the checkpoint has them.
      reader = tf.train.load_checkpoint(checkpoint_dir)
      trace.update({"final/" + name: [reader.get_tensor(name)]
                    for name in reader.get_variable_to_shape_map()})
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index), global_step=steps, **trace)

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
