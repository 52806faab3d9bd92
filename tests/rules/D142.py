import tensorflow as tf
strategy = tf.distribute.MirroredStrategy()
dataset = tf.data.Dataset.from_tensor_slices((xs, ys)).batch(8)

def train_step(x, y):
    return tf.reduce_sum(x * y)

for batch in strategy.experimental_distribute_dataset(dataset):
    strategy.run(train_step, args=(batch,))
