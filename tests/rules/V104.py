import tensorflow as tf

def net(x):
    w = tf.get_variable("w", [5, 1], initializer=tf.zeros_initializer())

with tf.Graph().as_default(), tf.Session() as sess:
    y = tf.placeholder(tf.float32, [None, 1])
    out = net(x)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)
