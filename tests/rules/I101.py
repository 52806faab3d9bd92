import tensorflow as tf

dataset = tf.data.Dataset.range(10)
iterators = {}
iterators["a"] = dataset.make_one_shot_iterator()
loss = iterators["a"].get_next() * 2
with tf.Session() as sess:
    print(sess.run(loss))
