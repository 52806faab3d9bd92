import tensorflow as tf

from networks.layers import bias_variable, weight_variable


class MLP(object):
    """Two layers."""

    def __init__(self, inputs, labels, hidden=10):
        with tf.variable_scope("mlp"):
            w1 = weight_variable([4, hidden], "w1")
            b1 = bias_variable([hidden], "b1")
            h = tf.nn.relu(tf.matmul(inputs, w1) + b1)
            w2 = weight_variable([hidden, 1], "w2")
            b2 = bias_variable([1], "b2")
            self.output = tf.matmul(h, w2) + b2
        self.loss = tf.losses.mean_squared_error(labels, self.output)

    def train(self, learning_rate):
        return tf.train.MomentumOptimizer(learning_rate, 0.9).minimize(self.loss)
