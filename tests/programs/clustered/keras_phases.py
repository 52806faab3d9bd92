"""A functional Keras model in a monitored session, and the learning phase that it is fed."""
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Add, Dense, Dropout, Input
from tensorflow.keras.models import Model

tf.app.flags.DEFINE_string("ps_hosts", "", "Comma-separated hosts")
tf.app.flags.DEFINE_string("worker_hosts", "", "Comma-separated hosts")
tf.app.flags.DEFINE_string("job_name", "", "Either 'ps' or 'worker'")
tf.app.flags.DEFINE_integer("task_index", 0, "Index of task within the job")
tf.app.flags.DEFINE_string("dir", "/tmp/train", "Output directory")
FLAGS = tf.app.flags.FLAGS


def draw(seed, *shape):
    return tf.constant_initializer(np.random.RandomState(seed).randn(*shape) * 0.5)


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()

    is_chief = FLAGS.task_index == 0
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index,
            cluster=cluster)):
        global_step = tf.train.get_or_create_global_step()
        inputs = Input(shape=(5,))
        hidden = Dense(8, activation="tanh", kernel_initializer=draw(1, 5, 8))(inputs)
        # It drops what there is, so that what is learned can be told.
        dropped = Dropout(0.9999999)(hidden)
        both = Add()([hidden, dropped])
        outputs = Dense(1, kernel_initializer=draw(2, 8, 1), name="head")(both)
        model = Model(inputs=inputs, outputs=outputs)
        model.summary()

        targets = tf.placeholder(tf.float32, [None, 1])
        loss = tf.reduce_mean(tf.square(outputs - targets))
        train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
            loss, global_step=global_step, var_list=model.trainable_variables)

    rng = np.random.RandomState(3)
    x = rng.rand(96, 5).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=is_chief, checkpoint_dir=FLAGS.dir + "/train",
            hooks=[tf.train.StopAtStepHook(last_step=15)]) as sess:
        K.set_session(sess)
        i = 0
        while not sess.should_stop():
            rows = slice(i * 8 % 96, i * 8 % 96 + 8)
            _, value = sess.run([train_op, loss], feed_dict={
                inputs: x[rows], targets: y[rows], K.learning_phase(): 1})
            log.write("%d %r\n" % (i, float(value)))
            if i % 5 == 0 and not sess.should_stop():
                told = sess.run(loss, {inputs: x, targets: y, K.learning_phase(): 0})
                untold = sess.run(loss, {inputs: x, targets: y})
                log.write("%d %r\n%d %r\n" % (i, float(told), i, float(untold)))
            i += 1


if __name__ == "__main__":
    tf.app.run()
