"""tf1to2: migrate TensorFlow 1 distributed-training programs to tf.distribute."""

__version__ = "0.1.0"
