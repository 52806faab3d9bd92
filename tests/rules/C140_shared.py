import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=task)
with tf.device("/job:ps/task:0"):
    queue = tf.FIFOQueue(2, tf.int32, shared_name="work")
if job == "ps":
    sess = tf.Session(server.target)
    for _ in range(2):
        print(sess.run(queue.dequeue()))
