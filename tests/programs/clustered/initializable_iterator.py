"""An initializable iterator started in the session, StopAtStep by epochs, OutOfRange."""
import json
import os

import numpy as np
import tensorflow as tf
from tensorflow import layers, train

env = json.loads(os.environ.get("TF_CONFIG", "{}"))
spec = train.ClusterSpec(env["cluster"])
index = env["task"]["index"]
server = train.Server(spec, job_name=env["task"]["type"], task_index=index)

if env["task"]["type"] == "ps":
    server.join()

out_dir = os.environ["DIR"]
values = np.random.RandomState(5).rand(48, 3).astype(np.float32)

with tf.device(train.replica_device_setter(cluster=spec)):
    gs = train.create_global_step()
    ds = tf.data.Dataset.from_tensor_slices({"x": values, "y": values.sum(1)}).batch(8)
    it = ds.make_initializable_iterator()
    batch = it.get_next()
    pred = layers.dense(batch["x"], 1, kernel_initializer=tf.constant_initializer(0.1))
    err = tf.losses.absolute_difference(batch["y"], tf.squeeze(pred, axis=1))
    op = train.ProximalGradientDescentOptimizer(
        train.natural_exp_decay(0.05, gs, 10, 0.3),
        l2_regularization_strength=0.001).minimize(err, global_step=gs)

log = open(out_dir + "/loss.%d" % index, "w")
with train.MonitoredTrainingSession(master=server.target, is_chief=index == 0,
                                    checkpoint_dir=out_dir + "/t") as sess:
    for epoch in range(2):
        sess.run(it.initializer)
        while True:
            try:
                _, value = sess.run([op, err])
            except tf.errors.OutOfRangeError:
                break
            log.write("%d %r\n" % (epoch, float(value)))
            log.flush()
