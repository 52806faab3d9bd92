import numpy as np
import tensorflow as tf
directory = sys.argv[1].split("=")[1]
log = open(directory + "/loss.0", "w")

with tf.Graph().as_default():
    conf = tf.ConfigProto(allow_soft_placement=True)
    sess = tf.Session(config=conf)
    with sess.as_default():
        net = TextNet(5)
        global_step = tf.Variable(0, name="global_step", trainable=False)
        optimizer = tf.train.AdamOptimizer(1e-2)
        grads_and_vars = optimizer.compute_gradients(net.loss)
        train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
        saver = tf.train.Saver(tf.global_variables(), max_to_keep=2)
        init = tf.group(tf.global_variables_initializer(),
                        tf.local_variables_initializer())
        sess.run(init)

        rng = np.random.RandomState(0)
        for i in range(8):
            xs = rng.randn(6, 5)
            train_step(xs, xs.sum(1, keepdims=True))
            current_step = tf.train.global_step(sess, global_step)
log.close()
