import tensorflow as tf

w = tf.Variable(1.0)
loss = w * w
optimizer = tf.contrib.opt.AdamWOptimizer(0.1, 0.01)
train_op = optimizer.minimize(loss, decay_var_list=[w])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op)
