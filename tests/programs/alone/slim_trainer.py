"""slim's own training loop, on a dataset; what it leaves in its directory."""
import argparse

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

parser = argparse.ArgumentParser()
parser.add_argument('--dir')
FLAGS = parser.parse_args()


def model(images):
  with slim.arg_scope([slim.conv2d, slim.fully_connected],
                      weights_initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=2),
                      weights_regularizer=slim.l2_regularizer(0.001)):
    net = slim.conv2d(images, 4, [3, 3], scope='conv1')
    net = slim.max_pool2d(net, 2, scope='pool1')
    net = slim.flatten(net)
    net = slim.stack(net, slim.fully_connected, [8, 6], scope='fc')
    return slim.fully_connected(net, 3, activation_fn=None, scope='logits')


def main():
  rng = np.random.RandomState(0)
  x = rng.rand(40, 6, 6, 1).astype(np.float32)
  y = np.argmax(x[:, 0, :3, 0], 1)
  with tf.Graph().as_default():
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(8)
    images, labels = dataset.make_one_shot_iterator().get_next()
    predictions = model(images)
    one_hot = slim.one_hot_encoding(labels, 3)
    slim.losses.softmax_cross_entropy(predictions, one_hot)
    total_loss = slim.losses.get_total_loss()
    tf.summary.scalar('loss', total_loss)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate=.1)
    train_op = slim.learning.create_train_op(total_loss, optimizer, summarize_gradients=False)
    slim.learning.train(train_op, FLAGS.dir + '/train', number_of_steps=10, log_every_n_steps=5,
                        save_summaries_secs=0)

  path = tf.train.latest_checkpoint(FLAGS.dir + '/train')
  reader = tf.train.NewCheckpointReader(path)
  with open(FLAGS.dir + '/loss.0', 'w') as log:
    for i, name in enumerate(sorted(reader.get_variable_to_shape_map())):
      log.write('%d %r\n' % (i, float(np.sum(np.abs(reader.get_tensor(name))))))


if __name__ == '__main__':
  main()
