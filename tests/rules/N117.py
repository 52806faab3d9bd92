import tensorflow as tf

y = tf.log(2.0)  # tf1to2: ignore[T102]
