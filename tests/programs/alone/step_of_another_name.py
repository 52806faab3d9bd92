"""The global step has another name: it is so because it is in the graph's collection."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("dir", "", "where the log and the checkpoints go")
FLAGS = flags.FLAGS


def main(_):
    points = np.random.RandomState(0).randn(40, 3).astype(np.float32)
    counter = tf.Variable(0, name="iteration", trainable=False)
    tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, counter)
    x = tf.placeholder(tf.float32, [None, 3])
    out = tf.layers.dense(x, 1, kernel_initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(out - 1.0))
    rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 5, 0.5)
    train_op = tf.train.AdamOptimizer(rate).minimize(loss, global_step=counter)
    hooks = [tf.train.StopAtStepHook(last_step=10)]
    with open(FLAGS.dir + "/loss.0", "w") as log, tf.train.MonitoredTrainingSession(
            checkpoint_dir=FLAGS.dir, save_checkpoint_steps=4, hooks=hooks) as sess:
        while not sess.should_stop():
            step = sess.run(counter)
            feed = {x: points[4 * step:4 * step + 4]}
            _, value = sess.run([train_op, loss], feed_dict=feed)
            log.write("%d %r\n" % (step, float(value)))
    state = tf.train.get_checkpoint_state(FLAGS.dir)
    names = [name for name, _ in tf.train.list_variables(state.model_checkpoint_path)]
    with open(FLAGS.dir + "/loss.0", "a") as log:
        for path in state.all_model_checkpoint_paths:
            log.write("%d 1\n" % (100 + int(path.rpartition("-")[2])))
        log.write("200 %d\n" % len(names))
        log.write("%d 2\n" % (201 + names.index("iteration")))


if __name__ == "__main__":
    tf.app.run()
