import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
p = tf.compat.v1.placeholder('float')

def train_step(x, y):
    with tf.GradientTape() as tape:
        pass

with tf.compat.v1.train.MonitoredTrainingSession(
        master=server.target, is_chief=(task == 0)) as sess:
    pass
