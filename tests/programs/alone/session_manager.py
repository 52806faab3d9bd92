"""A SessionManager by itself: it initialises, or goes on from the checkpoint that it finds."""
import sys

import numpy as np
import tensorflow as tf

directory = sys.argv[1].split("=")[1]
rng = np.random.RandomState(1)
points = rng.randn(40, 2).astype(np.float32)
sides = (points[:, 0] > points[:, 1]).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None])
global_step = tf.Variable(0, name="global_step", trainable=False)
w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer([[0.1], [0.2]]))
logits = tf.squeeze(tf.matmul(x, w), 1)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
train_op = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=global_step)
init_op = tf.global_variables_initializer()
saver = tf.train.Saver(max_to_keep=2)

log = open(directory + "/loss.0", "w")
sess_config = tf.ConfigProto(allow_soft_placement=True)
sess_config.gpu_options.allow_growth = True
sm = tf.train.SessionManager()
for attempt in range(2):
    with sm.prepare_session("", init_op=init_op, saver=saver, checkpoint_dir=directory + "/saved",
                            config=sess_config) as sess:
        for start in range(0, 40, 10):
            feed = {x: points[start:start + 10], y: sides[start:start + 10]}
            _, value, step = sess.run([train_op, loss, global_step], feed_dict=feed)
            log.write("%d %r\n" % (step, float(value)))
        saver.save(sess, directory + "/saved/model", global_step=global_step)
log.close()
