import tensorflow as tf


# Create the neural network
def conv_net(x_dict, n_classes, dropout, reuse, is_training):
  # Define a scope for reusing the variables
  with tf.variable_scope('ConvNet', reuse=reuse):
    # TF Estimator input is a dict, in case of multiple inputs
    x = x_dict['images']
    x = tf.reshape(x, shape=[-1, 4, 4, 1])
    conv1 = tf.layers.conv2d(
        x, 3, 3, activation=tf.nn.relu,
        kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
    fc1 = tf.contrib.layers.flatten(conv1)
    fc1 = tf.layers.dropout(fc1, rate=dropout, seed=2, training=is_training)
    # Output layer, class prediction
    out = tf.layers.dense(
        fc1, n_classes,
        kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=3))
  return out
