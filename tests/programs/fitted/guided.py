import json
import os
import tensorflow as tf
import tensorflow.compat.v1 as tf1

points = [[0.5, 2.], [1.5, 1.], [2.5, 0.5], [3., 1.5]]
heights = [[0.2], [0.9], [0.4], [1.1]]
other_points = [[1., 1.], [2., 2.5], [0.5, 3.]]
other_heights = [[0.6], [0.7], [0.3]]

tf_config = {
    'cluster': {
        'chief': ['localhost:14111'],
        'worker': ['localhost:14112', 'localhost:14113', 'localhost:14114'],
        'ps': ['localhost:14115', 'localhost:14116'],
    },
    'task': {'type': 'chief', 'index': 0}
}

os.environ['TF_CONFIG'] = json.dumps(tf_config)

del os.environ['TF_CONFIG']


def _input_fn():
  return tf1.data.Dataset.from_tensor_slices((points, heights)).batch(1)


def _test_input_fn():
  return tf1.data.Dataset.from_tensor_slices(
      (other_points, other_heights)).batch(1)


def _model_fn(features, labels, mode):
  height = tf1.layers.Dense(1)(features)
  loss = tf1.losses.mean_squared_error(labels=labels, predictions=height)
  optimizer = tf1.train.AdagradOptimizer(0.1)
  train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
  return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf1.estimator.Estimator(
    model_fn=_model_fn, model_dir=os.environ.get('MODEL_DIR'))
train_spec = tf1.estimator.TrainSpec(input_fn=_input_fn)
test_spec = tf1.estimator.EvalSpec(input_fn=_test_input_fn)
tf1.estimator.train_and_evaluate(estimator, train_spec, test_spec)
