"""TF1's hooks and hooks of its own, in training, evaluation and prediction; what they write."""

import glob, os
import numpy as np
import tensorflow as tf

log = []


class Early(tf.train.SessionRunHook):
  def __init__(self, name, limit):
    self._name, self._limit = name, limit

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._name)

  def after_run(self, run_context, run_values):
    if run_values.results < self._limit:
      tf.logging.info("enough")
      run_context.request_stop()


class Metrics(tf.train.SessionRunHook):
  """Looks at evaluation."""

  def __init__(self):
    self.count = 0
    self.sum = 0.0

  def begin(self):
    self.t = tf.get_default_graph().get_tensor_by_name("err:0")
    self.step = tf.train.get_global_step()

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(fetches=[self.t, self.step])

  def after_run(self, run_context, run_values):
    value, step = run_values.results
    self.count += 1
    self.sum += value

  def end(self, session):
    log.append([self.count, self.sum])


class Variables(tf.train.SessionRunHook):
  """Asks for variables by their names, which TF1's graph had as operations."""

  def begin(self):
    self._w = tf.get_default_graph().get_tensor_by_name("w:0")

  def before_run(self, run_context):
    graph = tf.get_default_graph()
    err = graph.get_tensor_by_name("err:0")
    now = run_context.session.graph.get_tensor_by_name("the_loss:0")
    assert graph.as_graph_element("w:0") is self._w
    assert graph.get_operation_by_name("err") is err.op
    return tf.train.SessionRunArgs(["global_step:0", "w:0", err, self._w, now])

  def after_run(self, run_context, run_values):
    step, w, err, same, loss = run_values.results
    log.append(
      [float(step), float(w.sum()), float(err), float(same.sum()), float(loss)]
    )


def formatter(values):
  return "loss is %.4f" % values["the_loss"]


def named(values):
  log.append([float(values["step"]), float(values["w"].sum())])
  return "step %d" % values["step"]


def model_fn(features, labels, mode, params):
  w = tf.get_variable("w", shape=[2, 1], initializer=tf.constant_initializer(0.1))
  y = tf.matmul(features, w)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
      mode=mode,
      predictions={"y": y},
      prediction_hooks=[tf.train.LoggingTensorHook({"y": y}, at_end=True)],
    )
  err = tf.reduce_mean(tf.abs(labels - y), name="err")
  loss = tf.reduce_mean(tf.square(labels - y), name="the_loss")
  tf.summary.scalar("err", err)
  tf.summary.histogram("y", y)
  if mode == tf.estimator.ModeKeys.EVAL:
    s = tf.train.SummarySaverHook(
      save_steps=1,
      output_dir=params["dir"] + "/evalsum",
      summary_op=tf.summary.scalar("e", err),
    )
    return tf.estimator.EstimatorSpec(
      mode=mode, loss=loss, evaluation_hooks=[Metrics(), s]
    )
  train_op = tf.train.FtrlOptimizer(0.5).minimize(
    loss, global_step=tf.train.get_global_step()
  )
  hooks = [
    tf.train.LoggingTensorHook(["the_loss"], every_n_iter=2, formatter=formatter),
    tf.train.LoggingTensorHook({"step": "global_step", "w": "w:0"}, 4, formatter=named),
    tf.train.NanTensorHook(loss, fail_on_nan_loss=False),
    tf.train.StepCounterHook(every_n_steps=3, output_dir=params["dir"] + "/steps"),
    tf.train.SummarySaverHook(
      save_steps=4,
      output_dir=params["dir"] + "/sum",
      summary_op=tf.summary.merge_all(),
    ),
  ]
  return tf.estimator.EstimatorSpec(
    mode=mode, loss=loss, train_op=train_op, training_hooks=hooks
  )


def input_fn():
  rng = np.random.RandomState(0)
  x = rng.randn(40, 2).astype(np.float32)
  return (
    tf.data.Dataset.from_tensor_slices((x, x[:, :1] - x[:, 1:])).repeat().batch(8)
  )


def events(d):
  found = []
  for path in sorted(glob.glob(d + "/events*")):
    for event in tf.train.summary_iterator(path):
      for v in event.summary.value:
        if "sec" not in v.tag:
          found.append("%d %s" % (event.step, v.tag))
  return sorted(found)


def run(directory):
  est = tf.estimator.Estimator(
    model_fn,
    directory + "/m",
    params={"dir": directory},
    config=tf.estimator.RunConfig(
      save_summary_steps=5, log_step_count_steps=None, save_checkpoints_steps=10
    ),
  )
  est.train(
    input_fn,
    hooks=[
      tf.train.StopAtStepHook(num_steps=13),
      tf.train.ProfilerHook(save_steps=50, output_dir=directory + "/prof"),
    ],
  )
  r = {"a": est.get_variable_value("global_step")}
  est.train(input_fn, hooks=[tf.train.StopAtStepHook(last_step=15), Variables()])
  r["b"] = est.get_variable_value("global_step")
  est.train(input_fn, steps=100, hooks=[Early("the_loss:0", 0.05)])
  r["c"] = est.get_variable_value("global_step")
  e = est.evaluate(input_fn, steps=5, hooks=[Metrics()])
  r["loss"] = e["loss"]
  r["log"] = [x for line in log for x in line]
  list(zip(est.predict(input_fn), range(3)))
  for d in ("sum", "evalsum", "m", "m/eval"):
    r["ev/" + d] = events(directory + "/" + d)
  r["m"] = sorted(os.path.basename(p) for p in glob.glob(directory + "/m/*.index"))
  for n in est.get_variable_names():
    r["v/" + n] = est.get_variable_value(n)
  return r
