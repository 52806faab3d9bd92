import tensorflow as tf
cluster = tf.train.ClusterSpec({"worker": ["b:1", "c:1"]})
server = tf.distribute.Server(cluster, job_name=job, task_index=task)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
with tf.compat.v1.train.MonitoredTrainingSession(is_chief=True) as sess:
    model.fit(xs, ys, epochs=2)
