import tensorflow as tf

estimator = tf.estimator.Estimator(model_fn)
hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, input_fn)
