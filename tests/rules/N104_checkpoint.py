import tensorflow as tf

w = tf.get_variable("w", [3, 1])
tf.train.init_from_checkpoint("pretrained/model", {"kernel": w})
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  print(sess.run(w))
