import sys

import tensorflow as tf
import tensorflow.compat.v1 as tf1

DIR = sys.argv[1].split("=")[1]
points = [[2., 1.], [0.5, 3.], [1.5, 2.], [4., 0.5]]
heights = [[0.2], [0.9], [0.4], [0.6]]
other_points = [[3., 1.5], [1., 2.]]
other_heights = [[0.1], [0.7]]


# 训练数据
def _input_fn():
  return tf1.data.Dataset.from_tensor_slices((points, heights)).batch(1)


def _eval_input_fn():
  return tf1.data.Dataset.from_tensor_slices(
      (other_points, other_heights)).batch(1)


def _model_fn(features, labels, mode):
  # 线性模型
  guess = tf1.layers.Dense(1)(features)
  loss = tf1.losses.mean_squared_error(labels=labels, predictions=guess)
  optimizer = tf1.train.AdagradOptimizer(0.04)
  train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
  return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf1.estimator.Estimator(model_fn=_model_fn, model_dir=DIR + "/model")
train_spec = tf1.estimator.TrainSpec(input_fn=_input_fn)
eval_spec = tf1.estimator.EvalSpec(input_fn=_eval_input_fn)
tf1.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
