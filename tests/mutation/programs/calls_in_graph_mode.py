import tensorflow as tf

x = tf.constant([3.0, 1.0])
with tf.Session() as sess:
    print(sess.run(tf.contrib.framework.argsort(x, axis=0)))
    print(sess.run(tf.contrib.framework.sort(x, axis=0)))
    print(tf.contrib.util.constant_value(x))
    print(tf.contrib.util.make_ndarray(tf.contrib.util.make_tensor_proto([1.0])))
    logits = tf.zeros([1, 2, 3])
    labels = tf.zeros([1, 2], tf.int32)
    print(sess.run(tf.contrib.seq2seq.sequence_loss(logits, labels, tf.ones([1, 2]))))
