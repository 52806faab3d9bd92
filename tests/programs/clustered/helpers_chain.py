"""Weight helpers, a staged layer helper called in a chain, a class with a forward method,
reuse for evaluation, keep_prob, summaries in a helper, RMSProp."""
import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("ps_hosts", "", "")
tf.app.flags.DEFINE_string("worker_hosts", "", "")
tf.app.flags.DEFINE_string("job_name", "", "")
tf.app.flags.DEFINE_integer("task_index", 0, "")
tf.app.flags.DEFINE_string("dir", "", "")
tf.app.flags.DEFINE_integer("steps", 10, "")
FLAGS = tf.app.flags.FLAGS


def weight_variable(shape):
    initial = tf.truncated_normal(shape, stddev=0.1, seed=5)
    return tf.Variable(initial)


def bias_variable(shape):
    initial = tf.constant(0.1, shape=shape)
    return tf.Variable(initial)


def variable_summaries(var):
    with tf.name_scope("summaries"):
        tf.summary.scalar("mean", tf.reduce_mean(var))
        tf.summary.histogram("histogram", var)


def nn_layer(input_tensor, input_dim, output_dim, layer_name, act=tf.nn.relu):
    with tf.name_scope(layer_name):
        weights = weight_variable([input_dim, output_dim])
        biases = bias_variable([output_dim])
        variable_summaries(weights)
        preactivate = tf.matmul(input_tensor, weights) + biases
        return act(preactivate, name="activation")


class Tail(object):
    def __init__(self, units):
        self.units = units

    def forward(self, x, reuse=False):
        with tf.variable_scope("tail", reuse=reuse):
            hidden = tf.layers.dense(x, self.units, activation=tf.nn.tanh, name="hidden")
            return tf.layers.dense(hidden, 1, name="out")


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    else:
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 5], name="x-input")
            y_ = tf.placeholder(tf.float32, [None, 1], name="y-input")
            keep_prob = tf.placeholder_with_default(tf.constant(1.0), shape=())
            global_step = tf.train.get_or_create_global_step()
            hidden1 = nn_layer(x, 5, 8, "layer1")
            dropped = tf.nn.dropout(hidden1, keep_prob)
            hidden2 = nn_layer(dropped, 8, 8, "layer2")
            tail = Tail(4)
            y = tail.forward(hidden2)
            y_eval = tail.forward(nn_layer(x, 5, 8, "unused"), reuse=True)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y_, logits=y))
            train_step = tf.train.RMSPropOptimizer(0.01, momentum=0.5).minimize(
                loss, global_step=global_step)
            merged = tf.summary.merge_all()
            init_op = tf.global_variables_initializer()
            saver = tf.train.Saver()

        rng = np.random.RandomState(1)
        xs = rng.rand(60, 5)
        ys = (xs.sum(1, keepdims=True) > 2.5).astype(float)
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=(FLAGS.task_index == 0),
                checkpoint_dir=FLAGS.dir + "/train", save_summaries_secs=None,
                save_summaries_steps=None) as sess:
            writer = tf.summary.FileWriter(FLAGS.dir + "/logs", sess.graph)
            with open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w") as log:
                for step in range(FLAGS.steps):
                    if step % 5 == 4:
                        summary, _, loss_v = sess.run([merged, train_step, loss], feed_dict={
                            x: xs, y_: ys, keep_prob: 1.0})
                        writer.add_summary(summary, step)
                    else:
                        _, loss_v = sess.run([train_step, loss], feed_dict={x: xs, y_: ys})
                    log.write("%d %r\n" % (step, float(loss_v)))
                out = sess.run(y_eval, feed_dict={x: xs[:2]})
                print("eval", out.shape, sess.run(global_step))
            writer.close()


if __name__ == "__main__":
    tf.app.run()
