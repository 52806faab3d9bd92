import tensorflow as tf

dataset = tf.data.Dataset.range(3).batch(2)
print(dataset.output_shapes, tf.log(2.0))
