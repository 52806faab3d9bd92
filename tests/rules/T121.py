import tensorflow as tf
weights = tf.constant([[1.0]])
print(tf.matmul(weights))
