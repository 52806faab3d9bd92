"""A variational autoencoder whose decoder is built again in the session's block."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")
rs = np.random.RandomState(4)
image_dim, hidden_dim, latent_dim = 6, 5, 2


def initial(shape):
    return tf.constant(rs.randn(*shape).astype(np.float32) * .3)


weights = {"h1": tf.Variable(initial([image_dim, hidden_dim])),
           "mean": tf.Variable(initial([hidden_dim, latent_dim])),
           "std": tf.Variable(initial([hidden_dim, latent_dim])),
           "decoder_h1": tf.Variable(initial([latent_dim, hidden_dim])),
           "decoder_out": tf.Variable(initial([hidden_dim, image_dim]))}
input_image = tf.placeholder(tf.float32, shape=[None, image_dim])
encoder = tf.nn.tanh(tf.matmul(input_image, weights["h1"]))
z_mean = tf.matmul(encoder, weights["mean"])
z_std = tf.matmul(encoder, weights["std"])
eps = tf.placeholder(tf.float32, [None, latent_dim])
z = z_mean + tf.exp(z_std / 2) * eps
decoder = tf.matmul(z, weights["decoder_h1"])
decoder = tf.nn.tanh(decoder)
decoder = tf.matmul(decoder, weights["decoder_out"])
decoder = tf.nn.sigmoid(decoder)


def vae_loss(x_reconstructed, x_true):
    decode_loss = -tf.reduce_sum(
        x_true * tf.log(1e-10 + x_reconstructed)
        + (1 - x_true) * tf.log(1e-10 + 1 - x_reconstructed), 1)
    kl = -0.5 * tf.reduce_sum(1 + z_std - tf.square(z_mean) - tf.exp(z_std), 1)
    return tf.reduce_mean(decode_loss + kl)


loss_op = vae_loss(decoder, input_image)
train_op = tf.train.RMSPropOptimizer(learning_rate=0.01).minimize(loss_op)
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    for i in range(1, 7):
        feed_dict = {input_image: rs.rand(8, image_dim), eps: rs.randn(8, latent_dim)}
        _, l = sess.run([train_op, loss_op], feed_dict=feed_dict)
        log.write("%d %r\n" % (i, float(l)))
    noise_input = tf.placeholder(tf.float32, shape=[None, latent_dim])
    decoder = tf.matmul(noise_input, weights["decoder_h1"])
    decoder = tf.nn.tanh(decoder)
    decoder = tf.matmul(decoder, weights["decoder_out"])
    decoder = tf.nn.sigmoid(decoder)
    for i, yi in enumerate(np.linspace(-1, 1, 2)):
        x_mean = sess.run(decoder, feed_dict={noise_input: [[yi, .5]] * 2})
        log.write("%d %r\n" % (10 + i, float(x_mean[0].sum())))
log.close()
