"""A model that opens a session when it is first needed."""
import tensorflow as tf


class SessionModel(object):
    def __init__(self, dims, lr):
        self.x = tf.placeholder(tf.float32, [None, dims])
        self.y = tf.placeholder(tf.float32, [None, 1])
        self.params = {"w": tf.Variable(tf.constant(0.1, shape=[dims, 1]))}
        self.output = tf.tanh(tf.matmul(self.x, self.params["w"]))
        self.loss = tf.reduce_mean(tf.square(self.output - self.y))
        self.train_op = tf.train.GradientDescentOptimizer(lr).minimize(self.loss)
        self._sess = None

    @property
    def sess(self):
        if self._sess is None:
            self._sess = tf.Session()
            self._sess.run(tf.global_variables_initializer())
        return self._sess

    def fit_batch(self, x, y):
        return self.sess.run([self.loss, self.train_op], {self.x: x, self.y: y})[0]

    def predict(self, x):
        return self.sess.run(self.output, {self.x: x})

    def get_params(self):
        return {k: self.sess.run(v) for k, v in self.params.items()}
