import tensorflow as tf

layers = tf.contrib.layers


def model_fn(features, labels, mode):
    training = mode == tf.estimator.ModeKeys.TRAIN
    net = layers.conv2d(features["x"], 4, 3)
    net = layers.max_pool2d(net, 2, 2)
    net = layers.avg_pool2d(net, 2)
    net = layers.batch_norm(net, is_training=training)
    net = layers.flatten(net)
    net = layers.fully_connected(net, 4)
    net = layers.dropout(net, is_training=training)
    words = layers.embed_sequence(features["words"], 9, 4)
    hot = layers.one_hot_encoding(features["kind"], 3)
    net = tf.concat([net, tf.reduce_sum(words, 1), hot], 1)
    logits = layers.linear(net, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
            loss, global_step=tf.train.get_global_step()
        )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    words, kind = tf.zeros([1, 2], tf.int64), tf.zeros([1], tf.int64)
    features = {"x": tf.zeros([1, 8, 8, 1]), "words": words, "kind": kind}
    return tf.data.Dataset.from_tensors((features, tf.zeros([1], tf.int64)))


estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
estimator.train(input_fn, steps=1)
estimator.evaluate(input_fn)
