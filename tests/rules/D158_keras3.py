import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)
with strategy.scope():
    w = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.1)

def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss((w * x - y) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])

for x, y in dataset:
    train_step(x, y)
