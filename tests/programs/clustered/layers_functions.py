# Convolutional net with tf.layers, module-level script, argparse flags.
import argparse
import sys

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", type=str, default="")
parser.add_argument("--worker_hosts", type=str, default="")
parser.add_argument("--job_name", type=str, default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", type=str, default="/tmp/train")
parser.add_argument("--steps", type=int, default=12)
args, _ = parser.parse_known_args()

cluster = tf.train.ClusterSpec({
    "ps": args.ps_hosts.split(","),
    "worker": args.worker_hosts.split(","),
})
server = tf.train.Server(cluster, job_name=args.job_name, task_index=args.task_index)


def conv_net(images, training):
    """Two convolutions and a dense layer."""
    net = tf.reshape(images, [-1, 8, 8, 1])
    # first convolution
    net = tf.layers.conv2d(net, 4, [3, 3], padding="same", activation=tf.nn.relu,
                           name="conv1")
    net = tf.layers.max_pooling2d(net, pool_size=[2, 2], strides=2)
    net = tf.layers.batch_normalization(net, training=training, name="bn")
    net = tf.layers.flatten(net)
    net = tf.layers.dropout(net, rate=0.1, training=training)
    return tf.layers.dense(net, 3, name="logits")


if args.job_name == "ps":
    server.join()
elif args.job_name == "worker":
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % args.task_index, cluster=cluster)):
        global_step = tf.Variable(0, name="global_step", trainable=False)
        images = tf.placeholder(tf.float32, shape=(None, 64), name="images")
        labels = tf.placeholder(tf.int32, shape=(None,), name="labels")
        training = tf.placeholder(tf.bool, shape=(), name="training")
        logits = conv_net(images, training)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        learning_rate = tf.train.exponential_decay(0.05, global_step, 5, 0.9, staircase=True)
        optimizer = tf.train.MomentumOptimizer(learning_rate, 0.9, use_nesterov=True)
        update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        with tf.control_dependencies(update_ops):
            train_op = optimizer.minimize(loss, global_step=global_step)
        prediction = tf.argmax(logits, 1, output_type=tf.int32)
        accuracy = tf.reduce_mean(tf.cast(tf.equal(prediction, labels), tf.float32))
        tf.summary.scalar("loss", loss)
        tf.summary.scalar("learning_rate", learning_rate)
        tf.summary.histogram("logits", logits)
        summary_op = tf.summary.merge_all()

    is_chief = args.task_index == 0
    rng = np.random.RandomState(args.task_index)
    x_data = rng.rand(200, 64).astype("float32")
    y_data = (x_data[:, :3]).argmax(1).astype("int32")
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    config.gpu_options.allow_growth = True
    hooks = [
        tf.train.StopAtStepHook(last_step=args.steps),
        tf.train.LoggingTensorHook({"loss": loss, "accuracy": accuracy}, every_n_iter=5),
        tf.train.NanTensorHook(loss),
    ]
    writer = tf.summary.FileWriter(args.dir + "/summaries", tf.get_default_graph())
    log = open(args.dir + "/loss.%d" % args.task_index, "w")
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=is_chief, checkpoint_dir=args.dir + "/train",
            hooks=hooks, config=config, save_checkpoint_secs=30,
            save_summaries_steps=5) as sess:
        i = 0
        while not sess.should_stop():
            batch = slice(i % 150, i % 150 + 32)
            feed = {images: x_data[batch], labels: y_data[batch], training: True}
            _, value, summary, step = sess.run(
                [train_op, loss, summary_op, global_step], feed_dict=feed)
            writer.add_summary(summary, step)
            log.write("%d %r\n" % (i, float(value)))
            log.flush()
            i += 1
            if i == 5 and not sess.should_stop():
                acc = sess.run(accuracy, {images: x_data, labels: y_data, training: False})
                print("accuracy", acc)
                sys.stdout.flush()
    writer.close()
