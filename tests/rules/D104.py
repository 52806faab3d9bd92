import tensorflow as tf
import tf_keras

strategy = tf.distribute.MirroredStrategy(["/cpu:%d" % i for i in range(replicas)])

with strategy.scope():
    loss_object = tf_keras.losses.MeanSquaredError(
        reduction=tf_keras.losses.Reduction.NONE)

def train_step(x, y):
    with tf.GradientTape() as tape:
        per_example_loss = loss_object(y[:, tf.newaxis], tf.matmul(x, w))
        loss = tf.reduce_mean(per_example_loss)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])

for step, (x, y) in enumerate(strategy.experimental_distribute_dataset(dataset)):
    strategy.run(train_step, args=(x, y))
