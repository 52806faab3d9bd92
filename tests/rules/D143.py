import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()

def dataset_fn(context):
    return tf.data.Dataset.range(1000).shuffle(1000, seed=7).batch(8)

dataset = strategy.distribute_datasets_from_function(dataset_fn)
