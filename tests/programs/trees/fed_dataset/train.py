"""A cluster's worker feeds its dataset at the initializer; a maker function; shuffled by a seed; epochs by OutOfRangeError."""
import argparse
import os

import numpy as np
import tensorflow as tf


def input_pipeline(features, labels, batch_size):
    dataset = tf.data.Dataset.from_tensor_slices((features, labels))
    dataset = dataset.shuffle(100, seed=7).map(lambda f, l: (f * 2.0, l))
    return dataset.batch(batch_size).prefetch(1)


def main(args):
    cluster = tf.train.ClusterSpec({"ps": args.ps_hosts.split(","), "worker": args.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=args.job_name, task_index=args.task_index)
    if args.job_name == "ps":
        server.join()
    rng = np.random.RandomState(1)
    data_x = rng.randn(40, 4).astype(np.float32)
    data_y = data_x.sum(1, keepdims=True)
    with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % args.task_index, cluster=cluster)):
        features_placeholder = tf.placeholder(data_x.dtype, data_x.shape)
        labels_placeholder = tf.placeholder(data_y.dtype, data_y.shape)
        iterator = input_pipeline(features_placeholder, labels_placeholder, 8).make_initializable_iterator()
        x, y = iterator.get_next()
        w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.02).minimize(loss, global_step=global_step)
    log = open(os.path.join(args.dir, "loss.0"), "w")
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=args.task_index == 0,
                                           hooks=[tf.train.StopAtStepHook(last_step=12)]) as sess:
        while not sess.should_stop():
            sess.run(iterator.initializer, feed_dict={features_placeholder: data_x, labels_placeholder: data_y})
            while not sess.should_stop():
                try:
                    _, value, step = sess.run([train_op, loss, global_step])
                    log.write("%d %r\n" % (step, float(value)))
                except tf.errors.OutOfRangeError:
                    break
    log.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ps_hosts", default="")
    parser.add_argument("--worker_hosts", default="")
    parser.add_argument("--job_name", default="")
    parser.add_argument("--task_index", type=int, default=0)
    parser.add_argument("--dir", default="/tmp")
    main(parser.parse_args())
