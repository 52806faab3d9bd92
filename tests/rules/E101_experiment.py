import tensorflow as tf

def experiment_fn(run_config, hparams):
  estimator = tf.estimator.Estimator(model_fn, config=run_config)
  return tf.contrib.learn.Experiment(estimator, train_input_fn, eval_input_fn)
