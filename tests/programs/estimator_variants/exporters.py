"""All exporters and one of its own in train_and_evaluate: what is exported, saved and summarized when."""

import glob, os
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, config):
  x = features["x"]
  w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer)
  y = tf.matmul(x, w)
  if mode == tf.estimator.ModeKeys.PREDICT:
    score = tf.sigmoid(y)
    return tf.estimator.EstimatorSpec(
      mode,
      predictions={"y": y},
      export_outputs={
        "serving_default": tf.estimator.export.PredictOutput(
          {"y": y, "w": tf.identity(w)}
        ),
        "reg": tf.estimator.export.RegressionOutput(y),
        "cls": tf.estimator.export.ClassificationOutput(
          scores=tf.concat([1 - score, score], 1)
        ),
      },
    )
  loss = tf.losses.huber_loss(labels, y)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
      mode,
      loss=loss,
      eval_metric_ops={"mse": tf.metrics.mean_squared_error(labels, y)},
    )
  opt = tf.train.RMSPropOptimizer(0.05, momentum=0.1)
  return tf.estimator.EstimatorSpec(
    mode, loss=loss, train_op=opt.minimize(loss, tf.train.get_global_step())
  )


def input_fn(seed):
  rng = np.random.RandomState(seed)
  x = rng.randn(30, 3).astype(np.float32)
  return (
    tf.data.Dataset.from_tensor_slices(({"x": x}, x[:, :1] * 2 - 1))
    .repeat()
    .batch(6)
  )


def serving():
  serialized = tf.placeholder(tf.string, [None], name="examples")
  parsed = tf.parse_example(serialized, {"x": tf.FixedLenFeature([3], tf.float32)})
  tf.placeholder(tf.float32, [None, 3], name="raw")
  return tf.estimator.export.ServingInputReceiver(parsed, {"examples": serialized})


class Mine(tf.estimator.Exporter):
  calls = []

  @property
  def name(self):
    return "mine"

  def export(
    self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
  ):
    Mine.calls.append(
      [eval_result["global_step"], float(is_the_final_export), eval_result["mse"]]
    )
    return None


def run(directory):
  config = tf.estimator.RunConfig(
    directory,
    save_checkpoints_steps=5,
    keep_checkpoint_max=3,
    save_summary_steps=2,
    log_step_count_steps=4,
  )
  est = tf.estimator.Estimator(model_fn, config=config)
  exporters = [
    tf.estimator.LatestExporter("latest", serving, exports_to_keep=2, as_text=True),
    tf.estimator.FinalExporter("final", serving),
    tf.estimator.BestExporter(
      "best",
      serving,
      "eval_valid/*.tfevents.*",
      compare_fn=lambda best_eval_result, current_eval_result: (
        current_eval_result["mse"] < best_eval_result["mse"]
      ),
      exports_to_keep=2,
    ),
    Mine(),
  ]
  result = tf.estimator.train_and_evaluate(
    est,
    tf.estimator.TrainSpec(lambda: input_fn(0), max_steps=17),
    tf.estimator.EvalSpec(
      lambda: input_fn(1),
      steps=4,
      name="valid",
      exporters=exporters,
      start_delay_secs=0,
      throttle_secs=0,
    ),
  )
  metrics, exports = result
  r = {"m/" + k: v for k, v in metrics.items()}
  r["exports"] = [e is not None for e in exports]
  r["mine"] = Mine.calls
  for name in ("latest", "final", "best"):
    found = sorted(glob.glob(directory + "/export/" + name + "/*"))
    r["n/" + name] = len(found)
    r["files/" + name] = sorted(os.listdir(found[-1]))
  r["ckpt"] = sorted(
    os.path.basename(p) for p in glob.glob(directory + "/model.ckpt*.index")
  )
  r["dirs"] = [
    d for d in sorted(os.listdir(directory)) if os.path.isdir(directory + "/" + d)
  ]
  steps = []
  for path in sorted(glob.glob(directory + "/eval_valid/*")):
    for event in tf.train.summary_iterator(path):
      for v in event.summary.value:
        steps.append("%d %s" % (event.step, v.tag))
  r["events"] = sorted(steps)
  train = []
  for path in sorted(glob.glob(directory + "/events*")):
    for event in tf.train.summary_iterator(path):
      for v in event.summary.value:
        train.append("%d %s" % (event.step, v.tag))
  r["train"] = sorted(train)
  return r
