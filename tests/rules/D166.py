import tensorflow as tf

cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:1"]})
server = tf.distribute.Server(cluster, job_name="worker", task_index=task)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)
saved = tf.train.Checkpoint(model=model)
with tf.compat.v1.train.MonitoredTrainingSession(is_chief=True) as sess:
    for x, y in dataset:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x) - y))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    saved.save("d/model")
