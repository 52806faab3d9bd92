import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)

def train_step(x, y):
    with tf.GradientTape() as tape:
        pass

with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(task == 0)) as sess:
    for x, y in dataset:
        sess.run(train_step(x, y))
