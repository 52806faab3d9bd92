import tensorflow as tf

w = tf.get_variable("w", [3, 1])
dataset = tf.data.Dataset.from_tensor_slices([[1.0, 2.0, 3.0]]).repeat().batch(4)
iterator = dataset.make_one_shot_iterator()
optimizer = tf.train.GradientDescentOptimizer(0.1)
tower_grads = []
for i in range(2):
  with tf.device("/gpu:%d" % i):
    x = iterator.get_next()
    loss = tf.reduce_mean(tf.matmul(x, w))
    tower_grads.append(optimizer.compute_gradients(loss))
average = []
for pairs in zip(*tower_grads):
  average.append((tf.add_n([g for g, _ in pairs]) / 2, pairs[0][1]))
train_op = optimizer.apply_gradients(average)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  sess.run(train_op)
