import tensorflow as tf
tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x, dim=-1)
