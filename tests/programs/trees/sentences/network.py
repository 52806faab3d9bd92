import tensorflow as tf


class SentenceNetwork(object):
    """Filters of several widths over a sentence's words, the greatest of each, a softmax."""

    def __init__(self, length, classes, vocabulary, size, widths, filters, penalty=0.0):
        self.words = tf.placeholder(tf.int32, [None, length], name="words")
        self.labels = tf.placeholder(tf.float32, [None, classes], name="labels")
        self.keep_prob = tf.placeholder(tf.float32, name="keep_prob")
        penalties = tf.constant(0.0)

        with tf.device("/cpu:0"), tf.name_scope("embedding"):
            self.table = tf.Variable(
                tf.random_uniform([vocabulary, size], -1.0, 1.0, seed=1), name="table")
            looked_up = tf.nn.embedding_lookup(self.table, self.words)
            self.image = tf.expand_dims(looked_up, -1)

        pooled = []
        for i, width in enumerate(widths):
            with tf.name_scope("width-%s" % width):
                shape = [width, size, 1, filters]
                kernel = tf.Variable(
                    tf.truncated_normal(shape, stddev=0.1, seed=2 + i), name="kernel")
                bias = tf.Variable(tf.constant(0.1, shape=[filters]), name="bias")
                filtered = tf.nn.conv2d(self.image, kernel, strides=[1, 1, 1, 1],
                                        padding="VALID", name="filtered")
                active = tf.nn.relu(tf.nn.bias_add(filtered, bias), name="active")
                greatest = tf.nn.max_pool(active, ksize=[1, length - width + 1, 1, 1],
                                          strides=[1, 1, 1, 1], padding="VALID")
                pooled.append(greatest)

        total = filters * len(widths)
        flat = tf.reshape(tf.concat(pooled, 3), [-1, total])
        with tf.name_scope("dropout"):
            kept = tf.nn.dropout(flat, self.keep_prob)

        with tf.name_scope("output"):
            kernel = tf.Variable(
                tf.truncated_normal([total, classes], stddev=0.3, seed=9), name="kernel")
            bias = tf.Variable(tf.constant(0.1, shape=[classes]), name="bias")
            penalties += tf.nn.l2_loss(kernel)
            penalties += tf.nn.l2_loss(bias)
            self.scores = tf.nn.xw_plus_b(kept, kernel, bias, name="scores")
            self.chosen = tf.argmax(self.scores, 1, name="chosen")

        with tf.name_scope("loss"):
            entropies = tf.nn.softmax_cross_entropy_with_logits(
                logits=self.scores, labels=self.labels)
            self.loss = tf.reduce_mean(entropies) + penalty * penalties

        with tf.name_scope("accuracy"):
            right = tf.equal(self.chosen, tf.argmax(self.labels, 1))
            self.accuracy = tf.reduce_mean(tf.cast(right, "float"), name="accuracy")
