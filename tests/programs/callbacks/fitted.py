"""What `Model.fit`, `evaluate` and `predict` print with callbacks that were hooks.

For TensorFlow 2 only: it runs the migrations of `progress_bar` and `early_stopping`.
"""

import contextlib
import importlib
import io

import keras_estimator
import tensorflow as tf


def made(program, dataset, params):
  model = program.EstimatorModel
  needed = model.__init__.__code__.co_varnames
  features = keras_estimator.inputs_like(dataset.element_spec[0])
  given = {"features": features, "params": params}
  return model(**{name: given[name] for name in needed if name in given})


def bars():
  program = importlib.import_module("progress_bar")
  model = made(program, program.input_fn(), {"steps": 12, "batches": 4})
  bar = program.ProgressBar
  callbacks = [bar(12, "training"), *model.training_hooks()]
  model.fit(program.input_fn(), steps_per_epoch=12, verbose=0, callbacks=callbacks)
  callbacks = [bar(8, "evaluation"), *model.evaluation_hooks()]
  model.evaluate(program.input_fn(), steps=4, verbose=0, callbacks=callbacks)
  # tf_keras gives a step what the model is given: features alone.
  rows = program.input_fn(3).map(lambda features, labels: features)
  model.predict(rows, verbose=0, callbacks=[bar(3, "prediction", width=3)])


def stopped():
  program = importlib.import_module("early_stopping")
  params = {"rate": 0.2, "patience": 2}
  model = made(program, program.input_fn(), params)
  callbacks = [program.Steps(), *model.training_hooks()]
  model.fit(program.input_fn(), steps_per_epoch=200, verbose=0, callbacks=callbacks)


def run(directory):
  found = {}
  for part in (bars, stopped):
    tf.compat.v1.reset_default_graph()  # The global step begins anew.
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
      part()
    found[part.__name__] = printed.getvalue().splitlines()
  return found
