import tensorflow as tf
weights = tf.ones([3])

def main():
    cluster = tf.train.ClusterSpec({"worker": ["b:1", "c:1"]})
    server = tf.distribute.Server(cluster, job_name=job, task_index=task)
    optimizer = tf.keras.optimizers.SGD(0.1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)

    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    with tf.compat.v1.train.MonitoredTrainingSession(
            master=server.target, is_chief=(task == 0)) as sess:
        for x, y in dataset:
            train_step(x, y)
