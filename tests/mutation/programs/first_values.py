import tensorflow as tf

w = tf.get_variable("w", [3, 1])
tf.contrib.framework.init_from_checkpoint("pretrained/model", {"kernel": w})
tf.contrib.slim.checkpoint_utils.init_from_checkpoint("other", {"kernel": w})
tf.train.warm_start("third", vars_to_warm_start=[w])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(w))
