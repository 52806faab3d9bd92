import tensorflow as tf

with tf.variable_scope("net", initializer=tf.ones_initializer()):
    pass
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
