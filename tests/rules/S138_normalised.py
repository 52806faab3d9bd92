import tensorflow as tf

w = tf.get_variable("w", [3, 1])
optimizer = tf.train.GradientDescentOptimizer(0.1)
tower_grads = []
for i in range(2):
  with tf.device("/gpu:%d" % i):
    with tf.variable_scope("normalised", reuse=tf.AUTO_REUSE):
      x = tf.layers.batch_normalization(tf.ones([2, 3]), training=True, name="bn")
    loss = tf.reduce_mean(tf.matmul(x, w))
    tower_grads.append(optimizer.compute_gradients(loss))
average = []
for pairs in zip(*tower_grads):
  average.append((tf.add_n([g for g, _ in pairs]) / 2, pairs[0][1]))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
  train_op = optimizer.apply_gradients(average)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  sess.run(train_op)
