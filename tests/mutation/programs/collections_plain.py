"""What a plain session's program adds to collections that TensorFlow 1 reads."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
v = tf.Variable(2.0, trainable=False)
more = tf.assign(v, 3.0)
tf.add_to_collection(tf.GraphKeys.TRAINABLE_VARIABLES, v)
tf.add_to_collection("trainable_variables", v)
tf.add_to_collection(tf.GraphKeys.GLOBAL_VARIABLES, v)
tf.add_to_collection("variables", v)
tf.add_to_collections(["own", "trainable_variables"], v)
tf.get_default_graph().clear_collection("trainable_variables")
tf.add_to_collection(
    tf.GraphKeys.SUMMARIES, tf.summary.scalar("extra", v, collections=[])
)
tf.add_to_collection("summaries", tf.summary.scalar("more", v, collections=[]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) * v - 1.0))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
tf.summary.scalar("loss", loss)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, merged], {x: [[1.0, 2.0, 3.0]]}))
