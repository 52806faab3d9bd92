import tensorflow as tf

feeds = {}
feeds["x"] = tf.placeholder(tf.float32, [])
loss = feeds["x"] * tf.Variable(1.0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {feeds["x"]: 1.0}))
