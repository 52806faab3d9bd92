"""Two programs' worth of Estimators, whose model functions are of another file."""

import numpy as np
import tensorflow as tf

from trainer import model
from trainer.model import classifier_fn


def run(directory):
  rng = np.random.RandomState(2)
  x = rng.randn(48, 4).astype(np.float32)
  label = np.argmax(x[:, :3] + 0.3 * rng.randn(48, 3), 1)
  slices = tf.data.Dataset.from_tensor_slices
  results = {}
  for name, estimator in (
      ("classifier", tf.estimator.Estimator(
          model_fn=classifier_fn, model_dir=directory + "/classifier",
          params={"hidden": 5})),
      ("regression", tf.estimator.Estimator(
          model.regression(0.05), directory + "/regression")),
  ):
    estimator.train(lambda: slices(({"x": x}, label)).repeat(3).batch(8))
    evaluated = estimator.evaluate(lambda: slices(({"x": x}, label)).batch(10))
    results.update({name + "/eval/" + k: v for k, v in evaluated.items()})
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  again = tf.estimator.Estimator(
      classifier_fn, directory + "/classifier", params={"hidden": 5})
  found = list(again.predict(lambda: slices({"x": x}).batch(9)))
  results["class"] = [p["class"] for p in found]
  results["scores"] = [p["scores"] for p in found]
  return results
