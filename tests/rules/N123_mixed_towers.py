import tensorflow as tf
from tensorflow.contrib import slim


def mean_of_towers(gradients_of_towers):
    result = []
    for pairs in zip(*gradients_of_towers):
        stacked = tf.stack([gradient for gradient, _ in pairs])
        result.append((tf.reduce_mean(stacked, axis=0), pairs[0][1]))
    return result


images = tf.placeholder(tf.float32, [None, 6])
parts = tf.split(images, 2)
optimizer = tf.train.GradientDescentOptimizer(0.05)
gradients = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device("/gpu:%d" % i):
            loss = tf.reduce_mean(slim.fully_connected(parts[i], 2, scope="out"))
            tf.get_variable_scope().reuse_variables()
            gradients.append(optimizer.compute_gradients(loss))
train = optimizer.apply_gradients(mean_of_towers(gradients))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {images: [[1.0] * 6] * 4})
