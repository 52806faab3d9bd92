import json, os
import numpy as np
import tensorflow as tf

task = json.loads(os.environ.get("TF_CONFIG", "{}")).get("task", {})

def model_fn(features, labels, mode):
    w = tf.get_variable("w", [2, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(features, w) - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

def input_fn():
    x = np.ones([8, 2], np.float32)
    rows = tf.data.Dataset.from_tensor_slices((x, x[:, :1]))
    return rows.shard(3, task.get("index", 0)).repeat().batch(4)

tf.estimator.train_and_evaluate(
    tf.estimator.Estimator(model_fn),
    tf.estimator.TrainSpec(input_fn, max_steps=10),
    tf.estimator.EvalSpec(input_fn, steps=1))
