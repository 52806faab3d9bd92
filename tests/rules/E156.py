import tensorflow as tf

optimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.AdamOptimizer())
estimator = tf.contrib.tpu.TPUEstimator(model_fn, use_tpu=True, train_batch_size=64)
