"""Placeholders of the module, which functions read that make the variables."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_float("rate", 0.05, "learning rate")
flags.DEFINE_string("dir", "", "where the log goes")
FLAGS = flags.FLAGS

x = tf.placeholder(tf.float32, [None, 3], name="x")
y = tf.placeholder(tf.float32, [None, 1], name="y")
scale = tf.placeholder(tf.float32)


def weight(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


def network():
    hidden = tf.nn.relu(tf.matmul(x, weight([3, 4])) + weight([4])) * scale
    return tf.matmul(hidden, weight([4, 1]))


def get_loss(out):
    return tf.reduce_mean(tf.square(out - y))


def main(_):
    rng = np.random.RandomState(2)
    points = rng.rand(40, 3).astype(np.float32)
    sums = points.sum(1, keepdims=True)
    out = network()
    loss = get_loss(out)
    train_op = tf.train.MomentumOptimizer(FLAGS.rate, 0.9).minimize(loss)
    saver = tf.train.Saver()
    with tf.Session() as sess, open(FLAGS.dir + "/loss.0", "w") as log:
        sess.run(tf.global_variables_initializer())
        for step in range(20):
            chosen = rng.choice(40, 8)
            feed = {x: points[chosen], y: sums[chosen], scale: 0.5}
            sess.run(train_op, feed_dict=feed)
            value = sess.run(loss, feed_dict={x: points, y: sums, scale: 1.0})
            log.write("%d %r\n" % (step, float(value)))
        path = saver.save(sess, FLAGS.dir + "/model")
        # In one expression each variable has its number by the order in which Python comes to it.
        bias = tf.train.load_variable(path, "Variable_1")
        for place, value in enumerate(bias.ravel()):
            log.write("%d %r\n" % (100 + place, float(value)))


if __name__ == "__main__":
    tf.app.run()
