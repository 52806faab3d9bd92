"""Keras layers on placeholders, trained by workers that keep pace."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", type=str, default="")
parser.add_argument("--worker_hosts", type=str, default="")
parser.add_argument("--job_name", type=str, default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", type=str, default="/tmp/train")
args, _ = parser.parse_known_args()

layers = tf.keras.layers


def draw(seed, *shape):
    return tf.constant_initializer(np.random.RandomState(seed).randn(*shape) * 0.4)


def network(images):
    net = layers.Reshape((6, 6, 1))(images)
    net = layers.Conv2D(3, (3, 3), activation="relu",
                        kernel_initializer=draw(1, 3, 3, 1, 3))(net)
    net = layers.MaxPooling2D(2)(net)
    net = layers.Flatten()(net)
    return layers.Dense(4, kernel_initializer=draw(2, 12, 4),
                        kernel_regularizer=tf.keras.regularizers.l2(0.1))(net)


def main():
    workers = args.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": args.ps_hosts.split(","), "worker": workers})
    server = tf.train.Server(cluster, job_name=args.job_name,
                             task_index=args.task_index)
    if args.job_name == "ps":
        server.join()
    is_chief = args.task_index == 0
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % args.task_index,
            cluster=cluster)):
        global_step = tf.train.get_or_create_global_step()
        images = tf.placeholder(tf.float32, [None, 36])
        labels = tf.placeholder(tf.int64, [None])
        logits = network(images)
        losses = tf.keras.losses.sparse_categorical_crossentropy(
            labels, logits, from_logits=True)
        loss = tf.reduce_mean(losses)
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.AdamOptimizer(0.02), replicas_to_aggregate=len(workers),
            total_num_replicas=len(workers))
        train_op = optimizer.minimize(loss, global_step=global_step)
        sync = optimizer.make_session_run_hook(is_chief, num_tokens=0)
        right = tf.equal(tf.argmax(logits, 1), labels)
        accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

    rng = np.random.RandomState(5)
    x = rng.rand(120, 36).astype("float32")
    y = x[:, :4].argmax(1)
    log = open(args.dir + "/loss.%d" % args.task_index, "w")
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=is_chief,
            hooks=[sync, tf.train.StopAtStepHook(last_step=12)],
            stop_grace_period_secs=1) as sess:
        i = 0
        while not sess.should_stop():
            rows = slice(i * 10, i * 10 + 10)
            _, value, share = sess.run([train_op, loss, accuracy],
                                       {images: x[rows], labels: y[rows]})
            log.write("%d %r\n%d %r\n" % (i, float(value), i, float(share)))
            i += 1


if __name__ == "__main__":
    main()
