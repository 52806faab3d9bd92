import tensorflow as tf

data = tf.data.Dataset.range(9).shuffle(9, seed=1).repeat()
elements = data.make_initializable_iterator()
loss = tf.cast(elements.get_next(), tf.float32) * tf.Variable(1.0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(elements.initializer)
    print(sess.run(loss))
