"""Numbers that Python draws within the expressions of the graph: once, in their order."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("dir", "", "where the log goes")
FLAGS = flags.FLAGS

rng = np.random.RandomState(3)


def draw(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def points(rows):
    centre = tf.constant(draw(1, 3))
    return centre + tf.constant(rng.rand(rows, 3).astype(np.float32))


def noisy(net):
    return net + tf.constant(draw(4), name="noise")


def main(_):
    x = points(8)
    w1 = tf.Variable(draw(3, 4), name="w1")
    hidden = tf.tanh(noisy(tf.matmul(x, w1)) * rng.rand())
    start = draw(4, 1)
    y = tf.constant(draw(8, 1)) - 2 * tf.reduce_sum(x, 1, keepdims=True)
    w2 = tf.Variable(start, name="w2")
    start_of_layer = tf.constant_initializer(draw(6))
    net = tf.matmul(hidden, w2) + tf.matmul(x, tf.Variable(draw(3, 1), name="w3"))
    net += tf.layers.dense(x * rng.rand(), 2, kernel_initializer=start_of_layer)
    net -= 0.1 * tf.layers.dense(
        x, 2, kernel_initializer=tf.constant_initializer(draw(6)), use_bias=False)
    scale = tf.constant(rng.choice([0.5, 2.0]), tf.float32)
    loss = tf.reduce_mean(tf.square(net - y)) * scale
    train_op = tf.train.MomentumOptimizer(rng.uniform(0.02, 0.04), 0.9).minimize(loss)
    with tf.Session() as sess, open(FLAGS.dir + "/loss.0", "w") as log:
        sess.run(tf.global_variables_initializer())
        for step in range(10):
            _, value = sess.run([train_op, loss])
            log.write("%d %r\n" % (step, float(value)))
        # What is drawn now comes after what the graph has drawn.
        log.write("%d %r\n" % (10, rng.rand()))


if __name__ == "__main__":
    tf.app.run()
