import tensorflow as tf

batches = strategy.make_dataset_iterator(tf.data.Dataset.range(8).batch(4))
