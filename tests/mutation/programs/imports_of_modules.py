import tensorflow as tf
import tensorflow.estimator as estimators
import tensorflow.estimator.experimental as experimental
from tensorflow.app import flags
from tensorflow.contrib.framework import argsort
from tensorflow.core.framework import summary_pb2
from tensorflow.estimator import RunConfig, inputs
from tensorflow.estimator import experimental as more
from tensorflow.estimator.inputs import numpy_input_fn

flags.DEFINE_string("name", "", "")
config = RunConfig()
summary = summary_pb2.Summary()
given = numpy_input_fn({"x": argsort([1.0])}, shuffle=False)
others = inputs.numpy_input_fn({"x": [1.0]}, shuffle=False)
hook = experimental.make_early_stopping_hook(estimators.Estimator(given), len)
hooks = [hook, more.make_early_stopping_hook]
modules = [tf.estimator.experimental, tf.estimator.inputs]
