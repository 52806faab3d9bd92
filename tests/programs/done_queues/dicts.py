"""Functions that give dicts of what is done with a queue; told in the session."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
FLAGS, _ = parser.parse_known_args()
ps_hosts = FLAGS.ps_hosts.split(",")
worker_hosts = FLAGS.worker_hosts.split(",")


def create_done_queue(i):
    """The queue of the i'th parameter server: every worker puts a number in when done."""
    with tf.device("/job:ps/task:%d" % i):
        queue = tf.FIFOQueue(len(worker_hosts), tf.int32, shared_name="done_queue" + str(i))
        enq = queue.enqueue(1)
        deq = queue.dequeue()
        return {"enque": enq, "deque": deq}


def create_done_queues():
    return [create_done_queue(i) for i in range(len(ps_hosts))]


def main():
    cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        deq = create_done_queue(FLAGS.task_index)["deque"]
        with tf.Session(server.target) as sess:
            for i in range(len(worker_hosts)):
                sess.run(deq)
                print("ps %d received done %d" % (FLAGS.task_index, i))
            print("ps %d: quitting" % FLAGS.task_index)
        print("All Workers Finished execution")
    elif FLAGS.job_name == "worker":
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index,
                cluster=cluster)):
            x = tf.placeholder(tf.float32, [None, 5])
            y = tf.placeholder(tf.float32, [None, 1])
            w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.3))
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
            global_step = tf.train.get_or_create_global_step()
            train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
                loss, global_step=global_step)
        enques = [e["enque"] for e in create_done_queues()]
        rng = np.random.RandomState(FLAGS.task_index)
        log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
        with tf.train.MonitoredTrainingSession(
                master=server.target, is_chief=FLAGS.task_index == 0,
                hooks=None) as sess:
            while not sess.should_stop():
                xs = rng.randn(10, 5)
                _, value, step = sess.run([train_op, loss, global_step],
                                          {x: xs, y: xs.sum(1, keepdims=True)})
                log.write("%d %r\n" % (step, float(value)))
                if step == 30:
                    break
            sess.run(enques)
        log.close()


main()
