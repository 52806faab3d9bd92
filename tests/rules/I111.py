import tensorflow as tf
it = tf.compat.v1.data.make_one_shot_iterator(d)
with tf.Session() as s:
  print(s.run(it.get_next()))
