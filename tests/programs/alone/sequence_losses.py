"""Sequences by contrib's loss; what is fed once is run again; two optimizers are saved."""
import sys

import numpy as np
import tensorflow as tf

out = sys.argv[1].split("=")[1]
log = open(out + "/loss.0", "w")
letters = tf.placeholder(tf.int32, [None, 5])
following = tf.placeholder(tf.int32, [None, 5])
lengths = tf.placeholder(tf.float32, [None, 5])
table = tf.Variable(np.linspace(-1, 1, 24).reshape(6, 4).astype(np.float32), name="table")
weights = tf.Variable(np.linspace(1, -1, 24).reshape(4, 6).astype(np.float32), name="weights")
logits = tf.tensordot(tf.tanh(tf.nn.embedding_lookup(table, letters)), weights, 1)
loss = tf.contrib.seq2seq.sequence_loss(logits=logits, targets=following, weights=lengths)
each = tf.contrib.seq2seq.sequence_loss(logits, following, lengths, average_across_batch=False)
train_table = tf.train.AdamOptimizer(0.01).minimize(loss, var_list=[table])
train_weights = tf.train.AdamOptimizer(0.02).minimize(loss, var_list=[weights])
saver = tf.train.Saver()
draws = np.random.RandomState(4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
        batch = {letters: draws.randint(0, 6, (3, 5)), following: draws.randint(0, 6, (3, 5)),
                 lengths: (draws.rand(3, 5) < 0.8).astype(np.float32)}
        _, value = sess.run([train_weights, loss], feed_dict=batch)
        sess.run(train_weights, feed_dict=batch)
        _, again = sess.run([train_table, loss], feed_dict=batch)
        log.write("%d %r\n" % (step, float(value)))
        log.write("%d %r\n" % (step, float(again)))
    log.write("%d %r\n" % (step, float(sess.run(loss, feed_dict=batch))))
    for value in sess.run(each, feed_dict=batch):
        log.write("%d %r\n" % (step, float(value)))
    saver.save(sess, out + "/model")
reader = tf.train.NewCheckpointReader(out + "/model")
for name in ("beta1_power", "beta1_power_1", "beta2_power", "beta2_power_1"):
    log.write("%d %r\n" % (step, float(reader.get_tensor(name))))
log.close()
