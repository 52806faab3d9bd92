import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
with tf.compat.v1.train.MonitoredTrainingSession(is_chief=True) as sess:
    model.fit_generator(batches())
