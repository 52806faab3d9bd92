import tensorflow as tf
cluster = tf.train.ClusterSpec({"worker": ["b:1", "c:1"]})
server = tf.distribute.Server(cluster, job_name=job, task_index=task)
optimizer = tf.keras.optimizers.SGD(0.1)
mse = tf.keras.losses.MeanSquaredError()
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)

def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = mse(y, p)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss, p

with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(task == 0)) as sess:
    for x, y in dataset:
        sess.run(train_step(x, y))
