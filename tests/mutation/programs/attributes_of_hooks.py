"""What a hook asks of the session and of the coordinator that an Estimator gives it."""

import tensorflow as tf


class Watching(tf.train.SessionRunHook):
    def before_run(self, run_context):
        print(run_context.session.partial_run)

    def after_create_session(self, session, coord):
        print(coord.joined)


def input_fn():
    return tf.data.Dataset.from_tensor_slices(([[1.0, 2.0]], [[1.0]])).batch(1)


def model_fn(features, labels, mode):
    y = tf.layers.dense(features, 1)
    loss = tf.reduce_mean(tf.square(y - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    tf.estimator.Estimator(model_fn, "/tmp/m").train(input_fn, hooks=[Watching()])


if __name__ == "__main__":
    tf.app.run()
