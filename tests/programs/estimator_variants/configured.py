"""Arguments of RunConfig, TrainSpec and EvalSpec, and what is wrong with them."""

import os
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, config, params):
  assert config.model_dir
  y = tf.layers.dense(
    features, params["units"], kernel_initializer=tf.zeros_initializer()
  )
  loss = tf.reduce_mean(tf.square(y))
  opt = params["opt"]()
  return tf.estimator.EstimatorSpec(
    mode,
    loss=loss,
    predictions=y,
    train_op=opt.minimize(loss, tf.train.get_global_step())
    if mode == "train"
    else None,
  )


def input_fn(mode, params, config):
  assert config is not None
  return tf.data.Dataset.from_tensors(
    (np.ones([params["n"], 2], np.float32), np.ones([params["n"]], np.float32))
  ).repeat(3)


def run(directory):
  r = {}
  c = tf.estimator.RunConfig(
    model_dir=directory + "/a",
    tf_random_seed=5,
    save_summary_steps=3,
    save_checkpoints_secs=100,
    session_config=None,
    keep_checkpoint_max=7,
    keep_checkpoint_every_n_hours=3,
    log_step_count_steps=11,
    train_distribute=None,
    device_fn=None,
    protocol=None,
    eval_distribute=None,
    experimental_distribute=None,
  )
  for name in (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_secs",
    "save_checkpoints_steps",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "is_chief",
    "task_type",
    "task_id",
    "num_ps_replicas",
    "num_worker_replicas",
    "global_id_in_cluster",
    "master",
    "evaluation_master",
    "service",
    "protocol",
  ):
    value = getattr(c, name)
    r["c/" + name] = (
      str(value) if "model_dir" not in name else os.path.basename(value)
    )
  d = c.replace(save_checkpoints_steps=4, keep_checkpoint_max=None)
  r["d"] = [
    str(d.save_checkpoints_secs),
    str(d.save_checkpoints_steps),
    str(d.keep_checkpoint_max),
  ]
  for bad in (
    dict(save_checkpoints_steps=1, save_checkpoints_secs=1),
    dict(keep_checkpoint_max=-1),
    dict(save_summary_steps=-1),
    dict(log_step_count_steps=0),
    dict(tf_random_seed=0.5),
    dict(keep_checkpoint_every_n_hours=0),
    dict(save_checkpoints_steps=-1),
    dict(model_dir=""),
    dict(device_fn=lambda: 1),
  ):
    try:
      tf.estimator.RunConfig(**bad)
      r["bad/%s" % sorted(bad)] = "taken"
    except ValueError:
      r["bad/%s" % sorted(bad)] = "ValueError"
    except TypeError:
      r["bad/%s" % sorted(bad)] = "TypeError"
  est = tf.estimator.Estimator(
    model_fn,
    params={
      "units": 2,
      "n": 4,
      "opt": lambda: tf.train.GradientDescentOptimizer(0.1),
    },
    config=c,
  )
  est.params["units"] = 9
  r["params"] = est.params["units"]
  for i, kw in enumerate(
    [dict(steps=2), dict(max_steps=2), dict(max_steps=4), dict(steps=9)]
  ):
    est.train(input_fn, **kw)
    r["s%d" % i] = est.get_variable_value("global_step")
  for kw in (dict(steps=0), dict(max_steps=-1), dict(steps=1, max_steps=2)):
    try:
      est.train(input_fn, **kw)
    except ValueError:
      r["train %s" % sorted(kw)] = 1
  r["latest"] = os.path.basename(est.latest_checkpoint())
  r["e"] = sorted(est.evaluate(input_fn, steps=2, name="z"))
  r["e0"] = est.evaluate(input_fn, checkpoint_path=est.latest_checkpoint())[
    "global_step"
  ]
  fresh = tf.estimator.Estimator(
    model_fn, directory + "/b", params=est.params, config=None
  )
  r["fresh"] = sorted(fresh.evaluate(input_fn).items())[0][1]
  r["fresh_p"] = len(list(fresh.predict(input_fn)))
  for kw in (
    dict(input_fn=input_fn, max_steps=0),
    dict(input_fn=input_fn, hooks=[1]),
    dict(input_fn=3),
  ):
    try:
      tf.estimator.TrainSpec(**kw)
      r["TrainSpec %s" % sorted(kw)] = "taken"
    except (ValueError, TypeError) as e:
      r["TrainSpec %s" % sorted(kw)] = type(e).__name__
  for kw in (
    dict(steps=0),
    dict(throttle_secs=-1),
    dict(start_delay_secs=-1),
    dict(name=3),
    dict(exporters=[1]),
    dict(steps=-1),
    dict(hooks=[2]),
  ):
    try:
      tf.estimator.EvalSpec(input_fn, **kw)
      r["EvalSpec %s" % sorted(kw)] = "taken"
    except (ValueError, TypeError) as e:
      r["EvalSpec %s" % sorted(kw)] = type(e).__name__
  s = tf.estimator.EvalSpec(input_fn)
  r["EvalSpec"] = [
    s.steps,
    s.start_delay_secs,
    s.throttle_secs,
    len(s.exporters),
    len(s.hooks),
  ]
  return r
